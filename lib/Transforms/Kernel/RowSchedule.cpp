// See KernelTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "RowSchedule.h"

#include "Lanes.h"
#include "Tiny/Dialect/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Transforms/Kernel/Axes.h"
#include "Tiny/Transforms/Kernel/Split.h"
#include "Tiny/Transforms/Kernel/Stage.h"

using namespace mlir;

namespace tiny::kernel {

/// Vectors of accumulators of one reduction: additions on the way hide each other's latency.
static constexpr int64_t kAccumulators = 4;
/// A kernel is shared among threads from so many points on, some 20 microseconds of work.
static constexpr int64_t kSmallestShared = 1 << 17;
/// Points of a part, as far as the axis allows.
static constexpr int64_t kPointsOfPart = 1 << 16;

/// True when lanes along the axis are neighbours in memory: stores that depend on it walk it with stride one, loads too
/// or stand still, something walks it, and reductions over it may combine in any order.
static bool isContiguous(FuncOp kernel, RangeOp axis, const RangeSets &sets) {
  AccessStride strides(axis);
  unsigned position = sets.getPosition(axis);
  auto varies = [&](Value value) { return llvm::is_contained(sets.getOpen(value), position); };
  bool walks = false;
  for (Operation &op : kernel.getBody().front()) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (llvm::is_contained(reduce.getRanges(), axis.getResult()) && (!reduce.getKind() || !reduce.mayReorder()))
        return false;
      continue;
    }
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!load && !store)
      continue;
    if (store && llvm::none_of(op.getOperands(), varies))
      continue;
    std::optional<int64_t> stride = strides.get(load ? load.getIndex() : store.getIndex());
    if (!stride || (*stride != 1 && (store || *stride != 0)))
      return false;
    walks |= *stride == 1;
  }
  return walks;
}

void sortByPasses(FuncOp kernel, SmallVectorImpl<int64_t> &axes) {
  llvm::DenseMap<int64_t, unsigned> pass;
  for (auto [position, op] : llvm::enumerate(sortByDependence(kernel.getBody().front())))
    if (auto reduce = dyn_cast<ReduceOp>(op))
      for (Value range : reduce.getRanges())
        pass.try_emplace(range.getDefiningOp<RangeOp>().getId(), position);
  llvm::stable_sort(axes, [&](int64_t a, int64_t b) { return pass.lookup(a) < pass.lookup(b); });
}

/// A row of so many vectors stays in registers.
static constexpr int64_t kVectorsOfRow = 8;

/// The lanes of a row that is one vector: no more than it takes, of a length that machines have.
static int64_t countLanesOfRow(int64_t extent, int64_t lanes) {
  return extent <= lanes ? llvm::PowerOf2Ceil(extent) : llvm::alignTo(extent, lanes);
}

bool scheduleRows(SchedulePlan &plan, const ScheduleTarget &target, int64_t shortest, ArrayRef<int64_t> scheduled) {
  SmallVector<int64_t> reduced, free;
  {
    FuncOp kernel = plan.getKernel();
    RangeSets sets(sortByDependence(kernel.getBody().front()));
    for (auto axis : kernel.getBody().getOps<RangeOp>()) {
      int64_t extent = axis.getExtent();
      if (extent < shortest || llvm::is_contained(scheduled, static_cast<int64_t>(axis.getId())) ||
          !isContiguous(kernel, axis, sets))
        continue;
      if (isReduced(axis) && axis.getKind() == AxisKind::Reduce)
        reduced.push_back(axis.getId());
      else if (!isReduced(axis) && axis.getKind() == AxisKind::Loop)
        free.push_back(axis.getId());
    }
    // Where both axes reach an operation the free one is better lanes: nothing is combined at the end.
    for (Operation &op : kernel.getBody().front()) {
      SmallVector<int64_t> met = llvm::map_to_vector(sets.getOpenOfOperands(&op), [&](unsigned position) -> int64_t {
        return RangeOp(sets.getRanges()[position]).getId();
      });
      if (llvm::any_of(free, [&](int64_t id) { return llvm::is_contained(met, id); }))
        llvm::erase_if(reduced, [&](int64_t id) { return llvm::is_contained(met, id); });
    }
  }
  if (reduced.empty())
    return false;
  auto addLanes = [&](int64_t id, int64_t most) {
    int64_t extent = plan.getAxis(id).getExtent(), lanes = most;
    while (lanes > target.lanes && lanes > extent)
      lanes /= 2;
    // Gates cost little where few are needed.
    if (extent % lanes != 0 && extent % target.lanes == 0)
      lanes = target.lanes;
    // What fills a tile keeps its extent.
    while (lanes > 1 && !plan.pad(id, lanes))
      lanes /= 2;
    return lanes > 1 && plan.split(id, lanes, AxisKind::Upcast);
  };
  llvm::sort(reduced);
  llvm::sort(free);
  sortByPasses(plan.getKernel(), reduced);
  SmallVector<int64_t> rows(reduced);
  if (!free.empty())
    rows.push_back(free.back());
  auto isShared = [&](int64_t id) { return findSharedInput(plan.getAxis(id)).isCostly; };
  bool keeps = llvm::any_of(reduced, isShared);
  auto isWhole = [&](int64_t id) {
    int64_t extent = plan.getAxis(id).getExtent();
    return countLanesOfRow(extent, target.lanes) <= target.lanes * (keeps ? kVectorsOfRow : 2);
  };
  // In a row of a few vectors all passes are the same registers.
  if (llvm::all_of(rows, isWhole)) {
    for (int64_t id : rows) {
      int64_t lanes = countLanesOfRow(plan.getAxis(id).getExtent(), target.lanes);
      if (plan.pad(id, lanes))
        plan.split(id, lanes, AxisKind::Upcast);
    }
    return !plan.isEmpty();
  }
  // What fills a tile keeps its extent, so the row is padded before.
  if (keeps)
    for (int64_t id : rows)
      plan.pad(id, findMultiple(plan.getAxis(id).getExtent(), target.lanes * kAccumulators, target.lanes));
  SmallVector<int64_t> lanes;
  for (int64_t id : reduced) {
    auto fits = [&] {
      SharedInput shared = findSharedInput(plan.getAxis(id));
      return shared.isCostly && countTileBytes(shared, plan.getAxis(id)) <= target.keptBytes;
    };
    while (fits() && plan.stageInput(id, {}, StageSpace::Local, lanes)) {
    }
    lanes.push_back(id);
  }
  for (int64_t id : lanes)
    addLanes(id, target.lanes * kAccumulators);
  // Of the free axes one is contiguous, if any.
  if (!free.empty())
    addLanes(free.back(), target.lanes);
  return !plan.isEmpty();
}

/// True when something else than the index of an access depends on the axis.
static bool isUsedApart(FuncOp kernel, RangeOp axis) {
  AccessStride strides(axis);
  return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getGate() && strides.dependsOnAxis(load.getGate());
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getGate() && strides.dependsOnAxis(store.getGate());
    return isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::CmpIOp>(op) && strides.dependsOnAxis(op.getOperand(0));
  });
}

SmallVector<LoadOp> findReducedLoads(FuncOp kernel) {
  SmallVector<LoadOp> loads;
  SmallVector<Value> pending;
  llvm::DenseSet<Operation *> seen;
  for (auto reduce : kernel.getBody().getOps<ReduceOp>())
    llvm::append_range(pending, reduce.getInputs());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<LoadOp>(op))
      loads.push_back(load);
    else
      llvm::append_range(pending, op->getOperands());
  }
  return loads;
}

/// True where all that a merge leaves apart are reads that vary along both axes and that may be packed.
static bool fitsMerge(FuncOp kernel, RangeOp outer, RangeOp inner, ArrayRef<LoadOp> packed) {
  return llvm::all_of(findAccessesApart(outer, inner), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && llvm::is_contained(packed, load) && AccessStride(outer).dependsOnAxis(load.getIndex()) &&
           AccessStride(inner).dependsOnAxis(load.getIndex());
  });
}

/// True when something else than the index of an access depends on one of the axes.
static bool areUsedApart(RangeOp outer, RangeOp inner) {
  auto kernel = outer->getParentOfType<FuncOp>();
  return isUsedApart(kernel, outer) || isUsedApart(kernel, inner);
}

/// Merges axes that follow each other in the list, where they fit.
static void mergeNeighbours(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes,
                            llvm::function_ref<bool(RangeOp, RangeOp)> fits) {
  for (size_t i = 0; i + 1 < axes.size();) {
    // Another list may have had them.
    RangeOp outer = plan.getAxis(axes[i]), inner = plan.getAxis(axes[i + 1]);
    if (!outer || !inner || !whyNotMerge(outer, inner).empty() || !fits(outer, inner)) {
      ++i;
      continue;
    }
    plan.merge(axes[i], axes[i + 1]);
    axes.erase(axes.begin() + i + 1);
  }
}

bool mergeLoops(SchedulePlan &plan, bool pack) {
  SmallVector<int64_t> free;
  for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Loop && !isReduced(axis) && !isStaged(axis))
      free.push_back(axis.getId());
  llvm::sort(free);
  auto reduces = plan.getKernel().getBody().getOps<ReduceOp>();
  bool isProduct = !reduces.empty() && llvm::all_of(reduces, [&](ReduceOp reduce) {
    return isa_and_present<arith::MulFOp>(reduce.getInputs().front().getDefiningOp()) &&
           llvm::equal(reduce.getRanges(), (*reduces.begin()).getRanges());
  });
  bool packs = false;
  mergeNeighbours(plan, free, [&](RangeOp outer, RangeOp inner) {
    if (findAccessesApart(outer, inner).empty())
      return isProduct || !areUsedApart(outer, inner);
    FuncOp kernel = plan.getKernel();
    bool fits = pack && isProduct && fitsMerge(kernel, outer, inner, findReducedLoads(kernel));
    packs |= fits;
    return fits;
  });
  return packs;
}

void mergeReduced(SchedulePlan &plan) {
  SmallVector<SmallVector<int64_t>> rows;
  for (auto reduce : plan.getKernel().getBody().getOps<ReduceOp>())
    rows.push_back(llvm::map_to_vector(
        reduce.getRanges(), [](Value range) { return static_cast<int64_t>(range.getDefiningOp<RangeOp>().getId()); }));
  for (SmallVector<int64_t> &axes : rows)
    mergeNeighbours(plan, axes, [](RangeOp outer, RangeOp inner) {
      return findAccessesApart(outer, inner).empty() && !areUsedApart(outer, inner);
    });
}

void addParts(SchedulePlan &plan, const ScheduleTarget &target) {
  if (target.parts < 2)
    return;
  FuncOp kernel = plan.getKernel();
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  // The most points that an operation with such open axes is evaluated at.
  auto countPoints = [&](llvm::function_ref<bool(ArrayRef<unsigned>)> counts) {
    double most = 0;
    for (Operation &op : kernel.getBody().front()) {
      ArrayRef<unsigned> open = sets.getOpenOfOperands(&op);
      if (!counts(open))
        continue;
      double own = 1;
      for (unsigned position : open)
        own *= RangeOp(sets.getRanges()[position]).getExtent();
      most = std::max(most, own);
    }
    return most;
  };
  double points = countPoints([](ArrayRef<unsigned>) { return true; });
  if (points < kSmallestShared)
    return;
  RangeOp outermost;
  for (RangeOp axis : sets.getRanges()) {
    if (axis.getKind() == AxisKind::Thread || axis.getKind() == AxisKind::Global)
      return;
    if (axis.getKind() != AxisKind::Loop || isReduced(axis) || isStaged(axis) || axis.getExtent() < 2)
      continue;
    // Every store must depend on it, or several threads would store one element.
    bool isEverywhere = llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      return llvm::is_contained(sets.getOpenOfOperands(store), sets.getPosition(axis));
    });
    if (isEverywhere && (!outermost || std::pair(axis.getLoopOrder(), axis.getId()) <
                                           std::pair(outermost.getLoopOrder(), outermost.getId())))
      outermost = axis;
  }
  if (!outermost)
    return;
  int64_t extent = outermost.getExtent();
  int64_t wanted = std::min<int64_t>({extent, 64, std::max<int64_t>(target.parts, points / kPointsOfPart)});
  // What does not depend on the axis is computed again by each part.
  double apart =
      countPoints([&](ArrayRef<unsigned> open) { return !llvm::is_contained(open, sets.getPosition(outermost)); });
  for (int64_t parts = wanted; parts > 1; --parts)
    if (extent % parts == 0 && apart * parts <= points) {
      plan.split(outermost.getId(), parts, AxisKind::Thread);
      return;
    }
}

} // namespace tiny::kernel
