// Decides which reductions may run in one kernel: shared loops, windows, products.
#include "SideBySide.h"

#include "Tiny/Analysis/Lazy/ElementProduct.h"
#include "FusionHints.h"
#include "KernelReasons.h"
#include "Tiny/Dialect/Lazy/Shapes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tiny::lazy {

Attribute getProductLoops(ReduceOp sum, const ShapeTracker &view) {
  auto product = sum.getInputs().front().getDefiningOp<arith::MulFOp>();
  if (!product || sum.getKind() != arith::AtomicRMWKind::addf || !view)
    return {};
  ArrayRef<int64_t> shape = shapeOf(product);
  Builder builder(sum.getContext());
  SmallVector<SmallVector<int64_t>> factors;
  for (Value factor : product->getOperands()) {
    ShapeTracker tracker = skipMovements(factor, ShapeTracker::identity(shape)).tracker;
    tracker = dropAxes(tracker, sum.getAxes());
    tracker = tracker ? tracker.compose(view).simplify() : tracker;
    if (!tracker)
      return {};
    SmallVector<int64_t> &varying = factors.emplace_back();
    bool repeats = false;
    for (int64_t axis : llvm::seq(tracker.rank())) {
      if (tracker.shape()[axis] == 1)
        continue;
      bool isStill = isInvariant(tracker, axis);
      varying.push_back(isStill ? 0 : 1);
      repeats |= isStill;
    }
    if (!repeats)
      return {};
  }
  llvm::sort(factors);
  auto summed = llvm::map_to_vector(sum.getAxes(), [&](int64_t axis) { return shape[axis]; });
  return builder.getArrayAttr({TypeAttr::get(getElementTypeOrSelf(sum.getResult(0))),
                               builder.getDenseI64ArrayAttr(withoutUnits(view.shape())),
                               builder.getDenseI64ArrayAttr(withoutUnits(summed)),
                               builder.getDenseI64ArrayAttr(factors[0]), builder.getDenseI64ArrayAttr(factors[1])});
}

Attribute findProductLoops(Operation *stored, ArrayRef<FusedReduction> fused, const FusionHints &hints) {
  auto reduce = dyn_cast<ReduceOp>(stored);
  if (reduce && fused.empty() && hints.isProduct(reduce))
    return getProductLoops(reduce, ShapeTracker::identity(shapeOf(reduce.getResult(0))));
  if (reduce || fused.empty())
    return {};
  Attribute loops = fused.front().loops;
  auto isThere = [&](const FusedReduction &reduction) { return loops && reduction.loops == loops; };
  return llvm::all_of(fused, isThere) ? loops : Attribute();
}

std::optional<ProductRows> findProductRows(Attribute loops) {
  auto list = cast<ArrayAttr>(loops);
  auto get = [&](unsigned k) { return cast<DenseI64ArrayAttr>(list[k]).asArrayRef(); };
  ArrayRef<int64_t> extents = get(1), first = get(3), second = get(4);
  size_t count = extents.size();
  if (count < 2 || first[count - 1] == second[count - 1] || first[count - 2] == second[count - 2] ||
      first[count - 1] == first[count - 2])
    return std::nullopt;
  ProductRows rows{extents[count - 2], extents[count - 1], 1};
  for (size_t k = 0; k + 1 < count; ++k)
    if (first[k] == first[count - 2] && second[k] == second[count - 2])
      rows.sharing *= extents[k];
  return rows;
}

Reason whyNotBeside(const FusedReduction &own, ArrayRef<FusedReduction> others, const cost::CostModel &costs) {
  // What has no loop is in nobody's way.
  if (own.isWritten)
    return "";
  for (const FusedReduction &other : others) {
    if (other.isWritten)
      continue;
    // They share a kernel where they share their loops, which parts do not, or where it does not matter.
    if ((other.space != own.space || other.nest != own.nest) && !costs.isSmall(std::min(other.combined, own.combined)))
      return {reason::reduceOther, "combined", std::min(other.combined, own.combined), costs.launch};
    if (!own.isLarge(costs) && !other.isLarge(costs))
      continue;
    if (!own.loops || own.loops != other.loops)
      return {reason::reduceProduct, "combined", std::max(other.product, own.product), costs.getSmallProduct()};
    size_t loops = llvm::count_if(others, [](const FusedReduction &reduction) { return !reduction.isWritten; });
    if (loops >= costs.maxProducts)
      return {reason::reduceProducts, "products", loops + 1, costs.maxProducts};
  }
  return "";
}

/// Bytes of the larger one of the values that a sum multiplies.
static double countFactorBytes(ReduceOp sum) {
  double most = 0;
  for (Value factor : sum.getInputs().front().getDefiningOp()->getOperands()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(factor.getType()).getShape();
    Value value = skipMovements(factor, ShapeTracker::identity(shape)).value;
    auto type = cast<RankedTensorType>(value.getType());
    most = std::max(most, double(type.getNumElements()) * llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  }
  return most;
}

Reason whyNotInWindows(ReduceOp reduce, const FusedReduction &window, size_t count, double combined, bool inOneKernel,
                       const cost::CostModel &costs) {
  if (count == 1 || costs.isSmallProduct(combined))
    return "";
  bool isTiled = window.loops && inOneKernel && count <= costs.maxProducts;
  double bytes = countFactorBytes(reduce);
  if (isTiled && bytes <= costs.largestWindowed)
    return "";
  return {reason::reduceWindows, "bytes", bytes, costs.largestWindowed};
}

} // namespace tiny::lazy
