// Turns an annotated function into the program of one rank.
//
// Operations go over one by one: the rule says how operands must be cut, `Resharder` brings them there, and the
// operation itself is the same on local shapes. What ranks reduce together stays partial until somebody needs it.
#include "Partition.h"

#include "Pipeline.h"
#include "RankProgram.h"
#include "Tiny/Support/Origin.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORPARTITION
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

std::optional<shard::ReductionKind> getReduction(FactorKind kind) {
  switch (kind) {
  case FactorKind::Sum:
  case FactorKind::Lookup:
    return shard::ReductionKind::Sum;
  case FactorKind::Product:
    return shard::ReductionKind::Product;
  case FactorKind::Max:
    return shard::ReductionKind::Max;
  case FactorKind::Min:
    return shard::ReductionKind::Min;
  case FactorKind::Parallel:
  case FactorKind::Decompose:
    return std::nullopt;
  }
  llvm_unreachable("covered switch");
}

/// What changes no reduction.
TypedAttr getIdentity(FactorKind kind, Type element) {
  if (kind == FactorKind::Max)
    return getLowest(element);
  // A sum of negative zeros is one.
  if (kind == FactorKind::Sum && isa<FloatType>(element))
    return FloatAttr::get(element, APFloat::getZero(cast<FloatType>(element).getFloatSemantics(), /*Negative=*/true));
  if (kind != FactorKind::Min)
    return getNumber(element, kind == FactorKind::Product ? 1 : 0);
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    return FloatAttr::get(type, APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics)
                                                                    : APFloat::getLargest(semantics));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  return IntegerAttr::get(element, isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
}

} // namespace

/// How the value is cut where somebody said so or it follows; whole otherwise.
Sharding RankProgram::getWanted(Value value) const {
  const KnownSharding *entry = known.lookup(value);
  return entry ? entry->axes : Sharding(getTensorType(value).getRank());
}

/// The same of what comes in and goes out, which all microbatches of a rank have together.
Sharding RankProgram::getOnRanks(Value value) const {
  Sharding sharding = getWanted(value);
  for (GridAxes &axes : sharding)
    llvm::erase_if(axes, [&](int16_t axis) { return axis == microbatches; });
  return sharding;
}

/// Notes what a rank has of a result, cut as somebody said or as it follows.
void RankProgram::define(Value whole, LocalValue local, Location loc) {
  if (const KnownSharding *wanted = known.lookup(whole); wanted && (wanted->isFixed || !isWhole(wanted->axes)))
    local = reshard(local, getTensorType(whole).getShape(), wanted->axes, loc);
  locals[whole] = local;
}

/// What knows no rule has everything.
void RankProgram::partitionWhole(Operation &op) {
  IRMapping mapping;
  auto provide = [&](Value value) {
    if (!mapping.contains(value) && locals.contains(value))
      mapping.map(value, get(value, Sharding(getTensorType(value).getRank()), op.getLoc()).value);
  };
  for (Value operand : op.getOperands())
    provide(operand);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegions(), captured);
  for (Value value : captured)
    provide(value);
  Operation *clone = builder.clone(op, mapping);
  for (auto [result, local] : llvm::zip_equal(op.getResults(), clone->getResults()))
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      locals[result] = {local, Sharding(type.getRank()), {}};
}

/// What somebody wrote at a result stands first, then come operands as they are. But where operands are cut along what
/// is reduced, a result that is no larger is reduced and scattered: to gather the operands would move more.
FactorShardings RankProgram::shareLocally(ShardingOpInterface op, const ShardingRule &rule) {
  SmallVector<KnownSharding> operands;
  for (Value operand : op->getOperands())
    operands.push_back({locals.at(operand).sharding, op.getLoc(), false});
  SmallVector<std::pair<unsigned, const KnownSharding *>> tensors;
  auto addResults = [&](bool fixed) {
    for (auto [number, result] : llvm::enumerate(op->getResults()))
      if (const KnownSharding *entry = known.lookup(result); entry && entry->isFixed == fixed)
        tensors.push_back({operands.size() + number, entry});
  };
  int64_t gathered = 0, scattered = 0;
  for (auto [operand, entry, factors] : llvm::zip_equal(op->getOperands(), operands, rule.operands))
    for (auto [axes, list] : llvm::zip_equal(entry.axes, factors))
      if (!axes.empty() && !list.empty() && getReduction(rule.factors[list.front()].kind))
        gathered += getTensorType(operand).getNumElements();
  for (Value result : op->getResults())
    scattered += getTensorType(result).getNumElements();
  bool reducesFirst = gathered > 0 && gathered >= scattered;
  if (!reducesFirst)
    addResults(true);
  for (auto [number, operand] : llvm::enumerate(operands))
    tensors.push_back({number, &operand});
  if (reducesFirst)
    addResults(true);
  addResults(false);
  FactorShardings shared = shareFactors(rule, tensors, grid, nullptr);
  for (auto [axes, factor] : llvm::zip_equal(shared.axes, rule.factors))
    if (factor.kind == FactorKind::Decompose)
      axes.clear();
  return shared;
}

/// The axes of the grid along which the result is a summand because operands are: none is read by another, and nothing
/// grows.
GridAxes RankProgram::findPassed(ShardingOpInterface op, const ShardingRule &rule, const FactorShardings &shared) {
  if (!rule.isLinear || op->getNumResults() != 1)
    return {};
  auto isSum = [&](Value value) { return sums.contains(value); };
  bool addsUp = llvm::any_of(op->getOperands(), isSum);
  const LocalValue &first = locals.at(op->getOperand(isSum(op->getOperand(0)) ? 1 : 0));
  Value result = op->getResult(0);
  int64_t size = getTensorType(result).getNumElements();
  const KnownSharding *wanted = known.lookup(result);
  if (addsUp ? wanted && wanted->isFixed : wanted != nullptr)
    return {};
  for (Value operand : op->getOperands()) {
    const LocalValue &local = locals.at(operand);
    if (isSum(operand) ? local.sharding != getTensorSharding(rule.results[0], shared)
                       : local.kind != shard::ReductionKind::Sum || local.partial != first.partial ||
                             !operand.hasOneUse() || getTensorType(operand).getNumElements() < size)
      return {};
  }
  bool isCutAlong = llvm::any_of(shared.axes, [&](const GridAxes &axes) {
    return llvm::any_of(axes, [&](int16_t axis) { return llvm::is_contained(first.partial, axis); });
  });
  return isCutAlong ? GridAxes() : first.partial;
}

/// The operand with padding that adds nothing to what is reduced.
Value RankProgram::maskReduced(Value value, const TensorFactors &factors, const ShardingRule &rule,
                               const FactorShardings &shared, const LocalValue &local, Location loc) {
  LocalValue masked = local;
  for (auto [axis, list] : llvm::enumerate(factors)) {
    if (list.empty() || shared.axes[list.front()].empty())
      continue;
    FactorKind kind = rule.factors[list.front()].kind;
    if (kind == FactorKind::Lookup || !getReduction(kind))
      continue;
    RankedTensorType type = getTensorType(value);
    masked.value =
        resharder.maskPadding(masked, type.getDimSize(axis), axis, getIdentity(kind, type.getElementType()), loc);
  }
  return masked.value;
}

/// Indices into the rank's part of the axis. Behind it zeros are read: first what is in other parts, then what is in
/// none.
Value RankProgram::localizeIndices(TakeOp op, Value indices, ArrayRef<int16_t> axes) {
  TensorBuilder build(builder, op.getLoc());
  int64_t axis = *normalizeAxis(op.getAxis(), op.getInput().getType().getRank());
  int64_t size = op.getInput().getType().getDimSize(axis), part = getLocalSize(size, axes, grid);
  Value at = build.cast(indices, builder.getI64Type());
  Value places = resharder.getPlaces(size, axes, op.getLoc());
  // From the end, as in the whole axis; then relative to the part's first place, which is -1 where all is padding.
  at = build.where(build.lt(at, build.like(at, 0)), build.add(at, size), at);
  Value first = build.reshape(build.shrink(places, {0}, {1}), {});
  Value relative = build.sub(at, first);
  auto both = [&](Value x, Value y) { return build.create<AndOp>(x, y); };
  Value zero = build.like(relative, 0);
  Value isInside = both(build.create<GeOp>(at, build.like(at, 0)), build.lt(at, build.like(at, size)));
  // Behind the rank's own places there may be padding, and then another rank's.
  Value own = build.like(relative, part);
  if (resharder.isPadded(size, axes))
    own = build.sum(build.cast(build.create<GeOp>(places, build.like(places, 0)), builder.getI64Type()), {0});
  Value isMine = both(build.create<GeOp>(relative, zero), build.lt(relative, own));
  Value place = build.where(isMine, relative, build.like(relative, part));
  return build.where(isInside, place, build.like(relative, part + 1));
}

/// What was taken, with what changes no sum where another rank has the row: a zero would change the sign of another.
Value RankProgram::maskLookup(TakeOp op) {
  Type element = op.getType().getElementType();
  if (!isa<FloatType>(element))
    return op;
  TensorBuilder build(builder, op.getLoc());
  RankedTensorType input = op.getInput().getType();
  int64_t axis = *normalizeAxis(op.getAxis(), input.getRank());
  Value isOther = build.create<EqOp>(op.getIndices(), build.like(op.getIndices(), double(input.getDimSize(axis))));
  SmallVector<int64_t> shape(axis, 1);
  llvm::append_range(shape, TensorBuilder::getShape(isOther));
  shape.append(input.getRank() - axis - 1, 1);
  Value identity = build.full(ArrayRef<int64_t>(), getIdentity(FactorKind::Sum, element));
  return build.where(build.reshape(isOther, shape), identity, op);
}

LogicalResult RankProgram::partitionByRule(ShardingOpInterface op) {
  ShardingRule rule = op.getShardingRule();
  FactorShardings shared = shareLocally(op, rule);
  Location loc = op.getLoc();
  GridAxes passed = findPassed(op, rule, shared);
  IRMapping mapping;
  SmallVector<Value> operands;
  for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands)) {
    Sharding wanted = getTensorSharding(factors, shared);
    LocalValue local = locals.at(operand);
    if (!passed.empty())
      local.partial.clear();
    local = reshard(local, getTensorType(operand).getShape(), wanted, loc);
    operands.push_back(maskReduced(operand, factors, rule, shared, local, loc));
  }
  LocalValue result;
  result.partial = passed;
  bool isLookup = false;
  for (auto [factor, axes] : llvm::zip_equal(rule.factors, shared.axes)) {
    std::optional<shard::ReductionKind> kind = getReduction(factor.kind);
    if (!kind || axes.empty())
      continue;
    result.kind = *kind;
    result.partial.append(axes.begin(), axes.end());
    if (factor.kind == FactorKind::Lookup) {
      operands[1] = localizeIndices(cast<TakeOp>(op.getOperation()), operands[1], axes);
      isLookup = true;
    }
  }
  Operation *local = builder.clone(*op, mapping);
  local->setOperands(operands);
  cast<ShardingOpInterface>(local).localize();
  for (auto [whole, own, factors] : llvm::zip_equal(op->getResults(), local->getResults(), rule.results)) {
    LocalValue entry = result;
    entry.sharding = getTensorSharding(factors, shared);
    RankedTensorType type = getTensorType(whole);
    own.setType(type.clone(getLocalShape(type.getShape(), entry.sharding, grid)));
    entry.value = isLookup ? maskLookup(cast<TakeOp>(local)) : Value(own);
    // What is added up in a loop stays a summand there.
    if (sums.contains(whole) && !passed.empty())
      locals[whole] = entry;
    else
      define(whole, entry, loc);
  }
  return success();
}

void RankProgram::partitionReturn(func::ReturnOp op) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    auto whole = dyn_cast<RankedTensorType>(value.getType());
    if (!whole) {
      values.push_back(value);
      types.push_back(value.getType());
      continue;
    }
    // State stays cut as it came.
    Sharding wanted = getOnRanks(value);
    if (std::optional<unsigned> argument = getAliasedArgument(function, number))
      wanted = getOnRanks(function.getArgument(*argument));
    Value local = get(value, wanted, op.getLoc()).value;
    values.push_back(local);
    types.push_back(local.getType());
  }
  func::ReturnOp::create(builder, op.getLoc(), values);
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(), types));
}

/// Each rank of a stage sends its part to the one at its place in the other stage.
void RankProgram::partitionStage(StageOp op) {
  const KnownSharding *entry = known.lookup(op.getResult());
  LocalValue local = get(op.getInput(), entry ? entry->axes : locals.at(op.getInput()).sharding, op.getLoc());
  SmallVector<int64_t> ranks(grid);
  if (microbatches >= 0)
    ranks.pop_back();
  SmallVector<int64_t> axes = {static_cast<int64_t>(op.getAxis())},
                       peers = {static_cast<int64_t>(op.getFrom()), static_cast<int64_t>(op.getTo())};
  local.value =
      CollectiveOp::create(builder, op.getLoc(), local.value.getType(), builder.getStringAttr("send"), local.value,
                           builder.getDenseI64ArrayAttr(ranks), builder.getDenseI64ArrayAttr(axes), StringAttr(),
                           builder.getDenseI64ArrayAttr(peers));
  locals[op.getResult()] = local;
}

LogicalResult RankProgram::partition(Operation &op) {
  if (auto annotation = dyn_cast<shard::ShardOp>(op)) {
    locals[annotation.getResult()] = get(annotation.getSrc(), getWanted(annotation.getResult()), op.getLoc());
    return success();
  }
  if (isa<shard::ShardingOp>(op))
    return success();
  if (auto boundary = dyn_cast<StageOp>(op)) {
    partitionStage(boundary);
    return success();
  }
  if (auto end = dyn_cast<func::ReturnOp>(op)) {
    partitionReturn(end);
    return success();
  }
  ShardingOpInterface shardable = known.getShardable(&op);
  if (!shardable) {
    partitionWhole(op);
    return success();
  }
  if (auto loop = dyn_cast<LoopOp>(op))
    return partitionLoop(loop);
  if (auto branch = dyn_cast<IfOp>(op))
    return partitionBranch(branch);
  return partitionByRule(shardable);
}

/// The attributes that say what a rank has of an argument or a result.
static void describe(func::FuncOp function, bool isArgument, unsigned number, RankedTensorType whole,
                     const Sharding &sharding) {
  Builder builder(function.getContext());
  SmallVector<Attribute> axes;
  for (const GridAxes &list : sharding)
    axes.push_back(builder.getDenseI16ArrayAttr(list));
  if (isArgument) {
    function.setArgAttr(number, kShardingAttr, builder.getArrayAttr(axes));
    function.setArgAttr(number, kWholeAttr, TypeAttr::get(whole));
  } else {
    function.setResultAttr(number, kShardingAttr, builder.getArrayAttr(axes));
    function.setResultAttr(number, kWholeAttr, TypeAttr::get(whole));
  }
}

LogicalResult RankProgram::run() {
  Block *old = &function.getBody().front();
  auto end = dyn_cast<func::ReturnOp>(old->getTerminator());
  if (!end)
    return function.emitOpError("expects to end in 'func.return'");
  SmallVector<std::pair<RankedTensorType, Sharding>> results;
  for (auto [number, value] : llvm::enumerate(end.getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::optional<unsigned> argument = getAliasedArgument(function, number);
    results.push_back(
        {type, type ? getOnRanks(argument ? Value(function.getArgument(*argument)) : value) : Sharding()});
  }
  // The new body stands behind the old one until it is whole.
  Block *body = new Block();
  function.getBody().push_back(body);
  builder.setInsertionPointToEnd(body);
  SmallVector<Type> arguments;
  for (BlockArgument argument : old->getArguments()) {
    auto whole = dyn_cast<RankedTensorType>(argument.getType());
    if (!whole) {
      argument.replaceAllUsesWith(body->addArgument(argument.getType(), argument.getLoc()));
      arguments.push_back(argument.getType());
      continue;
    }
    Sharding sharding = getOnRanks(argument);
    RankedTensorType type = whole.clone(getLocalShape(whole.getShape(), sharding, grid));
    arguments.push_back(type);
    locals[argument] = {body->addArgument(type, argument.getLoc()), sharding, {}};
    if (!isWhole(sharding))
      describe(function, /*isArgument=*/true, argument.getArgNumber(), whole, sharding);
  }
  function.setFunctionType(FunctionType::get(function.getContext(), arguments, function.getResultTypes()));
  for (Operation &op : *old)
    if (failed(partition(op)))
      return failure();
  for (auto [number, entry] : llvm::enumerate(results))
    if (entry.first && !isWhole(entry.second))
      describe(function, /*isArgument=*/false, number, entry.first, entry.second);
  old->erase();
  function->setAttr(kGridAttr, builder.getDenseI64ArrayAttr(microbatches >= 0 ? grid.drop_back() : grid));
  // Places that nobody looked at.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

/// Takes the decomposition of what is cut where it can not be as it is. Returns whether there was something.
static FailureOr<bool> decomposeCut(func::FuncOp function, const ShardingPropagation &known) {
  SmallVector<DecomposableOpInterface> cut;
  for (ShardingOpInterface op : known.listShardable()) {
    ShardingRule rule = op.getShardingRule();
    FactorShardings shared = known.share(op);
    auto composite = dyn_cast<DecomposableOpInterface>(op.getOperation());
    bool isCut = llvm::any_of(llvm::zip_equal(rule.factors, shared.axes), [](const auto &entry) {
      return std::get<0>(entry).kind == FactorKind::Decompose && !std::get<1>(entry).empty();
    });
    if (isCut && composite && !composite.isPrimitive())
      cut.push_back(composite);
  }
  OpBuilder builder(function.getContext());
  for (DecomposableOpInterface op : cut) {
    op->setLoc(withOrigin(op->getLoc(), op->getName().stripDialect()));
    builder.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> values = op.decompose(builder);
    if (failed(values))
      return failure();
    op->replaceAllUsesWith(*values);
    op->erase();
  }
  return !cut.empty();
}

/// Says which stage has a result.
static void markStages(func::FuncOp function, const PipelineStages &stages) {
  if (stages.axis < 0)
    return;
  Builder builder(function.getContext());
  function->setAttr(kStageAxisAttr, builder.getI64IntegerAttr(stages.axis));
  for (auto [number, stage] : llvm::enumerate(stages.results))
    if (stage >= 0)
      function.setResultAttr(number, kStageAttr, builder.getI64IntegerAttr(stage));
}

LogicalResult partitionFunction(func::FuncOp function, bool *wasPartitioned) {
  while (true) {
    ShardingPropagation propagation(function);
    FailureOr<shard::GridOp> grid = propagation.readAnnotations();
    if (failed(grid))
      return failure();
    if (!*grid)
      return success();
    if (function->hasAttr(kGridAttr))
      return function.emitOpError("is the program of one rank already, and has annotations");
    FailureOr<int64_t> microbatches = readMicrobatches(*grid);
    if (failed(microbatches))
      return failure();
    propagation.propagate();
    FailureOr<PipelineStages> stages = readStages(function, *grid);
    if (failed(stages))
      return failure();
    if (*microbatches >= 0 && stages->axis == *microbatches)
      return function.emitOpError("has stages along the grid's axis of microbatches, ") << *microbatches;
    FailureOr<bool> decomposed = decomposeCut(function, propagation);
    if (failed(decomposed))
      return failure();
    if (*decomposed)
      continue;
    propagation.explain(Remarks("tensor-partition", function));
    if (wasPartitioned)
      *wasPartitioned = true;
    if (failed(RankProgram(function, *grid, propagation, *microbatches).run()))
      return failure();
    markStages(function, *stages);
    if (*microbatches >= 0)
      unrollMicrobatches(function, *microbatches, grid->getShape()[*microbatches]);
    return success();
  }
}

namespace {

struct TensorPartition : impl::TensorPartitionBase<TensorPartition> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    WalkResult calls = getOperation().walk([&](func::CallOp call) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      if (!callee || callee.getOps<shard::ShardOp>().empty())
        return WalkResult::advance();
      InFlightDiagnostic error =
          call.emitOpError("calls a function with annotations: those of a program stand in itself");
      error.attachNote((*callee.getOps<shard::ShardOp>().begin()).getLoc()) << "annotated here";
      return WalkResult::interrupt();
    });
    if (calls.wasInterrupted())
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool wasPartitioned = false;
      if (!function.isExternal() && function.getBody().hasOneBlock() &&
          failed(partitionFunction(function, &wasPartitioned)))
        return signalPassFailure();
      numPartitioned += wasPartitioned;
    }
  }
};

} // namespace
} // namespace tiny::tensor
