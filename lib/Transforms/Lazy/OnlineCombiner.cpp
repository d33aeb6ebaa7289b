#include "OnlineCombiner.h"

#include "ElementProduct.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::lazy {

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

ShapeTracker repeatResult(ReduceOp reduce) {
  RankedTensorType type = tensorOf(reduce.getInputs().front());
  SmallVector<int64_t> strides(type.getRank(), 0);
  int64_t stride = 1;
  for (int64_t axis = type.getRank(); axis-- > 0;) {
    if (llvm::is_contained(reduce.getAxes(), axis))
      continue;
    strides[axis] = stride;
    stride *= type.getDimSize(axis);
  }
  std::optional<View> view = View::get(type.getShape(), strides);
  return view ? ShapeTracker(*view).simplify() : ShapeTracker();
}

std::optional<ShiftedElement> matchShiftedElement(Operation *op) {
  if (!isa_and_present<math::ExpOp, math::Exp2Op>(op) || !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  Value argument = op->getOperand(0);
  TypedAttr scale;
  if (auto product = argument.getDefiningOp<arith::MulFOp>()) {
    DenseElementsAttr constant;
    for (unsigned k : {0, 1})
      if (matchPattern(product->getOperand(k), m_Constant(&constant)) && constant.isSplat()) {
        APFloat value = constant.getSplatValue<APFloat>();
        if (!value.isFiniteNonZero() || value.isNegative())
          return std::nullopt;
        scale = cast<TypedAttr>(constant.getSplatValue<Attribute>());
        argument = product->getOperand(1 - k);
        break;
      }
  }
  auto difference = argument.getDefiningOp<arith::SubFOp>();
  if (!difference)
    return std::nullopt;
  RankedTensorType type = tensorOf(difference.getResult());
  TrackedValue subtracted = skipMovements(difference.getRhs(), ShapeTracker::identity(type.getShape()));
  auto maximum = subtracted.value.getDefiningOp<ReduceOp>();
  if (!maximum || maximum.getNumResults() != 1 || maximum.getInputs().front() != difference.getLhs() ||
      (maximum.getKind() != arith::AtomicRMWKind::maximumf && maximum.getKind() != arith::AtomicRMWKind::maxnumf) ||
      subtracted.tracker.simplify() != repeatResult(maximum))
    return std::nullopt;
  return ShiftedElement{op, scale, difference.getLhs(), maximum};
}

/// The corrections f(m1, M) and f(m2, M) with M = max(m1, m2).
static std::pair<Value, Value> buildCorrections(OpBuilder &builder, Location loc, const ShiftedElement &element,
                                                Value first, Value second) {
  auto type = cast<FloatType>(first.getType());
  // g(c * -|m1 - m2|) corrects the smaller maximum.
  Value distance = arith::SubFOp::create(builder, loc, first, second);
  distance = math::AbsFOp::create(builder, loc, distance);
  distance = arith::NegFOp::create(builder, loc, distance);
  if (element.scale)
    distance = arith::MulFOp::create(builder, loc, distance,
                                     arith::ConstantOp::create(builder, loc, element.scale).getResult());
  Operation *function = builder.create(loc, element.function->getName().getIdentifier(), distance, Type(type),
                                       element.function->getAttrs());
  Value one = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, 1.0));
  auto correct = [&](arith::CmpFPredicate isLarger) -> Value {
    Value larger = arith::CmpFOp::create(builder, loc, isLarger, first, second);
    return arith::SelectOp::create(builder, loc, larger, one, function->getResult(0));
  };
  Value ofFirst = correct(arith::CmpFPredicate::OGE);
  return {ofFirst, correct(arith::CmpFPredicate::OLE)};
}

ReduceOp createOnlineReduce(OpBuilder &builder, Location loc, const ShiftedElement &element, ValueRange inputs,
                            ArrayRef<int64_t> axes, arith::FastMathFlags fastmath) {
  auto type = cast<FloatType>(tensorOf(inputs.front()).getElementType());
  SmallVector<int64_t> shape;
  for (auto [axis, extent] : llvm::enumerate(tensorOf(inputs.front()).getShape()))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      shape.push_back(extent);
  size_t count = inputs.size();
  SmallVector<Type> types(count, RankedTensorType::get(shape, type)), scalars(2 * count, type);
  SmallVector<Attribute> inits(count, builder.getFloatAttr(type, 0.0));
  inits.front() = builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
  auto reduce =
      ReduceOp::create(builder, loc, types, inputs, /*kind=*/nullptr, builder.getArrayAttr(inits), axes, fastmath);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&reduce.getCombiner(), {}, scalars, SmallVector<Location>(2 * count, loc));
  auto arguments = body->getArguments();
  Value first = arguments[0], second = arguments[count];
  auto [ofFirst, ofSecond] = buildCorrections(builder, loc, element, first, second);
  bool skipsNaN = ReduceOp(element.maximum).getKind() == arith::AtomicRMWKind::maxnumf;
  SmallVector<Value> results{skipsNaN ? arith::MaxNumFOp::create(builder, loc, first, second).getResult()
                                      : arith::MaximumFOp::create(builder, loc, first, second).getResult()};
  for (size_t k = 1; k < count; ++k) {
    Value left = arith::MulFOp::create(builder, loc, arguments[k], ofFirst, fastmath);
    Value right = arith::MulFOp::create(builder, loc, arguments[count + k], ofSecond, fastmath);
    results.push_back(arith::AddFOp::create(builder, loc, left, right, fastmath));
  }
  YieldOp::create(builder, loc, results);
  return reduce;
}

} // namespace tiny::lazy
