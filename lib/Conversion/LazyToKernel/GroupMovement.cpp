// Movement inside a kernel: which element of its operand an operation reads, and whether it reads one.
#include "GroupGraph.h"

using namespace mlir;
using namespace tiny;

//===--- Indices --------------------------------------------------------------------------------------------------===//

Expr GroupGraph::linearize(ArrayRef<Expr> indices, ArrayRef<int64_t> shape) {
  Expr result = context.constant(0);
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    result = context.add(result, context.mul(context.constant(stride), indices[axis]));
    stride *= shape[axis];
  }
  return result;
}

SmallVector<Expr, 4> GroupGraph::unravel(Expr index, ArrayRef<int64_t> shape, Expr valid) {
  // Where it is valid the index lies inside, so that the topmost digit needs no modulo.
  int64_t count = ShapedType::getNumElements(shape);
  Expr inside = context.refinedLeaf(index, {std::max<int64_t>(index->low, 0), std::min(index->high, count - 1)});
  bool isNarrower = inside != index && inside.bounds().low <= inside.bounds().high;
  Expr from = isNarrower ? inside : index;
  DenseMap<const ExprNode *, Expr> back{{inside.get(), index}};
  SmallVector<Expr, 4> digits(shape.size());
  int64_t below = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) {
      digits[axis] = context.constant(0);
      continue;
    }
    Expr digit = context.floorDiv(from, context.constant(below));
    below *= shape[axis];
    if (below != count)
      digit = context.mod(digit, context.constant(shape[axis]));
    if (isNarrower)
      digit = context.substitute(digit, back);
    if (digit && !valid.isTrue())
      digit = context.given(digit, valid);
    digits[axis] = digit;
  }
  return digits;
}

Expr GroupGraph::inBounds(ArrayRef<Expr> indices, ArrayRef<int64_t> shape) {
  Expr result = context.condition(true);
  for (auto [index, dim] : llvm::zip_equal(indices, shape)) {
    result = context.logicalAnd(result, context.nonNegative(index));
    result = context.logicalAnd(result, context.lt(index, context.constant(dim)));
  }
  return result;
}

//===--- Movement -------------------------------------------------------------------------------------------------===//

// Splits two shapes of equal size into the shortest runs of equal size, and hands each to `visit` as half-open
// intervals of axes.
static void forEachReshapeRun(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                              function_ref<void(size_t, size_t, size_t, size_t)> visit) {
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t fromBegin = i, toBegin = j;
    int64_t fromSize = i < from.size() ? from[i++] : 1, toSize = j < to.size() ? to[j++] : 1;
    while (fromSize != toSize) {
      if (fromSize < toSize)
        fromSize *= from[i++];
      else
        toSize *= to[j++];
    }
    visit(fromBegin, i, toBegin, j);
  }
}

SmallVector<Expr, 4> GroupGraph::reshapeIndices(ArrayRef<Expr> indices, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  // Run by run: what the reshape leaves alone keeps its index.
  SmallVector<Expr, 4> moved(from.size());
  forEachReshapeRun(from, to, [&](size_t fromBegin, size_t fromEnd, size_t toBegin, size_t toEnd) {
    Expr index = linearize(indices.slice(toBegin, toEnd - toBegin), to.slice(toBegin, toEnd - toBegin));
    if (index)
      llvm::copy(unravel(index, from.slice(fromBegin, fromEnd - fromBegin), context.condition(true)),
                 moved.begin() + fromBegin);
  });
  return moved;
}

SmallVector<Expr, 4> GroupGraph::moveIndices(Operation *op, ArrayRef<Expr> indices, Expr &valid) {
  ArrayRef<int64_t> from = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  SmallVector<Expr, 4> moved(from.size(), context.constant(0));
  if (isa<lazy::ReshapeOp>(op))
    return reshapeIndices(indices, from, to);
  if (isa<lazy::ExpandOp>(op)) {
    for (auto [axis, dim] : llvm::enumerate(from))
      if (dim == to[axis])
        moved[axis] = indices[axis];
    return moved;
  }
  if (auto permute = dyn_cast<lazy::PermuteOp>(op)) {
    for (auto [axis, source] : llvm::enumerate(permute.getPermutation()))
      moved[source] = indices[axis];
    return moved;
  }
  if (auto shrink = dyn_cast<lazy::ShrinkOp>(op)) {
    for (auto [axis, begin] : llvm::enumerate(shrink.getBegin()))
      moved[axis] = context.add(indices[axis], context.constant(begin));
    return moved;
  }
  if (auto flip = dyn_cast<lazy::FlipOp>(op)) {
    llvm::copy(indices, moved.begin());
    for (int64_t axis : flip.getAxes())
      moved[axis] = context.sub(context.constant(from[axis] - 1), indices[axis]);
    return moved;
  }
  auto pad = cast<lazy::PadOp>(op);
  for (auto [axis, low] : llvm::enumerate(pad.getLow()))
    moved[axis] = context.sub(indices[axis], context.constant(low));
  // Only along padded axes: the other indices are the consumer's concern.
  for (size_t axis = 0; axis < from.size() && valid; ++axis)
    if (pad.getLow()[axis] != 0 || pad.getHigh()[axis] != 0)
      valid = context.logicalAnd(valid, inBounds(moved[axis], from[axis]));
  for (Expr &index : moved)
    if (valid && index)
      index = context.given(index, valid);
  return moved;
}

LogicalResult GroupGraph::expandMovement(unsigned id) {
  Operation *op = nodes[id].op;
  Value input = op->getOperand(0);
  ArrayRef<int64_t> from = cast<RankedTensorType>(input.getType()).getShape();
  SmallVector<Expr, 4> indices(nodes[id].indices), moved;
  nodes[id].valid = context.condition(false);
  // Of an empty input every element is masked.
  if (llvm::is_contained(from, 0))
    return success();

  // To an input, and through a view, the tracker knows how to say it in one go; else axis by axis.
  Expr valid = context.condition(true);
  bool isInput = isa<BlockArgument>(input);
  if (isInput || isa<lazy::ViewOp>(op)) {
    ShapeTracker tracker = lazy::applyMovement(op, ShapeTracker::identity(from));
    IndexAndValidity at;
    if (tracker.isValid())
      at = tracker.toIndex(context, indices);
    valid = at.valid;
    moved = {at.index};
    if (!isInput && at.index && valid && !valid.isFalse())
      moved = unravel(at.index, from, valid);
  } else {
    moved = moveIndices(op, indices, valid);
    valid = valid ? context.simplify(valid) : valid;
  }
  if (!valid || llvm::is_contained(moved, Expr()))
    return op->emitOpError("has an index that reaches 2^62");
  nodes[id].valid = valid;
  if (valid.isFalse())
    return success();
  unsigned operand =
      isInput ? intern({NodeKind::Input, nullptr, cast<BlockArgument>(input), moved}) : getNode(input, moved);
  nodes[id].operands.push_back(operand);
  return success();
}
