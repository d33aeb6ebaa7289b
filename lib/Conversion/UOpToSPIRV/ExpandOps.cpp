// What upstream's patterns to SPIR-V have no form for, by what they have.
#include "KernelLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::spirv_lowering {

namespace {

class Expander {
public:
  explicit Expander(Operation *op) : builder(op), loc(op->getLoc()), op(op), operands(op->getOperands()) {}

  /// Null for what stays as it is.
  Value expand() {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0)
      return Value();
    type = operands[0].getType();
    if (type.isInteger(1))
      return expandBit();
    if (isa<arith::RemSIOp>(op))
      return remainder(operands[0], operands[1]);
    // Where only the sign of zero is at stake, bits of 32 do: a device may lack those of 16.
    bool isHalf = type.isF16() && keepsZeros() &&
                  (isa<arith::MinimumFOp, arith::MaximumFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp,
                       math::TruncOp, math::RoundOp>(op) ||
                   (isa<arith::MulFOp>(op) && llvm::any_of(operands, isZero)));
    if (!isHalf)
      return expandFloat();
    type = builder.getF32Type();
    for (Value &operand : operands)
      operand = builder.createOrFold<arith::ExtFOp>(loc, type, operand);
    return arith::TruncFOp::create(builder, loc, op->getResult(0).getType(), expandFloat());
  }

private:
  static bool isZero(Value x) { return matchPattern(x, m_AnyZeroFloat()); }
  Value number(double value) { return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value)); }
  Value magnitude(Value x) { return math::AbsFOp::create(builder, loc, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(builder, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(builder, loc, condition, x, y); }

  /// Whether the sign of a zero counts. A device may lose it where the instruction's result or operand is one.
  bool keepsZeros() const {
    auto math = dyn_cast<arith::ArithFastMathInterface>(op);
    arith::FastMathFlagsAttr flags = math ? math.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
    return !flags || !arith::bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::nsz);
  }

  /// What is rounded has the sign of what it was.
  Value withSignOf(Value x, Value rounded) { return keepsZeros() ? copySign(rounded, x) : rounded; }

  Value truncate(Value x) {
    Value isNegative = compare(arith::CmpFPredicate::OLT, x, number(0));
    return withSignOf(x, select(isNegative, Value(math::CeilOp::create(builder, loc, x)),
                                Value(math::FloorOp::create(builder, loc, x))));
  }

  template <typename Op> Value roundBy() {
    return keepsZeros() ? copySign(Op::create(builder, loc, operands[0]), operands[0]) : Value();
  }

  /// Of numbers that are equal both bits are the same, but for zeros: -0 is the lesser. A NaN stays one by `or`.
  Value pickExtremum(arith::CmpFPredicate isBetter, arith::CmpFPredicate isWorse, bool isMinimum) {
    if (!keepsZeros())
      return Value();
    Value x = operands[0], y = operands[1];
    Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
    Value ofX = arith::BitcastOp::create(builder, loc, integer, x),
          ofY = arith::BitcastOp::create(builder, loc, integer, y);
    Value other = arith::OrIOp::create(builder, loc, ofX, ofY);
    if (!isMinimum)
      other = select(compare(arith::CmpFPredicate::OEQ, x, y), arith::AndIOp::create(builder, loc, ofX, ofY), other);
    other = arith::BitcastOp::create(builder, loc, type, other);
    return select(compare(isBetter, x, y), x, select(compare(isWorse, x, y), y, other));
  }

  /// x * 0: NaN where x is no number or infinite. A driver may take it for 0.
  Value multiply(Value x, Value factor) {
    if (!isZero(factor) || !keepsZeros())
      return Value();
    Value sign = matchPattern(factor, m_NegZeroFloat()) ? Value(arith::NegFOp::create(builder, loc, x)) : x;
    return select(isFinite(x), copySign(number(0), sign), number(std::numeric_limits<double>::quiet_NaN()));
  }

  /// Upstream's pattern takes the least integer for a positive one.
  Value remainder(Value x, Value y) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    auto isNegative = [&](Value value) -> Value {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value, zero);
    };
    auto negate = [&](Value value) -> Value { return arith::SubIOp::create(builder, loc, zero, value); };
    Value isBelow = isNegative(x);
    Value rest =
        arith::RemUIOp::create(builder, loc, select(isBelow, negate(x), x), select(isNegative(y), negate(y), y));
    return select(isBelow, negate(rest), rest);
  }

  /// To the nearest, halves away from zero. x - trunc(x) is exact.
  Value round(Value x) {
    Value whole = truncate(x);
    Value rest = magnitude(arith::SubFOp::create(builder, loc, x, whole));
    Value step = copySign(number(1), x);
    return select(compare(arith::CmpFPredicate::OGE, rest, number(0.5)),
                  arith::AddFOp::create(builder, loc, whole, step), whole);
  }

  /// To the nearest, halves to even: Mesa 22.3 has no such instruction of f64 that is right.
  Value roundEven(Value x) {
    auto floor = [&](Value value) -> Value { return math::FloorOp::create(builder, loc, value); };
    Value whole = floor(x), rest = arith::SubFOp::create(builder, loc, x, whole);
    Value half = arith::MulFOp::create(builder, loc, whole, number(0.5));
    Value isOdd = compare(arith::CmpFPredicate::OLT, floor(half), half);
    Value isHalf = compare(arith::CmpFPredicate::OEQ, rest, number(0.5));
    Value isAbove = arith::OrIOp::create(builder, loc, compare(arith::CmpFPredicate::OGT, rest, number(0.5)),
                                         arith::AndIOp::create(builder, loc, isHalf, isOdd));
    return withSignOf(x, select(isAbove, arith::AddFOp::create(builder, loc, whole, number(1)), whole));
  }

  Value copySign(Value x, Value sign) {
    unsigned width = type.getIntOrFloatBitWidth();
    auto integer = builder.getIntegerType(width);
    auto mask = [&](const APInt &bits) -> Value {
      return arith::ConstantOp::create(builder, loc, IntegerAttr::get(integer, bits));
    };
    auto bits = [&](Value value) -> Value { return arith::BitcastOp::create(builder, loc, integer, value); };
    Value rest = arith::AndIOp::create(builder, loc, bits(x), mask(APInt::getSignedMaxValue(width)));
    Value top = arith::AndIOp::create(builder, loc, bits(sign), mask(APInt::getSignMask(width)));
    return arith::BitcastOp::create(builder, loc, type, arith::OrIOp::create(builder, loc, rest, top));
  }

  Value isFinite(Value x) {
    return compare(arith::CmpFPredicate::OLT, magnitude(x), number(std::numeric_limits<double>::infinity()));
  }

  Value expandFloat() {
    auto real = dyn_cast<FloatType>(type);
    if (!real)
      return Value();
    return TypeSwitch<Operation *, Value>(op)
        .Case([&](arith::MinimumFOp) {
          return pickExtremum(arith::CmpFPredicate::OLT, arith::CmpFPredicate::OGT, /*isMinimum=*/true);
        })
        .Case([&](arith::MaximumFOp) {
          return pickExtremum(arith::CmpFPredicate::OGT, arith::CmpFPredicate::OLT, /*isMinimum=*/false);
        })
        .Case([&](arith::MulFOp) {
          Value product = multiply(operands[0], operands[1]);
          return product ? product : multiply(operands[1], operands[0]);
        })
        .Case([&](math::FloorOp) { return roundBy<math::FloorOp>(); })
        .Case([&](math::CeilOp) { return roundBy<math::CeilOp>(); })
        .Case([&](math::RoundEvenOp) { return type.isF64() ? roundEven(operands[0]) : roundBy<math::RoundEvenOp>(); })
        .Case([&](math::TruncOp) { return truncate(operands[0]); })
        .Case([&](math::RoundOp) { return round(operands[0]); })
        .Case([&](math::CopySignOp) { return copySign(operands[0], operands[1]); })
        .Case([&](math::IsFiniteOp) { return isFinite(operands[0]); })
        .Case([&](math::IsNormalOp) -> Value {
          Value smallest = arith::ConstantOp::create(
              builder, loc, FloatAttr::get(type, APFloat::getSmallestNormalized(real.getFloatSemantics())));
          Value isLarge = compare(arith::CmpFPredicate::OGE, magnitude(operands[0]), smallest);
          return arith::AndIOp::create(builder, loc, isFinite(operands[0]), isLarge);
        })
        .Default([](Operation *) { return Value(); });
  }

  /// As numbers of one bit: 1 is the greatest without a sign, and the least, -1, with one.
  Value expandBit() {
    return TypeSwitch<Operation *, Value>(op)
        .Case<arith::AddIOp, arith::SubIOp>(
            [&](Operation *) -> Value { return arith::XOrIOp::create(builder, loc, operands[0], operands[1]); })
        .Case<arith::MulIOp, arith::MaxSIOp, arith::MinUIOp>(
            [&](Operation *) -> Value { return arith::AndIOp::create(builder, loc, operands[0], operands[1]); })
        .Case<arith::MinSIOp, arith::MaxUIOp>(
            [&](Operation *) -> Value { return arith::OrIOp::create(builder, loc, operands[0], operands[1]); })
        .Default([](Operation *) { return Value(); });
  }

  OpBuilder builder;
  Location loc;
  Operation *op;
  SmallVector<Value> operands;
  Type type;
};

/// Compares what has 32 bits as such: Mesa 22.3 takes comparisons of it as i64 with 0 or 1 for always true or never.
void compareNarrow(arith::CmpIOp comparison) {
  Operation *wide = comparison.getLhs().getDefiningOp();
  bool isSigned = isa_and_present<arith::ExtSIOp>(wide), isUnsigned = isa_and_present<arith::ExtUIOp>(wide);
  arith::CmpIPredicate predicate = comparison.getPredicate();
  bool isOfBits = predicate == arith::CmpIPredicate::eq || predicate == arith::CmpIPredicate::ne;
  bool isOfSigns = predicate >= arith::CmpIPredicate::slt && predicate <= arith::CmpIPredicate::sge;
  APInt bound;
  if (!(isSigned ? isOfBits || isOfSigns : isUnsigned && !isOfSigns) || !wide->getOperand(0).getType().isInteger(32) ||
      !matchPattern(comparison.getRhs(), m_ConstantInt(&bound)) ||
      !(isSigned ? bound.isSignedIntN(32) : bound.isIntN(32)))
    return;
  OpBuilder builder(comparison);
  comparison.getLhsMutable().assign(wide->getOperand(0));
  comparison.getRhsMutable().assign(arith::ConstantOp::create(
      builder, comparison.getLoc(), builder.getI32IntegerAttr(bound.trunc(32).getSExtValue())));
}

} // namespace

void expandOps(uop::FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (Value value = Expander(op).expand()) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  func.walk([](arith::CmpIOp comparison) { compareNarrow(comparison); });
}

} // namespace tiny::spirv_lowering
