#include "Tiny/Schedule/Steps/AccumulatorTile.h"

#include "Tiny/Dialect/Kernel/Dependence.h"

using namespace mlir;

namespace tiny::kernel {

SmallVector<RangeOp> findAccumulatorTile(FuncOp kernel, int64_t maxPoints) {
  auto hasRegion = [](ReduceOp reduce) { return !reduce.getCombiner().empty(); };
  if (llvm::none_of(kernel.getBody().getOps<ReduceOp>(), hasRegion))
    return {};
  SmallVector<Operation *> order = sortByDependence(kernel.getBody().front());
  RangeSets sets(order);
  SmallVector<RangeOp> tile;
  int64_t points = 1;
  for (Operation *op : order) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || !hasRegion(reduce))
      continue;
    auto isShared = [&](unsigned position) {
      return llvm::all_of(reduce.getResults(),
                          [&](Value result) { return llvm::is_contained(sets.getOpen(result), position); });
    };
    for (Value result : reduce.getResults())
      for (unsigned position : sets.getOpen(result)) {
        RangeOp axis = sets.getRanges()[position];
        if (axis.getKind() != AxisKind::Loop || isShared(position) || llvm::is_contained(tile, axis))
          continue;
        tile.push_back(axis);
        points *= axis.getExtent();
        if (points > maxPoints)
          return {};
      }
  }
  return tile;
}

} // namespace tiny::kernel
