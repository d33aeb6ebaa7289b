#include "GroupGraph.h"

#include "Tiny/Support/HostTensor.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace tiny;

//===--- Indices --------------------------------------------------------------------------------------------------===//

Expr GroupGraph::createRange(kernel::AxisKind kind, int64_t extent, Location loc, Value &range) {
  range = kernel::RangeOp::create(builder, loc, builder.getIndexType(), kind, nextRange++, extent, IntegerAttr());
  return bridge.importValue(range);
}

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

//===--- Nodes ----------------------------------------------------------------------------------------------------===//

unsigned GroupGraph::getNode(Value value, ArrayRef<Expr> indices) {
  SmallVector<Expr, 4> at(indices);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return intern({NodeKind::Input, nullptr, argument, {linearize(at, cast<RankedTensorType>(value.getType()).getShape())}});
  Operation *op = value.getDefiningOp();
  NodeKind kind = NodeKind::Elementwise;
  if (lazy::isMovement(op) || isa<lazy::ContiguousOp>(op))
    kind = NodeKind::Movement;
  else if (isa<lazy::ReduceOp>(op))
    kind = NodeKind::Reduce;
  // A constant is the same everywhere, an iota along the axes that it does not count.
  else if (isa<arith::ConstantOp>(op))
    at.clear();
  else if (auto iota = dyn_cast<lazy::IotaOp>(op))
    at = {at[iota.getAxis()]};
  return intern({kind, op, {}, at});
}

unsigned GroupGraph::intern(Node node) {
  const void *source = node.op ? static_cast<const void *>(node.op) : node.argument.getAsOpaquePointer();
  llvm::hash_code hash = llvm::hash_combine(source, node.indices.size());
  for (Expr index : node.indices)
    hash = llvm::hash_combine(hash, index.get());
  SmallVector<unsigned, 1> &bucket = ids[hash];
  for (unsigned id : bucket)
    if (nodes[id].op == node.op && nodes[id].argument == node.argument && nodes[id].indices == node.indices)
      return id;
  bucket.push_back(nodes.size());
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

LogicalResult GroupGraph::expand(unsigned id) {
  Operation *op = nodes[id].op;
  for (Expr index : nodes[id].indices)
    if (!index)
      return emitError(op ? op->getLoc() : nodes[id].argument.getLoc(), "an index into this reaches 2^62");
  if (op)
    for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())))
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (!tensor.hasStaticShape() || !countElements(tensor.getShape()))
          return op->emitOpError("needs static shapes of fewer than 2^62 elements, got ") << tensor;
  switch (nodes[id].kind) {
  case NodeKind::Input:
    return success();
  case NodeKind::Movement:
    return expandMovement(id);
  case NodeKind::Reduce:
    return expandReduce(id);
  case NodeKind::Elementwise:
    break;
  }
  if (isa<lazy::IotaOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<RankedTensorType>(constant.getType()) && !isa<SplatElementsAttr>(constant.getValue()))
      return op->emitOpError("in a group must be a splat; other constants are inputs of the group");
    return success();
  }
  bool isScalar = llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
                  llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!(isScalar || OpTrait::hasElementwiseMappableTraits(op)) || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return op->emitOpError("has no lowering into a kernel: it is neither elementwise nor an operation of the lazy level");
  for (Value operand : op->getOperands()) {
    SmallVector<Expr, 4> indices;
    if (isa<RankedTensorType>(operand.getType()))
      indices = nodes[id].indices;
    unsigned operandNode = getNode(operand, indices);
    nodes[id].operands.push_back(operandNode);
  }
  return success();
}

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

LogicalResult GroupGraph::expandMovement(unsigned id) {
  Operation *op = nodes[id].op;
  Value input = op->getOperand(0);
  auto inputType = cast<RankedTensorType>(input.getType()), resultType = cast<RankedTensorType>(op->getResult(0).getType());
  ArrayRef<int64_t> from = inputType.getShape(), to = resultType.getShape();
  SmallVector<Expr, 4> indices(nodes[id].indices);
  Expr valid = context.condition(true);
  auto finish = [&](ArrayRef<Expr> operandIndices) -> LogicalResult {
    valid = valid ? context.simplify(valid) : valid;
    if (!valid)
      return op->emitOpError("has an index that reaches 2^62");
    // Nothing is valid in an empty input either.
    if (inputType.getNumElements() == 0)
      valid = context.condition(false);
    nodes[id].valid = valid;
    if (valid.isFalse())
      return success();
    unsigned operand = getNode(input, operandIndices);
    nodes[id].operands.push_back(operand);
    return success();
  };

  if (isa<lazy::ContiguousOp>(op))
    return finish(indices);
  if (isa<BlockArgument>(input) || isa<lazy::ViewOp>(op)) {
    // Through the tracker, which knows how to say it in one go.
    ShapeTracker tracker = lazy::applyMovement(op, ShapeTracker::identity(from));
    if (!tracker.isValid())
      return op->emitOpError("has an index that reaches 2^62");
    IndexAndValidity at = tracker.toIndex(context, indices);
    valid = at.valid;
    if (!at.index || !at.valid)
      return op->emitOpError("has an index that reaches 2^62");
    if (isa<BlockArgument>(input)) {
      // The linear index is the input's own.
      nodes[id].valid = inputType.getNumElements() == 0 ? context.condition(false) : valid;
      if (nodes[id].valid.isFalse())
        return success();
      unsigned operand = intern({NodeKind::Input, nullptr, cast<BlockArgument>(input), {at.index}});
      nodes[id].operands.push_back(operand);
      return success();
    }
    if (inputType.getNumElements() == 0 || valid.isFalse())
      return finish({});
    return finish(unravel(at.index, from, valid));
  }

  SmallVector<Expr, 4> moved(from.size(), context.constant(0));
  if (isa<lazy::ReshapeOp>(op)) {
    if (inputType.getNumElements() == 0)
      return finish({});
    forEachReshapeRun(from, to, [&](size_t fromBegin, size_t fromEnd, size_t toBegin, size_t toEnd) {
      Expr index = linearize(ArrayRef(indices).slice(toBegin, toEnd - toBegin), to.slice(toBegin, toEnd - toBegin));
      if (!index)
        valid = Expr();
      if (!valid)
        return;
      SmallVector<Expr, 4> digits = unravel(index, from.slice(fromBegin, fromEnd - fromBegin), valid);
      llvm::copy(digits, moved.begin() + fromBegin);
    });
    return finish(moved);
  }
  if (isa<lazy::ExpandOp>(op)) {
    for (auto [axis, dim] : llvm::enumerate(from))
      if (dim == to[axis])
        moved[axis] = indices[axis];
    return finish(moved);
  }
  if (auto permute = dyn_cast<lazy::PermuteOp>(op)) {
    for (auto [axis, source] : llvm::enumerate(permute.getPermutation()))
      moved[source] = indices[axis];
    return finish(moved);
  }
  if (auto shrink = dyn_cast<lazy::ShrinkOp>(op)) {
    for (auto [axis, begin] : llvm::enumerate(shrink.getBegin()))
      moved[axis] = context.add(indices[axis], context.constant(begin));
    return finish(moved);
  }
  if (auto flip = dyn_cast<lazy::FlipOp>(op)) {
    moved = indices;
    for (int64_t axis : flip.getAxes())
      moved[axis] = context.sub(context.constant(from[axis] - 1), indices[axis]);
    return finish(moved);
  }
  auto pad = cast<lazy::PadOp>(op);
  for (auto [axis, low] : llvm::enumerate(pad.getLow()))
    moved[axis] = context.sub(indices[axis], context.constant(low));
  // Only along padded axes: the other indices are the consumer's concern.
  for (size_t axis = 0; axis < from.size() && valid; ++axis)
    if (pad.getLow()[axis] != 0 || pad.getHigh()[axis] != 0)
      valid = context.logicalAnd(valid, inBounds(moved[axis], from[axis]));
  if (valid)
    for (Expr &index : moved)
      index = context.given(index, valid);
  return finish(moved);
}

LogicalResult GroupGraph::expandReduce(unsigned id) {
  auto reduce = cast<lazy::ReduceOp>(nodes[id].op);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInputs()[0].getType()).getShape();
  SmallVector<Expr, 4> indices;
  size_t kept = 0;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(reduce.getAxes(), int64_t(axis))) {
      indices.push_back(nodes[id].indices[kept++]);
      continue;
    }
    if (extent == 0)
      nodes[id].isEmpty = true;
    if (extent <= 1) {
      indices.push_back(context.constant(0));
      continue;
    }
    indices.push_back({});
  }
  if (nodes[id].isEmpty)
    return success();
  for (auto [axis, index] : llvm::enumerate(indices)) {
    if (!llvm::is_contained(reduce.getAxes(), int64_t(axis)) || shape[axis] == 1)
      continue;
    Value range;
    index = createRange(kernel::AxisKind::Reduce, shape[axis], reduce.getLoc(), range);
    nodes[id].ranges.push_back(range);
  }
  for (Value input : reduce.getInputs()) {
    unsigned operand = getNode(input, indices);
    nodes[id].operands.push_back(operand);
  }
  return success();
}

//===--- The whole graph ------------------------------------------------------------------------------------------===//

LogicalResult GroupGraph::build() {
  auto yield = cast<lazy::YieldOp>(group.getBody().front().getTerminator());
  // Outputs of one shape share their ranges.
  DenseMap<ArrayRef<int64_t>, SmallVector<Expr, 4>> rangesOfShape;
  for (auto [position, value] : llvm::enumerate(yield.getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getNumElements() == 0)
      continue;
    auto [it, isNew] = rangesOfShape.try_emplace(type.getShape());
    if (isNew)
      for (int64_t extent : type.getShape()) {
        Value range;
        it->second.push_back(extent == 1 ? context.constant(0)
                                         : createRange(kernel::AxisKind::Loop, extent, value.getLoc(), range));
      }
    SmallVector<Expr, 4> indices(it->second);
    outputs.push_back({unsigned(position), getNode(value, indices), value, linearize(indices, type.getShape())});
  }
  for (unsigned next = 0; next < nodes.size(); ++next)
    if (failed(expand(next)))
      return failure();
  sortNodes();
  computeGates();
  return success();
}

void GroupGraph::sortNodes() {
  SmallVector<char> seen(nodes.size(), false);
  SmallVector<std::pair<unsigned, unsigned>> stack; // node, next operand
  for (const Output &output : outputs) {
    if (!seen[output.node])
      stack.push_back({output.node, 0});
    seen[output.node] = true;
    while (!stack.empty()) {
      auto &[id, next] = stack.back();
      if (next == nodes[id].operands.size()) {
        order.push_back(id);
        stack.pop_back();
        continue;
      }
      unsigned operand = nodes[id].operands[next++];
      if (!seen[operand]) {
        seen[operand] = true;
        stack.push_back({operand, 0});
      }
    }
  }
}

void GroupGraph::computeGates() {
  SmallVector<char> isUsed(nodes.size(), false);
  auto meet = [&](unsigned id, Expr gate) {
    Node &node = nodes[id];
    if (!isUsed[id])
      node.gate = gate;
    else if ((node.gate && node.gate.isTrue()) || (gate && gate.isTrue()))
      node.gate = context.condition(true);
    else if (node.gate != gate)
      node.gate = Expr();
    isUsed[id] = true;
  };
  for (const Output &output : outputs)
    meet(output.node, context.condition(true));
  for (unsigned id : llvm::reverse(order)) {
    Expr gate = nodes[id].gate;
    if (gate && nodes[id].valid)
      gate = context.logicalAnd(gate, nodes[id].valid);
    if (gate)
      gate = context.simplify(gate);
    for (unsigned operand : nodes[id].operands)
      meet(operand, gate);
  }
}
