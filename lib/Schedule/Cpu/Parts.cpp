// Cuts kernels into parts for threads.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Parts.h"

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

/// Most parts: more of them keep no processor busier.
static constexpr int64_t kMostParts = 64;

int64_t countParts(int64_t time, const cost::Machine &target) { return time / (2000 * cost::getWake(target)); }

void addParts(SchedulePlan &plan, std::optional<int64_t> time, const cost::Machine &target) {
  int64_t threads = time ? std::min(countParts(*time, target), cost::getParallelism(target)) : 1;
  if (threads < 2)
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
  int64_t extent = outermost.getExtent(),
          wanted = std::min<int64_t>({extent, kMostParts, std::max(countParts(*time, target), 2 * threads)});
  // Each part computes again what does not depend on the axis.
  double apart =
      countPoints([&](ArrayRef<unsigned> open) { return !llvm::is_contained(open, sets.getPosition(outermost)); });
  auto isWorthIt = [&](int64_t parts) { return parts > 1 && apart * parts <= points; };
  for (int64_t parts = wanted; parts > 1; --parts)
    if (extent % parts == 0 && isWorthIt(parts)) {
      plan.split(outermost.getId(), parts, AxisKind::Thread);
      return;
    }
  // No number divides it. Parts of one point each are no shorter than the last one of few, and nothing is gated, but to
  // begin one takes a thread as long as a launch; else some parts are padded.
  auto countPadding = [&](int64_t parts) { return (parts - extent % parts) % parts; };
  int64_t padded = 0;
  for (int64_t parts = wanted; parts >= std::min(wanted, 2 * threads); --parts)
    if (isWorthIt(parts) && (padded == 0 || countPadding(parts) < countPadding(padded)))
      padded = parts;
  double point = double(*time) / double(extent), begun = 1000.0 * double(cost::getLaunchTime(target));
  if (isWorthIt(extent) && point >= 2 * begun &&
      (padded == 0 || double(extent) * begun <= double(countPadding(padded)) * point))
    plan.split(outermost.getId(), extent, AxisKind::Thread);
  else if (padded != 0 && plan.pad(outermost.getId(), padded))
    plan.split(outermost.getId(), padded, AxisKind::Thread);
}

} // namespace tiny::kernel
