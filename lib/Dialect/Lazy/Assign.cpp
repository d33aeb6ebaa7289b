// Assignment: verifier, folders, canonicalization.
#include "SimplifyTracker.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Lazy/Shapes.h"
#include "Tiny/Support/HostTensor.h"
#include "Tiny/Support/Producer.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tiny::lazy {

LogicalResult AssignOp::verify() {
  const ShapeTracker &tracker = getTracker().getTracker();
  // (assign_c1) the tracker says of each element of the value where it goes.
  if (ArrayRef<int64_t>(tracker.shape()) != shapeOf(getValue()))
    return emitOpError("expects the tracker's shape (") << tracker.shape() << ") to be the value's";
  // (assign_c2) the places lie inside the base.
  auto elements = countElements(shapeOf(getBase()));
  if (!elements)
    return emitOpError("has a type whose size overflows");
  auto range = tracker.views().front().getRange();
  if (range && (range->first < 0 || range->second >= *elements))
    return emitOpError("writes positions ")
           << range->first << " to " << range->second << " of a base of " << *elements << " elements";
  // (assign_c3) no two elements go to one place.
  if (!tracker.isInjective().value_or(false))
    return emitOpError("may write one element of its base twice");
  return success();
}

/// Whether nothing is written.
static bool writesNothing(const ShapeTracker &tracker) {
  return tracker.numElements() == 0 ||
         llvm::any_of(tracker.views(), [](const View &view) { return view.isAllMasked(); });
}

OpFoldResult AssignOp::fold(FoldAdaptor) {
  const ShapeTracker &tracker = getTracker().getTracker();
  // assign(v, b) of no element -> b
  if (writesNothing(tracker))
    return foldTo(getBase(), *this);
  // assign(v, b) of all elements in order -> v   [equal types]
  if (getValue().getType() == getType() && tracker.isContiguous())
    return foldTo(getValue(), *this);
  // assign(view(b, t), b, t) -> b
  if (Operation *source = getValue().getDefiningOp();
      source && isMovement(source) && source->getOperand(0) == getBase())
    if (ShapeTracker read = applyMovement(source, ShapeTracker::identity(shapeOf(getBase()))))
      if (read.simplify() == tracker.simplify())
        return foldTo(getBase(), *this);
  return {};
}

namespace {

/// assign(v, b, t) of all elements, in another order or shape -> view(v, inverse of t)
struct AssignAll : OpRewritePattern<AssignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssignOp op, PatternRewriter &rewriter) const override {
    const ShapeTracker &tracker = op.getTracker().getTracker();
    if (tracker.numElements() != cast<RankedTensorType>(op.getType()).getNumElements() || !tracker.isUnmasked())
      return rewriter.notifyMatchFailure(op, "something of the base stays");
    ShapeTracker inverse = tracker.simplify().invert(shapeOf(op.getResult()));
    if (!inverse)
      return rewriter.notifyMatchFailure(op, "no stack of views reads the value in the order of the base");
    rewriter.replaceOpWithNewOp<ViewOp>(op, op.getType(), op.getValue(), TrackerAttr::get(op.getContext(), inverse));
    return success();
  }
};

/// assign(v, assign(u, b, t), t) -> assign(v, b, t)
struct AssignOver : OpRewritePattern<AssignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssignOp op, PatternRewriter &rewriter) const override {
    auto inner = getEarlierProducer<AssignOp>(op.getBase(), op);
    if (!inner || inner.getTracker() != op.getTracker())
      return rewriter.notifyMatchFailure(op, "the base is not assigned at the same place");
    rewriter.modifyOpInPlace(op, [&] { op.getBaseMutable().assign(inner.getBase()); });
    return success();
  }
};

/// assign(v, reshape(b), t) -> reshape(assign(v, b, t)): the places are positions, whatever the shape.
struct AssignReshaped : OpRewritePattern<AssignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssignOp op, PatternRewriter &rewriter) const override {
    Operation *movement = op.getBase().getDefiningOp();
    if (!movement || !isMovement(movement))
      return rewriter.notifyMatchFailure(op, "the base is no view");
    Value base = movement->getOperand(0);
    ShapeTracker read = applyMovement(movement, ShapeTracker::identity(shapeOf(base)));
    if (!read || !read.isContiguous() || read.numElements() != cast<RankedTensorType>(base.getType()).getNumElements())
      return rewriter.notifyMatchFailure(op, "the base is not all of another one in its order");
    Value assigned = AssignOp::create(rewriter, op.getLoc(), base.getType(), op.getValue(), base, op.getTracker());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), assigned);
    return success();
  }
};

} // namespace

void AssignOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AssignAll, AssignOver, AssignReshaped, SimplifyTracker<AssignOp>>(context);
}

} // namespace tiny::lazy
