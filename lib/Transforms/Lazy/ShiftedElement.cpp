// Matches exp(c * (x - s)), where s is zero or at least the maximum of x over a row.
#include "ShiftedElement.h"

#include "Tiny/Dialect/Lazy/Parts.h"
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

/// The maximum of `x` along some axes that `subtracted` is, or is at least, over the indices of x.
static ReduceOp findMaximum(Value x, const TrackedValue &subtracted) {
  constexpr unsigned maxVisited = 16;
  std::vector<TrackedValue> pending{subtracted};
  for (unsigned k = 0; k < pending.size() && k < maxVisited; ++k) {
    TrackedValue next = pending[k];
    Operation *op = next.value.getDefiningOp();
    if (isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(op))
      for (Value operand : op->getOperands())
        pending.push_back(skipMovements(operand, next.tracker));
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    if (reduce && reduce.getNumResults() == 1 && reduce.getInputs().front() == x &&
        (reduce.getKind() == arith::AtomicRMWKind::maximumf || reduce.getKind() == arith::AtomicRMWKind::maxnumf) &&
        next.tracker.simplify() == repeatResult(reduce))
      return reduce;
  }
  return nullptr;
}

/// `movement` of its operand, or `value` as it is.
static TrackedValue readThrough(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isMovement(op))
    return {value, ShapeTracker::identity(tensorOf(value).getShape())};
  return {op->getOperand(0), applyMovement(op, ShapeTracker::identity(tensorOf(op->getOperand(0)).getShape()))};
}

/// Takes a row apart that a concatenation made of all but its last element and that: its maximum is that of both.
static void splitLast(ShiftedElement &element) {
  auto select = element.x.getDefiningOp<arith::SelectOp>();
  std::optional<Threshold> threshold = select ? getThreshold(select.getCondition()) : std::nullopt;
  if (!threshold || element.maximum.getAxes() != ArrayRef<int64_t>(threshold->axis))
    return;
  SmallVector<int64_t> end(tensorOf(element.x).getShape()), begin(end.size(), 0);
  begin[threshold->axis] = threshold->bound;
  if (threshold->bound + 1 != end[threshold->axis])
    return;
  TrackedValue rest = readThrough(select.getTrueValue()), last = readThrough(select.getFalseValue());
  last.tracker = last.tracker ? last.tracker.shrink(begin, end) : last.tracker;
  last.tracker = last.tracker ? dropAxes(last.tracker, threshold->axis) : last.tracker;
  if (!rest.tracker || !last.tracker || !last.tracker.isUnmasked())
    return;
  element.x = rest.value;
  element.toX = std::move(rest.tracker);
  element.last = std::move(last);
}

std::optional<ShiftedElement> matchShiftedElement(Operation *op) {
  if (!isa_and_present<math::ExpOp, math::Exp2Op>(op) || !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  ShiftedElement element{op, {}, op->getOperand(0), {}, {}, {}, {}};
  if (auto product = element.x.getDefiningOp<arith::MulFOp>()) {
    DenseElementsAttr constant;
    for (unsigned k : {0, 1})
      if (matchPattern(product->getOperand(k), m_Constant(&constant)) && constant.isSplat()) {
        APFloat value = constant.getSplatValue<APFloat>();
        if (value.isFiniteNonZero() && !value.isNegative()) {
          element.scale = cast<TypedAttr>(constant.getSplatValue<Attribute>());
          element.x = product->getOperand(1 - k);
        }
        break;
      }
  }
  ShapeTracker identity = ShapeTracker::identity(tensorOf(element.x).getShape());
  if (auto difference = element.x.getDefiningOp<arith::SubFOp>()) {
    TrackedValue subtracted = skipMovements(difference.getRhs(), identity);
    element.maximum = findMaximum(difference.getLhs(), subtracted);
    if (element.maximum) {
      element.x = difference.getLhs();
      if (subtracted.value != element.maximum.getResult(0)) {
        if (!isInvariant(subtracted.tracker, element.maximum.getAxes()))
          return std::nullopt;
        element.shift = std::move(subtracted);
      }
    }
  }
  element.toX = std::move(identity);
  if (element.maximum)
    splitLast(element);
  return element;
}

Value createFunction(OpBuilder &builder, Location loc, const ShiftedElement &element, Value difference) {
  Type type = difference.getType();
  if (TypedAttr scale = element.scale) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      scale = SplatElementsAttr::get(tensor, Attribute(scale));
    difference = arith::MulFOp::create(builder, loc, difference, arith::ConstantOp::create(builder, loc, scale));
  }
  return builder
      .create(loc, element.function->getName().getIdentifier(), difference, type, element.function->getAttrs())
      ->getResult(0);
}

} // namespace tiny::lazy
