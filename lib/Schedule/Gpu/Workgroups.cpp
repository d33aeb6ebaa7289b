// Finds the axes that workgroups lie along, and makes them axes of the grid.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Workgroups.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

/// Most workgroups along one axis, where the record does not say: every device takes them.
static constexpr int64_t kMostGroups = 65535;
/// Axes of workgroups that every device has.
static constexpr size_t kMostGlobalAxes = 3;

/// Whether a reduction varies along an axis that fills the tile: each reader of an element would repeat it.
static bool holdsReduction(StageOp stage) {
  return llvm::any_of(stage.getRanges(), [&](Value range) {
    llvm::DenseSet<Value> varying = findVarying(range.getDefiningOp<RangeOp>());
    return llvm::any_of(stage->getBlock()->getOps<ReduceOp>(), [&](ReduceOp reduce) {
      return llvm::any_of(reduce.getResults(), [&](Value result) { return varying.contains(result); });
    });
  });
}

void unstageCheapTiles(SchedulePlan &plan) {
  SmallVector<int64_t> filling;
  for (auto stage : plan.getKernel().getBody().getOps<StageOp>())
    if (!stage.getRanges().empty() && !holdsReduction(stage))
      filling.push_back(stage.getRanges().front().getDefiningOp<RangeOp>().getId());
  for (int64_t id : llvm::reverse(filling))
    plan.unstage(id);
}

SmallVector<int64_t> findSharedAxes(FuncOp kernel, bool repeats) {
  SmallVector<int64_t> shared;
  for (RangeOp axis : getNest(kernel, AxisKind::Loop)) {
    if (isReduced(axis) || isStaged(axis) || isScanned(axis))
      continue;
    llvm::DenseSet<Value> varying = findVarying(axis);
    auto varies = [&](Operation &op) {
      if (auto store = dyn_cast<StoreOp>(op))
        return varying.contains(store.getIndex());
      if (isa<ReduceOp>(op) && repeats)
        return true;
      if (isa<ReduceOp, StageOp>(op))
        return llvm::any_of(op.getResults(), [&](Value result) { return varying.contains(result); });
      return true;
    };
    if (llvm::all_of(kernel.getBody().front(), varies))
      shared.push_back(axis.getId());
  }
  return shared;
}

void fuseSiblings(SchedulePlan &plan) {
  if (!findSharedAxes(plan.getKernel()).empty())
    return;
  SmallVector<int64_t> axes;
  for (RangeOp axis : getNest(plan.getKernel(), AxisKind::Loop))
    axes.push_back(axis.getId());
  for (size_t first = 0; first < axes.size(); ++first)
    for (size_t second = first + 1; second < axes.size();)
      if (plan.fuseSibling(axes[first], axes[second]))
        axes.erase(axes.begin() + second);
      else
        ++second;
}

void mergeWalkedTogether(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes) {
  for (size_t outer = axes.size(); outer-- > 1;) {
    RangeOp first = plan.getAxis(axes[outer - 1]), second = plan.getAxis(axes[outer]);
    if (findAccessesApart(first, second).empty() && plan.merge(axes[outer - 1], axes[outer]))
      axes.erase(axes.begin() + outer);
  }
}

void mergeReducedTogether(SchedulePlan &plan) {
  SmallVector<int64_t> axes;
  for (RangeOp axis : getNest(plan.getKernel(), AxisKind::Reduce))
    axes.push_back(axis.getId());
  mergeWalkedTogether(plan, axes);
}

int64_t findDivisor(int64_t extent, int64_t most) {
  int64_t divisor = std::min(extent, most);
  while (extent % divisor != 0)
    --divisor;
  return divisor;
}

/// Most elements along an axis that a lane moves at once.
static constexpr int64_t kMostElements = 8;

static int64_t getElementBytes(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8u);
}

int64_t countNeighbours(FuncOp kernel) {
  int64_t bytes = kWideBytes / kMostElements;
  for (Value buffer : kernel.getBody().getArguments())
    if (auto type = dyn_cast<MemRefType>(buffer.getType()))
      bytes = std::max(bytes, getElementBytes(type.getElementType()));
  return kWideBytes / std::min(bytes, kWideBytes);
}

int64_t findVector(FuncOp kernel, RangeOp axis, const cost::Machine &target) {
  if (!target.has(cost::Instruction::WideAccess) || axis.getSize())
    return 1;
  AccessStride strides(axis.getResult());
  int64_t vector = kMostElements;
  bool walks = false;
  for (Operation &op : kernel.getBody().front()) {
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!load && !store)
      continue;
    Value index = load ? load.getIndex() : store.getIndex(), gate = load ? load.getGate() : store.getGate();
    std::optional<int64_t> stride = strides.get(index);
    if (!stride || (*stride != 0 && *stride != 1) || (gate && strides.dependsOnAxis(gate)))
      return 1;
    if (*stride == 0)
      continue;
    walks = true;
    Type type = load ? load.getType() : store.getValue().getType();
    vector = std::min(vector, std::max<int64_t>(1, kWideBytes / getElementBytes(type)));
  }
  while (axis.getExtent() % vector != 0)
    vector /= 2;
  return walks ? vector : 1;
}

/// Makes the axis one of workgroups. What is more than an axis of a grid loops inside.
static void planAxis(SchedulePlan &plan, int64_t id, int64_t most) {
  RangeOp axis = plan.getAxis(id);
  if (axis.getKind() != AxisKind::Loop)
    return;
  int64_t extent = axis.getExtent(), rounds = llvm::divideCeil(extent, most);
  if (rounds > 1 && plan.pad(id, rounds))
    extent = plan.getAxis(id).getExtent();
  if (int64_t groups = findDivisor(extent, most); groups > 1 || extent == 1)
    plan.split(id, groups, AxisKind::Global);
}

void planWorkgroups(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes, const cost::Machine &target) {
  // The outer axes have fewest points between them that an access walks as one; any merge is as good there.
  while (axes.size() > kMostGlobalAxes && plan.merge(axes[0], axes[1]))
    axes.erase(axes.begin() + 1);
  // The first one of them is along x, and so on.
  for (auto [number, id] : llvm::enumerate(ArrayRef<int64_t>(axes).take_back(kMostGlobalAxes)))
    planAxis(plan, id, target.grid[number] ? target.grid[number] : kMostGroups);
}

} // namespace tiny::kernel
