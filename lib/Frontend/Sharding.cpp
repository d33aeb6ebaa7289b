// Makes annotations of the graph, and the grids of programs.
#include "Sharding.h"

#include "GraphState.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Microbatches.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::frontend {

/// Remembers the grid by its name: grid_2x4, with microbatches grid_2x4_microbatches.
static std::string nameGrid(const Grid &grid) {
  std::string name = "grid";
  for (int64_t size : grid.shape)
    name += (name == "grid" ? "_" : "x") + std::to_string(size);
  if (grid.hasMicrobatches)
    name += "_microbatches";
  getGraph().grids.insert_or_assign(name, grid);
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
    else if (auto stage = dyn_cast<tensor::StageOp>(op))
      names.insert(stage.getGridAttr().getAttr());
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (StringAttr name : names) {
    const Grid &grid = getGraph().grids.at(name.str());
    auto op = shard::GridOp::create(builder, module.getLoc(), name, grid.shape);
    if (grid.hasMicrobatches)
      op->setAttr(kMicrobatchesAttr, builder.getI64IntegerAttr(static_cast<int64_t>(grid.shape.size()) - 1));
  }
}

NodePtr annotate(const NodePtr &node, const Grid &grid, const Shape &axes, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  std::string name = nameGrid(grid);
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

NodePtr sendTo(const NodePtr &node, const Grid &grid, int64_t axis, int64_t from, int64_t to, Site site) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  OpBuilder builder(&graph.context);
  builder.setInsertionPointToEnd(&graph.block);
  auto op =
      tensor::StageOp::create(builder, makeLocation(site), node->value.getType(), node->value, nameGrid(grid),
                              static_cast<uint64_t>(axis), static_cast<uint64_t>(from), static_cast<uint64_t>(to));
  return wrap(op, {node}).front();
}

} // namespace tiny::frontend
