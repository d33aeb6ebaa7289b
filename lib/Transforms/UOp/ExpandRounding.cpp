// Rounding to integers by additions, for targets that would call a library for it.
#include "Legalize.h"

#include <cmath>

using namespace mlir;

namespace tiny::uop {

namespace {

/// On one operation. A float of 2^p, where p is the number of its stored digits, and of anything larger is an integer;
/// adding 2^p to a smaller one rounds it to the nearest integer, halves to the even one, and subtracting it is exact.
class RoundingBuilder {
public:
  explicit RoundingBuilder(Operation *op)
      : builder(op), loc(op->getLoc()), x(op->getOperand(0)), type(cast<FloatType>(getElementTypeOrSelf(x))) {}

  Value build(Operation *op) {
    Value size = math::AbsFOp::create(builder, loc, x);
    Value limit = constant(std::ldexp(1.0, type.getFPMantissaWidth() - 1));
    Value nearest = arith::SubFOp::create(builder, loc, arith::AddFOp::create(builder, loc, size, limit), limit);
    // The sign is that of the operand: a negative number is never rounded beyond -0.
    Value rounded = sign(choose(op, size, nearest));
    Value isSmall = compare(arith::CmpFPredicate::OLT, size, limit);
    return arith::SelectOp::create(builder, loc, isSmall, rounded, x);
  }

private:
  Value choose(Operation *op, Value size, Value nearest) {
    Value one = constant(1.0);
    auto step = [&](arith::CmpFPredicate when, Value from, Value than, bool up) -> Value {
      Value other = up ? arith::AddFOp::create(builder, loc, from, one).getResult()
                       : arith::SubFOp::create(builder, loc, from, one).getResult();
      return arith::SelectOp::create(builder, loc, compare(when, from, than), other, from);
    };
    if (isa<math::FloorOp>(op))
      return step(arith::CmpFPredicate::OGT, sign(nearest), x, /*up=*/false);
    if (isa<math::CeilOp>(op))
      return step(arith::CmpFPredicate::OLT, sign(nearest), x, /*up=*/true);
    if (isa<math::RoundEvenOp>(op))
      return nearest;
    Value cut = step(arith::CmpFPredicate::OGT, nearest, size, /*up=*/false);
    if (isa<math::TruncOp>(op))
      return cut;
    // math.round: halves away from zero. What was cut off is exact.
    Value rest = arith::SubFOp::create(builder, loc, size, cut);
    Value isHalf = compare(arith::CmpFPredicate::OGE, rest, constant(0.5));
    return arith::SelectOp::create(builder, loc, isHalf, arith::AddFOp::create(builder, loc, cut, one), cut);
  }

  Value constant(double number) {
    TypedAttr attr = builder.getFloatAttr(type, number);
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value sign(Value value) { return math::CopySignOp::create(builder, loc, value, x); }

  OpBuilder builder;
  Location loc;
  Value x;
  FloatType type;
};

} // namespace

void expandRounding(FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<math::CeilOp, math::FloorOp, math::RoundEvenOp, math::RoundOp, math::TruncOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    op->getResult(0).replaceAllUsesWith(RoundingBuilder(op).build(op));
    op->erase();
  }
}

} // namespace tiny::uop
