// What upstream's patterns to SPIR-V have no form for, by what they have.
#include "KernelLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

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
    return type.isInteger(1) ? expandBit() : expandFloat();
  }

private:
  Value number(double value) { return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value)); }
  Value magnitude(Value x) { return math::AbsFOp::create(builder, loc, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(builder, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(builder, loc, condition, x, y); }

  Value truncate(Value x) {
    // Zeros keep their sign: floor(-0) is -0, and so is ceil(-0.5).
    return select(compare(arith::CmpFPredicate::OLT, x, number(0)), Value(math::CeilOp::create(builder, loc, x)),
                  Value(math::FloorOp::create(builder, loc, x)));
  }

  /// To the nearest, halves away from zero. x - trunc(x) is exact.
  Value round(Value x) {
    Value whole = truncate(x);
    Value rest = magnitude(arith::SubFOp::create(builder, loc, x, whole));
    Value step = copySign(number(1), x);
    return select(compare(arith::CmpFPredicate::OGE, rest, number(0.5)),
                  arith::AddFOp::create(builder, loc, whole, step), whole);
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
}

} // namespace tiny::spirv_lowering
