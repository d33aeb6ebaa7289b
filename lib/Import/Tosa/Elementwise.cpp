// Elementwise operations: operands have one rank and broadcast.
#include "Translators.h"

using namespace mlir;

namespace tiny::tosaimport {

using tensor::TensorBuilder;

namespace {

template <typename TosaOp, typename OpTy> void addUnary(TranslatorTable &table) {
  table.add<TosaOp>([](TosaOp op, TensorBuilder &build) { return build.create<OpTy>(op->getOperand(0)); });
}

template <typename TosaOp, typename OpTy> void addBinary(TranslatorTable &table) {
  table.add<TosaOp>(
      [](TosaOp op, TensorBuilder &build) { return build.create<OpTy>(op->getOperand(0), op->getOperand(1)); });
}

template <typename TosaOp, typename OpTy> void addExtremum(TranslatorTable &table) {
  table.add<TosaOp>([](TosaOp op, TensorBuilder &build) -> Value {
    Value a = op.getInput1(), b = op.getInput2(), result = build.create<OpTy>(a, b);
    if (!ignoresNan(a, op.getNanMode()))
      return result;
    result = build.where(build.create<tensor::IsNaNOp>(b), a, result);
    return build.where(build.create<tensor::IsNaNOp>(a), b, result);
  });
}

Value asUnsigned(TensorBuilder &build, Value value) {
  auto type = TensorBuilder::getType(value);
  auto element = IntegerType::get(type.getContext(), type.getElementTypeBitWidth(), IntegerType::Unsigned);
  return build.create<tensor::BitcastOp>(type.clone(element), value);
}

Value translateLogicalRightShift(tosa::LogicalRightShiftOp op, TensorBuilder &build) {
  Value moved = build.create<tensor::ShrOp>(asUnsigned(build, op.getInput1()), asUnsigned(build, op.getInput2()));
  return build.create<tensor::BitcastOp>(op.getType(), moved);
}

Value translateArithmeticRightShift(tosa::ArithmeticRightShiftOp op, TensorBuilder &build) {
  Value x = op.getInput1(), by = op.getInput2(), moved = build.create<tensor::ShrOp>(x, by);
  if (!op.getRound())
    return moved;
  // The last bit that was moved out.
  Value one = likeInteger(build, by, 1), before = build.create<tensor::ShrOp>(x, build.sub(by, one));
  Value bit = build.create<tensor::AndOp>(before, likeInteger(build, before, 1));
  Value none = likeInteger(build, bit, 0), isMoved = build.create<tensor::GtOp>(by, likeInteger(build, by, 0));
  return build.add(moved, build.where(isMoved, bit, none));
}

/// Leading zeros: how many shifts to the right leave nothing.
Value translateClz(tosa::ClzOp op, TensorBuilder &build) {
  Value bits = asUnsigned(build, op.getInput1()), count;
  Type element = getResultElement(op);
  for (unsigned by = 0; by < element.getIntOrFloatBitWidth(); ++by) {
    Value moved = build.create<tensor::ShrOp>(bits, likeInteger(build, bits, by));
    Value isGone = build.cast(build.create<tensor::EqOp>(moved, likeInteger(build, moved, 0)), element);
    count = count ? build.add(count, isGone) : isGone;
  }
  return count;
}

Value translateClamp(tosa::ClampOp op, TensorBuilder &build) {
  ArrayRef<int64_t> shape = getResultShape(op);
  auto bound = [&](Attribute value) { return build.full(shape, cast<TypedAttr>(value)); };
  Value low = bound(op.getMinValAttr()), high = bound(op.getMaxValAttr()), x = op.getInput();
  if (ignoresNan(x, op.getNanMode()))
    x = build.where(build.create<tensor::IsNaNOp>(x), low, x);
  return build.minimum(build.maximum(x, low), high);
}

Value translateMul(tosa::MulOp op, TensorBuilder &build) {
  DenseElementsAttr shift;
  if (!matchPattern(op.getShift(), m_Constant(&shift)))
    return fail(op, "expected a constant shift");
  Type element = getResultElement(op);
  int64_t by = isa<IntegerType>(element) ? shift.getValues<APInt>()[0].getSExtValue() : 0;
  if (by < 0 || by > 62)
    return fail(op, "expected a shift from 0 to 62, got " + Twine(by));
  if (!by)
    return build.mul(build.cast(op.getInput1(), element), build.cast(op.getInput2(), element));
  Type wide = build.getBuilder().getI64Type();
  Value product = build.mul(build.cast(op.getInput1(), wide), build.cast(op.getInput2(), wide));
  product = build.add(product, likeInteger(build, product, int64_t(1) << (by - 1)));
  return build.create<tensor::ShrOp>(product, likeInteger(build, product, by));
}

Value translateNegate(tosa::NegateOp op, TensorBuilder &build) {
  FailureOr<int64_t> in = op.getInput1ZeroPoint(), out = op.getOutputZeroPoint();
  if (failed(in) || failed(out))
    return fail(op, "expected constant zero points");
  Value x = op.getInput1();
  if (isFloat(x) || TensorBuilder::getElement(x).isInteger(64))
    return build.neg(x);
  // As wide as the standard's accumulator; a number of 32 bits wraps.
  Value wide = build.neg(readQuantized(build, x, *in, 64));
  wide = build.add(wide, likeInteger(build, wide, *out));
  if (TensorBuilder::getElement(x).isInteger(32))
    return wide;
  auto [low, high] = getRange(TensorBuilder::getElement(x));
  return build.minimum(build.maximum(wide, likeInteger(build, wide, low)), likeInteger(build, wide, high));
}

Value translateCast(tosa::CastOp op, TensorBuilder &build) {
  Value x = op.getInput();
  Type element = getResultElement(op);
  // A float becomes the nearest integer, halves to the even one.
  if (isFloat(x) && isa<IntegerType>(element) && !element.isInteger(1))
    x = build.create<tensor::RoundOp>(x);
  return build.cast(x, element);
}

} // namespace

void addElementwise(TranslatorTable &table) {
  addUnary<tosa::AbsOp, tensor::AbsOp>(table);
  addUnary<tosa::BitwiseNotOp, tensor::NotOp>(table);
  addUnary<tosa::CeilOp, tensor::CeilOp>(table);
  addUnary<tosa::CosOp, tensor::CosOp>(table);
  addUnary<tosa::ErfOp, tensor::ErfOp>(table);
  addUnary<tosa::ExpOp, tensor::ExpOp>(table);
  addUnary<tosa::FloorOp, tensor::FloorOp>(table);
  addUnary<tosa::LogOp, tensor::LogOp>(table);
  addUnary<tosa::LogicalNotOp, tensor::NotOp>(table);
  addUnary<tosa::ReciprocalOp, tensor::ReciprocalOp>(table);
  addUnary<tosa::RsqrtOp, tensor::RsqrtOp>(table);
  addUnary<tosa::SigmoidOp, tensor::SigmoidOp>(table);
  addUnary<tosa::SinOp, tensor::SinOp>(table);
  addUnary<tosa::TanhOp, tensor::TanhOp>(table);
  addBinary<tosa::AddOp, tensor::AddOp>(table);
  addBinary<tosa::BitwiseAndOp, tensor::AndOp>(table);
  addBinary<tosa::BitwiseOrOp, tensor::OrOp>(table);
  addBinary<tosa::BitwiseXorOp, tensor::XorOp>(table);
  addBinary<tosa::EqualOp, tensor::EqOp>(table);
  addBinary<tosa::GreaterEqualOp, tensor::GeOp>(table);
  addBinary<tosa::GreaterOp, tensor::GtOp>(table);
  addBinary<tosa::IntDivOp, tensor::TruncDivOp>(table);
  addBinary<tosa::LogicalAndOp, tensor::AndOp>(table);
  addBinary<tosa::LogicalLeftShiftOp, tensor::ShlOp>(table);
  addBinary<tosa::LogicalOrOp, tensor::OrOp>(table);
  addBinary<tosa::LogicalXorOp, tensor::XorOp>(table);
  addBinary<tosa::PowOp, tensor::PowOp>(table);
  addBinary<tosa::SubOp, tensor::SubOp>(table);
  addExtremum<tosa::MaximumOp, tensor::MaximumOp>(table);
  addExtremum<tosa::MinimumOp, tensor::MinimumOp>(table);
  table.add<tosa::ArithmeticRightShiftOp>(translateArithmeticRightShift);
  table.add<tosa::CastOp>(translateCast);
  table.add<tosa::ClampOp>(translateClamp);
  table.add<tosa::ClzOp>(translateClz);
  table.add<tosa::LogicalRightShiftOp>(translateLogicalRightShift);
  table.add<tosa::MulOp>(translateMul);
  table.add<tosa::NegateOp>(translateNegate);
  table.add<tosa::SelectOp>([](tosa::SelectOp op, TensorBuilder &build) {
    return build.where(op.getInput1(), op.getInput2(), op.getInput3());
  });
}

} // namespace tiny::tosaimport
