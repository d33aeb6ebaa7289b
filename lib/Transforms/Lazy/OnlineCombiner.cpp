// Creates the one-pass reduction to a maximum and sums relative to it, with its combiner region.
#include "OnlineCombiner.h"

using namespace mlir;

namespace tiny::lazy {

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool skipsNaN(const ShiftedElement &element) {
  return element.maximum && ReduceOp(element.maximum).getKind() == arith::AtomicRMWKind::maxnumf;
}

/// The corrections f(m1, M) and f(m2, M) with M = max(m1, m2).
static std::pair<Value, Value> buildCorrections(OpBuilder &builder, Location loc, const ShiftedElement &element,
                                                Value first, Value second) {
  // g(c * -|m1 - m2|) corrects the smaller maximum.
  Value distance = arith::SubFOp::create(builder, loc, first, second);
  distance = math::AbsFOp::create(builder, loc, distance);
  distance = arith::NegFOp::create(builder, loc, distance);
  Value function = createFunction(builder, loc, element, distance);
  Value one = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(first.getType(), 1.0));
  auto correct = [&](arith::CmpFPredicate isLarger) -> Value {
    Value larger = arith::CmpFOp::create(builder, loc, isLarger, first, second);
    return arith::SelectOp::create(builder, loc, larger, one, function);
  };
  // A maximum that passes NaN on says it itself; one that does not leaves it to the sums.
  bool ordered = skipsNaN(element);
  Value ofFirst = correct(ordered ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::UGE);
  return {ofFirst, correct(ordered ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::ULE)};
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
  SmallVector<Value> results{skipsNaN(element) ? arith::MaxNumFOp::create(builder, loc, first, second).getResult()
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
