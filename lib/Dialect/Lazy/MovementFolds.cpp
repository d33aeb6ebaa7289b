// Folders and canonicalization of the movement operations.
#include "SimplifyTracker.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Producer.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tiny::lazy {

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===--- Folders --------------------------------------------------------------------------------------------------===//

DenseElementsAttr foldViewOfSplat(Attribute input, RankedTensorType result, const ShapeTracker &view) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(input);
  if (!dense || !dense.isSplat())
    return {};
  Attribute value = dense.getSplatValue<Attribute>(), zero;
  if (isa<FloatType, IntegerType>(result.getElementType()))
    zero = Builder(result.getContext()).getZeroAttr(result.getElementType());
  if (llvm::any_of(view.views(), [](const View &v) { return v.isAllMasked(); }))
    return zero ? DenseElementsAttr::get(result, zero) : DenseElementsAttr();
  // Positive zero only: a masked -0.0 would be another value.
  if (value != zero && llvm::any_of(view.views(), [](const View &v) { return v.hasMask(); }))
    return {};
  return dense.resizeSplat(result);
}

/// The splat of `input` under another type, for movements that mask nothing.
static OpFoldResult foldSplat(Attribute input, Value result) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(input);
  if (!dense || !dense.isSplat())
    return {};
  return dense.resizeSplat(tensorOf(result));
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // reshape(x) to its own shape -> x
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  // reshape(constant) -> constant, whatever its elements: they do not move.
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return dense.isSplat() ? dense.resizeSplat(tensorOf(getResult())) : dense.reshape(tensorOf(getResult()));
  return {};
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  // expand(x) to its own shape -> x
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  return foldSplat(adaptor.getInput(), getResult());
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  // permute(x) by the identity -> x
  if (llvm::all_of(llvm::enumerate(getPermutation()), [](auto it) { return (int64_t)it.index() == it.value(); }))
    return foldTo(getInput(), *this);
  return foldSplat(adaptor.getInput(), getResult());
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  // pad(x) by nothing -> x
  auto isZero = [](int64_t entry) { return entry == 0; };
  if (llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero))
    return foldTo(getInput(), *this);
  // pad(0) -> 0
  auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (dense && dense.isSplat() && isa<FloatType, IntegerType>(dense.getElementType()) &&
      dense.getSplatValue<Attribute>() == Builder(getContext()).getZeroAttr(dense.getElementType()))
    return dense.resizeSplat(tensorOf(getResult()));
  return {};
}

OpFoldResult ShrinkOp::fold(FoldAdaptor adaptor) {
  // shrink(x) to all of it -> x
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  return foldSplat(adaptor.getInput(), getResult());
}

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  // flip(x) of axes with one element -> x
  if (llvm::all_of(getAxes(), [&](int64_t axis) { return tensorOf(getInput()).getDimSize(axis) <= 1; }))
    return foldTo(getInput(), *this);
  return foldSplat(adaptor.getInput(), getResult());
}

OpFoldResult ViewOp::fold(FoldAdaptor adaptor) {
  const ShapeTracker &tracker = getTracker().getTracker();
  // view(x) in its own row-major order -> x
  if (getInput().getType() == getType() && tracker.isIdentity(tensorOf(getInput()).getShape()))
    return foldTo(getInput(), *this);
  if (auto dense = foldViewOfSplat(adaptor.getInput(), tensorOf(getResult()), tracker))
    return dense;
  return {};
}

//===--- Canonicalization -----------------------------------------------------------------------------------------===//

namespace {

/// Merges a movement with the same movement that produces its input.
template <typename OpTy> struct MergeSame : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    auto inner = getEarlierProducer<OpTy>(op.getInput(), op);
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no earlier operation of its kind makes its input");
    rewriter.modifyOpInPlace(op, [&] {
      merge(op, inner);
      op.getInputMutable().assign(inner.getInput());
    });
    return success();
  }

  // reshape(reshape(x)) -> reshape(x)
  static void merge(ReshapeOp, ReshapeOp) {}
  // expand(expand(x)) -> expand(x)
  static void merge(ExpandOp, ExpandOp) {}
  // permute(permute(x, p), q) -> permute(x, p[q])
  static void merge(PermuteOp op, PermuteOp inner) {
    SmallVector<int64_t> both;
    for (int64_t axis : op.getPermutation())
      both.push_back(inner.getPermutation()[axis]);
    op.setPermutation(both);
  }
  // pad(pad(x, a, b), c, d) -> pad(x, a + c, b + d)
  static void merge(PadOp op, PadOp inner) {
    SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
    for (size_t axis = 0; axis < low.size(); ++axis) {
      low[axis] += inner.getLow()[axis];
      high[axis] += inner.getHigh()[axis];
    }
    op.setLow(low);
    op.setHigh(high);
  }
  // shrink(shrink(x, a, b), c, d) -> shrink(x, a + c, a + d)
  static void merge(ShrinkOp op, ShrinkOp inner) {
    SmallVector<int64_t> begin(op.getBegin()), end(op.getEnd());
    for (size_t axis = 0; axis < begin.size(); ++axis) {
      begin[axis] += inner.getBegin()[axis];
      end[axis] += inner.getBegin()[axis];
    }
    op.setBegin(begin);
    op.setEnd(end);
  }
  // flip(flip(x, a), b) -> flip(x, a xor b)
  static void merge(FlipOp op, FlipOp inner) {
    llvm::SmallBitVector flipped(tensorOf(op.getInput()).getRank());
    for (int64_t axis : inner.getAxes())
      flipped.flip(axis);
    for (int64_t axis : op.getAxes())
      flipped.flip(axis);
    op.setAxes(SmallVector<int64_t>(flipped.set_bits_begin(), flipped.set_bits_end()));
  }
};

/// view(view(x, a), b) -> view(x, b after a)
struct MergeViews : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ViewOp op, PatternRewriter &rewriter) const override {
    auto inner = getEarlierProducer<ViewOp>(op.getInput(), op);
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no earlier view makes its input");
    AlgebraActions actions(op);
    ShapeTracker both = inner.getTracker().getTracker().compose(op.getTracker().getTracker()).simplify();
    if (!both)
      return rewriter.notifyMatchFailure(op, "the positions of both views together overflow");
    rewriter.modifyOpInPlace(op, [&] {
      op.setTrackerAttr(TrackerAttr::get(op.getContext(), both));
      op.getInputMutable().assign(inner.getInput());
    });
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeSame<ReshapeOp>>(context);
}
void ExpandOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeSame<ExpandOp>>(context);
}
void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeSame<PermuteOp>>(context);
}
void PadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeSame<PadOp>>(context);
}
void ShrinkOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeSame<ShrinkOp>>(context);
}
void FlipOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeSame<FlipOp>>(context);
}
void ViewOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeViews, SimplifyTracker<ViewOp>>(context);
}

} // namespace tiny::lazy
