// Which copies of a value there are, and where constants and broadcasts stand.
#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

std::optional<unsigned> Emitter::getLaneAxis(Value value) const {
  for (unsigned axis : laneAxes)
    if (llvm::is_contained(sets->getOpen(value), sets->getPosition(nest->getAxes()[axis].range)))
      return axis;
  return std::nullopt;
}

int64_t Emitter::getLanes(Value value) const {
  std::optional<unsigned> axis = getLaneAxis(value);
  return (axis ? getExtent(*axis) : 1) * (getDotAxis(value) ? kernel::kDotPoints : 1);
}

int64_t Emitter::getLanesOfOperands(Operation *op) const {
  int64_t lanes = 1;
  for (Value operand : op->getOperands())
    lanes = std::max(lanes, getLanes(operand));
  return lanes;
}

Emitter::Form Emitter::getForm(Value value, Form form) const {
  if (form == FirstLane && (hasLanes(value) || getDotAxis(value)))
    return FirstLane;
  if (form == Corner && !getFragmentRanges(value).empty())
    return Corner;
  return Full;
}

Emitter::AxisList Emitter::getCopyAxes(Value value, Form form) const {
  AxisList result;
  for (unsigned position : sets->getOpen(value)) {
    unsigned axis = nest->getAxis(sets->getRanges()[position]);
    AxisRole role = nest->getAxes()[axis].role;
    if (role == AxisRole::Copies && !llvm::is_contained(laneAxes, axis))
      result.push_back(axis);
    if (role == AxisRole::Fragment && form != Corner && fragmentAxis)
      result.push_back(*fragmentAxis);
  }
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

int64_t Emitter::countPoints(unsigned axis) const {
  return axis == fragmentAxis ? heldElements
                              : static_cast<int64_t>(kernel::RangeOp(nest->getAxes()[axis].range).getExtent());
}

Emitter::AxisList Emitter::getCopyAxesOfOperands(Operation *op) const {
  AxisList result;
  for (Value operand : op->getOperands())
    llvm::append_range(result, getCopyAxes(operand));
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

int64_t Emitter::countCopies(ArrayRef<unsigned> copyAxes) const {
  int64_t count = 1;
  for (unsigned axis : copyAxes) {
    // Each factor is at most the limit, and the product is cut there.
    count = std::min(count * countPoints(axis), options.maxCopies + 1);
  }
  return count;
}

SmallVector<unsigned> Emitter::project(ArrayRef<unsigned> from, ArrayRef<unsigned> to) const {
  auto extentOf = [&](unsigned axis) { return static_cast<unsigned>(countPoints(axis)); };
  // Grows axis by axis: the points so far, each followed by every point of the next axis.
  SmallVector<unsigned> positions{0};
  for (unsigned axis : from) {
    unsigned stride = 0;
    if (const unsigned *it = llvm::find(to, axis); it != to.end()) {
      stride = 1;
      for (const unsigned *inner = it + 1; inner != to.end(); ++inner)
        stride *= extentOf(*inner);
    }
    SmallVector<unsigned> next;
    next.reserve(positions.size() * extentOf(axis));
    for (unsigned position : positions)
      for (unsigned point : llvm::seq(extentOf(axis)))
        next.push_back(position + point * stride);
    positions = std::move(next);
  }
  return positions;
}

Emitter::Packet Emitter::read(Value operand, ArrayRef<unsigned> copyAxes, Form form) const {
  form = getForm(operand, form);
  auto found = packets.find({operand, form});
  assert(found != packets.end() && "operands are emitted first, in the forms that are wanted");
  Packet result;
  for (unsigned position : project(copyAxes, getCopyAxes(operand, form)))
    result.push_back(found->second[position]);
  return result;
}

Value Emitter::constant(TypedAttr attr) {
  Value &value = constants[attr];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = target.getBody().front();
    // Constants stand together at the top, in the order they are asked for.
    if (lastConstant)
      builder.setInsertionPointAfter(lastConstant);
    else
      builder.setInsertionPointToStart(&body);
    lastConstant = arith::ConstantOp::create(builder, kernel.getLoc(), attr);
    value = lastConstant->getResult(0);
  }
  return value;
}

Value Emitter::broadcast(Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get(lanes, value.getType());
  Attribute attr;
  if (matchPattern(value, m_Constant(&attr)))
    return constant(DenseElementsAttr::get(type, attr));
  Value &result = broadcasts[{value, lanes}];
  if (!result) {
    // Right behind the value, so that every later use is dominated and loops are left.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(value);
    result = vector::BroadcastOp::create(builder, value.getLoc(), type, value);
  }
  return result;
}

} // namespace tiny::kernel_to_uop
