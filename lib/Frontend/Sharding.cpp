// Makes annotations of the graph, and the grids of programs.
#include "Sharding.h"

#include "GraphState.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::frontend {

static std::string makeGridName(const Shape &grid) {
  std::string name = "grid";
  for (int64_t size : grid)
    name += (name == "grid" ? "_" : "x") + std::to_string(size);
  return name;
}

Value internSharding(shard::ShardingOp op) {
  Graph &graph = getGraph();
  Value &own = graph.shardings[op->getAttrDictionary()];
  if (!own) {
    // The block has no parent, from which a builder could take the context.
    OpBuilder builder(&graph.context);
    builder.setInsertionPointToStart(&graph.block);
    own = builder.clone(*op)->getResult(0);
  }
  return own;
}

void declareGrids(ArrayRef<Operation *> ops, ModuleOp module) {
  llvm::SetVector<StringAttr> names;
  for (Operation *op : ops)
    if (auto sharding = dyn_cast<shard::ShardingOp>(op))
      names.insert(sharding.getGridAttr().getAttr());
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (StringAttr name : names)
    shard::GridOp::create(builder, module.getLoc(), name, getGraph().grids.at(name.str()));
}

NodePtr annotate(const NodePtr &node, const Shape &grid, const Shape &axes, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  std::string name = makeGridName(grid);
  graph.grids[name] = grid;
  SmallVector<SmallVector<shard::GridAxis>> cuts(node->type.shape.size());
  for (auto [gridAxis, axis] : llvm::enumerate(axes))
    if (axis >= 0)
      cuts[axis].push_back(static_cast<shard::GridAxis>(gridAxis));
  auto split = llvm::map_to_vector(
      cuts, [&](const SmallVector<shard::GridAxis> &list) { return shard::GridAxesAttr::get(&graph.context, list); });
  OpBuilder builder(&graph.context);
  OwningOpRef<shard::ShardingOp> sharding(shard::ShardingOp::create(
      builder, UnknownLoc::get(&graph.context), FlatSymbolRefAttr::get(&graph.context, name), split));
  builder.setInsertionPointToEnd(&graph.block);
  auto op = shard::ShardOp::create(builder, makeLocation(site), node->value, internSharding(*sharding));
  return wrap(op, {node}).front();
}

} // namespace tiny::frontend
