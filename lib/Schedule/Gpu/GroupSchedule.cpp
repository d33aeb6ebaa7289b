// Lanes of a workgroup along reduced axes, and along the axes that store what a workgroup's reductions give.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "GroupSchedule.h"

#include "Workgroups.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

/// Of these axes the one for lanes: that along which most accesses are of neighbours, then the longest, then the inner
/// one. -1 of none.
static int64_t chooseAxis(ArrayRef<RangeOp> axes) {
  int64_t chosen = -1;
  std::pair<int64_t, int64_t> best;
  for (RangeOp axis : axes) {
    AccessStride strides(axis);
    int64_t neighbours = 0;
    for (Operation &op : *axis->getBlock()) {
      auto load = dyn_cast<LoadOp>(op);
      auto store = dyn_cast<StoreOp>(op);
      if (load || store)
        neighbours += strides.get(load ? load.getIndex() : store.getIndex()) == 1;
    }
    std::pair<int64_t, int64_t> value(neighbours, axis.getExtent());
    if (chosen >= 0 && value < best)
      continue;
    best = value;
    chosen = axis.getId();
  }
  return chosen;
}

/// One reduced axis of each reduction, and one axis of each store that is not shared. None where a reduction has no
/// kind or a fixed order.
static std::optional<llvm::SetVector<int64_t>> chooseAxes(FuncOp kernel, ArrayRef<int64_t> shared) {
  llvm::SetVector<int64_t> chosen;
  SmallVector<Operation *> order = sortByDependence(kernel.getBody().front());
  RangeSets sets(order);
  bool hasReduction = false;
  for (Operation *op : order) {
    SmallVector<RangeOp> axes;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      hasReduction = true;
      if (!reduce.getKind() || !reduce.mayReorder())
        return std::nullopt;
      for (Value range : reduce.getRanges())
        if (auto axis = range.getDefiningOp<RangeOp>(); axis.getKind() == AxisKind::Reduce)
          axes.push_back(axis);
      if (axes.empty())
        return std::nullopt;
    } else if (isa<StoreOp>(op)) {
      for (unsigned position : sets.getOpenOfOperands(op))
        if (RangeOp axis = sets.getRanges()[position];
            axis.getKind() == AxisKind::Loop && !llvm::is_contained(shared, static_cast<int64_t>(axis.getId())))
          axes.push_back(axis);
    }
    // What several share is chosen for all of them.
    bool isChosen = llvm::any_of(axes, [&](RangeOp axis) { return chosen.contains(axis.getId()); });
    if (!axes.empty() && !isChosen)
      chosen.insert(chooseAxis(axes));
  }
  if (!hasReduction)
    return std::nullopt;
  // Lanes of one axis: nothing depends on two of them.
  for (Operation *op : order) {
    if (isa<RangeOp>(op))
      continue;
    int64_t count = 0;
    for (unsigned position : sets.getOpenOfOperands(op))
      count += chosen.contains(RangeOp(sets.getRanges()[position]).getId());
    if (count > 1)
      return std::nullopt;
  }
  return chosen;
}

bool scheduleGroups(SchedulePlan &plan, const cost::Machine &target, int64_t lanes) {
  unstageCheapTiles(plan);
  // A tile of a workgroup would need barriers.
  if (!plan.getKernel().getBody().getOps<StageOp>().empty())
    return false;
  SmallVector<int64_t> shared = findSharedAxes(plan.getKernel());
  std::optional<llvm::SetVector<int64_t>> chosen = chooseAxes(plan.getKernel(), shared);
  if (!chosen)
    return false;
  for (int64_t id : *chosen) {
    // Most lanes of a workgroup would idle on a shorter axis.
    if (static_cast<int64_t>(plan.getAxis(id).getExtent()) < lanes)
      return false;
    AxisKind kind = isReduced(plan.getAxis(id)) ? AxisKind::GroupReduce : AxisKind::Local;
    if (!plan.pad(id, lanes) || !plan.split(id, lanes, kind))
      return false;
  }
  if (shared.empty())
    return true;
  mergeWalkedTogether(plan, shared);
  planWorkgroups(plan, shared, target);
  return true;
}

SmallVector<int64_t> listGroupLanes(const cost::Machine &target) {
  int64_t most = target.workgroup;
  if (target.workgroupExtents[0])
    most = std::min(most, target.workgroupExtents[0]);
  SmallVector<int64_t> lanes;
  // Where the size of subgroups is not known, lanes would meet in shared memory only.
  for (int64_t count = target.subgroup; count > 1 && count <= most; count *= 2)
    lanes.push_back(count);
  return lanes;
}

//===--- Prediction -----------------------------------------------------------------------------------------------===//

namespace {

using Count = uint64_t;

/// Counts what a scheduled kernel does.
class WorkgroupPredictor {
public:
  WorkgroupPredictor(FuncOp kernel, const cost::Machine &target)
      : kernel(kernel), target(target), order(sortByDependence(kernel.getBody().front())), sets(order) {
    for (RangeOp range : sets.getRanges()) {
      if (range.getKind() == AxisKind::Global)
        groups = llvm::SaturatingMultiply<Count>(groups, range.getExtent());
      if (isLanes(range)) {
        // Those of the subgroups are the same ones.
        if (range.getKind() != AxisKind::Warp)
          lanes = std::max<Count>(lanes, range.getExtent());
        laneStrides.try_emplace(range, range.getResult());
      }
    }
  }

  int64_t predict() {
    for (Operation *op : order)
      count(op);
    Count all = llvm::SaturatingMultiply(groups, lanes);
    Count together = std::max<Count>(1, target.cores * target.workgroup);
    double cycles = double(steps) * double(llvm::divideCeil(all, together));
    double compute = cycles * 1e6 / double(std::max<int64_t>(1, target.clock));
    double transfer = double(bytes) * 1e6 / double(std::max<int64_t>(1, target.memoryBandwidth));
    return int64_t(std::min(std::max(compute, transfer), 9e18));
  }

private:
  static bool isLanes(RangeOp range) {
    return range.getKind() == AxisKind::Local || range.getKind() == AxisKind::GroupReduce ||
           range.getKind() == AxisKind::Warp;
  }

  /// Whether a loop of lanes fills a tile with what the load reads: along memory.
  static bool fillsTile(RangeOp lane) { return lane.getKind() == AxisKind::Local && isStaged(lane); }

  void count(Operation *op) {
    if (isa<RangeOp, arith::ConstantOp>(op))
      return;
    // Rounds in one lane, lanes that do not repeat each other, and all lanes.
    Count rounds = 1, points = 1, matrix = 1;
    RangeOp lane;
    bool isProduct = false;
    for (unsigned position : sets.getOpenOfOperands(op)) {
      RangeOp range = sets.getRanges()[position];
      points = llvm::SaturatingMultiply<Count>(points, range.getExtent());
      if (range.getKind() == AxisKind::Fragment) {
        matrix *= range.getExtent();
        isProduct |= isReduced(range);
        continue;
      }
      if (isLanes(range))
        lane = range;
      else if (range.getKind() != AxisKind::Global)
        rounds = llvm::SaturatingMultiply<Count>(rounds, range.getExtent());
    }
    // One instruction loads a matrix, one multiplies two of them. Of a sum each lane has its share.
    if (isProduct && !isa<LoadOp, ReduceOp>(op))
      return;
    if (!isProduct && matrix > 1)
      rounds = llvm::SaturatingMultiply<Count>(rounds,
                                               llvm::divideCeil(matrix, Count(std::max<int64_t>(1, target.subgroup))));
    steps = llvm::SaturatingAdd(steps, rounds);
    if (auto reduce = dyn_cast<ReduceOp>(op);
        reduce && lane && llvm::is_contained(reduce.getRanges(), lane.getResult())) {
      // Exchanges in a subgroup, then one step for each of them; or halves that wait for each other.
      Count within = std::min<Count>(lanes, std::max<int64_t>(1, target.subgroup));
      Count once = within > 1 ? llvm::Log2_64_Ceil(within) + lanes / within : 2 * llvm::Log2_64_Ceil(lanes);
      Count times = 1;
      for (unsigned position : sets.getOpen(reduce.getResult(0)))
        if (RangeOp range = sets.getRanges()[position]; !isLanes(range) && range.getKind() != AxisKind::Global)
          times = llvm::SaturatingMultiply<Count>(times, range.getExtent());
      steps = llvm::SaturatingMultiplyAdd(once, times, steps);
    }
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!load && !store)
      return;
    Value buffer = load ? load.getBuffer() : store.getBuffer(), index = load ? load.getIndex() : store.getIndex();
    if (!isa<BlockArgument>(buffer))
      return;
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    Count width = element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8u);
    // Lanes whose elements lie apart move what lies between, up to a line of memory each.
    Count spread = 1;
    if (lane && !fillsTile(lane)) {
      std::optional<int64_t> stride = laneStrides.find(lane)->second.get(index);
      Count most = std::max<Count>(1, target.cacheLine / width);
      spread = stride ? std::clamp<Count>(std::abs(*stride), 1, most) : most;
    }
    bytes = llvm::SaturatingMultiplyAdd(llvm::SaturatingMultiply(points, width), spread, bytes);
  }

  FuncOp kernel;
  const cost::Machine &target;
  SmallVector<Operation *> order;
  RangeSets sets;
  Count groups = 1, lanes = 1, steps = 0, bytes = 0;
  llvm::DenseMap<Operation *, AccessStride> laneStrides;
};

} // namespace

int64_t predictWorkgroups(FuncOp kernel, const cost::Machine &target) {
  return WorkgroupPredictor(kernel, target).predict();
}

} // namespace tiny::kernel
