// The time of a pipeline's step: every stage has a clock, and operations are taken in the order in which
// `kernel-place-stages` will take items, with their predicted times.
#include "StepCost.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Signature.h"

#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;

namespace tiny::tensor {

namespace {

/// Stages, a bit each.
using Places = uint64_t;

/// An operation of the body, and who runs it.
struct Step {
  Operation *op = nullptr;
  Places places = 0;
  int64_t kernel = 0, exchange = 0, sent = 0;
  SmallVector<unsigned, 4> before;
  unsigned depth = 0;
};

class StageModel {
public:
  StageModel(func::FuncOp function, ArrayRef<int64_t> grid, int64_t axis, const cost::Machine &machine)
      : function(function), grid(grid), axis(axis), machine(machine), count(grid[axis]),
        all(count == 64 ? ~Places(0) : (Places(1) << count) - 1) {}

  StepCost predict();

private:
  void readSteps();
  void placeSteps();
  void time(Step &step) const;
  std::vector<unsigned> order();
  int64_t countMemory(ArrayRef<unsigned> order);
  bool isMessage(Operation *op) const {
    auto collective = dyn_cast<CollectiveOp>(op);
    return collective && parseCollectiveKind(collective.getKind()) == CollectiveKind::Send;
  }

  func::FuncOp function;
  ArrayRef<int64_t> grid;
  int64_t axis;
  const cost::Machine &machine;
  int64_t count;
  Places all;
  std::vector<Step> steps;
  DenseMap<Value, Places> needed;
  std::vector<int64_t> clocks;
};

} // namespace

void StageModel::time(Step &step) const {
  Operation *op = step.op;
  auto exchange = [&](cost::Exchange kind, int64_t bytes, ArrayRef<int16_t> axes) {
    SmallVector<int64_t> wide(axes.begin(), axes.end());
    step.exchange = predictExchange(kind, bytes, axes, grid, machine);
    step.sent = cost::countSentBytes(kind, bytes, countGroup(grid, wide));
  };
  if (isMessage(op)) {
    int16_t along[] = {static_cast<int16_t>(axis)};
    exchange(cost::Exchange::Send, countBytes(op->getResult(0).getType()), along);
  } else if (auto reduce = dyn_cast<shard::AllReduceOp>(op)) {
    exchange(cost::Exchange::AllReduce, countBytes(reduce.getResult().getType()), reduce.getGridAxes());
  } else if (auto gather = dyn_cast<shard::AllGatherOp>(op)) {
    exchange(cost::Exchange::AllGather, countBytes(gather.getResult().getType()), gather.getGridAxes());
  } else if (auto scatter = dyn_cast<shard::ReduceScatterOp>(op)) {
    exchange(cost::Exchange::ReduceScatter, countBytes(scatter.getInput().getType()), scatter.getGridAxes());
  } else if (auto exchanged = dyn_cast<shard::AllToAllOp>(op)) {
    exchange(cost::Exchange::AllToAll, countBytes(exchanged.getResult().getType()), exchanged.getGridAxes());
  } else if (!isa<ConstantOp>(op)) {
    step.kernel = predictKernel(op, machine);
  }
}

void StageModel::readSteps() {
  DenseMap<Value, unsigned> made;
  for (Operation &op : function.getBody().front().without_terminator()) {
    Step step;
    step.op = &op;
    llvm::SetVector<Value> read(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), read);
    llvm::SetVector<unsigned> before;
    for (Value value : read)
      if (auto found = made.find(value); found != made.end())
        before.insert(found->second);
    step.before.assign(before.begin(), before.end());
    for (unsigned other : before)
      step.depth = std::max(step.depth, steps[other].depth + 1);
    time(step);
    for (Value result : op.getResults())
      made[result] = steps.size();
    steps.push_back(std::move(step));
  }
  // What all microbatches need is as far as what stands before its first reader.
  SmallVector<unsigned> nearest(steps.size(), ~0u);
  for (unsigned number = steps.size(); number-- > 0;) {
    Step &step = steps[number];
    if (nearest[number] != ~0u)
      step.depth = std::max(step.depth, nearest[number] - 1);
    for (unsigned other : step.before)
      nearest[other] = std::min(nearest[other], step.depth);
  }
}

/// A stage runs what it sends, what its results are made of, and what both are computed from.
void StageModel::placeSteps() {
  for (auto [number, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    auto stage = function.getResultAttrOfType<IntegerAttr>(number, kStageAttr);
    needed[value] |= stage ? Places(1) << stage.getInt() & all : all;
  }
  for (Step &step : llvm::reverse(steps)) {
    Places reads = 0;
    for (Value result : step.op->getResults())
      reads |= needed.lookup(result);
    if (isMessage(step.op)) {
      ArrayRef<int64_t> peers = *cast<CollectiveOp>(step.op).getPeers();
      reads = Places(1) << peers.front();
      step.places = reads | Places(1) << peers.back();
    } else {
      step.places = reads;
    }
    llvm::SetVector<Value> read(step.op->operand_begin(), step.op->operand_end());
    getUsedValuesDefinedAbove(step.op->getRegions(), read);
    for (Value value : read)
      needed[value] |= reads;
  }
}

/// The one that can begin first comes next; of those that can, the one furthest from the arguments.
std::vector<unsigned> StageModel::order() {
  std::vector<SmallVector<unsigned, 4>> behind(steps.size());
  std::vector<unsigned> waits(steps.size());
  for (auto [number, step] : llvm::enumerate(steps)) {
    waits[number] = step.before.size();
    for (unsigned other : step.before)
      behind[other].push_back(number);
  }
  std::vector<int64_t> done(steps.size());
  clocks.assign(count, 0);
  // A start only grows as clocks go on: what comes out is looked at again.
  using Key = std::tuple<int64_t, int64_t, unsigned>;
  std::set<Key> ready;
  auto getKey = [&](unsigned number) {
    const Step &step = steps[number];
    int64_t start = 0;
    for (unsigned other : step.before)
      start = std::max(start, done[other]);
    // A message is on its way while others compute: it is there when it has come, and its receiver has time for it.
    bool sends = isMessage(step.op);
    if (sends)
      start += step.exchange;
    int64_t receiver = sends ? cast<CollectiveOp>(step.op).getPeers()->back() : 0;
    for (int64_t stage = 0; stage < count; ++stage)
      if (step.places >> stage & 1 && (!sends || stage == receiver))
        start = std::max(start, clocks[stage]);
    return Key(start, -static_cast<int64_t>(step.depth), number);
  };
  for (unsigned number = 0; number < steps.size(); ++number)
    if (!waits[number])
      ready.insert(getKey(number));
  std::vector<unsigned> order;
  while (!ready.empty()) {
    Key key = *ready.begin();
    ready.erase(ready.begin());
    unsigned number = std::get<2>(key);
    if (Key now = getKey(number); now != key) {
      ready.insert(now);
      continue;
    }
    const Step &step = steps[number];
    bool sends = isMessage(step.op);
    done[number] = std::get<0>(key) + step.kernel + (sends ? 0 : step.exchange);
    int64_t receiver = sends ? cast<CollectiveOp>(step.op).getPeers()->back() : 0;
    for (int64_t stage = 0; stage < count; ++stage)
      if (step.places >> stage & 1 && (!sends || stage == receiver))
        clocks[stage] = done[number];
    order.push_back(number);
    for (unsigned other : behind[number])
      if (--waits[other] == 0)
        ready.insert(getKey(other));
  }
  return order;
}

/// The most that one stage holds: arguments and constants that it reads, and values until their last reader has run.
int64_t StageModel::countMemory(ArrayRef<unsigned> order) {
  DenseMap<Value, unsigned> readers;
  for (const Step &step : steps)
    for (Value operand : llvm::SmallDenseSet<Value>(step.op->operand_begin(), step.op->operand_end()))
      ++readers[operand];
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    ++readers[result];
  SmallVector<int64_t> live(count, 0), most(count, 0);
  auto add = [&](Value value, Places places, int64_t sign) {
    for (int64_t stage = 0; stage < count; ++stage)
      if (places >> stage & 1)
        most[stage] = std::max(most[stage], live[stage] += sign * countBytes(value.getType()));
  };
  for (BlockArgument argument : function.getArguments())
    add(argument, needed.lookup(argument), 1);
  for (unsigned number : order) {
    const Step &step = steps[number];
    for (Value result : step.op->getResults())
      add(result, needed.lookup(result), 1);
    if (isa<ConstantOp>(step.op))
      continue;
    for (Value operand : llvm::SmallDenseSet<Value>(step.op->operand_begin(), step.op->operand_end()))
      if (--readers[operand] == 0 && operand.getDefiningOp() && !operand.getDefiningOp<ConstantOp>())
        add(operand, needed.lookup(operand), -1);
  }
  return *llvm::max_element(most);
}

StepCost StageModel::predict() {
  readSteps();
  placeSteps();
  std::vector<unsigned> sequence = order();
  StepCost cost;
  SmallVector<int64_t> kernels(count, 0), sent(count, 0);
  for (const Step &step : steps)
    for (int64_t stage = 0; stage < count; ++stage)
      if (step.places >> stage & 1) {
        kernels[stage] += step.kernel;
        bool isReceiver = isMessage(step.op) && cast<CollectiveOp>(step.op).getPeers()->back() == stage;
        sent[stage] += isReceiver ? 0 : step.sent;
      }
  cost.kernels = *llvm::max_element(kernels);
  // Exchanges, and what a stage waits for others.
  cost.exchanges = *llvm::max_element(clocks) - cost.kernels;
  cost.sent = *llvm::max_element(sent);
  cost.memory = countMemory(sequence);
  return cost;
}

StepCost predictPipeline(func::FuncOp function, ArrayRef<int64_t> grid, int64_t axis, const cost::Machine &machine) {
  return StageModel(function, grid, axis, machine).predict();
}

} // namespace tiny::tensor
