// Schedules passes over contiguous rows, merges loops, and cuts kernels into parts for threads.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "RowSchedule.h"

#include "KeptRows.h"
#include "Lanes.h"
#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

void sortByPasses(FuncOp kernel, SmallVectorImpl<int64_t> &axes) {
  llvm::DenseMap<int64_t, unsigned> pass;
  for (auto [position, op] : llvm::enumerate(sortByDependence(kernel.getBody().front())))
    if (auto reduce = dyn_cast<ReduceOp>(op))
      for (Value range : reduce.getRanges())
        pass.try_emplace(range.getDefiningOp<RangeOp>().getId(), position);
  llvm::stable_sort(axes, [&](int64_t a, int64_t b) { return pass.lookup(a) < pass.lookup(b); });
}

/// The lanes of a row that is one vector: as few as hold it, in a length that machines have.
static int64_t countLanesOfRow(int64_t extent, int64_t lanes) {
  return extent <= lanes ? llvm::PowerOf2Ceil(extent) : llvm::alignTo(extent, lanes);
}

namespace {
/// The ids of the axes that become lanes: reduced axes, and free axes along which rows have elements.
struct RowAxes {
  SmallVector<int64_t> reduced, free;
  llvm::DenseMap<int64_t, LaneFit> fits;
};
} // namespace

/// Removes each worse id if a better id reaches the same operation.
static void dropWhereMet(RangeSets &sets, FuncOp kernel, SmallVectorImpl<int64_t> &ids,
                         llvm::function_ref<bool(int64_t)> isWorse, llvm::function_ref<bool(int64_t)> isBetter) {
  for (Operation &op : kernel.getBody().front()) {
    SmallVector<int64_t> met = llvm::map_to_vector(sets.getOpenOfOperands(&op), [&](unsigned position) -> int64_t {
      return RangeOp(sets.getRanges()[position]).getId();
    });
    if (llvm::any_of(met, isBetter))
      llvm::erase_if(ids, [&](int64_t id) { return isWorse(id) && llvm::is_contained(met, id); });
  }
}

/// No reduced axes where rows are not the way. `isKept` says whether a tile is read along an axis.
static RowAxes findRowAxes(SchedulePlan &plan, int64_t shortest, int64_t lanes, ArrayRef<int64_t> scheduled,
                           llvm::function_ref<bool(int64_t)> isKept) {
  RowAxes axes;
  FuncOp kernel = plan.getKernel();
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    int64_t id = axis.getId(), extent = axis.getExtent();
    AxisKind kind = isReduced(axis) ? AxisKind::Reduce : AxisKind::Loop;
    if (axis.getKind() != kind || extent < std::min(shortest, cost::kFewestNeighbours) ||
        llvm::is_contained(scheduled, id))
      continue;
    LaneFit fit = judgeLanes(kernel, axis);
    if (fit == LaneFit::None || (fit == LaneFit::Gathers && extent < shortest))
      continue;
    axes.fits[id] = fit;
    if (extent >= shortest)
      (kind == AxisKind::Reduce ? axes.reduced : axes.free).push_back(id);
  }
  if (axes.reduced.empty())
    return axes;
  SmallVector<int64_t> stored = llvm::filter_to_vector(
      axes.free, [&](int64_t id) { return judgeStoredLanes(kernel, plan.getAxis(id)) != LaneFit::None; });
  // If several axes reach one operation, drop those that would gather when others would not. Then drop the reduced axes
  // where a free one is left: its lanes need not be combined at the end.
  auto gathers = [&](int64_t id) { return axes.fits.lookup(id) == LaneFit::Gathers; };
  auto reaches = [&](int64_t id) { return axes.fits.lookup(id) > LaneFit::Gathers; };
  auto isFree = [&](int64_t id) { return llvm::is_contained(axes.free, id); };
  dropWhereMet(sets, kernel, axes.free, gathers, reaches);
  dropWhereMet(sets, kernel, axes.reduced, gathers, reaches);
  dropWhereMet(sets, kernel, axes.reduced, [](int64_t) { return true; }, isFree);
  if (axes.reduced.empty())
    return axes;
  // Keep one of several reduced axes, since each lane of one would be a copy for the other: the one that fits best,
  // then one without padding, then the inner one.
  auto rank = [&](int64_t id) {
    return std::tuple(axes.fits.lookup(id), plan.getAxis(id).getExtent() % lanes == 0, id);
  };
  for (int64_t best : SmallVector<int64_t>(axes.reduced))
    if (llvm::is_contained(axes.reduced, best))
      dropWhereMet(
          sets, kernel, axes.reduced, [&](int64_t id) { return rank(id) < rank(best); },
          [&](int64_t id) { return id == best; });
  // Prefer lanes along a free axis if lanes along rows leave more operations scalar. Rows that keep a value for later
  // passes count half.
  auto toAxis = [&](int64_t id) { return plan.getAxis(id); };
  SmallVector<RangeOp> rows = llvm::map_to_vector(llvm::concat<int64_t>(axes.reduced, axes.free), toAxis);
  double cost = estimateLanes(kernel, rows, lanes, sets);
  if (llvm::any_of(axes.reduced, isKept))
    cost /= 2;
  if (llvm::any_of(stored, [&](int64_t id) { return estimateLanes(kernel, toAxis(id), lanes, sets) < cost; }))
    axes.reduced.clear();
  return axes;
}

bool scheduleRows(SchedulePlan &plan, SchedulePlan &bare, const cost::Machine &target, int64_t shortest,
                  ArrayRef<int64_t> scheduled) {
  SmallVector<KeptRow> kept = findKeptRows(plan.getKernel(), target);
  auto isKept = [&](int64_t id) { return !kept.empty() && isKeptAlong(kept, plan.getAxis(id)); };
  RowAxes axes = findRowAxes(bare, shortest, target.getLanes(), scheduled, isKept);
  SmallVector<int64_t> &reduced = axes.reduced, &free = axes.free;
  if (reduced.empty())
    return false;
  bool keeps = llvm::any_of(reduced, isKept);
  llvm::sort(reduced);
  llvm::sort(free);
  sortByPasses(bare.getKernel(), reduced);
  SmallVector<int64_t> rows(reduced);
  if (!free.empty())
    rows.push_back(free.back());
  llvm::SmallDenseMap<int64_t, int64_t> whole;
  for (int64_t id : rows)
    whole[id] = countLanesOfRow(bare.getAxis(id).getExtent(), target.getLanes());
  int64_t functionBytes = 0;
  for (Operation &op : bare.getKernel().getBody().front())
    if (Type type = target::isFunction(&op) ? op.getResult(0).getType() : Type())
      functionBytes += type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : sizeof(int64_t);
  auto isWhole = [&](int64_t id) {
    int64_t lanes = whole[id];
    return lanes <= target.getLanes() * (keeps ? cost::kVectorsOfRow : cost::kRowAccumulators) &&
           lanes * functionBytes <= cost::kMostBytesOfFunctions;
  };
  // A row of a few vectors stays in registers during all passes.
  if (llvm::all_of(rows, isWhole)) {
    plan.swap(bare);
    for (int64_t id : rows) {
      int64_t lanes = whole[id];
      if (!plan.pad(id, lanes) || !plan.split(id, lanes, AxisKind::Upcast))
        continue;
      if (!llvm::isPowerOf2_64(lanes) &&
          (makesScalars(plan.getKernel()) || axes.fits.lookup(id) != LaneFit::Neighbours))
        plan.split(id, target.getLanes(), AxisKind::Upcast);
    }
    return !plan.isEmpty();
  }
  auto addLanes = [&](int64_t id, int64_t most) {
    int64_t extent = plan.getAxis(id).getExtent(), lanes = most;
    while (lanes > target.getLanes() && lanes > extent)
      lanes /= 2;
    // What fills a tile beside another axis keeps its extent.
    while (lanes > 1 && !plan.pad(id, lanes))
      lanes /= 2;
    return lanes > 1 && plan.split(id, lanes, AxisKind::Upcast);
  };
  SmallVector<int64_t> filling;
  for (const KeptRow &row : kept)
    if (int64_t id = row.filling.back(); judgeLanes(plan.getKernel(), plan.getAxis(id)) != LaneFit::None)
      filling.push_back(id);
  // What fills a tile is padded before what reads it, whose end then needs no gate.
  if (keeps)
    for (int64_t id : llvm::concat<int64_t>(filling, rows))
      plan.pad(id, findMultiple(plan.getAxis(id).getExtent(), target.getLanes() * cost::kRowAccumulators,
                                target.getLanes()));
  for (int64_t id : llvm::concat<int64_t>(filling, reduced))
    addLanes(id, target.getLanes() * cost::kRowAccumulators);
  // At most one free axis is contiguous: the last.
  if (!free.empty())
    addLanes(free.back(), target.getLanes());
  return !plan.isEmpty();
}

/// Whether anything but the index of an access depends on the axis.
static bool isUsedApart(FuncOp kernel, RangeOp axis) {
  AccessStride strides(axis);
  return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getGate() && strides.dependsOnAxis(load.getGate());
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getGate() && strides.dependsOnAxis(store.getGate());
    return isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::CmpIOp>(op) && op.getOperand(0).getType().isIndex() &&
           strides.dependsOnAxis(op.getOperand(0));
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

/// Whether all accesses that a merge would divide for are loads that vary along both axes and may be packed.
static bool fitsMerge(FuncOp kernel, RangeOp outer, RangeOp inner, ArrayRef<LoadOp> packed) {
  return llvm::all_of(findAccessesApart(outer, inner), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && llvm::is_contained(packed, load) && AccessStride(outer).dependsOnAxis(load.getIndex()) &&
           AccessStride(inner).dependsOnAxis(load.getIndex());
  });
}

/// Whether anything but the index of an access depends on one of the axes.
static bool areUsedApart(RangeOp outer, RangeOp inner) {
  auto kernel = outer->getParentOfType<FuncOp>();
  return isUsedApart(kernel, outer) || isUsedApart(kernel, inner);
}

/// Merges axes that follow each other in the list, if they fit.
static void mergeNeighbours(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes,
                            llvm::function_ref<bool(RangeOp, RangeOp)> fits) {
  for (size_t i = 0; i + 1 < axes.size();) {
    // Another list may have merged them already.
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
  for (Operation &op : plan.getKernel().getBody().front())
    if (isa<ReduceOp, StageOp>(op))
      rows.push_back(llvm::map_to_vector(getClosedRanges(&op), [](Value range) {
        return static_cast<int64_t>(range.getDefiningOp<RangeOp>().getId());
      }));
  for (SmallVector<int64_t> &axes : rows)
    mergeNeighbours(plan, axes, [](RangeOp outer, RangeOp inner) {
      return findAccessesApart(outer, inner).empty() && !areUsedApart(outer, inner);
    });
}

void addParts(SchedulePlan &plan, const cost::Machine &target) {
  if (cost::getParts(target) < 2)
    return;
  FuncOp kernel = plan.getKernel();
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  // The most points at which an operation is evaluated whose open axes satisfy `counts`.
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
  // A pass over a tile of a function counts as one.
  int64_t functions = llvm::count_if(kernel.getBody().front(), [](Operation &op) {
    auto load = dyn_cast<LoadOp>(op);
    auto stage = load ? load.getBuffer().getDefiningOp<StageOp>() : StageOp();
    return target::isFunction(&op) || (stage && takesFunction(stage.getValue()));
  });
  if (points * std::max<int64_t>(1, functions) < cost::kSmallestShared)
    return;
  RangeOp outermost;
  for (RangeOp axis : sets.getRanges()) {
    if (axis.getKind() == AxisKind::Thread || axis.getKind() == AxisKind::Global)
      return;
    if (axis.getKind() != AxisKind::Loop || isReduced(axis) || isStaged(axis) || axis.getExtent() < 2)
      continue;
    // A store that does not depend on the axis would be done by several threads.
    bool isEverywhere = llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      return llvm::is_contained(sets.getOpenOfOperands(store), sets.getPosition(axis));
    });
    if (isEverywhere && (!outermost || axis.getPlace() < outermost.getPlace()))
      outermost = axis;
  }
  if (!outermost)
    return;
  int64_t extent = outermost.getExtent();
  int64_t wanted =
      std::min<int64_t>({extent, 64, std::max<int64_t>(cost::getParts(target), points / cost::kPointsOfPart)});
  // Each part computes again what does not depend on the axis.
  double apart =
      countPoints([&](ArrayRef<unsigned> open) { return !llvm::is_contained(open, sets.getPosition(outermost)); });
  auto isWorthIt = [&](int64_t parts) { return parts > 1 && apart * parts <= points; };
  for (int64_t parts = wanted; parts > 1; --parts)
    if (extent % parts == 0 && isWorthIt(parts)) {
      plan.split(outermost.getId(), parts, AxisKind::Thread);
      return;
    }
  // No number divides it: the last part is shorter.
  int64_t fewest = std::min(wanted, cost::getParts(target));
  if (isWorthIt(fewest) && plan.pad(outermost.getId(), fewest))
    plan.split(outermost.getId(), fewest, AxisKind::Thread);
}

} // namespace tiny::kernel
