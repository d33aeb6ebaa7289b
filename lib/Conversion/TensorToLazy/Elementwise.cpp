// Elementwise operations: one line each. Division and shifts of integers stand in IntegerDivision.cpp.
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tiny {
namespace {

/// No operation for this kind of element.
struct None {};

template <typename Target> Value emitOne(ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  if constexpr (std::is_same_v<Target, None>)
    return {};
  else
    return Target::create(build, TypeRange(type), operands)->getResult(0);
}

/// Chooses by element type: floats, signed and unsigned integers, truth values.
template <typename OpTy, typename Float, typename Signed = None, typename Unsigned = Signed, typename Bool = Unsigned>
Value emitByType(OpTy op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  Type element = getOperandElement(op);
  if (isa<FloatType>(element))
    return emitOne<Float>(operands, type, build);
  if (element.isInteger(1))
    return emitOne<Bool>(operands, type, build);
  return element.isUnsignedInteger() ? emitOne<Unsigned>(operands, type, build)
                                     : emitOne<Signed>(operands, type, build);
}

template <typename OpTy, arith::CmpFPredicate Float, arith::CmpIPredicate Signed, arith::CmpIPredicate Unsigned>
Value emitCompare(OpTy op, ValueRange operands, Type, ImplicitLocOpBuilder &build) {
  Type element = getOperandElement(op);
  if (isa<FloatType>(element))
    return arith::CmpFOp::create(build, Float, operands[0], operands[1]);
  return arith::CmpIOp::create(build, isUnsignedElement(element) ? Unsigned : Signed, operands[0], operands[1]);
}

Value getZero(Type type, ImplicitLocOpBuilder &build) {
  return arith::ConstantOp::create(build, build.getZeroAttr(type));
}

Value emitNeg(tensor::NegOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  if (isa<FloatType>(getOperandElement(op)))
    return arith::NegFOp::create(build, operands[0]);
  return arith::SubIOp::create(build, getZero(type, build), operands[0]);
}

Value emitNot(tensor::NotOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  auto tensor = cast<RankedTensorType>(type);
  auto ones = DenseElementsAttr::get(tensor, APInt::getAllOnes(tensor.getElementTypeBitWidth()));
  return arith::XOrIOp::create(build, operands[0], arith::ConstantOp::create(build, ones));
}

Value emitCast(tensor::CastOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  Type from = op.getInput().getType().getElementType(), to = op.getType().getElementType();
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to), isUnsigned = isUnsignedElement(from);
  Value input = operands[0];
  if (from == to)
    return input;
  if (to.isInteger(1)) {
    Value zero = getZero(input.getType(), build);
    if (fromFloat)
      return arith::CmpFOp::create(build, arith::CmpFPredicate::UNE, input, zero);
    return arith::CmpIOp::create(build, arith::CmpIPredicate::ne, input, zero);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromFloat && toFloat)
    return fromWidth < toWidth ? emitOne<arith::ExtFOp>(input, type, build)
                               : emitOne<arith::TruncFOp>(input, type, build);
  if (fromFloat)
    return to.isUnsignedInteger() ? emitOne<arith::FPToUIOp>(input, type, build)
                                  : emitOne<arith::FPToSIOp>(input, type, build);
  if (toFloat)
    return isUnsigned ? emitOne<arith::UIToFPOp>(input, type, build) : emitOne<arith::SIToFPOp>(input, type, build);
  if (fromWidth == toWidth)
    return input;
  if (fromWidth > toWidth)
    return emitOne<arith::TruncIOp>(input, type, build);
  return isUnsigned ? emitOne<arith::ExtUIOp>(input, type, build) : emitOne<arith::ExtSIOp>(input, type, build);
}

Value emitBitcast(tensor::BitcastOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  return operands[0].getType() == type ? operands[0] : emitOne<arith::BitcastOp>(operands, type, build);
}

} // namespace

void addElementwisePatterns(PatternTable table) {
  using namespace tensor;
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  table.add<CastOp>(emitCast);
  table.add<tensor::BitcastOp>(emitBitcast);

  table.add<NegOp>(emitNeg);
  table.add<NotOp>(emitNot);
  table.add<AbsOp>(emitByType<AbsOp, math::AbsFOp, math::AbsIOp, None>);
  table.add<ExpOp>(emitByType<ExpOp, math::ExpOp>);
  table.add<Exp2Op>(emitByType<Exp2Op, math::Exp2Op>);
  table.add<Expm1Op>(emitByType<Expm1Op, math::ExpM1Op>);
  table.add<LogOp>(emitByType<LogOp, math::LogOp>);
  table.add<Log2Op>(emitByType<Log2Op, math::Log2Op>);
  table.add<Log1pOp>(emitByType<Log1pOp, math::Log1pOp>);
  table.add<SqrtOp>(emitByType<SqrtOp, math::SqrtOp>);
  table.add<RsqrtOp>(emitByType<RsqrtOp, math::RsqrtOp>);
  table.add<SinOp>(emitByType<SinOp, math::SinOp>);
  table.add<CosOp>(emitByType<CosOp, math::CosOp>);
  table.add<TanOp>(emitByType<TanOp, math::TanOp>);
  table.add<AsinOp>(emitByType<AsinOp, math::AsinOp>);
  table.add<AcosOp>(emitByType<AcosOp, math::AcosOp>);
  table.add<AtanOp>(emitByType<AtanOp, math::AtanOp>);
  table.add<SinhOp>(emitByType<SinhOp, math::SinhOp>);
  table.add<CoshOp>(emitByType<CoshOp, math::CoshOp>);
  table.add<TanhOp>(emitByType<TanhOp, math::TanhOp>);
  table.add<ErfOp>(emitByType<ErfOp, math::ErfOp>);
  table.add<FloorOp>(emitByType<FloorOp, math::FloorOp>);
  table.add<CeilOp>(emitByType<CeilOp, math::CeilOp>);
  table.add<RoundOp>(emitByType<RoundOp, math::RoundEvenOp>);
  table.add<TruncOp>(emitByType<TruncOp, math::TruncOp>);

  table.add<AddOp>(emitByType<AddOp, arith::AddFOp, arith::AddIOp>);
  table.add<SubOp>(emitByType<SubOp, arith::SubFOp, arith::SubIOp>);
  table.add<MulOp>(emitByType<MulOp, arith::MulFOp, arith::MulIOp>);
  table.add<DivOp>(emitByType<DivOp, arith::DivFOp>);
  table.add<PowOp>(emitByType<PowOp, math::PowFOp>);
  table.add<MaximumOp>(emitByType<MaximumOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::OrIOp>);
  table.add<MinimumOp>(emitByType<MinimumOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp, arith::AndIOp>);
  table.add<AndOp>(emitByType<AndOp, None, arith::AndIOp>);
  table.add<OrOp>(emitByType<OrOp, None, arith::OrIOp>);
  table.add<XorOp>(emitByType<XorOp, None, arith::XOrIOp>);

  table.add<EqOp>(emitCompare<EqOp, F::OEQ, I::eq, I::eq>);
  table.add<NeOp>(emitCompare<NeOp, F::UNE, I::ne, I::ne>);
  table.add<LtOp>(emitCompare<LtOp, F::OLT, I::slt, I::ult>);
  table.add<LeOp>(emitCompare<LeOp, F::OLE, I::sle, I::ule>);
  table.add<GtOp>(emitCompare<GtOp, F::OGT, I::sgt, I::ugt>);
  table.add<GeOp>(emitCompare<GeOp, F::OGE, I::sge, I::uge>);

  table.add<WhereOp>([](WhereOp, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
    return emitOne<arith::SelectOp>(operands, type, build);
  });
}

} // namespace tiny
