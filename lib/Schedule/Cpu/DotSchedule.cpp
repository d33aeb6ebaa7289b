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

/// Of half of `most` rows to `most` those with the fewest behind the end.
static int64_t chooseRows(int64_t extent, int64_t most) {
  int64_t best = std::max<int64_t>(1, std::min(extent, most / 2));
  for (int64_t rows = best + 1; rows <= std::min(extent, most); ++rows)
    if (llvm::alignTo(extent, rows) <= llvm::alignTo(extent, best))
      best = rows;
  return best;
}

bool prefersDots(const Products &products, const cost::Machine &target) {
  // Cycles for an element of the other factor: to pack it, and instead to add up the lanes of each result and to load
  // two vectors where a register tile loads few.
  double halvings = 2.0 * llvm::Log2_64_Ceil(target.getLanes());
  double added = halvings / double(products.nReduced) + cost::kDotEnd / double(target.getLanes());
  return double(products.nRows) * added < cost::kPackElement;
}

bool scheduleDots(SchedulePlan &plan, const Products &products, const cost::Machine &target) {
  int64_t sums = products.nRows * products.getCount(), operands = products.a.size() + products.b.size();
  if (products.isKept || !llvm::all_of(products.sums, [](ReduceOp sum) { return sum.mayReorder(); }))
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
  // All rows are read again for each column. Where they do not stay near, or are more than
  // registers, several columns share what is read of them,
  // and some rows at a time share the columns.
  int64_t bytes = llvm::divideCeil(ReduceOp(products.sums.front()).getResult(0).getType().getIntOrFloatBitWidth(), 8);
  int64_t rows = products.nRows, columns = 1;
  if (sums + operands > target.vectorRegisters ||
      products.nRows * products.nReduced * bytes * int64_t(products.a.size()) > target.getCacheBytes(0)) {
    columns = cost::kColumnsOfDots;
    rows = chooseRows(products.nRows, std::max<int64_t>(1, target.vectorRegisters / 2 / columns / products.getCount()));
    vectors = 1;
  }
  int64_t lanes = vectors * target.getLanes(), column = products.laneAxis, row = products.rowAxis;
  bool good = plan.pad(reduced, lanes) && plan.split(reduced, lanes, AxisKind::Upcast) && plan.pad(row, rows) &&
              plan.split(row, rows, AxisKind::Upcast) &&
              (columns == 1 || (plan.pad(column, columns) && plan.split(column, columns, AxisKind::Upcast)));
  if (good && rows < products.nRows && plan.getAxis(row).getPlace() < plan.getAxis(column).getPlace())
    good = plan.swap(row, column);
  if (!good) {
    plan.reset();
    return false;
  }
  addParts(plan, target);
  return true;
}

} // namespace tiny::kernel
