// The loops of a kernel: over what it stores, by digits where reductions are, nested so that these run once.
#include "GroupGraph.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace tiny;

Expr GroupGraph::createRange(kernel::AxisKind kind, int64_t extent, Location loc, Value &range) {
  range = kernel::RangeOp::create(builder, loc, kind, nextRange++, extent, IntegerAttr(), Value());
  return bridge.importValue(range);
}

const GroupGraph::Loop &GroupGraph::getLoop(const SmallVector<int64_t> &key, int64_t extent, Location loc) {
  Loop &loop = loops[key];
  if (loop.index)
    return loop;
  auto ends = loopDigits.find(key);
  Expr zero = context.constant(0);
  loop.index = zero;
  for (int64_t digit : getDigitExtents(ends == loopDigits.end() ? DigitEnds() : ends->second, extent)) {
    Value range;
    loop.digits.push_back(createRange(kernel::AxisKind::Loop, digit, loc, range));
    loop.index = context.add(context.mul(loop.index, context.constant(digit)), loop.digits.back());
  }
  return loop;
}

LoopDigits GroupGraph::findLoopDigits() const {
  SmallVector<Expr> places, indices;
  for (const Node &node : nodes)
    if (node.kind == NodeKind::Reduce)
      places.append(node.indices.begin(), node.indices.end());
  for (const auto &known : loops)
    indices.push_back(known.second.index);
  LoopDigits digits;
  // What a scan follows stays one loop.
  auto isScanned = [&](Expr index) {
    return llvm::any_of(nodes, [&](const Node &node) {
      return node.kind == NodeKind::Scan && node.indices[cast<lazy::ScanOp>(node.op).getAxis()] == index;
    });
  };
  for (auto [known, ends] : llvm::zip_equal(loops, findDigits(places, indices)))
    if (!ends.empty() && !isScanned(known.second.index))
      digits[known.first] = std::move(ends);
  return digits;
}

SmallVector<Expr, 4> GroupGraph::getLoops(ArrayRef<int64_t> shape, int64_t split, int64_t begin, int64_t end,
                                          Location loc) {
  SmallVector<int64_t> key(shape);
  llvm::erase(key, 1);
  key.append({-1, 0});
  SmallVector<Expr, 4> indices;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    bool isSplit = int64_t(axis) == split;
    int64_t extent = isSplit ? end - begin : size;
    if (isSplit)
      key.append({-1, extent});
    Expr index = context.constant(0);
    if (extent != 1)
      index = getLoop(key, extent, loc).index;
    indices.push_back(isSplit ? context.add(index, context.constant(begin)) : index);
    // The number of the axis among those that are loops.
    key[llvm::find(key, -1) - key.begin() + 1] += size != 1;
  }
  return indices;
}

llvm::SmallDenseSet<const ExprNode *> tiny::findLeaves(ArrayRef<Expr> roots) {
  llvm::SmallDenseSet<const ExprNode *> seen, leaves;
  SmallVector<Expr> stack(roots);
  while (!stack.empty()) {
    Expr part = stack.pop_back_val();
    if (!part || !seen.insert(part.get()).second)
      continue;
    if (part.is(ExprKind::Leaf))
      leaves.insert(part.get());
    for (unsigned k = 0; k < part.size(); ++k)
      stack.push_back(part.operand(k));
  }
  return leaves;
}

void GroupGraph::sortLoops() {
  struct Nested {
    int64_t id;
    const ExprNode *leaf;
    kernel::RangeOp range;
    unsigned rank = 0;
  };
  llvm::DenseMap<const ExprNode *, kernel::RangeOp> ranges;
  for (auto &known : loops)
    for (Expr digit : known.second.digits)
      ranges[digit.get()] = bridge.valueOfLeaf(digit).getDefiningOp<kernel::RangeOp>();
  // The reductions that depend on loops, and on each loop.
  SmallVector<llvm::SmallDenseSet<const ExprNode *>> reduced;
  llvm::DenseMap<const ExprNode *, SmallVector<unsigned, 2>> reducedBy;
  for (const Node &node : nodes)
    if (node.kind == NodeKind::Reduce && !node.ranges.empty()) {
      for (const ExprNode *leaf : reduced.emplace_back(findLeaves(node.indices)))
        reducedBy[leaf].push_back(reduced.size() - 1);
    }
  if (reduced.empty())
    return;
  SmallVector<llvm::SmallDenseSet<const ExprNode *>> nests;
  for (const Output &output : outputs)
    nests.push_back(findLeaves(output.index));
  for (const Node &node : nodes)
    if (node.kind == NodeKind::Stage)
      nests.push_back(findLeaves(node.indices));
  std::set<SmallVector<int64_t>> seen;
  for (const auto &own : nests) {
    SmallVector<Nested> nest;
    llvm::SmallSetVector<unsigned, 8> inside;
    for (const ExprNode *leaf : own)
      if (kernel::RangeOp range = ranges.lookup(leaf)) {
        nest.push_back({static_cast<int64_t>(range.getId()), leaf, range});
        inside.insert_range(reducedBy[leaf]);
      }
    llvm::sort(nest, [](const Nested &a, const Nested &b) { return a.id < b.id; });
    SmallVector<int64_t> places = llvm::map_to_vector(nest, [](const Nested &loop) { return loop.id; });
    if (!seen.insert(places).second)
      continue;
    // How often each reduction would be repeated at most, and by which loops.
    struct Repeat {
      double points = 1;
      llvm::BitVector loops;
    };
    SmallVector<Repeat> repeats;
    SmallVector<unsigned> candidates = inside.takeVector();
    llvm::sort(candidates);
    for (unsigned candidate : candidates) {
      const auto &leaves = reduced[candidate];
      if (!llvm::all_of(leaves, [&](const ExprNode *leaf) { return own.contains(leaf); }))
        continue;
      Repeat repeat{1, llvm::BitVector(nest.size())};
      for (auto [k, loop] : llvm::enumerate(nest))
        if (!leaves.contains(loop.leaf)) {
          repeat.loops.set(k);
          repeat.points *= loop.range.getExtent();
        }
      repeats.push_back(std::move(repeat));
    }
    llvm::stable_sort(repeats, [](const Repeat &a, const Repeat &b) { return a.points > b.points; });
    for (const Repeat &repeat : repeats) {
      // Loops are sorted by rank already: of one rank at most, some repeat it and some do not.
      unsigned open = nest.size();
      for (unsigned k : repeat.loops.set_bits())
        open = std::min(open, nest[k].rank);
      bool fits = true;
      for (unsigned k = 0; k < nest.size(); ++k)
        fits &= repeat.loops.test(k) || nest[k].rank <= open;
      for (unsigned k = 0; fits && k < nest.size(); ++k)
        nest[k].rank += nest[k].rank > open || (nest[k].rank == open && repeat.loops.test(k));
    }
    llvm::stable_sort(nest, [](const Nested &a, const Nested &b) { return a.rank < b.rank; });
    for (auto [loop, place] : llvm::zip_equal(nest, places))
      if (place != loop.id)
        loop.range.setOrder(place);
  }
}
