// Schedules sums of products of bytes: four points of a sum are one operation of a lane.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ByteProducts.h"

#include "Lanes.h"
#include "MergeLoops.h"
#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Analysis/Kernel/DotProduct.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

/// Makes the innermost four points of axes that such sums are over ranges of kind dot. False where there are none.
static bool planDots(SchedulePlan &plan, const cost::Machine &target) {
  if (!target.hasDot(/*most=*/0))
    return false;
  SmallVector<int64_t> ids;
  for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Reduce && axis.getExtent() % kDotPoints == 0 && whyNotDot(axis).empty() &&
        hasInstructions(axis, target))
      ids.push_back(axis.getId());
  bool isPlanned = false;
  for (int64_t id : ids)
    isPlanned |= plan.split(id, kDotPoints, AxisKind::Dot);
  return isPlanned;
}

/// The innermost reduced axis that lanes fit, and how many of them divide it; none where no two do.
static std::optional<std::pair<int64_t, int64_t>> chooseLanes(FuncOp kernel, const cost::Machine &target) {
  RangeOp chosen;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Reduce && judgeLanes(kernel, axis) == LaneFit::Neighbours &&
        (!chosen || chosen.getPlace() < axis.getPlace()))
      chosen = axis;
  if (!chosen)
    return std::nullopt;
  int64_t lanes = target.getLanes();
  while (lanes > 1 && chosen.getExtent() % lanes != 0)
    lanes /= 2;
  return lanes > 1 ? std::optional(std::pair<int64_t, int64_t>(chosen.getId(), lanes)) : std::nullopt;
}

/// The loads of the bytes that are multiplied.
static SmallVector<LoadOp> findByteLoads(FuncOp kernel) {
  llvm::DenseSet<Value> varying;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Dot)
      varying.insert_range(findVarying(axis));
  return llvm::to_vector(llvm::make_filter_range(kernel.getBody().getOps<LoadOp>(),
                                                 [&](LoadOp load) { return varying.contains(load.getResult()); }));
}

/// Lanes along a free axis whose neighbours lie next to each other in one factor, and in all that is stored: each lane
/// has its own sum, and none is added up in the end. Half a register of them will do. Returns the axis.
static std::optional<int64_t> planFreeLanes(SchedulePlan &plan, const cost::Machine &target) {
  FuncOp kernel = plan.getKernel();
  for (int64_t most = target.getLanes(), lanes = most; lanes >= std::max<int64_t>(2, most / 2); lanes /= 2)
    for (auto axis : kernel.getBody().getOps<RangeOp>()) {
      if (axis.getExtent() % lanes != 0 || judgeStoredLanes(kernel, axis) != LaneFit::Neighbours)
        continue;
      int64_t inner = -1;
      if (plan.split(axis.getId(), lanes, AxisKind::Upcast, &inner))
        return inner;
    }
  return std::nullopt;
}

/// Longest reduced axis beside one of kind dot that is written out, where each lane has a sum of its own.
static constexpr int64_t kMostWrittenDots = 8;
/// Parts of a factor that are read side by side from memory: 15.9 GB/s in place of 11.4 on a Zen 3.
static constexpr int64_t kStreams = 2;

/// Writes out what one body adds up, where that is short: the operations of its dots then share a widening.
static void planWrittenSums(SchedulePlan &plan) {
  SmallVector<int64_t> ids;
  for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Dot)
      for (Operation *user : axis->getUsers())
        if (auto reduce = dyn_cast<ReduceOp>(user))
          for (Value range : reduce.getRanges())
            if (auto other = range.getDefiningOp<RangeOp>();
                other.getKind() == AxisKind::Reduce && static_cast<int64_t>(other.getExtent()) <= kMostWrittenDots)
              ids.push_back(other.getId());
  llvm::sort(ids);
  ids.erase(llvm::unique(ids), ids.end());
  for (int64_t id : ids)
    plan.split(id, 0, AxisKind::Unroll);
}

/// Of one row, halves of a factor that no near cache holds are read side by side: a core reads two streams from memory
/// faster than one.
static void planStreams(SchedulePlan &plan, int64_t outer, ArrayRef<LoadOp> loads, const llvm::DenseSet<Value> &inLanes,
                        const cost::Machine &target) {
  int64_t extent = plan.getAxis(outer).getExtent();
  bool isFar = llvm::any_of(loads, [&](LoadOp load) {
    return inLanes.contains(load.getResult()) &&
           cast<MemRefType>(load.getBuffer().getType()).getNumElements() > target.getCacheBytes(1);
  });
  if (isFar && extent % kStreams == 0 && extent > kStreams && plan.split(outer, extent / kStreams, AxisKind::Loop))
    plan.split(outer, 0, AxisKind::Upcast);
}

/// Rows side by side that share the bytes of the other factor, which has the lanes, and whatever unpacks them. Their
/// loop runs inside those that the other factor varies over.
static void planRows(SchedulePlan &plan, int64_t lanes, const cost::Machine &target) {
  FuncOp kernel = plan.getKernel();
  llvm::DenseSet<Value> inLanes = findVarying(plan.getAxis(lanes));
  SmallVector<LoadOp> loads = findByteLoads(kernel);
  auto varies = [&](RangeOp axis, bool isOfLanes) {
    llvm::DenseSet<Value> varying = findVarying(axis);
    return llvm::any_of(loads, [&](LoadOp load) {
      return inLanes.contains(load.getResult()) == isOfLanes && varying.contains(load.getResult());
    });
  };
  std::optional<int64_t> row, outer;
  for (RangeOp axis : getNest(kernel, AxisKind::Loop)) {
    if (isReduced(axis))
      continue;
    if (varies(axis, false) && !varies(axis, true))
      row = axis.getId();
    else if (varies(axis, true) && !varies(axis, false))
      outer = axis.getId();
  }
  if (!row) {
    if (outer)
      planStreams(plan, *outer, loads, inLanes, target);
    return;
  }
  int64_t sums = 0;
  for (auto reduce : kernel.getBody().getOps<ReduceOp>())
    sums += isa<FloatType>(reduce.getResult(0).getType());
  int64_t most = std::max<int64_t>(1, target.vectorRegisters / 2 / std::max<int64_t>(1, sums)),
          extent = plan.getAxis(*row).getExtent(), parts = llvm::divideCeil(extent, most);
  int64_t rows = llvm::divideCeil(extent, parts);
  if (outer && plan.getAxis(*row).getPlace() < plan.getAxis(*outer).getPlace())
    plan.swap(*row, *outer);
  if (plan.pad(*row, rows) || extent % rows == 0)
    plan.split(*row, rows, AxisKind::Upcast);
}

bool scheduleByteProducts(SchedulePlan &plan, const cost::Machine &target) {
  if (!planDots(plan, target))
    return false;
  if (std::optional<int64_t> lanes = planFreeLanes(plan, target)) {
    planWrittenSums(plan);
    planRows(plan, *lanes, target);
    return true;
  }
  mergeReduced(plan);
  std::optional<std::pair<int64_t, int64_t>> lanes = chooseLanes(plan.getKernel(), target);
  if (lanes && plan.split(lanes->first, lanes->second, AxisKind::Upcast))
    return true;
  plan.reset();
  return false;
}

} // namespace tiny::kernel
