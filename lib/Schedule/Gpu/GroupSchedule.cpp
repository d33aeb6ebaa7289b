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
#include "llvm/ADT/MapVector.h"

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

/// Most elements of a row that a lane holds.
static constexpr int64_t kMostHeld = 64;

/// Holds in registers what several passes along the axes read; puts the axes that fill them in front, so that a tile is
/// as long as passes over it when these are padded. Whether there is any.
static bool holdRows(SchedulePlan &plan, llvm::SetVector<int64_t> &axes) {
  // Passes over rows of one length.
  llvm::MapVector<int64_t, SmallVector<int64_t>> byLength;
  for (int64_t id : axes)
    byLength[plan.getAxis(id).getExtent()].push_back(id);
  llvm::SetVector<int64_t> all;
  for (int64_t parameter = 0; parameter < plan.getKernel().getBody().getNumArguments(); ++parameter)
    for (auto &[length, passes] : byLength)
      if (int64_t filling = 0; plan.hold(parameter, passes, filling)) {
        all.insert(filling);
        break;
      }
  bool isAny = !all.empty();
  all.insert_range(axes);
  axes = std::move(all);
  return isAny;
}

/// Elements of each axis that a lane has next to each other. With `holds` passes over rows of one length agree: each
/// reads what the lane holds for the others.
static llvm::DenseMap<int64_t, int64_t> findVectors(SchedulePlan &plan, const llvm::SetVector<int64_t> &axes,
                                                    const cost::Machine &target, bool hasVectors, bool holds) {
  llvm::DenseMap<int64_t, int64_t> vectors;
  for (int64_t id : axes)
    vectors[id] = hasVectors ? findVector(plan.getKernel(), plan.getAxis(id), target) : 1;
  for (int64_t id : axes)
    for (int64_t other : axes)
      if (holds && plan.getAxis(id).getExtent() == plan.getAxis(other).getExtent())
        vectors[id] = std::min(vectors[id], vectors[other]);
  return vectors;
}

bool scheduleGroups(SchedulePlan &plan, const cost::Machine &target, int64_t lanes, bool hasVectors, bool holds) {
  unstageCheapTiles(plan);
  // A tile of a workgroup would need barriers.
  if (!plan.getKernel().getBody().getOps<StageOp>().empty())
    return false;
  mergeReducedTogether(plan);
  SmallVector<int64_t> shared = findSharedAxes(plan.getKernel());
  std::optional<llvm::SetVector<int64_t>> chosen = chooseAxes(plan.getKernel(), shared);
  if (!chosen)
    return false;
  if (holds && !holdRows(plan, *chosen))
    return false;
  bool found = !hasVectors;
  llvm::DenseMap<int64_t, int64_t> vectors = findVectors(plan, *chosen, target, hasVectors, holds);
  for (int64_t id : *chosen) {
    int64_t vector = vectors.lookup(id);
    if (vector > 1 && vector * lanes <= static_cast<int64_t>(plan.getAxis(id).getExtent()))
      found |= plan.split(id, vector, AxisKind::Upcast);
    // Most lanes of a workgroup would idle on a shorter axis.
    if (static_cast<int64_t>(plan.getAxis(id).getExtent()) < lanes)
      return false;
    AxisKind kind = isReduced(plan.getAxis(id)) ? AxisKind::GroupReduce : AxisKind::Local;
    if (!plan.pad(id, lanes) || !plan.split(id, lanes, kind))
      return false;
    // All that a lane has of a row are copies.
    RangeOp rest = plan.getAxis(id);
    bool isLoop = rest.getKind() == AxisKind::Loop || rest.getKind() == AxisKind::Reduce;
    if (holds && isLoop &&
        (static_cast<int64_t>(rest.getExtent()) * vector > kMostHeld || !plan.split(id, 0, AxisKind::Unroll)))
      return false;
  }
  if (!found || shared.empty())
    return found;
  mergeWalkedTogether(plan, shared);
  planWorkgroups(plan, shared, target);
  return true;
}

bool scheduleApart(SchedulePlan &plan, const cost::Machine &target, int64_t lanes) {
  unstageCheapTiles(plan);
  FuncOp kernel = plan.getKernel();
  if (!kernel.getBody().getOps<StageOp>().empty() || !findSharedAxes(kernel).empty())
    return false;
  SmallVector<Operation *> order = sortByDependence(kernel.getBody().front());
  RangeSets sets(order);
  llvm::SetVector<int64_t> chosen;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    SmallVector<RangeOp> axes;
    for (unsigned position : sets.getOpenOfOperands(store))
      if (RangeOp axis = sets.getRanges()[position]; axis.getKind() == AxisKind::Loop && !isScanned(axis))
        axes.push_back(axis);
    if (axes.empty())
      return false;
    if (llvm::none_of(axes, [&](RangeOp axis) { return chosen.contains(axis.getId()); }))
      chosen.insert(chooseAxis(axes));
  }
  for (Operation *op : order)
    if (!isa<RangeOp>(op) && llvm::count_if(sets.getOpenOfOperands(op), [&](unsigned position) {
                               return chosen.contains(RangeOp(sets.getRanges()[position]).getId());
                             }) > 1)
      return false;
  return llvm::all_of(chosen,
                      [&](int64_t id) { return plan.pad(id, lanes) && plan.split(id, lanes, AxisKind::Local); });
}

bool scheduleColumns(SchedulePlan &plan, const cost::Machine &target, int64_t columns, int64_t blocks) {
  unstageCheapTiles(plan);
  mergeReducedTogether(plan);
  FuncOp kernel = plan.getKernel();
  auto reduces = llvm::to_vector(kernel.getBody().getOps<ReduceOp>());
  if (reduces.size() != 1 || !reduces.front().getKind() || !reduces.front().mayReorder() ||
      !kernel.getBody().getOps<StageOp>().empty())
    return false;
  SmallVector<int64_t> shared = findSharedAxes(kernel);
  if (shared.empty())
    return false;
  mergeWalkedTogether(plan, shared);
  int64_t inner = shared.back(), reduced = -1;
  for (Value range : reduces.front().getRanges())
    if (auto axis = range.getDefiningOp<RangeOp>(); axis.getKind() == AxisKind::Reduce && !axis.getSize())
      if (reduced < 0 || axis.getExtent() > plan.getAxis(reduced).getExtent())
        reduced = axis.getId();
  if (reduced < 0 || static_cast<int64_t>(plan.getAxis(reduced).getExtent()) < 2 * blocks ||
      plan.getAxis(inner).getSize())
    return false;
  if (!plan.pad(inner, columns) || !plan.pad(reduced, blocks))
    return false;
  // Blocks lie side by side, so that those of a workgroup read rows next to each other.
  int64_t lanes = inner, block = reduced;
  if (!plan.split(inner, columns, AxisKind::Loop, &lanes) || !plan.split(reduced, blocks, AxisKind::Reduce, &block))
    return false;
  SmallVector<int64_t> filling;
  if (!plan.stagePartial(block, {lanes}, StageSpace::Local, filling) || filling.size() != 2)
    return false;
  for (auto [id, extent] : {std::pair(filling[0], blocks), std::pair(filling[1], columns), std::pair(lanes, columns)})
    if (!plan.split(id, extent, AxisKind::Local))
      return false;
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

} // namespace tiny::kernel
