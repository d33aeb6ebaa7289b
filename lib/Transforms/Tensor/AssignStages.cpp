// Cuts a program into the stages of a pipeline.
//
// Arguments and constants that products read are weights. In the order of their first product they go to one stage
// after the other, such that the products of each stage take about as long. Operations follow: on the way to the last
// stage each is where the furthest of its operands is, and behind that, where gradients come back, where what it reads
// of the way there is.
#include "AssignStages.h"

#include "StepCost.h"
#include "Tiny/Dialect/Tensor/Tensor.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::tensor {

namespace {

/// Stages, a bit each.
using Places = uint64_t;

class Assignment {
public:
  Assignment(func::FuncOp function, int64_t count, const cost::Machine &machine)
      : function(function), count(count), machine(machine) {}

  bool run(StringRef grid, int64_t axis);

private:
  bool shareWeights();
  std::optional<int64_t> choose(ArrayRef<Value> read) const;
  Value bring(Value value, int64_t to, StringRef grid, int64_t axis);

  func::FuncOp function;
  int64_t count;
  const cost::Machine &machine;
  /// Of weights, and of what is computed. What is of no stage has none.
  DenseMap<Value, int64_t> stageOf;
  /// Where a value is: its own stage, and those that it was sent to.
  DenseMap<Value, Places> places;
  DenseMap<std::pair<Value, int64_t>, Value> sent;
  /// What depends on the last stage.
  llvm::DenseSet<Value> late;
};

} // namespace

/// The argument or constant that a value is, through what only moves or converts it.
static Value findWeight(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ConstantOp>(op))
      return value;
    if (op->getNumOperands() != 1 || op->getNumRegions())
      return nullptr;
    value = op->getOperand(0);
  }
  return value;
}

llvm::MapVector<Value, double> findWeights(func::FuncOp function, const cost::Machine &machine) {
  llvm::MapVector<Value, double> weights;
  for (Operation &op : function.getBody().front()) {
    if (!isa<MatmulOp, LinearOp, GemmOp, ConvOp>(op))
      continue;
    Value weight = findWeight(op.getOperand(1));
    if (!weight)
      continue;
    weights[weight] += static_cast<double>(predictKernel(&op, machine));
  }
  return weights;
}

/// Gives each weight its stage. False where there are fewer than stages.
bool Assignment::shareWeights() {
  llvm::MapVector<Value, double> weights = findWeights(function, machine);
  double total = 0;
  for (const auto &entry : weights)
    total += entry.second;
  if (static_cast<int64_t>(weights.size()) < count)
    return false;
  double before = 0;
  int64_t stage = 0;
  size_t left = weights.size();
  for (auto &[weight, time] : weights) {
    // The middle of its products decides; each stage gets one at least.
    bool isNext = (before + time / 2) * static_cast<double>(count) >= total * static_cast<double>(stage + 1);
    bool mustGoOn = static_cast<int64_t>(left) <= count - 1 - stage;
    if (before > 0 && stage + 1 < count && (isNext || mustGoOn))
      ++stage;
    stageOf[weight] = stage;
    places[weight] = Places(1) << stage;
    before += time;
    --left;
  }
  return stage + 1 == count;
}

/// The stage of an operation that reads these, if it has one.
std::optional<int64_t> Assignment::choose(ArrayRef<Value> read) const {
  std::optional<int64_t> furthest, nearestLate;
  Places common = ~Places(0);
  bool isLate = false, readsEarly = false;
  for (Value value : read) {
    auto found = stageOf.find(value);
    if (found == stageOf.end())
      continue;
    furthest = std::max(furthest.value_or(0), found->second);
    if (late.contains(value)) {
      isLate = true;
      nearestLate = std::min(nearestLate.value_or(count), found->second);
    } else {
      readsEarly = true;
      common &= places.lookup(value);
    }
  }
  if (!isLate || !furthest)
    return furthest;
  if (!readsEarly)
    return nearestLate;
  // The last one that has all of it.
  for (int64_t stage = count; stage-- > 0;)
    if (common >> stage & 1)
      return stage;
  return furthest;
}

/// What only moves a value is wherever that is: it is done again there, not sent.
static bool isMovement(Operation *op) { return isa_and_nonnull<PermuteOp, TransposeOp, ReshapeOp>(op); }

/// The value in another stage.
Value Assignment::bring(Value value, int64_t to, StringRef grid, int64_t axis) {
  if (Value there = sent.lookup({value, to}))
    return there;
  OpBuilder builder(function.getContext());
  Operation *op = value.getDefiningOp();
  if (isMovement(op) && places.lookup(op->getOperand(0)) >> to & 1) {
    Value source = bring(op->getOperand(0), to, grid, axis);
    builder.setInsertionPointAfter(op);
    Operation *again = builder.clone(*op);
    again->setOperand(0, source);
    return sent[{value, to}] = again->getResult(0);
  }
  builder.setInsertionPointAfterValue(value);
  auto boundary = StageOp::create(builder, value.getLoc(), value.getType(), value, grid, static_cast<uint64_t>(axis),
                                  static_cast<uint64_t>(stageOf.lookup(value)), static_cast<uint64_t>(to));
  places[value] |= Places(1) << to;
  return sent[{value, to}] = boundary;
}

bool Assignment::run(StringRef grid, int64_t axis) {
  if (!shareWeights())
    return false;
  bool sends = false;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front().without_terminator())) {
    if (isa<StageOp>(op))
      continue;
    llvm::SetVector<Value> read(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), read);
    std::optional<int64_t> stage = choose(read.getArrayRef());
    if (!stage)
      continue;
    bool isLate = *stage == count - 1;
    for (Value value : read) {
      isLate |= late.contains(value);
      auto found = stageOf.find(value);
      // Every stage has arguments and constants.
      if (found == stageOf.end() || found->second == *stage || isa<BlockArgument>(value) ||
          value.getDefiningOp<ConstantOp>())
        continue;
      Value there = bring(value, *stage, grid, axis);
      op.replaceUsesOfWith(value, there);
      for (Region &region : op.getRegions())
        replaceAllUsesInRegionWith(value, there, region);
      sends = true;
    }
    for (Value result : op.getResults()) {
      stageOf[result] = *stage;
      places[result] = isMovement(&op) ? places.lookup(op.getOperand(0)) : Places(1) << *stage;
      if (isLate)
        late.insert(result);
    }
  }
  return sends;
}

bool assignStages(func::FuncOp function, StringRef grid, int64_t axis, int64_t count, const cost::Machine &machine) {
  return Assignment(function, count, machine).run(grid, axis);
}

} // namespace tiny::tensor
