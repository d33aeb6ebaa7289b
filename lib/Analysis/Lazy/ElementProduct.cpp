// Splits an elementwise value into the factors that it multiplies and divides by, each seen through a tracker.
#include "Tiny/Analysis/Lazy/ElementProduct.h"

#include "Tiny/Dialect/Lazy/Shapes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::lazy {

TrackedValue skipMovements(Value value, ShapeTracker tracker) {
  for (Operation *op = value.getDefiningOp(); op && isMovement(op); op = value.getDefiningOp()) {
    ShapeTracker through = applyMovement(op, ShapeTracker::identity(shapeOf(op->getOperand(0))));
    through = through ? through.compose(tracker) : through;
    through = through ? through.simplify() : through;
    if (!through || !through.isUnmasked())
      break;
    tracker = std::move(through);
    value = op->getOperand(0);
  }
  return {value, std::move(tracker)};
}

ShapeTracker viewThroughMovements(Value value, ShapeTracker view) {
  for (Operation *op = value.getDefiningOp(); op && isMovement(op); op = value.getDefiningOp()) {
    value = op->getOperand(0);
    ShapeTracker through = applyMovement(op, ShapeTracker::identity(cast<ShapedType>(value.getType()).getShape()));
    through = through ? through.compose(view).simplify() : through;
    if (!through)
      break;
    view = std::move(through);
  }
  return view;
}

std::optional<SumOfProduct> getSumOfProduct(Operation *op) {
  if (!isa<arith::MulFOp, arith::MulIOp>(op))
    return std::nullopt;
  ShapeTracker view = ShapeTracker::identity(cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  int64_t elements = view.numElements();
  while (view && op->hasOneUse()) {
    op = *op->user_begin();
    if (isMovement(op)) {
      view = applyMovement(op, view);
      continue;
    }
    auto reduce = dyn_cast<ReduceOp>(op);
    using Kind = arith::AtomicRMWKind;
    if (reduce && (reduce.getKind() == Kind::addf || reduce.getKind() == Kind::addi) && view.isUnmasked() &&
        view.numElements() == elements)
      return SumOfProduct{reduce, std::move(view)};
    break;
  }
  return std::nullopt;
}

std::vector<Factor> splitProduct(Value value) {
  constexpr size_t maxFactors = 64;
  std::vector<Factor> factors;
  std::vector<Factor> stack{{{value, ShapeTracker::identity(shapeOf(value))}}};
  while (!stack.empty()) {
    Factor factor = std::move(stack.back());
    stack.pop_back();
    static_cast<TrackedValue &>(factor) = skipMovements(factor.value, factor.tracker);
    Operation *op = factor.value.getDefiningOp();
    // What divides stays whole: a / (b / c) is c / b * a only where neither b nor c is zero or infinite.
    bool splits = !factor.divides && isa_and_present<arith::MulFOp, arith::DivFOp>(op) &&
                  factors.size() + stack.size() < maxFactors;
    if (!splits) {
      factors.push_back(std::move(factor));
      continue;
    }
    stack.push_back({{op->getOperand(1), factor.tracker}, isa<arith::DivFOp>(op)});
    stack.push_back({{op->getOperand(0), factor.tracker}});
  }
  return factors;
}

bool isInvariant(const ShapeTracker &tracker, ArrayRef<int64_t> axes) {
  const View &last = tracker.views().back();
  return llvm::all_of(axes, [&](int64_t axis) {
    return !last.isAxisMasked(axis) && (last.getStrides()[axis] == 0 || last.getShape()[axis] == 1);
  });
}

ShapeTracker dropAxes(const ShapeTracker &tracker, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> begin(tracker.rank(), 0), end(tracker.shape()), shape;
  for (int64_t axis : axes)
    end[axis] = 1;
  for (auto [axis, extent] : llvm::enumerate(tracker.shape()))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      shape.push_back(extent);
  ShapeTracker result = tracker.shrink(begin, end);
  result = result ? result.reshape(shape) : result;
  return result ? result.simplify() : result;
}

Value createView(OpBuilder &builder, Location loc, const TrackedValue &source) {
  auto element = cast<RankedTensorType>(source.value.getType()).getElementType();
  auto type = RankedTensorType::get(source.tracker.shape(), element);
  if (source.tracker.isIdentity(shapeOf(source.value)))
    return source.value;
  Attribute value;
  if (matchPattern(source.value, m_Constant(&value)))
    if (auto splat = foldViewOfSplat(value, type, source.tracker))
      return arith::ConstantOp::create(builder, loc, splat);
  return ViewOp::create(builder, loc, type, source.value, TrackerAttr::get(builder.getContext(), source.tracker));
}

} // namespace tiny::lazy
