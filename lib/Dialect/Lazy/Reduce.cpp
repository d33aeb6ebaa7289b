// Reductions and index sources: verifiers, folders, canonicalization.
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Producer.h"
#include "Tiny/Support/ReductionIdentity.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tiny::lazy {

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===--- iota -----------------------------------------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  // (iota_c1) the axis is one of the result's.
  int64_t axis = getAxis(), rank = tensorOf(getResult()).getRank();
  if (axis < 0 || axis >= rank)
    return emitOpError("expects an axis below rank ") << rank << ", got " << axis;
  return success();
}

OpFoldResult IotaOp::fold(FoldAdaptor) {
  // iota over an axis of size 0 or 1 -> 0
  RankedTensorType type = tensorOf(getResult());
  if (type.getDimSize(getAxis()) <= 1)
    return DenseElementsAttr::get(type, IntegerAttr::get(type.getElementType(), 0));
  return {};
}

//===--- reduce ---------------------------------------------------------------------------------------------------===//

static bool isFloatKind(arith::AtomicRMWKind kind) {
  using Kind = arith::AtomicRMWKind;
  return llvm::is_contained({Kind::addf, Kind::mulf, Kind::maximumf, Kind::minimumf, Kind::maxnumf, Kind::minnumf},
                            kind);
}

static bool combines(arith::AtomicRMWKind kind, Type element) {
  return kind != arith::AtomicRMWKind::assign &&
         (isFloatKind(kind) ? isa<FloatType>(element) : element.isSignlessInteger());
}

/// (reduce_c7) to (reduce_c10): a combiner region from accumulators and elements to accumulators.
static LogicalResult verifyCombiner(ReduceOp op) {
  size_t count = op.getInputs().size();
  // (reduce_c7) one initial value per input, of its element type.
  if (!op.getInits() || op.getInitsAttr().size() != count)
    return op.emitOpError("with a region expects one initial value per input: got ")
           << (op.getInits() ? op.getInitsAttr().size() : 0) << " for " << count;
  for (auto [k, init, input] : llvm::enumerate(op.getInitsAttr(), op.getInputs())) {
    auto typed = dyn_cast<TypedAttr>(init);
    if (!typed || typed.getType() != tensorOf(input).getElementType())
      return op.emitOpError("expects initial value #")
             << k << " of type " << tensorOf(input).getElementType() << ", got " << init;
  }
  // (reduce_c8) the arguments are the accumulators, then the elements.
  Block &body = op.getCombiner().front();
  if (body.getNumArguments() != 2 * count)
    return op.emitOpError("expects ") << 2 * count << " combiner arguments, got " << body.getNumArguments();
  for (BlockArgument argument : body.getArguments()) {
    Type expected = tensorOf(op.getInputs()[argument.getArgNumber() % count]).getElementType();
    if (argument.getType() != expected)
      return op.emitOpError("expects combiner argument #")
             << argument.getArgNumber() << " of type " << expected << ", got " << argument.getType();
  }
  // (reduce_c9) it yields the new accumulators.
  auto yield = dyn_cast_or_null<YieldOp>(body.mightHaveTerminator() ? body.getTerminator() : nullptr);
  if (!yield)
    return op.emitOpError("expects the combiner to end with lazy.yield");
  if (yield->getNumOperands() != count)
    return yield.emitOpError("expects ") << count << " values, got " << yield->getNumOperands();
  for (auto [k, value, input] : llvm::enumerate(yield.getOperands(), op.getInputs()))
    if (value.getType() != tensorOf(input).getElementType())
      return yield.emitOpError("expects value #")
             << k << " of type " << tensorOf(input).getElementType() << ", got " << value.getType();
  // (reduce_c10) the combiner is scalar arithmetic without effects.
  for (Operation &inner : body.without_terminator())
    if (!isMemoryEffectFree(&inner) || inner.getNumRegions() != 0)
      return inner.emitOpError("is no scalar arithmetic: a combiner has no effects and no regions");
  return success();
}

LogicalResult ReduceOp::verify() {
  // (reduce_c1) there is an input, and a result for each.
  if (getInputs().empty() || getInputs().size() != getResults().size())
    return emitOpError("expects one result per input and at least one: got ")
           << getResults().size() << " for " << getInputs().size();
  // (reduce_c2) the inputs have one shape.
  ArrayRef<int64_t> shape = tensorOf(getInputs().front()).getShape();
  for (Value input : getInputs())
    if (tensorOf(input).getShape() != shape)
      return emitOpError("expects inputs of one shape, got ")
             << getInputs().front().getType() << " and " << input.getType();
  // (reduce_c3) axes are sorted, unique and in range.
  int64_t previous = -1, rank = shape.size();
  for (int64_t axis : getAxes()) {
    if (axis <= previous || axis >= rank)
      return emitOpError("expects sorted and unique axes below rank ") << rank << ", got [" << getAxes() << "]";
    previous = axis;
  }
  // (reduce_c4) a result is its input without the axes.
  SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(getAxes(), axis))
      kept.push_back(shape[axis]);
  for (auto [input, result] : llvm::zip_equal(getInputs(), getResults())) {
    auto expected = RankedTensorType::get(kept, tensorOf(input).getElementType());
    if (result.getType() != expected)
      return emitOpError("expects a result of type ") << expected << ", got " << result.getType();
  }
  // (reduce_c5) either a kind or a region.
  if (getKind().has_value() != getCombiner().empty())
    return emitOpError(getKind() ? "has a kind and a region: expects one of them" : "expects a kind or a region");
  if (!getKind())
    return verifyCombiner(*this);
  // (reduce_c6) the kind combines the element type, and its initial value is its identity.
  if (getInits())
    return emitOpError("with a kind starts at its identity: expects no initial values");
  if (*getKind() == arith::AtomicRMWKind::assign)
    return emitOpError("expects a kind that combines, got assign");
  for (Value input : getInputs()) {
    Type element = tensorOf(input).getElementType();
    if (!combines(*getKind(), element))
      return emitOpError("of kind ") << arith::stringifyAtomicRMWKind(*getKind()) << " can't combine " << element;
  }
  return success();
}

namespace {

/// reduce over axes of size 1 -> reshape, for those axes, plus 0.0 where it is a sum of floats; of several operands or
/// by a region only while another axis remains, since the initial value takes part.
struct DropUnitAxes : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = tensorOf(op.getInputs().front()).getShape();
    auto isUnit = [&](int64_t axis) { return shape[axis] == 1; };
    size_t units = llvm::count_if(op.getAxes(), isUnit);
    bool vanishes = units == op.getAxes().size();
    if (vanishes ? !op.getKind().has_value() : units == 0)
      return rewriter.notifyMatchFailure(op, "no axis of size 1, or the combiner's region must run");
    if (vanishes) {
      SmallVector<Value> results;
      // The sum of a negative zero is plus zero, like that of several: -0 + 0 = 0.
      bool addsZero = *op.getKind() == arith::AtomicRMWKind::addf &&
                      !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nsz);
      for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getResults())) {
        Value element = ReshapeOp::create(rewriter, op.getLoc(), result.getType(), input);
        if (addsZero) {
          Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(result.getType()));
          element = arith::AddFOp::create(rewriter, op.getLoc(), element, zero);
        }
        results.push_back(element);
      }
      rewriter.replaceOp(op, results);
      return success();
    }
    SmallVector<int64_t> kept, axes;
    for (auto [axis, size] : llvm::enumerate(shape)) {
      bool reduced = llvm::is_contained(op.getAxes(), (int64_t)axis);
      if (reduced && size == 1)
        continue;
      if (reduced)
        axes.push_back(kept.size());
      kept.push_back(size);
    }
    SmallVector<Value> inputs;
    for (Value input : op.getInputs())
      inputs.push_back(ReshapeOp::create(rewriter, op.getLoc(),
                                         RankedTensorType::get(kept, tensorOf(input).getElementType()), input));
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign(inputs);
      op.setAxes(axes);
    });
    return success();
  }
};

/// reduce(reduce(x)) -> reduce(x) over both axes   [same kind; for float sums and products both may reassociate; the
/// inner one has no other user]
struct MergeReduces : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1 || !op.getKind())
      return rewriter.notifyMatchFailure(op, "not one operand combined by a kind");
    auto inner = getEarlierProducer<ReduceOp>(op.getInputs().front(), op);
    if (!inner || inner.getInputs().size() != 1 || inner.getKind() != op.getKind() || !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no inner reduction of the same kind that only this one reads");
    auto reassociates = [](ReduceOp reduce) {
      return bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::reassoc);
    };
    bool ordered = *op.getKind() == arith::AtomicRMWKind::addf || *op.getKind() == arith::AtomicRMWKind::mulf;
    if (ordered && !(reassociates(op) && reassociates(inner)))
      return rewriter.notifyMatchFailure(op, "the order of a float reduction would change");
    // The outer axes count among those that the inner reduction kept.
    SmallVector<int64_t> axes(inner.getAxes());
    int64_t rank = tensorOf(inner.getInputs().front()).getRank(), position = 0;
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (llvm::is_contained(inner.getAxes(), axis))
        continue;
      if (llvm::is_contained(op.getAxes(), position++))
        axes.push_back(axis);
    }
    llvm::sort(axes);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign(inner.getInputs());
      op.setAxes(axes);
      op.setFastmath(op.getFastmath() & inner.getFastmath());
    });
    return success();
  }
};

} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnitAxes, MergeReduces>(context);
}

//===--- scan -----------------------------------------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  // (scan_c1) the axis is one of the result's.
  int64_t axis = getAxis(), rank = tensorOf(getResult()).getRank();
  if (axis < 0 || axis >= rank)
    return emitOpError("expects an axis below rank ") << rank << ", got " << axis;
  // (scan_c2) the kind combines the element type, and an identity of it changes no element.
  Type element = tensorOf(getResult()).getElementType();
  if (!mayScan(getKind()) || !combines(getKind(), element))
    return emitOpError("of kind ") << arith::stringifyAtomicRMWKind(getKind()) << " can't combine " << element;
  return success();
}

OpFoldResult ScanOp::fold(FoldAdaptor) {
  // scan(x) along an axis with one element or none -> x
  return tensorOf(getResult()).getDimSize(getAxis()) <= 1 ? OpFoldResult(getInput()) : OpFoldResult();
}

} // namespace tiny::lazy
