// The movement operations' verifiers: the numbered rules of docs/Dialects/Lazy.md.
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "Tiny/Dialect/Lazy/Shapes.h"
#include "Tiny/Support/HostTensor.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::lazy {

/// (movement_c1) the rank stays.
static LogicalResult verifyRank(Operation *op) {
  int64_t in = shapeOf(op->getOperand(0)).size(), out = shapeOf(op->getResult(0)).size();
  if (in != out)
    return op->emitOpError("keeps the rank: got rank ") << out << " from rank " << in;
  return success();
}

/// (movement_c2) one entry per axis.
static LogicalResult verifyPerAxis(Operation *op, StringRef name, ArrayRef<int64_t> entries) {
  size_t rank = shapeOf(op->getOperand(0)).size();
  if (entries.size() != rank)
    return op->emitOpError("expects one ") << name << " entry per axis: got " << entries.size() << " for rank " << rank;
  return success();
}

/// (movement_c3) axis `axis` of the result has the size that the operation gives it.
static LogicalResult verifyAxis(Operation *op, size_t axis, int64_t expected) {
  int64_t got = shapeOf(op->getResult(0))[axis];
  if (got != expected)
    return op->emitOpError("expects size ") << expected << " for result axis " << axis << ", got " << got;
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto in = countElements(shapeOf(getInput())), out = countElements(shapeOf(getResult()));
  // (reshape_c1) both sizes are countable.
  if (!in || !out)
    return emitOpError("has a type whose size overflows");
  // (reshape_c2) the number of elements stays.
  if (*in != *out)
    return emitOpError("keeps the number of elements: got ") << *out << " from " << *in;
  return success();
}

LogicalResult ExpandOp::verify() {
  if (failed(verifyRank(*this)))
    return failure();
  // (expand_c1) only an axis of size 1 changes its size.
  for (auto [axis, in, out] : llvm::enumerate(shapeOf(getInput()), shapeOf(getResult())))
    if (in != out && in != 1)
      return emitOpError("expands axes of size 1 only: axis ") << axis << " goes from " << in << " to " << out;
  return success();
}

LogicalResult PermuteOp::verify() {
  if (failed(verifyRank(*this)) || failed(verifyPerAxis(*this, "permutation", getPermutation())))
    return failure();
  // (permute_c1) every axis occurs once.
  llvm::SmallBitVector seen(getPermutation().size());
  for (int64_t axis : getPermutation()) {
    if (axis < 0 || axis >= (int64_t)seen.size() || seen.test(axis))
      return emitOpError("expects a permutation of the axes, got [") << getPermutation() << "]";
    seen.set(axis);
  }
  for (auto [k, axis] : llvm::enumerate(getPermutation()))
    if (failed(verifyAxis(*this, k, shapeOf(getInput())[axis])))
      return failure();
  return success();
}

LogicalResult PadOp::verify() {
  if (failed(verifyRank(*this)) || failed(verifyPerAxis(*this, "low", getLow())) ||
      failed(verifyPerAxis(*this, "high", getHigh())))
    return failure();
  for (auto [axis, size, low, high] : llvm::enumerate(shapeOf(getInput()), getLow(), getHigh())) {
    // (pad_c1) padding is not negative.
    if (low < 0 || high < 0)
      return emitOpError("expects padding of zero or more: axis ") << axis << " has " << low << " and " << high;
    // (pad_c2) the padded size is below 2^62.
    constexpr int64_t limit = int64_t(1) << 60;
    if (size > limit || low > limit || high > limit)
      return emitOpError("pads axis ") << axis << " beyond what can be counted";
    if (failed(verifyAxis(*this, axis, low + size + high)))
      return failure();
  }
  return success();
}

LogicalResult ShrinkOp::verify() {
  if (failed(verifyRank(*this)) || failed(verifyPerAxis(*this, "begin", getBegin())) ||
      failed(verifyPerAxis(*this, "end", getEnd())))
    return failure();
  for (auto [axis, size, begin, end] : llvm::enumerate(shapeOf(getInput()), getBegin(), getEnd())) {
    // (shrink_c1) the window lies inside the axis.
    if (begin < 0 || end < begin || end > size)
      return emitOpError("expects a window inside axis ")
             << axis << " of size " << size << ", got [" << begin << ", " << end << ")";
    if (failed(verifyAxis(*this, axis, end - begin)))
      return failure();
  }
  return success();
}

LogicalResult FlipOp::verify() {
  if (failed(verifyRank(*this)))
    return failure();
  int64_t rank = shapeOf(getInput()).size(), previous = -1;
  // (flip_c1) axes are sorted, unique and in range.
  for (int64_t axis : getAxes()) {
    if (axis <= previous || axis >= rank)
      return emitOpError("expects sorted and unique axes below rank ") << rank << ", got [" << getAxes() << "]";
    previous = axis;
  }
  for (int64_t axis = 0; axis < rank; ++axis)
    if (failed(verifyAxis(*this, axis, shapeOf(getInput())[axis])))
      return failure();
  return success();
}

LogicalResult ViewOp::verify() {
  const ShapeTracker &tracker = getTracker().getTracker();
  // (view_c1) the last view has the result's shape.
  if (ArrayRef<int64_t>(tracker.shape()) != shapeOf(getResult()))
    return emitOpError("expects the tracker's shape (") << tracker.shape() << ") to be the result's";
  // (view_c2) the first view stays inside the input.
  auto elements = countElements(shapeOf(getInput()));
  if (!elements)
    return emitOpError("has a type whose size overflows");
  return getTracker().verifyFits(*elements, [&] { return emitOpError(); });
}

ShapeTracker applyMovement(Operation *movement, const ShapeTracker &tracker) {
  ArrayRef<int64_t> shape = shapeOf(movement->getResult(0));
  return llvm::TypeSwitch<Operation *, ShapeTracker>(movement)
      .Case([&](ReshapeOp) { return tracker.reshape(shape); })
      .Case([&](ExpandOp) { return tracker.expand(shape); })
      .Case([&](PermuteOp op) { return tracker.permute(op.getPermutation()); })
      .Case([&](PadOp op) { return tracker.pad(op.getLow(), op.getHigh()); })
      .Case([&](ShrinkOp op) { return tracker.shrink(op.getBegin(), op.getEnd()); })
      .Case([&](FlipOp op) { return tracker.flip(op.getAxes()); })
      .Case([&](ViewOp op) { return tracker.compose(op.getTracker().getTracker()).simplify(); });
}

bool isElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0 || op->getNumResults() == 0 ||
      op->getNumOperands() == 0 || !isMemoryEffectFree(op))
    return false;
  auto first = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!first || !first.hasStaticShape())
    return false;
  auto hasShape = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getShape() == first.getShape();
  };
  return llvm::all_of(op->getOperandTypes(), hasShape) && llvm::all_of(op->getResultTypes(), hasShape);
}

bool isMovement(Operation *op) { return isa<ReshapeOp, ExpandOp, PermuteOp, PadOp, ShrinkOp, FlipOp, ViewOp>(op); }

} // namespace tiny::lazy
