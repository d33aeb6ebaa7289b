// Schedules products of few rows as dot products: lanes along the reduced axis, all rows side by side.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "DotSchedule.h"

#include "RowSchedule.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"

using namespace mlir;

namespace tiny::kernel {

bool scheduleDots(SchedulePlan &plan, const Products &products, const cost::Machine &target) {
  // A row of b and an element of each a stay in registers beside the sums.
  int64_t sums = products.nRows * products.getCount(), operands = products.a.size() + products.b.size();
  if (products.isKept || sums + operands > target.vectorRegisters ||
      !llvm::all_of(products.sums, [](ReduceOp sum) { return sum.mayReorder(); }))
    return false;
  int64_t reduced = products.reduced.back(), extent = plan.getAxis(reduced).getExtent();
  AccessStride strides(plan.getAxis(reduced));
  auto liesAlong = [&](const Operand &operand) {
    return strides.get(LoadOp(operand.load).getIndex()) == std::optional<int64_t>(1);
  };
  if (extent < target.getLanes() || !llvm::all_of(products.a, liesAlong) || !llvm::all_of(products.b, liesAlong))
    return false;
  // Additions that do not wait for each other: as many as start while one runs.
  const cost::OpCost &add = target.getCost(cost::OpClass::MultiplyAdd);
  int64_t wanted = llvm::divideCeil(add.latency, std::max<int64_t>(1, add.interval)), vectors = 1;
  while (vectors * sums < wanted && vectors * 2 * target.getLanes() <= extent)
    vectors *= 2;
  int64_t lanes = vectors * target.getLanes();
  if (!plan.pad(reduced, lanes) || !plan.split(reduced, lanes, AxisKind::Upcast) ||
      !plan.split(products.rowAxis, 0, AxisKind::Upcast)) {
    plan.reset();
    return false;
  }
  addParts(plan, target);
  return true;
}

} // namespace tiny::kernel
