// Microbatches: one rank's program for each, one after the other in one program.
//
// The partition treats the axis of microbatches as ranks. So its program says what each microbatch computes, and where
// they meet there is a collective along that axis. Here all of them are on one rank: a value is a list with one entry
// for each microbatch, or one entry where it depends on none.
#include "Pipeline.h"
#include "Tiny/Support/Microbatches.h"
#include "Tiny/Support/Signature.h"

#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tiny::tensor {

namespace {

class Unrolling {
public:
  Unrolling(func::FuncOp function, int64_t axis, int64_t count)
      : function(function), axis(static_cast<int16_t>(axis)), count(count), builder(function) {}
  void run();

private:
  using Copies = SmallVector<Value>;
  Value get(Value value, int64_t number) const {
    const Copies &list = copies.at(value);
    return list.size() == 1 ? list.front() : list[number];
  }
  Copies getAll(Value value) const {
    return llvm::map_to_vector(llvm::seq<int64_t>(0, count), [&](int64_t k) { return get(value, k); });
  }
  void unroll(Operation &op);
  void copy(Operation &op);
  void reduce(shard::AllReduceOp op);
  Value reduceAll(ArrayRef<Value> values, shard::ReductionKind kind, TensorBuilder &build) const;
  Value part(Value value, int64_t along, int64_t number, TensorBuilder &build) const;
  static Value join(ArrayRef<Value> values, int64_t along, TensorBuilder &build);

  func::FuncOp function;
  int16_t axis;
  int64_t count;
  OpBuilder builder;
  DenseMap<Value, Copies> copies;
};

} // namespace

/// One of `count` equal parts along a tensor's axis.
Value Unrolling::part(Value value, int64_t along, int64_t number, TensorBuilder &build) const {
  SmallVector<int64_t> begin(TensorBuilder::getShape(value).size(), 0), end(TensorBuilder::getShape(value));
  int64_t size = end[along] / count;
  begin[along] = number * size;
  end[along] = begin[along] + size;
  return build.shrink(value, begin, end);
}

Value Unrolling::join(ArrayRef<Value> values, int64_t along, TensorBuilder &build) {
  return values.size() == 1 ? values.front() : build.create<ConcatOp>(ValueRange(values), along);
}

/// One after the other, as a step that adds up gradients does. The partition reduces in these ways alone.
Value Unrolling::reduceAll(ArrayRef<Value> values, shard::ReductionKind kind, TensorBuilder &build) const {
  Value result = values.front();
  for (Value value : values.drop_front()) {
    switch (kind) {
    case shard::ReductionKind::Sum:
      result = build.add(result, value);
      break;
    case shard::ReductionKind::Product:
      result = build.mul(result, value);
      break;
    case shard::ReductionKind::Max:
      result = build.maximum(result, value);
      break;
    case shard::ReductionKind::Min:
      result = build.minimum(result, value);
      break;
    default:
      llvm_unreachable("no reduction of a partition");
    }
  }
  return result;
}

/// Those of a rank first; then ranks meet once.
void Unrolling::reduce(shard::AllReduceOp op) {
  TensorBuilder build(builder, op.getLoc());
  Value sum = reduceAll(getAll(op.getInput()), op.getReduction(), build);
  SmallVector<int16_t> others(op.getGridAxes());
  llvm::erase(others, axis);
  if (!others.empty())
    sum = shard::AllReduceOp::create(builder, op.getLoc(), sum, op.getGrid(), others, op.getReduction());
  copies[op.getResult()] = {sum};
}

/// As often as what it reads differs.
void Unrolling::copy(Operation &op) {
  llvm::SetVector<Value> read(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), read);
  int64_t times = 1;
  for (Value value : read)
    if (auto found = copies.find(value); found != copies.end() && found->second.size() > 1)
      times = count;
  SmallVector<Copies> results(op.getNumResults());
  for (int64_t number = 0; number < times; ++number) {
    IRMapping mapping;
    for (Value value : read)
      if (copies.contains(value))
        mapping.map(value, get(value, number));
    Operation *clone = builder.clone(op, mapping);
    for (auto [list, result] : llvm::zip_equal(results, clone->getResults()))
      list.push_back(result);
  }
  for (auto [result, list] : llvm::zip_equal(op.getResults(), results))
    copies[result] = std::move(list);
}

void Unrolling::unroll(Operation &op) {
  TensorBuilder build(builder, op.getLoc());
  auto isAlong = [&](ArrayRef<int16_t> axes) { return llvm::is_contained(axes, axis); };
  Copies made;
  if (auto reduction = dyn_cast<shard::AllReduceOp>(op); reduction && isAlong(reduction.getGridAxes()))
    return reduce(reduction);
  if (auto slice = dyn_cast<shard::AllSliceOp>(op); slice && isAlong(slice.getGridAxes())) {
    for (int64_t number = 0; number < count; ++number)
      made.push_back(part(get(slice.getInput(), number), slice.getSliceAxis().getSExtValue(), number, build));
  } else if (auto gather = dyn_cast<shard::AllGatherOp>(op); gather && isAlong(gather.getGridAxes())) {
    made = {join(getAll(gather.getInput()), gather.getGatherAxis().getSExtValue(), build)};
  } else if (auto scatter = dyn_cast<shard::ReduceScatterOp>(op); scatter && isAlong(scatter.getGridAxes())) {
    Value sum = reduceAll(getAll(scatter.getInput()), scatter.getReduction(), build);
    for (int64_t number = 0; number < count; ++number)
      made.push_back(part(sum, scatter.getScatterAxis().getSExtValue(), number, build));
  } else if (auto exchange = dyn_cast<shard::AllToAllOp>(op); exchange && isAlong(exchange.getGridAxes())) {
    Value whole = join(getAll(exchange.getInput()), exchange.getConcatAxis().getSExtValue(), build);
    for (int64_t number = 0; number < count; ++number)
      made.push_back(part(whole, exchange.getSplitAxis().getSExtValue(), number, build));
  } else {
    return copy(op);
  }
  copies[op.getResult(0)] = std::move(made);
}

void Unrolling::run() {
  Block *old = &function.getBody().front(), *body = new Block();
  function.getBody().push_back(body);
  builder.setInsertionPointToEnd(body);
  for (BlockArgument argument : old->getArguments())
    copies[argument] = {body->addArgument(argument.getType(), argument.getLoc())};
  for (Operation &op : *old)
    unroll(op);
  old->erase();
}

void unrollMicrobatches(func::FuncOp function, int64_t axis, int64_t count) { Unrolling(function, axis, count).run(); }

FailureOr<int64_t> readMicrobatches(shard::GridOp grid) {
  Attribute attribute = grid->getAttr(kMicrobatchesAttr);
  if (!attribute)
    return int64_t(-1);
  auto number = dyn_cast<IntegerAttr>(attribute);
  int64_t last = static_cast<int64_t>(grid.getShape().size()) - 1;
  if (!number || !number.getType().isInteger(64) || number.getInt() != last)
    return grid.emitOpError("expects '") << kMicrobatchesAttr << "' to name the last axis, " << last << ", got "
                                         << attribute;
  return last;
}

} // namespace tiny::tensor
