// Elements chosen by data: verifier, folder, canonicalization.
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Producer.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tiny::lazy {

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult GatherOp::verify() {
  RankedTensorType base = tensorOf(getBase()), result = tensorOf(getResult());
  // (gather_c1) an index for each axis of the base.
  if (int64_t(getIndices().size()) != base.getRank())
    return emitOpError("expects an index tensor for each of ")
           << base.getRank() << " axes, got " << getIndices().size();
  // (gather_c2) each says where each element of the result comes from.
  for (Value index : getIndices())
    if (tensorOf(index).getShape() != result.getShape())
      return emitOpError("expects index tensors of shape [")
             << result.getShape() << "], that of the result, got [" << tensorOf(index).getShape() << "]";
  // (gather_c3) what stands outside is an element.
  if (TypedAttr outside = getOutsideAttr(); outside && outside.getType() != result.getElementType())
    return emitOpError("reads ") << outside << " outside of a base of " << base.getElementType();
  return success();
}

/// Whether each index is that of the element itself: gather(x, iota 0, iota 1, ...) is x.
static bool isIdentity(GatherOp op) {
  return op.getBase().getType() == op.getType() && llvm::all_of(llvm::enumerate(op.getIndices()), [](auto it) {
           auto iota = it.value().template getDefiningOp<IotaOp>();
           auto type = cast<RankedTensorType>(it.value().getType());
           // The index must not have wrapped.
           return iota && iota.getAxis() == it.index() &&
                  llvm::isIntN(type.getElementTypeBitWidth(), type.getDimSize(it.index()));
         });
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  RankedTensorType result = tensorOf(getResult());
  Attribute outside = getOutsideAttr();
  if (!outside && isa<FloatType, IntegerType>(result.getElementType()))
    outside = Builder(getContext()).getZeroAttr(result.getElementType());
  // gather of nothing -> outside
  if (outside && tensorOf(getBase()).getNumElements() == 0)
    return DenseElementsAttr::get(result, outside);
  // gather(c) -> c   [outside = c]
  auto splat = dyn_cast_if_present<DenseElementsAttr>(adaptor.getBase());
  if (splat && splat.isSplat() && splat.getSplatValue<Attribute>() == outside)
    return splat.resizeSplat(result);
  // gather(x, iota 0, iota 1, ...) -> x
  if (getBase().getType() == getType() && isIdentity(*this))
    return foldTo(getBase(), *this);
  return {};
}

namespace {

/// gather(permute(x, p), i) -> gather(x, i in the order of x's axes)
struct GatherOfPermute : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto permute = getEarlierProducer<PermuteOp>(op.getBase(), op);
    if (!permute)
      return rewriter.notifyMatchFailure(op, "no earlier permute makes its base");
    SmallVector<Value> indices(op.getIndices().size());
    for (auto [axis, source] : llvm::enumerate(permute.getPermutation()))
      indices[source] = op.getIndices()[axis];
    rewriter.modifyOpInPlace(op, [&] {
      op.getBaseMutable().assign(permute.getInput());
      op.getIndicesMutable().assign(indices);
    });
    return success();
  }
};

} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherOfPermute>(context);
}

} // namespace tiny::lazy
