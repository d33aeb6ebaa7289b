// Casts, and arithmetic that is not primitive for every type. In `lower` operands have one shape and type.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tiny::tensor;

static bool isFloat(Value value) { return isa<FloatType>(TensorBuilder::getElement(value)); }
static bool isUnsigned(Value value) {
  Type element = TensorBuilder::getElement(value);
  return element.isUnsignedInteger() || element.isInteger(1);
}

//===--- cast, bitcast --------------------------------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  // (cast_c1) The shape stays.
  if (getInput().getType().getShape() != getType().getShape())
    return emitOpError("expects the input's shape ")
           << printShape(getInput().getType().getShape()) << ", got " << printShape(getType().getShape());
  return success();
}

bool CastOp::isPrimitive() {
  // arith extends and truncates floats; between two of one width it has neither.
  auto from = dyn_cast<FloatType>(getInput().getType().getElementType());
  auto to = dyn_cast<FloatType>(getType().getElementType());
  return !from || !to || from == to || from.getWidth() != to.getWidth();
}

FailureOr<SmallVector<Value>> CastOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  return SmallVector<Value>{build.cast(build.cast(getInput(), builder.getF32Type()), getType().getElementType())};
}

LogicalResult BitcastOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  // (bitcast_c1) The shape stays.
  if (from.getShape() != to.getShape())
    return emitOpError("expects the input's shape ")
           << printShape(from.getShape()) << ", got " << printShape(to.getShape());
  // (bitcast_c2) So does the width.
  if (from.getElementTypeBitWidth() != to.getElementTypeBitWidth())
    return emitOpError("expects an element type of ")
           << from.getElementTypeBitWidth() << " bits as " << from.getElementType() << ", got " << to.getElementType();
  return success();
}

bool BitcastOp::isPrimitive() { return true; }
FailureOr<SmallVector<Value>> BitcastOp::decompose(OpBuilder &) { return failure(); }

//===--- Unary ----------------------------------------------------------------------------------------------------===//

// Unsigned numbers and truth values are their own absolute value; integers their own rounding.
Value AbsOp::lower(TensorBuilder &) { return getInput(); }
Value FloorOp::lower(TensorBuilder &) { return getInput(); }
Value CeilOp::lower(TensorBuilder &) { return getInput(); }
Value RoundOp::lower(TensorBuilder &) { return getInput(); }
Value TruncOp::lower(TensorBuilder &) { return getInput(); }

Value SignOp::lower(TensorBuilder &build) {
  Value x = getInput();
  if (build.getElement(x).isInteger(1))
    return x;
  // The last branch is 0, or NaN.
  Value sign = build.where(build.gt(x, 0), build.like(x, 1), x);
  return isUnsigned(x) ? sign : build.where(build.lt(x, build.like(x, 0)), build.like(x, -1), sign);
}

Value SquareOp::lower(TensorBuilder &build) {
  bool isBool = build.getElement(getInput()).isInteger(1);
  return isBool ? Value(getInput()) : build.mul(getInput(), getInput());
}

Value ReciprocalOp::lower(TensorBuilder &build) { return build.div(build.like(getInput(), 1), getInput()); }

Value IsNaNOp::lower(TensorBuilder &build) {
  if (!isFloat(getInput()))
    return build.full(getType(), 0);
  return build.ne(getInput(), getInput());
}

Value IsInfOp::lower(TensorBuilder &build) {
  auto element = dyn_cast<FloatType>(build.getElement(getInput()));
  if (!element || !APFloat::semanticsHasInf(element.getFloatSemantics()))
    return build.full(getType(), 0);
  auto infinity = FloatAttr::get(element, APFloat::getInf(element.getFloatSemantics()));
  return build.eq(build.abs(getInput()), build.full(getType().getShape(), infinity));
}

//===--- Binary, ternary ------------------------------------------------------------------------------------------===//

/// (x - rest) / y is nearly a whole number, whichever way x / y would round; where the remainder says nothing (x or y
/// is infinite, y is zero) the rounded quotient does. `quotient` is x / y.
static Value divideWithout(TensorBuilder &build, Value x, Value y, Value rest, Value quotient, Value rounded) {
  Value whole = build.create<RoundOp>(build.div(build.sub(x, rest), y));
  // The difference has lost the sign of a quotient that is zero.
  Value zero = build.like(x, 0), signedZero = build.mul(quotient, zero);
  whole = build.where(build.eq(whole, zero), signedZero, whole);
  return build.where(build.ne(whole, whole), rounded, whole);
}

/// `OpTy` in f32 where the operands are shorter floats; nothing for other types. Rounded to a short type, the
/// difference would be no multiple of y.
template <typename OpTy> static Value divideInF32(TensorBuilder &build, OpTy op) {
  auto element = dyn_cast<FloatType>(build.getElement(op.getLhs()));
  if (!element || element.getWidth() >= 32)
    return {};
  Type f32 = Float32Type::get(element.getContext());
  return build.cast(build.create<OpTy>(build.cast(op.getLhs(), f32), build.cast(op.getRhs(), f32)), element);
}

Value FloorDivOp::lower(TensorBuilder &build) {
  if (Value wide = divideInF32(build, *this))
    return wide;
  Value x = getLhs(), y = getRhs(), quotient = build.div(x, y);
  return divideWithout(build, x, y, build.create<ModOp>(x, y), quotient, build.create<FloorOp>(quotient));
}

Value TruncDivOp::lower(TensorBuilder &build) {
  if (Value wide = divideInF32(build, *this))
    return wide;
  Value x = getLhs(), y = getRhs(), quotient = build.div(x, y);
  return divideWithout(build, x, y, build.create<FmodOp>(x, y), quotient, build.create<TruncOp>(quotient));
}

Value ModOp::lower(TensorBuilder &build) {
  Value x = getLhs(), y = getRhs(), rest = build.create<FmodOp>(x, y);
  if (isUnsigned(x))
    return rest;
  // The truncated remainder, moved by one divisor where the signs differ.
  Value zero = build.like(x, 0);
  Value differs = build.ne(build.lt(rest, zero), build.lt(y, zero));
  Value isWrong = build.create<AndOp>(build.ne(rest, zero), differs);
  return build.where(isWrong, build.add(rest, y), rest);
}

Value PowOp::lower(TensorBuilder &build) {
  // Integers, by squaring: one step for each bit of the exponent that may be set.
  Value base = getLhs(), exponent = getRhs(), one = build.like(base, 1), zero = build.like(base, 0);
  DenseElementsAttr known;
  matchPattern(exponent, m_Constant(&known));
  std::optional<APInt> constant;
  if (known && known.isSplat())
    constant = known.getSplatValue<APInt>();
  bool mayBeNegative = !isUnsigned(exponent) && (!constant || constant->isNegative());
  unsigned bits = build.getElement(base).getIntOrFloatBitWidth();
  Value result = one, square = base;
  for (unsigned bit = 0; bit < bits && (!constant || bit < constant->getActiveBits()); ++bit) {
    if (bit > 0)
      square = build.mul(square, square);
    Value product = build.mul(result, square);
    if (constant) {
      result = (*constant)[bit] ? product : result;
      continue;
    }
    auto mask = IntegerAttr::get(build.getElement(base), APInt::getOneBitSet(bits, bit));
    Value isSet = build.ne(build.create<AndOp>(exponent, build.full(getType().getShape(), mask)), zero);
    result = build.where(isSet, product, result);
  }
  if (!mayBeNegative)
    return result;
  // 1 / x^n truncated is 0 but for x = 1 and x = -1.
  Value isOdd = build.ne(build.create<AndOp>(exponent, one), zero);
  Value inverse = build.where(build.eq(base, -1), build.where(isOdd, base, one), zero);
  inverse = build.where(build.eq(base, 1), one, inverse);
  return build.where(build.lt(exponent, zero), inverse, result);
}

Value ClampOp::lower(TensorBuilder &build) { return build.minimum(build.maximum(getInput(), getLow()), getHigh()); }

/// The exponents for which a product is exactly what pow gives.
namespace {
struct SimplifyPow : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr known;
    // A graph region may hold a power of itself.
    if (op.getLhs() == op.getResult() || op.getLhs().getType() != op.getType() || !isFloat(op.getLhs()) ||
        !isFloat(op.getRhs()) || !matchPattern(op.getRhs(), m_Constant(&known)) || !known.isSplat())
      return rewriter.notifyMatchFailure(op, "the exponent is not one known float");
    double exponent = known.getSplatValue<APFloat>().convertToDouble();
    // pow(x, 1) -> x
    if (exponent == 1)
      rewriter.replaceOp(op, op.getLhs());
    // pow(x, 2) -> x * x
    else if (exponent == 2)
      rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
    else
      return rewriter.notifyMatchFailure(op, "the exponent is neither 1 nor 2");
    return success();
  }
};

} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyPow>(context);
}
