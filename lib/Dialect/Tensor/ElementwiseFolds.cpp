// Folders of elementwise operations: identities that hold bit for bit, NaN and the sign of zero included.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Support/Producer.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::tensor;

/// The one number that a constant operand repeats.
static Attribute getSplat(Attribute operand) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(operand);
  return splat ? splat.getSplatValue<Attribute>() : Attribute();
}

/// This integer in the type that the operation computes in: a narrower constant is another number once it is promoted,
/// and an integer beside a float is a float.
static bool isIntegerSplat(Attribute operand, int64_t value, Type computed) {
  auto number = dyn_cast_if_present<IntegerAttr>(getSplat(operand));
  if (!number || number.getType() != getElementTypeOrSelf(computed))
    return false;
  APInt bits = number.getValue();
  return bits == APInt(64, value, /*isSigned=*/true).trunc(bits.getBitWidth());
}

/// Exactly this float, in the type that the operation computes in: 0.0 is not -0.0.
static bool isFloatSplat(Attribute operand, double value, Type computed) {
  auto number = dyn_cast_if_present<FloatAttr>(getSplat(operand));
  if (!number || number.getType() != getElementTypeOrSelf(computed))
    return false;
  double other = number.getValueAsDouble();
  return other == value && std::signbit(other) == std::signbit(value);
}

static bool isNumberSplat(Attribute operand, int64_t value, Type computed) {
  return isIntegerSplat(operand, value, computed) || isFloatSplat(operand, static_cast<double>(value), computed);
}

/// `value` where it has the operation's own type, so that nothing is left to broadcast or to cast.
static OpFoldResult keep(Value value, Operation *op) {
  return value.getType() == op->getResult(0).getType() ? foldTo(value, op) : OpFoldResult();
}

/// The operand of the operand, where that is the same operation: f(f(x)) -> x.
template <typename OpTy> static OpFoldResult foldInvolution(OpTy op) {
  if (auto inner = op.getInput().template getDefiningOp<OpTy>())
    return keep(inner.getInput(), op);
  return {};
}

/// f(f(x)) -> f(x), and f(x) -> x on integers.
template <typename OpTy> static OpFoldResult foldRounding(OpTy op) {
  bool isInteger = !isa<FloatType>(TensorBuilder::getElement(op.getInput()));
  if (isInteger || op.getInput().template getDefiningOp<OpTy>())
    return keep(op.getInput(), op);
  return {};
}

/// f(x, x) -> x
template <typename OpTy> static OpFoldResult foldIdempotent(OpTy op) {
  return op.getLhs() == op.getRhs() ? keep(op.getLhs(), op) : OpFoldResult();
}

//===--- Unary ----------------------------------------------------------------------------------------------------===//

// -(-x) -> x
OpFoldResult NegOp::fold(FoldAdaptor) { return foldInvolution(*this); }
// ~~x -> x
OpFoldResult NotOp::fold(FoldAdaptor) { return foldInvolution(*this); }
OpFoldResult FloorOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult CeilOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult RoundOp::fold(FoldAdaptor) { return foldRounding(*this); }
OpFoldResult TruncOp::fold(FoldAdaptor) { return foldRounding(*this); }

OpFoldResult AbsOp::fold(FoldAdaptor) {
  // ||x|| -> |x|
  if (getInput().getDefiningOp<AbsOp>())
    return keep(getInput(), *this);
  return {};
}

//===--- Binary ---------------------------------------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0 -> x [integers]; x + -0.0 -> x. Not x + 0.0: that turns -0.0 into 0.0.
  if (isIntegerSplat(adaptor.getRhs(), 0, getType()) || isFloatSplat(adaptor.getRhs(), -0.0, getType()))
    return keep(getLhs(), *this);
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  // x - 0 -> x [not -0.0]
  if (isNumberSplat(adaptor.getRhs(), 0, getType()))
    return keep(getLhs(), *this);
  return {};
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  // x * 1 -> x
  if (isNumberSplat(adaptor.getRhs(), 1, getType()))
    return keep(getLhs(), *this);
  // x * 0 -> 0 [integers]
  if (isIntegerSplat(adaptor.getRhs(), 0, getType()))
    return DenseElementsAttr::get(getType(), Attribute(getNumber(getType().getElementType(), 0)));
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  // x / 1 -> x
  if (isNumberSplat(adaptor.getRhs(), 1, getType()))
    return keep(getLhs(), *this);
  return {};
}

// max(x, x) -> x
OpFoldResult MaximumOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult MinimumOp::fold(FoldAdaptor) { return foldIdempotent(*this); }

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  // x & -1 -> x
  if (isIntegerSplat(adaptor.getRhs(), -1, getType()))
    return keep(getLhs(), *this);
  // x & x -> x
  return foldIdempotent(*this);
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  // x | 0 -> x
  if (isIntegerSplat(adaptor.getRhs(), 0, getType()))
    return keep(getLhs(), *this);
  // x | x -> x
  return foldIdempotent(*this);
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  // where(c, x, x) -> x
  if (getLhs() == getRhs())
    return keep(getLhs(), *this);
  // where(true, x, y) -> x, where(false, x, y) -> y
  if (auto condition = dyn_cast_if_present<IntegerAttr>(getSplat(adaptor.getCondition())))
    return keep(condition.getValue().isZero() ? getRhs() : getLhs(), *this);
  return {};
}

//===--- cast, bitcast --------------------------------------------------------------------------------------------===//

/// One number converted as tiny.cast does; null where the result is unspecified.
static TypedAttr castNumber(Attribute number, Type from, Type to) {
  bool toFloats = isa<FloatType>(to);
  if (auto value = dyn_cast<FloatAttr>(number)) {
    APFloat result = value.getValue();
    bool lossy = false;
    if (toFloats) {
      result.convert(cast<FloatType>(to).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
      return FloatAttr::get(to, result);
    }
    if (to.isInteger(1))
      return IntegerAttr::get(to, !result.isZero());
    llvm::APSInt integer(to.getIntOrFloatBitWidth(), to.isUnsignedInteger());
    if (result.convertToInteger(integer, APFloat::rmTowardZero, &lossy) & APFloat::opInvalidOp)
      return nullptr;
    return IntegerAttr::get(to, integer);
  }
  APInt value = cast<IntegerAttr>(number).getValue();
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (toFloats) {
    APFloat result(cast<FloatType>(to).getFloatSemantics());
    result.convertFromAPInt(value, !isUnsigned, APFloat::rmNearestTiesToEven);
    return FloatAttr::get(to, result);
  }
  if (to.isInteger(1))
    return IntegerAttr::get(to, !value.isZero());
  unsigned width = to.getIntOrFloatBitWidth();
  return IntegerAttr::get(to, isUnsigned ? value.zextOrTrunc(width) : value.sextOrTrunc(width));
}

/// Whether a cast from `from` to `to` and back gives the same number.
static bool isLossless(Type from, Type to) {
  if (from.isInteger(1))
    return true;
  if (isa<FloatType>(from) != isa<FloatType>(to))
    return false;
  if (isa<FloatType>(from))
    return from != to && promote(from, to) == to;
  return to.getIntOrFloatBitWidth() >= from.getIntOrFloatBitWidth();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  // cast(x) -> x [same type]
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  // cast(cast(x)) -> x [there and back without loss]
  if (auto inner = getInput().getDefiningOp<CastOp>();
      inner && inner.getInput().getType() == getType() &&
      isLossless(getType().getElementType(), getInput().getType().getElementType()))
    return foldTo(inner.getInput(), *this);
  if (Attribute number = getSplat(adaptor.getInput()))
    if (TypedAttr result = castNumber(number, getInput().getType().getElementType(), getType().getElementType()))
      return DenseElementsAttr::get(getType(), Attribute(result));
  return {};
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  // bitcast(x) -> x [same type]
  if (getInput().getType() == getType())
    return foldTo(getInput(), *this);
  // bitcast(bitcast(x)) -> bitcast(x)
  if (auto inner = getEarlierProducer<BitcastOp>(getInput(), *this)) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}
