// Order of a kernel's operations by dependence, and the ranges that each value varies over.
#include "Tiny/Dialect/Kernel/Dependence.h"

#include "Tiny/Support/Combiner.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tiny::kernel {

SmallVector<Operation *> sortByDependence(Block &block, Operation **onCycle) {
  enum State : char { Unseen, Open, Done };
  struct Frame {
    Operation *op;
    unsigned nextOperand;
  };
  DenseMap<Operation *, State> states;
  SmallVector<Operation *> order;
  SmallVector<Frame> stack;
  for (Operation &root : block) {
    if (states[&root] == Done)
      continue;
    states[&root] = Open;
    stack.push_back({&root, 0});
    while (!stack.empty()) {
      Frame &frame = stack.back();
      if (frame.nextOperand == frame.op->getNumOperands()) {
        states[frame.op] = Done;
        order.push_back(frame.op);
        stack.pop_back();
        continue;
      }
      Operation *def = frame.op->getOperand(frame.nextOperand++).getDefiningOp();
      if (!def || def->getBlock() != &block)
        continue;
      State &state = states[def];
      if (state == Open) {
        if (onCycle)
          *onCycle = def;
        return {};
      }
      if (state == Unseen) {
        state = Open;
        stack.push_back({def, 0});
      }
    }
  }
  return order;
}

DenseSet<Operation *> findLive(Block &body) {
  DenseSet<Operation *> live;
  SmallVector<Operation *> pending =
      llvm::map_to_vector(body.getOps<StoreOp>(), [](StoreOp op) { return op.getOperation(); });
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!live.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        pending.push_back(def);
  }
  return live;
}

DenseSet<Value> findVarying(RangeOp range) {
  DenseSet<Value> varying{range.getResult()};
  SmallVector<Value> pending{range.getResult()};
  auto add = [&](Value value) {
    if (varying.insert(value).second)
      pending.push_back(value);
  };
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (llvm::is_contained(getClosedRanges(user), range.getResult()))
        continue;
      auto reduce = dyn_cast<ReduceOp>(user);
      if (!reduce || reduce.getCombiner().empty()) {
        llvm::for_each(user->getResults(), add);
        continue;
      }
      // Inputs and inits come first, one of each for each result.
      unsigned input = use.getOperandNumber() % reduce.getNumResults();
      for (auto [result, inputs] :
           llvm::zip_equal(reduce.getResults(), getCombinedInputs(reduce.getCombiner().front())))
        if (inputs.test(input))
          add(result);
    }
  return varying;
}

RangeSets::SetId RangeSets::intern(ArrayRef<unsigned> set) {
  auto it = ids.find(set);
  if (it != ids.end())
    return it->second;
  SetId id = sets.size();
  sets.push_back(set.copy(storage));
  ids[sets.back()] = id;
  return id;
}

RangeSets::SetId RangeSets::unite(SetId a, SetId b) {
  // The empty set is 0.
  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  auto key = std::minmax(a, b);
  auto it = unions.find(key);
  if (it != unions.end())
    return it->second;
  SmallVector<unsigned> merged;
  std::set_union(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(), std::back_inserter(merged));
  return unions[key] = intern(merged);
}

RangeSets::SetId RangeSets::subtract(SetId a, SetId b) {
  SmallVector<unsigned> rest;
  std::set_difference(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(), std::back_inserter(rest));
  return intern(rest);
}

RangeSets::RangeSets(ArrayRef<Operation *> order) {
  intern({});
  for (Operation *op : order) {
    if (auto range = dyn_cast<RangeOp>(op)) {
      positions[op] = ranges.size();
      open[range.getResult()] = intern(static_cast<unsigned>(ranges.size()));
      ranges.push_back(range);
      continue;
    }
    SetId openSet = 0, closedSet = 0;
    OperandRange ranges = getClosedRanges(op);
    for (Value operand : op->getOperands().drop_back(ranges.size())) {
      openSet = unite(openSet, open.lookup(operand));
      closedSet = unite(closedSet, closed.lookup(operand));
    }
    if (!ranges.empty()) {
      SetId over = 0;
      for (Value range : ranges)
        over = unite(over, open.lookup(range));
      openSet = subtract(openSet, over);
      closedSet = unite(closedSet, over);
    }
    for (Value result : op->getResults()) {
      open[result] = openSet;
      closed[result] = closedSet;
    }
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || reduce.getCombiner().empty())
      continue;
    SetId over = 0;
    for (Value range : reduce.getRanges())
      over = unite(over, open.lookup(range));
    for (auto [result, inputs] :
         llvm::zip_equal(reduce.getResults(), getCombinedInputs(reduce.getCombiner().front()))) {
      SetId own = 0;
      for (unsigned k : inputs.set_bits())
        own = unite(unite(own, open.lookup(reduce.getInputs()[k])), open.lookup(reduce.getInits()[k]));
      open[result] = subtract(own, over);
    }
  }
}

ArrayRef<unsigned> RangeSets::getOpenOfOperands(Operation *op) {
  SetId set = 0;
  for (Value operand : op->getOperands())
    set = unite(set, open.lookup(operand));
  return sets[set];
}

} // namespace tiny::kernel
