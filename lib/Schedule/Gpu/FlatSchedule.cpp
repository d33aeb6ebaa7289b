// Workgroups and lanes along free axes. No lane needs what another one computes.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "FlatSchedule.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// Lanes of a workgroup: two subgroups of 32, one of 64, eight of 8.
constexpr int64_t kLanes = 64;
/// Most workgroups along one axis, where the record does not say: every device takes them.
constexpr int64_t kMostGroups = 65535;
/// Axes of workgroups that every device has.
constexpr size_t kMostGlobalAxes = 3;

/// Whether a reduction varies along an axis that fills the tile: each reader of an element would repeat it.
bool holdsReduction(StageOp stage) {
  return llvm::any_of(stage.getRanges(), [&](Value range) {
    llvm::DenseSet<Value> varying = findVarying(range.getDefiningOp<RangeOp>());
    return llvm::any_of(stage->getBlock()->getOps<ReduceOp>(), [&](ReduceOp reduce) {
      return llvm::any_of(reduce.getResults(), [&](Value result) { return varying.contains(result); });
    });
  });
}

/// Takes back tiles that are cheap to compute again. Those that others are computed from come first.
void unstageCheapTiles(SchedulePlan &plan) {
  SmallVector<int64_t> filling;
  for (auto stage : plan.getKernel().getBody().getOps<StageOp>())
    if (!stage.getRanges().empty() && !holdsReduction(stage))
      filling.push_back(stage.getRanges().front().getDefiningOp<RangeOp>().getId());
  for (int64_t id : llvm::reverse(filling))
    plan.unstage(id);
}

/// The free loops that every store, reduction and tile varies along, the outermost first.
SmallVector<int64_t> findSharedAxes(FuncOp kernel) {
  SmallVector<int64_t> shared;
  for (RangeOp axis : getNest(kernel, AxisKind::Loop)) {
    if (isReduced(axis) || isStaged(axis))
      continue;
    llvm::DenseSet<Value> varying = findVarying(axis);
    auto varies = [&](Operation &op) {
      if (auto store = dyn_cast<StoreOp>(op))
        return varying.contains(store.getIndex());
      if (isa<ReduceOp, StageOp>(op))
        return llvm::any_of(op.getResults(), [&](Value result) { return varying.contains(result); });
      return true;
    };
    if (llvm::all_of(kernel.getBody().front(), varies))
      shared.push_back(axis.getId());
  }
  return shared;
}

/// Merges the last axis of the list into the one before it.
bool mergeLast(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes) {
  if (!plan.merge(axes[axes.size() - 2], axes.back()))
    return false;
  axes.pop_back();
  return true;
}

/// Merges neighbours that every access walks as one.
void mergeWalkedTogether(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes) {
  for (size_t outer = axes.size(); outer-- > 1;) {
    RangeOp first = plan.getAxis(axes[outer - 1]), second = plan.getAxis(axes[outer]);
    if (findAccessesApart(first, second).empty() && plan.merge(axes[outer - 1], axes[outer]))
      axes.erase(axes.begin() + outer);
  }
}

int64_t getExtent(SchedulePlan &plan, int64_t id) { return plan.getAxis(id).getExtent(); }

int64_t findDivisor(int64_t extent, int64_t most) {
  int64_t divisor = std::min(extent, most);
  while (extent % divisor != 0)
    --divisor;
  return divisor;
}

/// Cuts lanes from the axis. An axis that is not a multiple of them gets points without effect.
void planLanes(SchedulePlan &plan, int64_t id, int64_t lanes) {
  // Padding an axis shorter than a workgroup would only idle lanes.
  if (getExtent(plan, id) >= lanes)
    plan.pad(id, lanes);
  int64_t local = findDivisor(getExtent(plan, id), lanes);
  if (local > 1)
    plan.split(id, local, AxisKind::Local);
}

/// Makes the axis one of workgroups. What is more than an axis of a grid loops inside.
void planWorkgroups(SchedulePlan &plan, int64_t id, int64_t most) {
  RangeOp axis = plan.getAxis(id);
  if (axis.getKind() != AxisKind::Loop)
    return;
  int64_t extent = axis.getExtent(), rounds = llvm::divideCeil(extent, most);
  if (rounds > 1 && plan.pad(id, rounds))
    extent = getExtent(plan, id);
  if (int64_t groups = findDivisor(extent, most); groups > 1 || extent == 1)
    plan.split(id, groups, AxisKind::Global);
}

} // namespace

void scheduleFlat(SchedulePlan &plan, const cost::Machine &target) {
  unstageCheapTiles(plan);
  SmallVector<int64_t> axes = findSharedAxes(plan.getKernel());
  if (axes.empty())
    return;
  mergeWalkedTogether(plan, axes);
  int64_t most = target.workgroup ? target.workgroup : kLanes;
  if (target.workgroupExtents[0])
    most = std::min(most, target.workgroupExtents[0]);
  int64_t lanes = std::min(kLanes, most);
  // A tile in the memory of a workgroup is one lane's: others would write over it.
  bool hasTile = llvm::any_of(plan.getKernel().getBody().getOps<StageOp>(),
                              [](StageOp stage) { return stage.getSpace() == StageSpace::Local; });
  if (hasTile)
    lanes = 1;
  while (axes.size() > 1 && getExtent(plan, axes.back()) < lanes && mergeLast(plan, axes)) {
  }
  // The outer axes have fewest points between them that an access walks as one; any merge is as good there.
  while (axes.size() > kMostGlobalAxes && plan.merge(axes[0], axes[1]))
    axes.erase(axes.begin() + 1);
  planLanes(plan, axes.back(), lanes);
  int64_t groups = *llvm::min_element(target.grid);
  // Axes beyond those of a grid stay loops.
  for (int64_t id : ArrayRef(axes).take_back(kMostGlobalAxes))
    planWorkgroups(plan, id, groups ? groups : kMostGroups);
}

} // namespace tiny::kernel
