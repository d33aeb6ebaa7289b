// Reductions and scans of a group's graph: which loops they run in.
#include "GroupGraph.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tiny;

const GroupGraph::Space &GroupGraph::getReduceSpace(const Node &node, ArrayRef<Expr> indices) {
  auto reduce = cast<lazy::ReduceOp>(node.op);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInputs()[0].getType()).getShape();
  SmallVector<int64_t> key = {reduceDepths.lookup(node.op)};
  for (auto [axis, index] : llvm::enumerate(indices))
    if (!index)
      key.push_back(shape[axis]);
  auto around = llvm::to_vector(findLeaves(node.indices));
  llvm::sort(around);
  Space &space = reduceSpaces[{key, around}];
  unsigned count = reduce.getNumResults();
  if (space.accumulators != 0 && space.accumulators + count <= kMaxSideBySide) {
    space.accumulators += count;
    return space;
  }
  space = {{}, {}, count};
  for (int64_t extent : ArrayRef(key).drop_front()) {
    Value range;
    space.indices.push_back(createRange(kernel::AxisKind::Reduce, extent, reduce.getLoc(), range));
    space.ranges.push_back(range);
  }
  return space;
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
  const Space &space = getReduceSpace(nodes[id], indices);
  nodes[id].ranges = space.ranges;
  unsigned next = 0;
  for (Expr &index : indices)
    if (!index)
      index = space.indices[next++];
  for (Value input : reduce.getInputs()) {
    unsigned operand = getNode(input, indices);
    nodes[id].operands.push_back(operand);
  }
  return success();
}

LogicalResult GroupGraph::expandScan(unsigned id) {
  auto scan = cast<lazy::ScanOp>(nodes[id].op);
  SmallVector<Expr, 4> indices(nodes[id].indices);
  int64_t extent = scan.getType().getDimSize(scan.getAxis());
  if (Expr index = indices[scan.getAxis()]; extent > 1) {
    Value range = index.is(ExprKind::Leaf) ? bridge.valueOfLeaf(index) : Value();
    auto along = range ? range.getDefiningOp<kernel::RangeOp>() : kernel::RangeOp();
    if (!along || static_cast<int64_t>(along.getExtent()) != extent)
      return scan.emitOpError("is read otherwise than in order; a group that does so keeps it");
    nodes[id].ranges = {range};
  }
  unsigned operand = getNode(scan.getInput(), indices);
  nodes[id].operands.push_back(operand);
  return success();
}
