// Schedules products of few rows as dot products: lanes along the reduced axis, all rows side by side.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "DotSchedule.h"

#include "Candidates.h"
#include "Parts.h"
#include "Tiny/Algebra/Cost/Product.h"

using namespace mlir;

namespace tiny::kernel {

bool scheduleDots(SchedulePlan &plan, const Products &products, const cost::Product &product, int64_t longest,
                  const cost::Machine &target) {
  if (products.isKept || !llvm::all_of(products.sums, [](ReduceOp sum) { return sum.mayReorder(); }))
    return false;
  int64_t reduced = products.reduced.back();
  auto liesAlong = [](const cost::Factor &factor) { return factor.reduced.back() == std::optional<int64_t>(1); };
  if (!llvm::all_of(product.a, liesAlong) || !llvm::all_of(product.b, liesAlong))
    return false;
  Candidates candidates(plan.getOriginal(), "nanoseconds");
  std::optional<std::pair<cost::DotShape, int64_t>> best =
      cost::chooseDots(product, target, [&](const cost::DotShape &shape, int64_t time) {
        candidates.add([&] { return shape.describe(); }, double(time) / 1000);
      });
  if (!best || best->second >= longest)
    return false;
  candidates.tell([&] { return best->first.describe(); });
  auto [rows, columns, vectors] = best->first;
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
  addParts(plan, best->second, target);
  return true;
}

} // namespace tiny::kernel
