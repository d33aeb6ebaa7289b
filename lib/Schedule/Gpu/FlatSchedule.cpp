// Workgroups and lanes along free axes. No lane needs what another one computes.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "FlatSchedule.h"

#include "Workgroups.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Schedule/Steps/Axes.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// Merges the last axis of the list into the one before it.
bool mergeLast(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes) {
  if (!plan.merge(axes[axes.size() - 2], axes.back()))
    return false;
  axes.pop_back();
  return true;
}

int64_t getExtent(SchedulePlan &plan, int64_t id) { return plan.getAxis(id).getExtent(); }

/// Cuts lanes from the axis. An axis that is not a multiple of them gets points without effect.
void planLanes(SchedulePlan &plan, int64_t id, int64_t lanes) {
  // Padding an axis shorter than a workgroup would only idle lanes.
  if (getExtent(plan, id) >= lanes)
    plan.pad(id, lanes);
  int64_t local = findDivisor(getExtent(plan, id), lanes);
  if (local > 1)
    plan.split(id, local, AxisKind::Local);
}

/// Makes lanes of the last axes, and workgroups of the others.
void planFlatLanes(SchedulePlan &plan, const cost::Machine &target, SmallVectorImpl<int64_t> &axes, int64_t mostLanes) {
  int64_t most = target.workgroup ? target.workgroup : mostLanes;
  if (target.workgroupExtents[0])
    most = std::min(most, target.workgroupExtents[0]);
  int64_t lanes = std::min(mostLanes, most);
  // A tile in the memory of a workgroup is one lane's: others would write over it.
  bool hasTile = llvm::any_of(plan.getKernel().getBody().getOps<StageOp>(),
                              [](StageOp stage) { return stage.getSpace() == StageSpace::Local; });
  if (hasTile)
    lanes = 1;
  while (axes.size() > 1 && getExtent(plan, axes.back()) < lanes && mergeLast(plan, axes)) {
  }
  planLanes(plan, axes.back(), lanes);
  planWorkgroups(plan, axes, target);
}

} // namespace

bool scheduleFlat(SchedulePlan &plan, const cost::Machine &target, int64_t mostLanes, bool hasVectors, bool repeats) {
  unstageCheapTiles(plan);
  SmallVector<int64_t> axes = findSharedAxes(plan.getKernel(), repeats);
  if (axes.empty() || (repeats && axes.size() == findSharedAxes(plan.getKernel()).size()))
    return false;
  mergeWalkedTogether(plan, axes);
  int64_t vector = hasVectors ? findVector(plan.getKernel(), plan.getAxis(axes.back()), target) : 1;
  // An axis that is a vector as a whole has no neighbours for lanes.
  if (hasVectors &&
      (vector == 1 || vector == getExtent(plan, axes.back()) || !plan.split(axes.back(), vector, AxisKind::Upcast)))
    return false;
  planFlatLanes(plan, target, axes, mostLanes);
  return true;
}

/// Most copies of what a lane computes for neighbours in short reductions.
static constexpr int64_t kMostCopies = 128;

static bool walksAlong(SchedulePlan &plan, int64_t axis, Value index) {
  return AccessStride(plan.getAxis(axis).getResult()).get(index) == 1;
}

/// Whether all stores are of neighbours along the axis.
static bool isStoredAlong(SchedulePlan &plan, int64_t axis) {
  return llvm::all_of(plan.getKernel().getBody().getOps<StoreOp>(),
                      [&](StoreOp store) { return walksAlong(plan, axis, store.getIndex()); });
}

bool scheduleNeighbours(SchedulePlan &plan, const cost::Machine &target, int64_t mostLanes, int64_t rows) {
  unstageCheapTiles(plan);
  FuncOp kernel = plan.getKernel();
  SmallVector<int64_t> axes = findSharedAxes(kernel);
  mergeWalkedTogether(plan, axes);
  if (axes.empty() || !isStoredAlong(plan, axes.back()) || plan.getAxis(axes.back()).getSize())
    return false;
  int64_t copies = countNeighbours(kernel);
  // An axis that is a block as a whole has no neighbours for lanes.
  if (getExtent(plan, axes.back()) <= copies || !plan.pad(axes.back(), copies) ||
      !plan.split(axes.back(), copies, AxisKind::Unroll))
    return false;
  if (rows > 1) {
    if (axes.size() < 2)
      return false;
    int64_t outer = axes[axes.size() - 2];
    if (plan.getAxis(outer).getSize() || getExtent(plan, outer) <= rows || !plan.pad(outer, rows) ||
        !plan.split(outer, rows, AxisKind::Unroll))
      return false;
    copies *= rows;
  }
  SmallVector<int64_t> reduced;
  for (RangeOp axis : getNest(kernel, AxisKind::Reduce))
    if (!axis.getSize())
      reduced.push_back(axis.getId());
  bool isAny = false;
  for (int64_t axis : llvm::reverse(reduced)) {
    copies *= getExtent(plan, axis);
    if (copies > kMostCopies || !plan.split(axis, 0, AxisKind::Unroll))
      break;
    isAny = true;
  }
  planFlatLanes(plan, target, axes, mostLanes);
  return isAny;
}

/// Of these axes the one that all stores walk along, and one that a load walks along which does not walk along the
/// first; -1 each where there is none.
static std::pair<int64_t, int64_t> findTurned(SchedulePlan &plan, ArrayRef<int64_t> axes) {
  for (int64_t columns : axes) {
    if (!isStoredAlong(plan, columns))
      continue;
    for (int64_t rows : axes)
      if (llvm::any_of(plan.getKernel().getBody().getOps<LoadOp>(), [&](LoadOp load) {
            return isa<BlockArgument>(load.getBuffer()) && walksAlong(plan, rows, load.getIndex()) &&
                   !walksAlong(plan, columns, load.getIndex());
          }))
        return {rows, columns};
  }
  return {-1, -1};
}

bool scheduleTurned(SchedulePlan &plan, const cost::Machine &target, int64_t rows, int64_t columns) {
  unstageCheapTiles(plan);
  FuncOp kernel = plan.getKernel();
  SmallVector<int64_t> axes = findSharedAxes(kernel);
  mergeWalkedTogether(plan, axes);
  auto [ofLoad, ofStore] = findTurned(plan, axes);
  if (ofLoad < 0 || !kernel.getBody().getOps<StageOp>().empty())
    return false;
  // A block is square: neighbours of one access are in as many of the other.
  int64_t block = countNeighbours(kernel);
  for (auto [axis, lanes] : {std::pair(ofLoad, rows), std::pair(ofStore, columns)}) {
    if (plan.getAxis(axis).getSize() || getExtent(plan, axis) < block || !plan.pad(axis, block) ||
        (getExtent(plan, axis) > block && !plan.split(axis, block, AxisKind::Unroll)))
      return false;
    planLanes(plan, axis, lanes);
  }
  planWorkgroups(plan, axes, target);
  return true;
}

} // namespace tiny::kernel
