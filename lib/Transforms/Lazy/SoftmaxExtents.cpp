// Reads the extents of a product of a softmax of a product off its reductions.
#include "SoftmaxExtents.h"

#include "Tiny/Analysis/Lazy/ElementProduct.h"
#include "Tiny/Dialect/Lazy/Shapes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tiny::lazy {

/// How many products the first sum of them adds up that the value is computed from, element by element.
static std::optional<int64_t> findDepth(Value value) {
  constexpr size_t kMostVisited = 32;
  SmallVector<Value> pending{value};
  for (size_t k = 0; k < pending.size() && k < kMostVisited; ++k) {
    Operation *op = pending[k].getDefiningOp();
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    if (reduce && reduce.getKind() == arith::AtomicRMWKind::addf &&
        reduce.getInputs().front().getDefiningOp<arith::MulFOp>()) {
      int64_t depth = 1;
      for (int64_t axis : reduce.getAxes())
        if (llvm::MulOverflow(depth, shapeOf(reduce.getInputs().front())[axis], depth))
          return std::nullopt;
      return depth;
    }
    if (op && (isElementwise(op) || isa<ViewOp>(op)))
      llvm::append_range(pending, op->getOperands());
  }
  return std::nullopt;
}

std::optional<cost::SoftmaxProduct> findSoftmaxProduct(const ShiftedElement &element, const GuardedSum &sum) {
  std::optional<int64_t> depth = findDepth(element.x);
  if (!depth || !getElementTypeOrSelf(element.x).isF32() || sum.rounded)
    return std::nullopt;
  cost::SoftmaxProduct product;
  product.depth = *depth;
  double multiplications = double(*depth);
  ReduceOp reduce = sum.reduce;
  for (auto [k, extent] : llvm::enumerate(shapeOf(reduce.getInputs().front()))) {
    auto axis = static_cast<int64_t>(k);
    // A mask varies over rows, and is no weight.
    bool isWeight = llvm::any_of(sum.parts, [&](const Part &part) {
      return part.varies && part.kind != Part::Kind::guard && !isInvariant(part.tracker, axis);
    });
    int64_t &of = llvm::is_contained(reduce.getAxes(), axis) ? product.keys
                  : isInvariant(sum.element, axis)           ? product.width
                  : isWeight                                 ? product.others
                                                             : product.rows;
    constexpr double kMost = double(int64_t(1) << 56);
    multiplications *= double(extent);
    if (multiplications > kMost || extent < 1)
      return std::nullopt;
    of *= extent;
  }
  return product;
}

/// How many times as large as the last cache a softmax may be that is stored to save time.
constexpr int64_t kMostCaches = 4;

Reason whyApart(const ShiftedElement &element, const GuardedSum &sum, const cost::Machine &machine) {
  std::optional<cost::SoftmaxProduct> product = findSoftmaxProduct(element, sum);
  if (!product)
    return {};
  // The second kernel reads what the first one stores: all of it takes room.
  double stored = double(product->others) * double(product->rows) * double(product->keys) * sizeof(float);
  if (stored > double(kMostCaches * machine.getCacheBytes(machine.caches.size() - 1)))
    return {};
  int64_t one = cost::predictOneKernel(*product, machine), two = cost::predictTwoKernels(*product, machine);
  if (two >= one)
    return {};
  return {"two kernels are predicted to take less time", {{"one", double(one) / 1000}, {"two", double(two) / 1000}}};
}

} // namespace tiny::lazy
