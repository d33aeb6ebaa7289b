// Casts from floats to integers: arith leaves what does not fit undefined, targets differ, and the language says.
#include "Legalize.h"

#include <cmath>

using namespace mlir;

namespace tiny::uop {

namespace {

struct Saturator {
  OpBuilder builder;
  Location loc;
  /// The cast's types.
  Type floats, integers;

  explicit Saturator(Operation *op)
      : builder(op), loc(op->getLoc()), floats(op->getOperand(0).getType()), integers(op->getResult(0).getType()) {
    builder.setInsertionPointAfter(op);
  }

  Value splat(Type type, TypedAttr attr) {
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value integer(const APInt &value) {
    return splat(integers, builder.getIntegerAttr(getElementTypeOrSelf(integers), value));
  }
  Value compare(arith::CmpFPredicate predicate, Value x, double limit) {
    return arith::CmpFOp::create(builder, loc, predicate, x,
                                 splat(floats, builder.getFloatAttr(getElementTypeOrSelf(floats), limit)));
  }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(builder, loc, condition, a, b); }
};

} // namespace

void saturateCasts(FuncOp func) {
  SmallVector<Operation *> casts;
  func.walk([&](Operation *op) {
    if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      casts.push_back(op);
  });
  for (Operation *op : casts) {
    // The limits have to be numbers of the float type.
    Value x = op->getOperand(0);
    if (getElementTypeOrSelf(x).isF16()) {
      OpBuilder builder(op);
      Type single = builder.getF32Type();
      if (auto vector = dyn_cast<VectorType>(x.getType()))
        single = vector.clone(single);
      x = arith::ExtFOp::create(builder, op->getLoc(), single, x);
      op->setOperand(0, x);
    }
    Saturator s(op);
    unsigned width = getElementTypeOrSelf(s.integers).getIntOrFloatBitWidth();
    Value cast = op->getResult(0), result = cast;
    Operation *first;
    using P = arith::CmpFPredicate;
    if (isa<arith::FPToSIOp>(op)) {
      double limit = std::ldexp(1.0, width - 1);
      result = s.select(s.compare(P::OGE, x, limit), s.integer(APInt::getSignedMaxValue(width)), result);
      first = result.getDefiningOp();
      result = s.select(s.compare(P::OLT, x, -limit), s.integer(APInt::getSignedMinValue(width)), result);
      result = s.select(s.compare(P::UNO, x, 0), s.integer(APInt::getZero(width)), result);
    } else {
      // Above -1 the fraction is cut off; NaN is not above.
      result = s.select(s.compare(P::OGT, x, -1), result, s.integer(APInt::getZero(width)));
      first = result.getDefiningOp();
      result = s.select(s.compare(P::OGE, x, std::ldexp(1.0, width)), s.integer(APInt::getMaxValue(width)), result);
    }
    cast.replaceAllUsesExcept(result, first);
  }
}

} // namespace tiny::uop
