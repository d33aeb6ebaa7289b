// A region grows from one all-reduce forwards along the sharding rules. Which of it is cut is chosen by going downhill
// from all of it, one operation at a time.
#include "ScatterRegion.h"

#include "StepCost.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Signature.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tiny::tensor {

/// Rounds over a region: few change anything.
static constexpr unsigned kMostRounds = 16;

ScatterRegion::ScatterRegion(func::FuncOp function, shard::AllReduceOp seed, int64_t axis, const cost::Machine &machine,
                             const llvm::DenseSet<Value> &replicated)
    : function(function), machine(machine), grid(function->getAttrOfType<DenseI64ArrayAttr>(kGridAttr).asArrayRef()),
      axes(seed.getGridAxes().begin(), seed.getGridAxes().end()), gridName(seed.getGridAttr()),
      knowsTime(machine.network.front().ranks != 0), replicated(replicated) {
  parts = countGroup(grid, SmallVector<int64_t>(axes.begin(), axes.end()));
  if (parts > 1 && addReduce(seed, axis) && knowsTime)
    grow(seed);
}

/// Nanoseconds of an exchange, or the bytes that a rank sends.
double ScatterRegion::measure(int64_t bytes, cost::Exchange kind) const {
  if (knowsTime)
    return static_cast<double>(predictExchange(kind, bytes, axes, grid, machine));
  return static_cast<double>(cost::countSentBytes(kind, bytes, parts));
}

//===--- Growing --------------------------------------------------------------------------------------------------===//

bool ScatterRegion::addReduce(shard::AllReduceOp op, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (nodes.contains(op) || ArrayRef(axes) != op.getGridAxes() || op.getGridAttr() != gridName || !type ||
      !type.hasStaticShape() || axis >= type.getRank() || type.getDimSize(axis) % parts != 0 ||
      op.getInput().getType() != type)
    return false;
  Node node;
  node.results = {axis};
  node.operands = {-1};
  for (Operation *user : op.getInput().getUsers())
    if (auto other = dyn_cast<shard::ReduceScatterOp>(user))
      if (other.getGridAxes() == op.getGridAxes() && other.getReduction() == op.getReduction() &&
          other.getScatterAxis().getSExtValue() == axis && other->getBlock() == op->getBlock())
        node.shared = other;
  int64_t bytes = countBytes(type);
  node.whole = measure(bytes, cost::Exchange::AllReduce);
  node.part = node.shared ? 0 : measure(bytes, cost::Exchange::ReduceScatter);
  nodes.insert({op, std::move(node)});
  return true;
}

/// Whether the value is cut along this axis where its operation is.
bool ScatterRegion::isCutAt(Value value, int64_t axis) const {
  Operation *op = value.getDefiningOp();
  auto found = nodes.find(op);
  return op && found != nodes.end() && found->second.results[cast<OpResult>(value).getResultNumber()] == axis;
}

static std::optional<shard::ReductionKind> getReduction(FactorKind kind) {
  switch (kind) {
  case FactorKind::Sum:
    return shard::ReductionKind::Sum;
  case FactorKind::Product:
    return shard::ReductionKind::Product;
  case FactorKind::Max:
    return shard::ReductionKind::Max;
  case FactorKind::Min:
    return shard::ReductionKind::Min;
  default:
    return std::nullopt;
  }
}

/// The axis of each tensor that runs over the factor; -1 where none does, nothing where one does not as its major part.
static std::optional<SmallVector<int64_t>> findAxes(ArrayRef<TensorFactors> tensors, unsigned factor) {
  SmallVector<int64_t> found;
  for (const TensorFactors &tensor : tensors) {
    found.push_back(-1);
    for (auto [axis, list] : llvm::enumerate(tensor)) {
      if (!llvm::is_contained(list, factor))
        continue;
      if (list.front() != factor || found.back() >= 0)
        return std::nullopt;
      found.back() = static_cast<int64_t>(axis);
    }
  }
  return found;
}

/// Takes the operation in if it can be cut along one of its factors as an operand is.
bool ScatterRegion::add(Operation *op) {
  auto shardable = dyn_cast<ShardingOpInterface>(op);
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (nodes.contains(op) || !shardable || op->getNumRegions() || !llvm::all_of(op->getOperandTypes(), isKnown) ||
      !llvm::all_of(op->getResultTypes(), isKnown) ||
      !llvm::all_of(op->getOperands(), [&](Value value) { return replicated.contains(value); }))
    return false;
  ShardingRule rule = shardable.getShardingRule();
  std::optional<unsigned> factor;
  for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands))
    for (auto [axis, list] : llvm::enumerate(factors))
      if (!factor && !list.empty() && isCutAt(operand, static_cast<int64_t>(axis)))
        factor = list.front();
  if (!factor || rule.factors[*factor].size % parts != 0)
    return false;
  std::optional<SmallVector<int64_t>> operands = findAxes(rule.operands, *factor),
                                      results = findAxes(rule.results, *factor);
  if (!operands || !results)
    return false;
  FactorKind kind = rule.factors[*factor].kind;
  Node node;
  node.reduction = getReduction(kind);
  if (kind == FactorKind::Parallel ? llvm::is_contained(*results, -1) : !node.reduction)
    return false;
  // Where it was cut along another axis it would be gathered and cut anew.
  for (auto [operand, axis] : llvm::zip_equal(op->getOperands(), *operands))
    if (auto known = nodes.find(operand.getDefiningOp());
        operand.getDefiningOp() && known != nodes.end() && !isCutAt(operand, axis))
      return false;
  for (auto [operand, axis] : llvm::zip_equal(op->getOperands(), *operands))
    if (auto other = operand.getDefiningOp<shard::AllReduceOp>(); other && axis >= 0)
      (void)addReduce(other, axis);
  node.operands = *operands;
  node.results = *results;
  node.whole = static_cast<double>(predictKernel(op, machine));
  node.part = node.whole / static_cast<double>(parts);
  if (node.reduction)
    for (Value result : op->getResults())
      node.part += measure(countBytes(result.getType()), cost::Exchange::AllReduce);
  nodes.insert({op, std::move(node)});
  return true;
}

void ScatterRegion::grow(Operation *seed) {
  SmallVector<Operation *> open = {seed};
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    // A copy: nodes move when there are more.
    SmallVector<int64_t> results = nodes.find(op)->second.results;
    for (auto [result, axis] : llvm::zip_equal(op->getResults(), results)) {
      if (axis < 0)
        continue;
      for (Operation *user : result.getUsers()) {
        size_t known = nodes.size();
        if (user->getBlock() != op->getBlock() || !add(user))
          continue;
        // The reader, and other all-reduces that it reads.
        for (const auto &entry : llvm::drop_begin(nodes, known))
          open.push_back(entry.first);
      }
    }
  }
}

//===--- Choosing -------------------------------------------------------------------------------------------------===//

/// Whether this reader of a value that is cut needs no more than the rank's part.
bool ScatterRegion::isPart(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (auto found = nodes.find(user); found != nodes.end() && chosen.contains(user))
    return found->second.operands[use.getOperandNumber()] >= 0;
  auto slice = dyn_cast<shard::AllSliceOp>(user);
  return slice && slice.getGridAxes() == ArrayRef(axes) && isCutAt(use.get(), slice.getSliceAxis().getSExtValue());
}

/// What it takes to gather a value, which is copied where it is state.
double ScatterRegion::predictGather(Value value) const {
  int64_t bytes = countBytes(value.getType()), copied = 0;
  bool isRead = false;
  for (OpOperand &use : value.getUses()) {
    if (isPart(use))
      continue;
    isRead = true;
    if (isa<func::ReturnOp>(use.getOwner()) && getAliasedArgument(function, use.getOperandNumber()))
      copied = 2 * bytes;
  }
  if (!isRead)
    return 0;
  double moving =
      static_cast<double>(copied) * 1e3 / static_cast<double>(std::max<int64_t>(machine.memoryBandwidth, 1));
  return measure(bytes, cost::Exchange::AllGather) + (knowsTime ? moving : 0);
}

/// What depends on whether this operation is cut: its own time, and gathers of what it makes and reads.
double ScatterRegion::predictAround(Operation *op) const {
  const Node &node = nodes.find(op)->second;
  bool isCut = chosen.contains(op);
  double time = isCut ? node.part : node.whole;
  for (auto [result, axis] : llvm::zip_equal(op->getResults(), node.results))
    if (isCut && axis >= 0)
      time += predictGather(result);
  llvm::SmallDenseSet<Value> seen;
  for (Value operand : op->getOperands())
    if (Operation *other = operand.getDefiningOp(); other && chosen.contains(other) && seen.insert(operand).second)
      if (nodes.find(other)->second.results[cast<OpResult>(operand).getResultNumber()] >= 0)
        time += predictGather(operand);
  return time;
}

double ScatterRegion::predictAll() const {
  double time = 0;
  for (const auto &[op, node] : nodes) {
    bool isCut = chosen.contains(op);
    time += isCut ? node.part : node.whole;
    for (auto [result, axis] : llvm::zip_equal(op->getResults(), node.results))
      if (isCut && axis >= 0)
        time += predictGather(result);
  }
  return time;
}

double ScatterRegion::choose() {
  double whole = predictAll();
  for (const auto &entry : nodes)
    chosen.insert(entry.first);
  // What is at the end of the region first. Each change saves time, so it ends; rounding ends it, too.
  unsigned changes = 1;
  for (unsigned round = 0; changes && round < kMostRounds; ++round) {
    changes = 0;
    for (const auto &entry : llvm::reverse(nodes)) {
      Operation *op = entry.first;
      double before = predictAround(op);
      bool wasCut = chosen.erase(op);
      if (!wasCut)
        chosen.insert(op);
      if (predictAround(op) < before) {
        ++changes;
        continue;
      }
      if (wasCut)
        chosen.insert(op);
      else
        chosen.erase(op);
    }
  }
  bool scatters = llvm::any_of(chosen, llvm::IsaPred<shard::AllReduceOp>);
  return scatters ? whole - predictAll() : 0;
}

//===--- Rewriting ------------------------------------------------------------------------------------------------===//

RankedTensorType ScatterRegion::getPartType(Value value, int64_t axis) const {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= parts;
  return type.clone(shape);
}

/// The rank's part of an operand: where it is cut it is there.
Value ScatterRegion::getPart(Value value, int64_t axis, OpBuilder &builder) {
  Value &part = partOf[{value, axis}];
  if (part)
    return part;
  RankedTensorType type = getPartType(value, axis);
  // A number everywhere is it on every rank.
  if (auto full = value.getDefiningOp<FullOp>())
    return part = FullOp::create(builder, value.getLoc(), type, full.getValue());
  return part =
             shard::AllSliceOp::create(builder, value.getLoc(), type, value, gridName.getValue(), ArrayRef(axes), axis);
}

void ScatterRegion::cut(Operation *op, const Node &node) {
  OpBuilder builder(op);
  if (auto reduce = dyn_cast<shard::AllReduceOp>(op)) {
    Value part;
    if (node.shared) {
      // It may stand behind.
      Operation *shared = node.shared;
      if (op->isBeforeInBlock(shared))
        shared->moveBefore(op);
      part = shared->getResult(0);
    } else {
      part = shard::ReduceScatterOp::create(builder, op->getLoc(), getPartType(reduce.getResult(), node.results[0]),
                                            gridName.getValue(), ArrayRef(axes), reduce.getInput(),
                                            reduce.getReduction(), APInt(64, node.results[0]));
    }
    partOf[{reduce.getResult(), node.results[0]}] = part;
    return;
  }
  SmallVector<Value> operands;
  for (auto [operand, axis] : llvm::zip_equal(op->getOperands(), node.operands))
    operands.push_back(axis < 0 ? operand : getPart(operand, axis, builder));
  Operation *local = builder.clone(*op);
  local->setOperands(operands);
  cast<ShardingOpInterface>(local).localize();
  for (auto [whole, own, axis] : llvm::zip_equal(op->getResults(), local->getResults(), node.results)) {
    if (axis >= 0) {
      own.setType(getPartType(whole, axis));
      partOf[{whole, axis}] = own;
      continue;
    }
    whole.replaceAllUsesWith(
        shard::AllReduceOp::create(builder, op->getLoc(), own, gridName.getValue(), ArrayRef(axes), *node.reduction));
  }
}

unsigned ScatterRegion::rewrite() {
  SmallVector<Operation *> cutOps;
  for (Operation &op : function.getBody().front())
    if (chosen.contains(&op))
      cutOps.push_back(&op);
  // Who reads a value whole, before its readers change.
  llvm::DenseMap<Value, SmallVector<OpOperand *>> readers;
  SmallVector<shard::AllSliceOp> slices;
  for (Operation *op : cutOps)
    for (auto [result, axis] : llvm::zip_equal(op->getResults(), nodes[op].results))
      for (OpOperand &use : result.getUses()) {
        if (axis >= 0 && !isPart(use))
          readers[result].push_back(&use);
        else if (axis >= 0 && isa<shard::AllSliceOp>(use.getOwner()))
          slices.push_back(cast<shard::AllSliceOp>(use.getOwner()));
      }
  unsigned scattered = 0;
  for (Operation *op : cutOps) {
    const Node &node = nodes[op];
    scattered += isa<shard::AllReduceOp>(op);
    cut(op, node);
    OpBuilder builder(op);
    for (auto [result, axis] : llvm::zip_equal(op->getResults(), node.results)) {
      if (axis < 0 || readers[result].empty())
        continue;
      Value all = shard::AllGatherOp::create(builder, op->getLoc(), result.getType(), gridName.getValue(),
                                             ArrayRef(axes), partOf[{result, axis}], APInt(64, axis));
      for (OpOperand *use : readers[result])
        use->set(all);
    }
  }
  for (shard::AllSliceOp slice : slices) {
    slice.getResult().replaceAllUsesWith(partOf[{slice.getInput(), slice.getSliceAxis().getSExtValue()}]);
    slice.erase();
  }
  for (Operation *op : llvm::reverse(cutOps))
    op->erase();
  return scattered;
}

} // namespace tiny::tensor
