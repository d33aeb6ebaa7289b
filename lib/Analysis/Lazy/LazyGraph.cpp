// Builds the graph that fusion works on: classifies operations, finds which values must be in memory, and computes the
// post-dominator tree.
#include "Tiny/Analysis/Lazy/LazyGraph.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::lazy {

bool isSource(Operation *op) {
  DenseElementsAttr value;
  return isa<IotaOp>(op) || (matchPattern(op, m_Constant(&value)) && value.isSplat());
}

bool isPointwise(Operation *op) { return isa<GatherOp>(op) || isElementwise(op); }

Value skipContiguous(Value value) {
  while (auto contiguous = value.getDefiningOp<ContiguousOp>()) {
    Operation *input = contiguous.getInput().getDefiningOp();
    if (!input || !(isa<GroupOp, ContiguousOp, ReduceOp, ScanOp, AssignOp>(input) || isPointwise(input)))
      return value;
    value = contiguous.getInput();
  }
  return value;
}

bool isContiguousPart(const ShapeTracker &tracker) {
  if (!tracker || tracker.views().size() != 1 || tracker.views().front().hasMask())
    return false;
  const View &view = tracker.views().front();
  auto fromStart = View::get(view.getShape(), view.getStrides());
  return fromStart && fromStart->isContiguous();
}

Value getStoredValue(Operation *op) {
  auto assign = dyn_cast<AssignOp>(op);
  return assign ? Value(assign.getValue()) : op->getResult(0);
}

double countResultElements(Operation *op) {
  double count = 1;
  for (int64_t size : cast<RankedTensorType>(getStoredValue(op).getType()).getShape())
    count *= size;
  return count;
}

static LazyNode::Kind classify(Operation *op) {
  if (isa<ContiguousOp>(op))
    return skipContiguous(op->getResult(0)) == op->getResult(0) ? LazyNode::compute : LazyNode::forward;
  if (isMovement(op))
    return LazyNode::movement;
  if (isa<ReduceOp, ScanOp, AssignOp>(op) || isPointwise(op))
    return LazyNode::compute;
  if (isSource(op))
    return LazyNode::source;
  return LazyNode::opaque;
}

bool canStandInGroup(Operation *op) { return !isa<ContiguousOp>(op) && classify(op) != LazyNode::opaque; }

LazyGraph::LazyGraph(Block &block) {
  for (Operation &op : block) {
    index[&op] = nodes.size();
    nodes.push_back({&op, classify(&op)});
  }
  for (unsigned k = 0; k < nodes.size(); ++k) {
    if (nodes[k].kind == LazyNode::compute && isa<ContiguousOp, ScanOp, AssignOp>(nodes[k].op))
      nodes[k].stop = true;
    // The old state is a buffer too.
    if (auto assign = dyn_cast<AssignOp>(nodes[k].op))
      demand(assign.getBase(), assign);
    // Data says which elements it reads.
    if (auto gather = dyn_cast<GatherOp>(nodes[k].op))
      demand(gather.getBase(), gather);
    if (nodes[k].kind != LazyNode::opaque)
      continue;
    for (Value operand : nodes[k].op->getOperands())
      demand(operand, nodes[k].op);
    if (!nodes[k].op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      for (Region &region : nodes[k].op->getRegions())
        region.walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (operand.getParentBlock() == &block)
              demand(operand, inner);
        });
  }
  findProducers();
  markLive();
  findPostDominators(block);
}

std::optional<unsigned> LazyGraph::producer(Value value) const {
  value = skipContiguous(value);
  auto it = index.find(value.getDefiningOp());
  return it == index.end() ? std::nullopt : std::optional(it->second);
}

/// `user` needs `value` in memory.
void LazyGraph::demand(Value value, Operation *user) {
  auto node = producer(value);
  if (!node)
    return;
  auto mark = [&](unsigned k) {
    if (isa<GatherOp>(user))
      nodes[k].gathered = true;
    else if (user->hasTrait<OpTrait::IsTerminator>())
      nodes[k].returned = true;
    else
      nodes[k].stop = true;
  };
  if (nodes[*node].kind == LazyNode::compute || isa<IotaOp>(nodes[*node].op))
    return mark(*node);
  if (nodes[*node].kind != LazyNode::movement)
    return;

  // The chain of movements down to what it is a view of.
  SmallVector<Operation *> chain;
  bool onlyUse = true;
  std::optional<unsigned> origin = node;
  Value base = value;
  while (origin && nodes[*origin].kind == LazyNode::movement) {
    chain.push_back(nodes[*origin].op);
    onlyUse &= chain.back()->hasOneUse();
    base = skipContiguous(chain.back()->getOperand(0));
    origin = producer(base);
  }
  onlyUse &= base.hasOneUse();
  bool computed = origin && nodes[*origin].kind == LazyNode::compute;
  // A group, or the kernel of a gather, takes the view in, and reads what it views.
  if (isa<GroupOp, GatherOp>(user)) {
    if (computed)
      mark(*origin);
    return;
  }
  auto type = dyn_cast<RankedTensorType>(base.getType());
  if (!origin || nodes[*origin].kind == LazyNode::opaque || computed) {
    auto tracker = ShapeTracker::identity(type.getShape());
    for (Operation *op : llvm::reverse(chain))
      tracker = tracker ? applyMovement(op, tracker) : tracker;
    // The whole of a computed value is best computed in its own shape; a part of it only if the rest is needed too.
    bool whole = tracker && tracker.numElements() == type.getNumElements();
    if (isContiguousPart(tracker) && (!computed || whole || !onlyUse)) {
      aliases.insert(chain.front());
      if (computed)
        mark(*origin);
      return;
    }
  }
  mark(*node);
}

void LazyGraph::findProducers() {
  for (const LazyNode &node : nodes) {
    firstInput.push_back(inputs.size());
    for (Value operand : node.op->getOperands()) {
      std::optional<unsigned> input = producer(operand);
      inputs.push_back(input ? static_cast<int>(*input) : -1);
    }
  }
  firstInput.push_back(inputs.size());
}

void LazyGraph::markLive() {
  auto mark = [&](Value value) {
    if (auto it = index.find(value.getDefiningOp()); it != index.end())
      nodes[it->second].live = true;
  };
  for (LazyNode &node : llvm::reverse(nodes)) {
    if (node.kind == LazyNode::opaque) {
      node.live = true;
      node.op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), mark); });
      continue;
    }
    // A value that nothing needs is no boundary.
    if (!node.live) {
      node.returned = node.gathered = node.stop = false;
      continue;
    }
    llvm::for_each(node.op->getOperands(), mark);
    if (node.kind != LazyNode::forward)
      continue;
    // The value that it names gets a buffer.
    if (auto named = producer(node.op->getResult(0)); named && nodes[*named].kind == LazyNode::compute)
      nodes[*named].stop = nodes[*named].live = true;
  }
}

void LazyGraph::findPostDominators(Block &block) {
  unsigned exit = nodes.size();
  up.assign(exit + 1, exit);
  jump.assign(exit + 1, exit);
  depth.assign(exit + 1, 0);
  for (unsigned k = exit; k-- > 0;) {
    std::optional<unsigned> common;
    if (nodes[k].isBoundary() || nodes[k].kind == LazyNode::opaque)
      common = exit;
    for (Operation *user : nodes[k].op->getUsers()) {
      Operation *inBlock = user->getBlock() == &block ? user : block.findAncestorOpInBlock(*user);
      unsigned next = inBlock ? index.lookup(inBlock) : exit;
      // Uses that nothing needs do not count.
      if (next != exit && !nodes[next].live)
        continue;
      if (next != exit && nodes[next].kind == LazyNode::opaque)
        next = exit;
      common = common ? commonPostDominator(*common, next) : next;
    }
    unsigned parent = common.value_or(exit);
    up[k] = parent;
    depth[k] = depth[parent] + 1;
    // Skip links over distances that grow like skew-binary numbers.
    unsigned far = jump[parent];
    jump[k] = depth[parent] - depth[far] == depth[far] - depth[jump[far]] ? jump[far] : parent;
  }
}

unsigned LazyGraph::commonPostDominator(unsigned a, unsigned b) const {
  if (depth[a] < depth[b])
    std::swap(a, b);
  while (depth[a] > depth[b])
    a = depth[jump[a]] >= depth[b] ? jump[a] : up[a];
  while (a != b) {
    bool far = jump[a] != jump[b];
    a = far ? jump[a] : up[a];
    b = far ? jump[b] : up[b];
  }
  return a;
}

bool LazyGraph::sharesInput(unsigned a, unsigned b) const {
  constexpr size_t maxValues = 32;
  auto findInputs = [&](unsigned node) {
    llvm::SmallSetVector<Value, maxValues> values;
    values.insert_range(nodes[node].op->getOperands());
    for (size_t k = 0; k < values.size() && values.size() < maxValues; ++k)
      if (Operation *op = values[k].getDefiningOp(); op && (isMovement(op) || isPointwise(op)))
        values.insert_range(op->getOperands());
    values.remove_if([](Value value) { return value.getDefiningOp() && isSource(value.getDefiningOp()); });
    return values;
  };
  auto first = findInputs(a), second = findInputs(b);
  return llvm::any_of(first, [&](Value value) { return second.contains(value); });
}

bool LazyGraph::isPostDominatedBy(unsigned node, unsigned other) const {
  while (depth[node] > depth[other])
    node = depth[jump[node]] >= depth[other] ? jump[node] : up[node];
  return node == other;
}

} // namespace tiny::lazy
