// Gives upstream's collectives the one form that goes down: on whole blocks of memory, with movement around them. What
// depends on the rank alone becomes arithmetic on its place in the grid, which is data.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORLOWERCOLLECTIVES
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

/// The collectives of one function.
class Lowering {
public:
  Lowering(func::FuncOp function, ArrayRef<int64_t> grid) : function(function), grid(grid), builder(function) {}
  /// Puts something in the operation's place, or fails with an error.
  LogicalResult lower(Operation *op);

private:
  Value collect(StringRef kind, Value input, ArrayRef<int64_t> shape, ArrayRef<int16_t> axes,
                std::optional<StringRef> reduction, TensorBuilder &build);
  Value slice(shard::AllSliceOp op, TensorBuilder &build);
  Value getPlace(ArrayRef<int16_t> axes, TensorBuilder &build);

  func::FuncOp function;
  ArrayRef<int64_t> grid;
  OpBuilder builder;
  Value rank;
};

/// The axis split into `parts` and what each has, and the parts in front.
Value bringForward(Value value, int64_t axis, int64_t parts, TensorBuilder &build) {
  SmallVector<int64_t> shape(TensorBuilder::getShape(value)), permutation = {axis};
  shape[axis] /= parts;
  shape.insert(shape.begin() + axis, parts);
  for (int64_t k = 0; k < static_cast<int64_t>(shape.size()); ++k)
    if (k != axis)
      permutation.push_back(k);
  return build.permute(build.reshape(value, shape), permutation);
}

/// The first axis merged into one behind it, as its major part.
Value mergeFirst(Value value, int64_t axis, TensorBuilder &build) {
  SmallVector<int64_t> shape(TensorBuilder::getShape(value)), permutation;
  for (int64_t k = 1; k < static_cast<int64_t>(shape.size()); ++k)
    permutation.push_back(k);
  permutation.insert(permutation.begin() + axis, 0);
  SmallVector<int64_t> merged(shape.begin() + 1, shape.end());
  merged[axis] *= shape.front();
  return build.reshape(build.permute(value, permutation), merged);
}

std::optional<StringRef> getReductionName(shard::ReductionKind kind) {
  StringRef name = shard::stringifyReductionKind(kind);
  return isCollectiveReduction(name) ? std::optional(name) : std::nullopt;
}

} // namespace

Value Lowering::collect(StringRef kind, Value input, ArrayRef<int64_t> shape, ArrayRef<int16_t> axes,
                        std::optional<StringRef> reduction, TensorBuilder &build) {
  SmallVector<int64_t> wide(axes.begin(), axes.end());
  return CollectiveOp::create(builder, build.getLoc(), TensorBuilder::getType(input).clone(shape),
                              builder.getStringAttr(kind), input, builder.getDenseI64ArrayAttr(grid),
                              builder.getDenseI64ArrayAttr(wide),
                              reduction ? builder.getStringAttr(*reduction) : StringAttr(), DenseI64ArrayAttr());
}

/// The rank's number in its group: a scalar.
Value Lowering::getPlace(ArrayRef<int16_t> axes, TensorBuilder &build) {
  Type element = builder.getI64Type();
  if (!rank) {
    auto type = RankedTensorType::get({static_cast<int64_t>(grid.size())}, element);
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(number, type, DictionaryAttr::get(function.getContext()), function.getLoc());
    function.setArgAttr(number, kRankAttr, builder.getUnitAttr());
    rank = function.getArgument(number);
  }
  Value place;
  for (int16_t axis : axes) {
    Value own = build.reshape(build.shrink(rank, {axis}, {axis + 1}), {});
    place = place ? build.add(build.mul(place, static_cast<double>(grid[axis])), own) : own;
  }
  return place ? place : build.full(RankedTensorType::get({}, element), 0);
}

Value Lowering::slice(shard::AllSliceOp op, TensorBuilder &build) {
  int64_t axis = op.getSliceAxis().getSExtValue();
  int64_t part = cast<RankedTensorType>(op.getResult().getType()).getDimSize(axis);
  Value first = build.mul(getPlace(op.getGridAxes(), build), static_cast<double>(part));
  Value places = build.add(build.create<IotaOp>(ArrayRef<int64_t>(part), builder.getI64Type(), 0), first);
  return build.create<TakeOp>(op.getInput(), places, axis);
}

LogicalResult Lowering::lower(Operation *op) {
  builder.setInsertionPoint(op);
  TensorBuilder build(builder, op->getLoc());
  Value result;
  auto getShape = [](Value value) { return TensorBuilder::getShape(value); };
  if (auto slice = dyn_cast<shard::AllSliceOp>(op)) {
    result = this->slice(slice, build);
  } else if (auto reduction = dyn_cast<shard::AllReduceOp>(op)) {
    std::optional<StringRef> kind = getReductionName(reduction.getReduction());
    if (kind && reduction.getInput().getType() == reduction.getResult().getType())
      result = collect("all_reduce", reduction.getInput(), getShape(reduction.getInput()), reduction.getGridAxes(),
                       kind, build);
  } else if (auto gather = dyn_cast<shard::AllGatherOp>(op)) {
    SmallVector<int64_t> axes(gather.getGridAxes().begin(), gather.getGridAxes().end());
    SmallVector<int64_t> shape(getShape(gather.getInput()));
    shape.insert(shape.begin(), countGroup(grid, axes));
    Value all = collect("all_gather", gather.getInput(), shape, gather.getGridAxes(), std::nullopt, build);
    result = mergeFirst(all, gather.getGatherAxis().getSExtValue(), build);
  } else if (auto scatter = dyn_cast<shard::ReduceScatterOp>(op)) {
    SmallVector<int64_t> axes(scatter.getGridAxes().begin(), scatter.getGridAxes().end());
    std::optional<StringRef> kind = getReductionName(scatter.getReduction());
    Value parts =
        bringForward(scatter.getInput(), scatter.getScatterAxis().getSExtValue(), countGroup(grid, axes), build);
    if (kind && getElementTypeOrSelf(scatter.getInput()) == getElementTypeOrSelf(scatter.getResult()))
      result = collect("reduce_scatter", parts, getShape(scatter.getResult()), scatter.getGridAxes(), kind, build);
  } else if (auto exchange = dyn_cast<shard::AllToAllOp>(op)) {
    SmallVector<int64_t> axes(exchange.getGridAxes().begin(), exchange.getGridAxes().end());
    Value parts =
        bringForward(exchange.getInput(), exchange.getSplitAxis().getSExtValue(), countGroup(grid, axes), build);
    Value all = collect("all_to_all", parts, getShape(parts), exchange.getGridAxes(), std::nullopt, build);
    result = mergeFirst(all, exchange.getConcatAxis().getSExtValue(), build);
  } else if (auto broadcast = dyn_cast<shard::BroadcastOp>(op)) {
    if (llvm::all_of(broadcast.getRoot(), [](int64_t root) { return root == 0; }))
      result = collect("broadcast", broadcast.getInput(), getShape(broadcast.getInput()), broadcast.getGridAxes(),
                       std::nullopt, build);
  }
  if (!result)
    return op->emitOpError("has no form on lower levels");
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

namespace {

struct TensorLowerCollectives : impl::TensorLowerCollectivesBase<TensorLowerCollectives> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>()) {
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) {
        if (isa<shard::ShardDialect>(op->getDialect()))
          ops.push_back(op);
      });
      if (ops.empty())
        continue;
      auto grid = function->getAttrOfType<DenseI64ArrayAttr>(kGridAttr);
      if (!grid) {
        ops.front()->emitOpError("stands in a function that is not one rank's program; run tensor-partition first");
        return signalPassFailure();
      }
      Lowering lowering(function, grid.asArrayRef());
      for (Operation *op : ops) {
        if (failed(lowering.lower(op)))
          return signalPassFailure();
        ++numLowered;
      }
    }
    for (auto grid : llvm::make_early_inc_range(module.getOps<shard::GridOp>()))
      if (SymbolTable::symbolKnownUseEmpty(grid, module))
        grid->erase();
  }
};

} // namespace
} // namespace tiny::tensor
