// Writes down the shardings that follow from a function's annotations.
#include "Sharding.h"
#include "Tiny/Transforms/Tensor/Passes.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORPROPAGATESHARDINGS
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

/// Puts an annotation behind the value; all who used it use the annotated one.
void annotate(Value value, const Sharding &sharding, shard::GridOp grid) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  SmallVector<shard::GridAxesAttr> split;
  for (const GridAxes &axes : sharding)
    split.push_back(shard::GridAxesAttr::get(value.getContext(), axes));
  Value how = shard::ShardingOp::create(builder, value.getLoc(), FlatSymbolRefAttr::get(grid.getSymNameAttr()), split);
  auto annotated = shard::ShardOp::create(builder, value.getLoc(), value.getType(), value, how, UnitAttr());
  value.replaceAllUsesExcept(annotated, annotated);
}

struct TensorPropagateShardings : impl::TensorPropagateShardingsBase<TensorPropagateShardings> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    ShardingPropagation propagation(function);
    FailureOr<shard::GridOp> grid = propagation.readAnnotations();
    if (failed(grid))
      return signalPassFailure();
    if (!*grid)
      return;
    propagation.propagate();
    propagation.explain(Remarks("tensor-propagate-shardings", function));
    for (const auto &[value, known] : propagation.getKnown()) {
      if (known.isFixed || isWhole(known.axes))
        continue;
      annotate(value, known.axes, *grid);
      ++numPropagated;
    }
  }
};

} // namespace
} // namespace tiny::tensor
