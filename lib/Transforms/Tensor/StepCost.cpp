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

  /// Adds what a block does, while a rank holds `live` bytes of other values.
  void addBlock(Block &block, int64_t live, StepCost &cost) const;

private:
  void add(Operation *op, int64_t live, StepCost &cost) const;
  void addBodies(Operation *op, int64_t live, StepCost &cost) const;
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

void StepModel::add(Operation *op, int64_t live, StepCost &cost) const {
  if (auto reduce = dyn_cast<shard::AllReduceOp>(op))
    return exchange(cost::Exchange::AllReduce, countBytes(op->getResults()), reduce.getGridAxes(), cost);
  if (auto gather = dyn_cast<shard::AllGatherOp>(op))
    return exchange(cost::Exchange::AllGather, countBytes(op->getResults()), gather.getGridAxes(), cost);
  if (auto scatter = dyn_cast<shard::ReduceScatterOp>(op))
    return exchange(cost::Exchange::ReduceScatter, countBytes(op->getOperands()), scatter.getGridAxes(), cost);
  if (auto exchanged = dyn_cast<shard::AllToAllOp>(op))
    return exchange(cost::Exchange::AllToAll, countBytes(op->getResults()), exchanged.getGridAxes(), cost);
  if (isa<LoopOp, IfOp>(op))
    return addBodies(op, live, cost);
  cost.kernels += predictKernel(op, machine);
}

/// A loop runs as often as it may at most, of two branches the longer one runs.
void StepModel::addBodies(Operation *op, int64_t live, StepCost &cost) const {
  StepCost longest;
  for (Region &region : op->getRegions()) {
    StepCost body;
    addBlock(region.front(), live, body);
    cost.memory = std::max(cost.memory, body.memory);
    if (body.getTime() >= longest.getTime())
      longest = body;
  }
  auto loop = dyn_cast<LoopOp>(op);
  double times = loop ? static_cast<double>(loop.getMost()) : 1;
  // Two years, which are no overflow when some are added up.
  auto repeat = [&](int64_t part) { return static_cast<int64_t>(std::min(times * static_cast<double>(part), 0x1p56)); };
  cost.kernels += repeat(longest.kernels);
  cost.exchanges += repeat(longest.exchanges);
  cost.sent += repeat(longest.sent);
}

void StepModel::addBlock(Block &block, int64_t live, StepCost &cost) const {
  // A value lives until its last reader has run; arguments live throughout.
  DenseMap<Operation *, int64_t> freed;
  live += countBytes(ValueRange(block.getArguments()));
  for (auto constant : block.getOps<ConstantOp>())
    if (!isMapped(constant))
      live += countBytes(constant->getResults());
  cost.memory = std::max(cost.memory, live);
  DenseMap<Operation *, unsigned> places;
  for (auto [place, op] : llvm::enumerate(block))
    places[&op] = place;
  for (Operation &op : block) {
    // A constant is there before the step begins.
    if (isa<ConstantOp>(op))
      continue;
    for (Value result : op.getResults()) {
      Operation *last = &op;
      for (Operation *user : result.getUsers())
        if (Operation *outer = block.findAncestorOpInBlock(*user); outer && places[outer] > places[last])
          last = outer;
      freed[last] += countBytes(result.getType());
      live += countBytes(result.getType());
    }
    add(&op, live, cost);
    cost.memory = std::max(cost.memory, live);
    live -= freed.lookup(&op);
  }
}

StepCost predictStep(func::FuncOp function, ArrayRef<int64_t> grid, const cost::Machine &machine) {
  StepCost cost;
  StepModel(grid, machine).addBlock(function.getBody().front(), 0, cost);
  return cost;
}

} // namespace tiny::tensor
