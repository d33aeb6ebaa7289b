// Schedules sums of products of bytes: four points of a sum are one operation of a lane.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ByteProducts.h"

#include "Lanes.h"
#include "RowSchedule.h"
#include "Tiny/Analysis/Kernel/DotProduct.h"
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

bool scheduleByteProducts(SchedulePlan &plan, const cost::Machine &target) {
  if (!planDots(plan, target))
    return false;
  mergeReduced(plan);
  std::optional<std::pair<int64_t, int64_t>> lanes = chooseLanes(plan.getKernel(), target);
  if (lanes && plan.split(lanes->first, lanes->second, AxisKind::Upcast))
    return true;
  plan.reset();
  return false;
}

} // namespace tiny::kernel
