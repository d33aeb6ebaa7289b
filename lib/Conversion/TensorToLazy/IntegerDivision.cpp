// Division and shifts of integers. arith leaves some operands undefined, and a CPU traps on them; the tensor level
// does not: x / 0 and x % 0 are 0, and a shift by the width or more moves every bit out.
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny {
namespace {

Value getSplat(Type type, const APInt &value, ImplicitLocOpBuilder &build) {
  return arith::ConstantOp::create(build, DenseElementsAttr::get(cast<RankedTensorType>(type), value));
}

unsigned getWidth(Type type) { return cast<RankedTensorType>(type).getElementTypeBitWidth(); }

/// Whether every element of the constant `value` passes.
bool allElements(Value value, llvm::function_ref<bool(const APInt &)> test) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return false;
  // Of a splat, whose places may be millions, one element is enough.
  if (elements.isSplat())
    return test(elements.getSplatValue<APInt>());
  return llvm::all_of(elements.getValues<APInt>(), test);
}

/// A divisor that can be divided by: 1 stands for 0, and for -1 beside the least integer, since x / 1 is then what
/// the division wraps to. `isZero` is set where the divisor may be zero.
Value makeDivisorSafe(Operation *op, Value dividend, Value divisor, Value &isZero, ImplicitLocOpBuilder &build) {
  Type type = divisor.getType();
  bool isUnsigned = isUnsignedElement(getOperandElement(op));
  if (allElements(op->getOperand(1), [&](const APInt &d) { return !d.isZero() && (isUnsigned || !d.isAllOnes()); }))
    return divisor;
  unsigned width = getWidth(type);
  auto isEqual = [&](Value value, const APInt &number) -> Value {
    return arith::CmpIOp::create(build, arith::CmpIPredicate::eq, value, getSplat(type, number, build));
  };
  Value isUnsafe = isZero = isEqual(divisor, APInt::getZero(width));
  if (!isUnsigned) {
    Value isLeast = isEqual(dividend, APInt::getSignedMinValue(width));
    Value isMinusOne = isEqual(divisor, APInt::getAllOnes(width));
    isUnsafe = arith::OrIOp::create(build, isZero, arith::AndIOp::create(build, isLeast, isMinusOne));
  }
  return arith::SelectOp::create(build, isUnsafe, getSplat(type, APInt(width, 1), build), divisor);
}

template <typename OpTy, typename Signed, typename Unsigned>
Value emitQuotient(OpTy op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  Type element = getOperandElement(op);
  if (!isa<IntegerType>(element))
    return {};
  Value isZero, divisor = makeDivisorSafe(op, operands[0], operands[1], isZero, build), quotient;
  if (isUnsignedElement(element))
    quotient = Unsigned::create(build, operands[0], divisor);
  else
    quotient = Signed::create(build, operands[0], divisor);
  if (!isZero)
    return quotient;
  return arith::SelectOp::create(build, isZero, getSplat(type, APInt::getZero(getWidth(type)), build), quotient);
}

Value emitFmod(tensor::FmodOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  Type element = getOperandElement(op);
  if (isa<FloatType>(element))
    return arith::RemFOp::create(build, operands[0], operands[1]);
  // The remainder by 1 is 0, which is also what it is by 0.
  Value isZero, divisor = makeDivisorSafe(op, operands[0], operands[1], isZero, build);
  if (isUnsignedElement(element))
    return arith::RemUIOp::create(build, operands[0], divisor);
  return arith::RemSIOp::create(build, operands[0], divisor);
}

/// Whether the amount keeps a bit in place; null where it always does.
Value isAmountInRange(Operation *op, Value amount, ImplicitLocOpBuilder &build) {
  unsigned width = getWidth(amount.getType());
  if (allElements(op->getOperand(1), [&](const APInt &a) { return a.ult(width); }))
    return {};
  // Unsigned, so that a negative amount is out of range.
  Value limit = getSplat(amount.getType(), APInt(width, width), build);
  return arith::CmpIOp::create(build, arith::CmpIPredicate::ult, amount, limit);
}

Value emitShl(tensor::ShlOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  Value inRange = isAmountInRange(op, operands[1], build), zero;
  if (!inRange)
    return arith::ShLIOp::create(build, operands[0], operands[1]);
  zero = getSplat(type, APInt::getZero(getWidth(type)), build);
  Value amount = arith::SelectOp::create(build, inRange, operands[1], zero);
  return arith::SelectOp::create(build, inRange, arith::ShLIOp::create(build, operands[0], amount), zero);
}

Value emitShr(tensor::ShrOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  bool isUnsigned = isUnsignedElement(getOperandElement(op));
  unsigned width = getWidth(type);
  Value inRange = isAmountInRange(op, operands[1], build), amount = operands[1];
  // The largest amount leaves copies of the sign, or one bit that an unsigned result must lose too.
  if (inRange)
    amount = arith::SelectOp::create(build, inRange, amount, getSplat(type, APInt(width, width - 1), build));
  if (!isUnsigned)
    return arith::ShRSIOp::create(build, operands[0], amount);
  Value shifted = arith::ShRUIOp::create(build, operands[0], amount);
  if (!inRange)
    return shifted;
  return arith::SelectOp::create(build, inRange, shifted, getSplat(type, APInt::getZero(width), build));
}

} // namespace

void addIntegerDivisionPatterns(PatternTable table) {
  using namespace tensor;
  table.add<FloorDivOp>(emitQuotient<FloorDivOp, arith::FloorDivSIOp, arith::DivUIOp>);
  table.add<TruncDivOp>(emitQuotient<TruncDivOp, arith::DivSIOp, arith::DivUIOp>);
  table.add<FmodOp>(emitFmod);
  table.add<ShlOp>(emitShl);
  table.add<ShrOp>(emitShr);
}

} // namespace tiny
