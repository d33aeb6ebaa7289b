// The time of a step before anything is fused: products by their arithmetic or their bytes, whichever takes longer,
// all else by the bytes that it leaves. Which sharding is better depends on ratios, which this has; kernels have a
// finer model.
#include "StepCost.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Collective.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

using namespace mlir;

namespace tiny::tensor {

int64_t countBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  return tensor.getNumElements() * llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

static int64_t countBytes(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += countBytes(value.getType());
  return bytes;
}

namespace {

/// A constant of which the rank reads its slice alone: the rest stays in a file.
bool isMapped(ConstantOp constant) { return llvm::all_of(constant->getUsers(), llvm::IsaPred<shard::AllSliceOp>); }

class StepModel {
public:
  StepModel(ArrayRef<int64_t> grid, const cost::Machine &machine) : grid(grid), machine(machine) {}

  void add(Operation *op, StepCost &cost) const;

private:
  void exchange(cost::Exchange kind, int64_t bytes, ArrayRef<int16_t> axes, StepCost &cost) const;

  ArrayRef<int64_t> grid;
  const cost::Machine &machine;
};

} // namespace

void StepModel::exchange(cost::Exchange kind, int64_t bytes, ArrayRef<int16_t> axes, StepCost &cost) const {
  cost.exchanges += predictExchange(kind, bytes, axes, grid, machine);
  cost.sent += cost::countSentBytes(kind, bytes, countGroup(grid, SmallVector<int64_t>(axes.begin(), axes.end())));
}

int64_t predictExchange(cost::Exchange kind, int64_t bytes, ArrayRef<int16_t> axes, ArrayRef<int64_t> grid,
                        const cost::Machine &machine) {
  SmallVector<int64_t> wide(axes.begin(), axes.end());
  return cost::predictExchange(machine, kind, bytes, countGroup(grid, wide), cost::findSpan(grid, wide));
}

int64_t predictKernel(Operation *op, const cost::Machine &machine) {
  auto shardable = dyn_cast<ShardingOpInterface>(op);
  double bytes = static_cast<double>(countBytes(op->getResults())), work = 0;
  bool isProduct = isa<MatmulOp, LinearOp, GemmOp, ConvOp>(op);
  if (shardable && (isProduct || isa<SumOp, MaxOp, MinOp, ProdOp>(op))) {
    bytes += static_cast<double>(countBytes(op->getOperands()));
    work = 1;
    for (const Factor &factor : shardable.getShardingRule().factors)
      work *= static_cast<double>(factor.size);
  }
  const cost::OpCost &unit = machine.getCost(isProduct ? cost::OpClass::MultiplyAdd : cost::OpClass::Add);
  const cost::OpCost &add = machine.getCost(cost::OpClass::Add);
  double interval = static_cast<double>(unit.interval ? unit.interval : add.interval) / 100;
  double cycles = work * interval / static_cast<double>(machine.getLanes() * std::max<int64_t>(machine.cores, 1));
  double computing = cycles * 1e3 / static_cast<double>(std::max<int64_t>(machine.clock, 1));
  double moving = bytes * 1e3 / static_cast<double>(std::max<int64_t>(machine.memoryBandwidth, 1));
  return static_cast<int64_t>(std::max(computing, moving)) + (isProduct ? machine.launch : 0);
}

void StepModel::add(Operation *op, StepCost &cost) const {
  if (auto reduce = dyn_cast<shard::AllReduceOp>(op))
    return exchange(cost::Exchange::AllReduce, countBytes(op->getResults()), reduce.getGridAxes(), cost);
  if (auto gather = dyn_cast<shard::AllGatherOp>(op))
    return exchange(cost::Exchange::AllGather, countBytes(op->getResults()), gather.getGridAxes(), cost);
  if (auto scatter = dyn_cast<shard::ReduceScatterOp>(op))
    return exchange(cost::Exchange::ReduceScatter, countBytes(op->getOperands()), scatter.getGridAxes(), cost);
  if (auto exchanged = dyn_cast<shard::AllToAllOp>(op))
    return exchange(cost::Exchange::AllToAll, countBytes(op->getResults()), exchanged.getGridAxes(), cost);
  cost.kernels += predictKernel(op, machine);
}

StepCost predictStep(func::FuncOp function, ArrayRef<int64_t> grid, const cost::Machine &machine) {
  StepCost cost;
  StepModel model(grid, machine);
  Block &body = function.getBody().front();
  // A value lives until its last reader has run; arguments live throughout.
  DenseMap<Operation *, int64_t> freed;
  int64_t live = countBytes(ValueRange(body.getArguments()));
  for (auto constant : body.getOps<ConstantOp>())
    if (!isMapped(constant))
      live += countBytes(constant->getResults());
  cost.memory = live;
  DenseMap<Operation *, unsigned> places;
  for (auto [place, op] : llvm::enumerate(body))
    places[&op] = place;
  for (Operation &op : body) {
    // A constant is there before the step begins.
    if (isa<ConstantOp>(op))
      continue;
    model.add(&op, cost);
    for (Value result : op.getResults()) {
      Operation *last = &op;
      for (Operation *user : result.getUsers())
        if (Operation *outer = body.findAncestorOpInBlock(*user); outer && places[outer] > places[last])
          last = outer;
      freed[last] += countBytes(result.getType());
      live += countBytes(result.getType());
    }
    cost.memory = std::max(cost.memory, live);
    live -= freed.lookup(&op);
  }
  return cost;
}

} // namespace tiny::tensor
