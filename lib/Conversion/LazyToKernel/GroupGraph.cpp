// Builds the graph of a group: one node for each (operation, index tuple) pair, from the outputs to the inputs, then
// the order of nodes and their gates.
#include "GroupGraph.h"

#include "LowerGroup.h"
#include "Tiny/Analysis/Lazy/StateUses.h"
#include "Tiny/Dialect/Lazy/Parts.h"
#include "Tiny/Dialect/Lazy/Shapes.h"
#include "Tiny/Support/HostTensor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace tiny;

//===--- Nodes ----------------------------------------------------------------------------------------------------===//

Value GroupGraph::skipKept(Value value) {
  while (auto keep = value.getDefiningOp<lazy::KeepOp>()) {
    if (countElements(keep.getType().getShape()).value_or(2) > 1)
      break;
    value = keep.getInput();
  }
  return value;
}

unsigned GroupGraph::getNode(Value value, ArrayRef<Expr> indices) {
  SmallVector<Expr, 4> at(indices);
  value = skipKept(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return intern(
        {NodeKind::Input, nullptr, argument, {linearize(at, cast<RankedTensorType>(value.getType()).getShape())}});
  Operation *op = value.getDefiningOp();
  NodeKind kind = NodeKind::Elementwise;
  if (isa<lazy::KeepOp>(op)) {
    kind = NodeKind::Tile;
  } else if (lazy::isMovement(op)) {
    kind = NodeKind::Movement;
  }
  if (isa<lazy::ReduceOp>(op))
    kind = NodeKind::Reduce;
  else if (isa<lazy::ScanOp>(op))
    kind = NodeKind::Scan;
  else if (isa<lazy::GatherOp>(op))
    kind = NodeKind::Gather;
  else if (choosePart(op, at))
    kind = NodeKind::Part;
  // A constant is the same everywhere, an iota along the axes that it does not count.
  else if (isa<arith::ConstantOp>(op))
    at.clear();
  else if (auto iota = dyn_cast<lazy::IotaOp>(op))
    at = {at[iota.getAxis()]};
  return intern({kind, op, {}, at});
}

Value GroupGraph::choosePart(Operation *op, ArrayRef<Expr> indices) {
  return lazy::choosePart(op, [&](int64_t axis) -> std::pair<int64_t, int64_t> {
    Expr index = indices[axis];
    return index ? std::pair(index->low, index->high) : std::pair(-kIndexLimit, kIndexLimit);
  });
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

static LogicalResult verifyType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && (!tensor.hasStaticShape() || !countElements(tensor.getShape())))
    return op->emitOpError("needs static shapes of fewer than 2^62 elements, got ") << tensor;
  if (!(tensor ? tensor.getElementType() : type).isIntOrIndexOrFloat())
    return op->emitOpError("works on ") << type << ", which no scalar of a kernel stands for";
  return success();
}

LogicalResult GroupGraph::expand(unsigned id) {
  Operation *op = nodes[id].op;
  for (Expr index : nodes[id].indices)
    if (!index)
      return emitError(op ? op->getLoc() : nodes[id].argument.getLoc(), "an index into this reaches 2^62");
  if (op)
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Type type : values.getTypes())
        if (failed(verifyType(op, type)))
          return failure();
  switch (nodes[id].kind) {
  case NodeKind::Input:
  case NodeKind::Index:
    return success();
  case NodeKind::Gather:
    return expandGather(id);
  case NodeKind::Stage: {
    if (!getBufferType(op->getLoc(), op->getOperand(0).getType()))
      return failure();
    SmallVector<Expr, 4> indices(nodes[id].indices);
    unsigned operand = getNode(op->getOperand(0), indices);
    nodes[id].operands.push_back(operand);
    return success();
  }
  case NodeKind::Tile: {
    auto kept = dyn_cast<OpResult>(op->getOperand(0));
    // Of an argument: before all others.
    std::pair<int64_t, unsigned> place = {-1, 0};
    if (kept)
      place = {positions.lookup(kept.getOwner()), kept.getResultNumber()};
    else
      place.second = cast<BlockArgument>(op->getOperand(0)).getArgNumber();
    tiles[place].push_back(id);
    return success();
  }
  case NodeKind::Part: {
    SmallVector<Expr, 4> indices(nodes[id].indices);
    Value chosen = choosePart(op, indices);
    unsigned operand = getNode(chosen, indices);
    nodes[id].operands.push_back(operand);
    nodes[id].data = chosen;
    return success();
  }
  case NodeKind::Movement:
    return expandMovement(id);
  case NodeKind::Reduce:
    return expandReduce(id);
  case NodeKind::Scan:
    return expandScan(id);
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
    return op->emitOpError(
        "has no lowering into a kernel: it is neither elementwise nor an operation of the lazy level");
  for (Value operand : op->getOperands()) {
    SmallVector<Expr, 4> indices;
    if (isa<RankedTensorType>(operand.getType()))
      indices = nodes[id].indices;
    unsigned operandNode = getNode(operand, indices);
    nodes[id].operands.push_back(operandNode);
  }
  return success();
}

Expr GroupGraph::readIndex(Value value, ArrayRef<Expr> indices, SmallVectorImpl<unsigned> &operands) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned width = type.getElementTypeBitWidth();
  auto iota = value.getDefiningOp<lazy::IotaOp>();
  if (iota && llvm::isIntN(width, type.getDimSize(iota.getAxis())))
    return indices[iota.getAxis()];
  DenseIntElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    if (Expr number = context.constant(constant.getSplatValue<APInt>().getSExtValue()))
      return number;
  Bounds bounds;
  if (width < 62)
    bounds = {llvm::minIntN(width), llvm::maxIntN(width)};
  Node node{NodeKind::Index, nullptr, {}, {}};
  unsigned source = getNode(value, indices);
  node.operands.push_back(source);
  node.leaf = context.leaf(bounds);
  node.data = value;
  // Not interned: each has a leaf of its own.
  nodes.push_back(node);
  operands.push_back(nodes.size() - 1);
  return nodes.back().leaf;
}

llvm::SmallBitVector GroupGraph::findOuterAxes(ArrayRef<unsigned> reads) const {
  auto keep = cast<lazy::KeepOp>(nodes[reads.front()].op);
  ArrayRef<int64_t> shape = keep.getType().getShape();
  llvm::SmallBitVector outer(shape.size());
  if (!keep.getAxes())
    return outer;
  llvm::DenseMap<const ExprNode *, int64_t> ownLoops; // to their extents
  for (const auto &[key, loop] : loops) {
    if (key.front() == kStageLoop)
      continue;
    ownLoops[loop.index.get()] = loop.index->high + 1;
    for (Expr digit : loop.digits)
      ownLoops[digit.get()] = digit->high + 1;
  }
  int64_t points = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t size = shape[axis];
    Expr index = nodes[reads.front()].indices[axis];
    bool isLoop = size == 1 ? index->low == 0 && index->high == 0 : ownLoops.lookup(index.get()) == size;
    if (isLoop && !llvm::is_contained(*keep.getAxes(), int64_t(axis)) &&
        llvm::all_of(reads, [&](unsigned id) { return nodes[id].indices[axis] == index; }))
      outer.set(axis);
    else
      points *= size;
  }
  // A single element would be no tile.
  for (int64_t axis = shape.size(); points == 1 && axis-- > 0;)
    if (shape[axis] != 1) {
      outer.reset(axis);
      points = shape[axis];
    }
  return outer;
}

LogicalResult GroupGraph::addStages(unsigned &next) {
  // What is kept is read by what stands behind it: once that is expanded all reads are known.
  while (!tiles.empty()) {
    auto last = std::prev(tiles.end());
    auto [place, reads] = *last;
    tiles.erase(last);
    Operation *keeps = nodes[reads.front()].op;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(keeps->getResult(0).getType()).getShape();
    llvm::SmallBitVector outer = findOuterAxes(reads);
    Node node{NodeKind::Stage, keeps, {}, {}};
    SmallVector<int64_t> inside;
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      node.indices.push_back(outer.test(axis) ? nodes[reads.front()].indices[axis] : context.constant(0));
      if (outer.test(axis))
        continue;
      inside.push_back(extent);
      if (extent == 1)
        continue;
      // Those of one operation's results share their loops; an argument's are its own.
      int64_t key = place.first < 0 ? -1 - int64_t(place.second) : place.first;
      const Loop &loop = getLoop({kStageLoop, key, int64_t(axis), extent}, extent, keeps->getLoc());
      node.indices.back() = loop.index;
      for (Expr digit : loop.digits)
        node.ranges.push_back(bridge.valueOfLeaf(digit));
    }
    unsigned stage = nodes.size();
    nodes.push_back(std::move(node));
    for (unsigned read : reads) {
      nodes[read].operands.push_back(stage);
      SmallVector<Expr, 4> at;
      for (auto [axis, index] : llvm::enumerate(nodes[read].indices))
        if (!outer.test(axis))
          at.push_back(index);
      nodes[read].place = linearize(at, inside);
      if (!nodes[read].place)
        return emitError(nodes[read].op->getLoc(), "an index into this reaches 2^62");
    }
    if (failed(expandAll(next)))
      return failure();
  }
  return success();
}

LogicalResult GroupGraph::expandGather(unsigned id) {
  auto gather = cast<lazy::GatherOp>(nodes[id].op);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(gather.getBase().getType()).getShape();
  SmallVector<Expr, 4> indices(nodes[id].indices), at;
  SmallVector<unsigned, 3> operands;
  for (Value index : gather.getIndices())
    at.push_back(readIndex(index, indices, operands));
  Expr valid = context.condition(!llvm::is_contained(shape, 0));
  if (valid.isTrue())
    valid = inBounds(at, shape);
  if (!valid || llvm::is_contained(at, Expr()))
    return gather.emitOpError("has an index that reaches 2^62");
  nodes[id].valid = context.simplify(valid);
  nodes[id].numIndices = operands.size();
  if (!nodes[id].valid.isFalse()) {
    unsigned base = getNode(gather.getBase(), at);
    operands.push_back(base);
  }
  nodes[id].operands = operands;
  return success();
}

//===--- The whole graph ------------------------------------------------------------------------------------------===//

LogicalResult GroupGraph::addOutput(unsigned position, Value stored, lazy::AssignOp assign) {
  auto type = cast<RankedTensorType>(stored.getType());
  if (type.getNumElements() == 0)
    return success();
  lazy::Parts parts = byParts ? lazy::findParts(stored) : lazy::Parts();
  isParted |= parts.begins.size() > 1;
  for (size_t part = 0; part < parts.begins.size(); ++part) {
    auto [begin, end] = parts.getInterval(part, type.getShape());
    SmallVector<Expr, 4> indices =
        getLoops(type.getShape(), parts.begins.size() > 1 ? parts.axis : -1, begin, end, stored.getLoc());
    IndexAndValidity at = {linearize(indices, type.getShape()), context.condition(true)};
    if (assign)
      at = assign.getTracker().getTracker().toIndex(context, indices);
    if (!at.index || !at.valid)
      return emitError(stored.getLoc(), "an index into what this stores reaches 2^62");
    if (at.valid.isFalse())
      continue;
    outputs.push_back({position, getNode(stored, indices), stored, at.index, at.valid});
  }
  return success();
}

std::optional<SmallVector<Expr, 4>> GroupGraph::findWholeIndices(Operation *op) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  llvm::DenseSet<const ExprNode *> ownLoops;
  for (const auto &[key, loop] : loops)
    if (key.front() != kStageLoop)
      ownLoops.insert(loop.index.get());
  auto isWhole = [&](ArrayRef<Expr> indices) {
    llvm::SmallDenseSet<const ExprNode *> used;
    return llvm::all_of(llvm::zip_equal(indices, shape), [&](auto pair) {
      auto [index, size] = pair;
      // An axis of one element may be read at others where something masks them, or at what data says.
      if (size == 1)
        return index && index->low == 0 && index->high == 0;
      return ownLoops.contains(index.get()) && index->high == size - 1 && used.insert(index.get()).second;
    });
  };
  for (const Node &node : nodes)
    if (node.op == op && llvm::is_contained({NodeKind::Elementwise, NodeKind::Reduce, NodeKind::Tile}, node.kind) &&
        node.indices.size() == shape.size() && isWhole(node.indices))
      return node.indices;
  return std::nullopt;
}

std::optional<SmallVector<Expr, 4>> GroupGraph::findRowIndices(lazy::ReduceOp reduce) {
  ArrayRef<int64_t> shape = lazy::shapeOf(reduce.getInputs()[0]);
  // Rows are its last axes.
  auto isReduced = [&](int64_t axis) { return llvm::is_contained(reduce.getAxes(), axis); };
  bool isRow = true;
  for (int64_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1)
      continue;
    if (isReduced(axis) && !isRow)
      return std::nullopt;
    isRow &= isReduced(axis);
  }
  for (const Output &output : outputs) {
    Operation *op = output.value.getDefiningOp();
    if (!op || lazy::withoutUnits(lazy::shapeOf(output.value)) != lazy::withoutUnits(shape))
      continue;
    std::optional<SmallVector<Expr, 4>> loops = findWholeIndices(op);
    if (!loops)
      continue;
    llvm::erase_if(*loops, [](Expr index) { return index->low == index->high; });
    SmallVector<Expr, 4> indices;
    for (int64_t axis = 0, loop = 0; axis < int64_t(shape.size()); loop += shape[axis++] != 1)
      if (!isReduced(axis))
        indices.push_back(shape[axis] == 1 ? context.constant(0) : (*loops)[loop]);
    return indices;
  }
  return std::nullopt;
}

/// The reductions that `op` computes its elements from, each from one of theirs at the same place but for axes of size
/// one; none where something else takes part.
static SmallVector<Operation *> findReductionsInPlace(Operation *op) {
  SmallVector<int64_t> sizes = lazy::withoutUnits(lazy::shapeOf(op->getResult(0)));
  SmallVector<Operation *> pending{op}, reductions;
  llvm::SmallDenseSet<Operation *> seen;
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (!seen.insert(next).second || matchPattern(next, m_Constant()))
      continue;
    if (lazy::withoutUnits(lazy::shapeOf(next->getResult(0))) != sizes)
      return {};
    if (isa<lazy::ReduceOp>(next)) {
      reductions.push_back(next);
      continue;
    }
    auto view = dyn_cast<lazy::ViewOp>(next);
    bool reshapes = isa<lazy::ReshapeOp>(next) || (view && view.getTracker().getTracker().isContiguous());
    if (!reshapes && !OpTrait::hasElementwiseMappableTraits(next))
      return {};
    for (Value operand : next->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()) || !operand.getDefiningOp())
        return {};
      pending.push_back(operand.getDefiningOp());
    }
  }
  return reductions;
}

FailureOr<bool> GroupGraph::addOutputInLoops(unsigned position, Value stored, unsigned &next) {
  Operation *op = stored.getDefiningOp();
  auto shape = cast<RankedTensorType>(stored.getType()).getShape();
  if (isa<lazy::KeepOp>(op) || lazy::findParts(stored).begins.size() != 1)
    return false;
  std::optional<SmallVector<Expr, 4>> indices = findWholeIndices(op);
  // What only reductions of a row are needed for is where these are.
  if (!indices) {
    SmallVector<Expr, 4> loops;
    for (Operation *reduce : findReductionsInPlace(op)) {
      indices = findWholeIndices(reduce);
      if (!indices)
        indices = findRowIndices(cast<lazy::ReduceOp>(reduce));
      if (!indices)
        return false;
      llvm::erase_if(*indices, [](Expr index) { return index->low == index->high; });
      if (!loops.empty() && loops != *indices)
        return false;
      loops = *indices;
    }
    if (loops.empty())
      return false;
    indices.emplace();
    for (size_t axis = 0, loop = 0; axis < shape.size(); ++axis)
      indices->push_back(shape[axis] == 1 ? context.constant(0) : loops[loop++]);
  }
  Expr index = linearize(*indices, shape);
  if (!index)
    return false;
  outputs.push_back({position, getNode(stored, *indices), stored, index, context.condition(true)});
  if (failed(expandAll(next)))
    return failure();
  return true;
}

LogicalResult GroupGraph::expandAll(unsigned &next) {
  for (; next < nodes.size(); ++next)
    if (failed(expand(next)))
      return failure();
  return success();
}

LogicalResult GroupGraph::build() {
  auto yield = cast<lazy::YieldOp>(group.getBody().front().getTerminator());
  for (Operation &op : group.getBody().front()) {
    positions[&op] = positions.size();
    int64_t depth = isa<lazy::ReduceOp>(op);
    for (Value operand : op.getOperands())
      depth = std::max(depth, reduceDepths.lookup(operand.getDefiningOp()) + isa<lazy::ReduceOp>(op));
    reduceDepths[&op] = depth;
  }
  // What others of the group read, or compute from the same reductions, is stored where they have it.
  SmallVector<std::pair<unsigned, Value>> delayed;
  for (auto [position, value] : llvm::enumerate(yield.getOperands())) {
    SmallVector<lazy::AssignOp, 1> assigns = getAssignments(value);
    bool isRead = llvm::any_of(value.getUsers(), [&](Operation *user) { return user != yield; });
    if (assigns.empty() && value.getDefiningOp() &&
        (isRead || (yield->getNumOperands() > 1 && !findReductionsInPlace(value.getDefiningOp()).empty()))) {
      delayed.push_back({position, value});
      continue;
    }
    if (assigns.empty() && failed(addOutput(position, value, {})))
      return failure();
    for (lazy::AssignOp assign : assigns)
      if (failed(addOutput(position, assign.getValue(), assign)))
        return failure();
  }
  unsigned next = 0;
  if (failed(expandAll(next)))
    return failure();
  // The largest first, whose loops have the others' around them; of one size the last, which needs those before.
  std::reverse(delayed.begin(), delayed.end());
  auto count = [](const auto &output) { return cast<RankedTensorType>(output.second.getType()).getNumElements(); };
  llvm::stable_sort(delayed, [&](const auto &a, const auto &b) { return count(a) > count(b); });
  for (auto [position, value] : delayed) {
    FailureOr<bool> isStored = addOutputInLoops(position, value, next);
    if (failed(isStored) || (!*isStored && (failed(addOutput(position, value, {})) || failed(expandAll(next)))))
      return failure();
  }
  if (failed(addStages(next)))
    return failure();
  sortNodes();
  sortLoops();
  computeGates();
  return success();
}

bool GroupGraph::repeatsReductions() const {
  llvm::SmallDenseSet<Operation *> seen;
  return llvm::any_of(nodes,
                      [&](const Node &node) { return node.kind == NodeKind::Reduce && !seen.insert(node.op).second; });
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
    meet(output.node, output.valid);
  for (unsigned id : llvm::reverse(order)) {
    // A tile is filled whoever reads it, and a running value goes on.
    if (nodes[id].kind == NodeKind::Stage || nodes[id].kind == NodeKind::Scan)
      nodes[id].gate = context.condition(true);
    // A gate about loops that a value does not depend on would keep it inside of them.
    if (nodes[id].gate && !nodes[id].gate.isTrue()) {
      auto own = findLeaves(nodes[id].indices);
      if (!llvm::all_of(findLeaves(nodes[id].gate), [&](const ExprNode *leaf) { return own.contains(leaf); }))
        nodes[id].gate = Expr();
    }
    Expr gate = nodes[id].gate;
    if (gate && nodes[id].valid)
      gate = context.logicalAnd(gate, nodes[id].valid);
    if (gate)
      gate = context.simplify(gate);
    // The data that says where is needed to know whether.
    ArrayRef<unsigned> operands = nodes[id].operands, always;
    if (nodes[id].kind == NodeKind::Gather)
      always = operands.take_front(nodes[id].numIndices);
    for (unsigned operand : operands)
      meet(operand, llvm::is_contained(always, operand) ? nodes[id].gate : gate);
  }
}
