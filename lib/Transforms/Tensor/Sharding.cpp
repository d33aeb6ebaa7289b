// Propagation of shardings: each operation's rule joins the axes of its operands and results, forwards and backwards,
// until nothing changes. A sharding only grows, so it ends.
#include "Sharding.h"

#include "Tiny/Support/Microbatches.h"
#include "Tiny/Support/Signature.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tiny::tensor {

bool isWhole(const Sharding &sharding) {
  return llvm::all_of(sharding, [](const GridAxes &axes) { return axes.empty(); });
}

SmallVector<int64_t> getLocalShape(ArrayRef<int64_t> shape, const Sharding &sharding, ArrayRef<int64_t> grid) {
  SmallVector<int64_t> local;
  for (auto [size, axes] : llvm::zip_equal(shape, sharding))
    local.push_back(getLocalSize(size, axes, grid));
  return local;
}

/// Ranks that share an axis.
static int64_t countParts(ArrayRef<int16_t> axes, ArrayRef<int64_t> grid) {
  int64_t parts = 1;
  for (int16_t axis : axes)
    parts *= grid[axis];
  return parts;
}

/// Whether the factor is only a part of some tensor's axis: then it is cut evenly or not at all.
static bool isPartOfAxis(const ShardingRule &rule, unsigned factor) {
  for (const auto *tensors : {&rule.operands, &rule.results})
    for (const TensorFactors &tensor : *tensors)
      for (const auto &axis : tensor)
        if (axis.size() > 1 && llvm::is_contained(axis, factor))
          return true;
  return false;
}

/// Whether the factor stands behind another one in some tensor's axis: its parts would not be one piece there.
static bool isMinorOfAxis(const ShardingRule &rule, unsigned factor) {
  for (const auto *tensors : {&rule.operands, &rule.results})
    for (const TensorFactors &tensor : *tensors)
      for (const auto &axis : tensor)
        if (axis.size() > 1 && llvm::is_contained(ArrayRef(axis).drop_front(), factor))
          return true;
  return false;
}

static const TensorFactors &getTensor(const ShardingRule &rule, unsigned tensor) {
  size_t operands = rule.operands.size(), outer = operands + rule.results.size();
  if (tensor >= outer)
    return rule.inner[tensor - outer].second;
  return tensor < operands ? rule.operands[tensor] : rule.results[tensor - operands];
}

FactorShardings shareFactors(const ShardingRule &rule, ArrayRef<std::pair<unsigned, const KnownSharding *>> tensors,
                             ArrayRef<int64_t> grid, SmallVectorImpl<ShardingConflict> *conflicts) {
  FactorShardings shared;
  shared.axes.resize(rule.factors.size());
  shared.sources.resize(rule.factors.size());
  for (auto [number, known] : tensors) {
    if (!known)
      continue;
    for (auto [factors, axes] : llvm::zip_equal(getTensor(rule, number), known->axes)) {
      if (factors.empty() || axes.empty())
        continue;
      unsigned factor = factors.front();
      if (isMinorOfAxis(rule, factor))
        continue;
      GridAxes &own = shared.axes[factor];
      size_t common = std::min(own.size(), axes.size());
      bool agrees = ArrayRef<int16_t>(own).take_front(common) == ArrayRef<int16_t>(axes).take_front(common);
      if (agrees && axes.size() <= own.size())
        continue;
      std::optional<Location> other = agrees ? std::nullopt : shared.sources[factor];
      GridAxes kept = own;
      // One axis of the grid cuts one factor of a space.
      for (unsigned k = 0; k < shared.axes.size() && !other; ++k)
        if (k != factor && rule.factors[k].space == rule.factors[factor].space &&
            llvm::any_of(axes, [&](int16_t axis) { return llvm::is_contained(shared.axes[k], axis); })) {
          other = shared.sources[k];
          kept = shared.axes[k];
        }
      if (other) {
        if (conflicts)
          conflicts->push_back({kept, axes, *other, known->source});
        continue;
      }
      if (isPartOfAxis(rule, factor) && rule.factors[factor].size % countParts(axes, grid) != 0)
        continue;
      own = axes;
      shared.sources[factor] = known->source;
    }
  }
  return shared;
}

Sharding getTensorSharding(const TensorFactors &tensor, const FactorShardings &factors) {
  Sharding sharding;
  for (const auto &axis : tensor)
    sharding.push_back(axis.empty() ? GridAxes() : factors.axes[axis.front()]);
  return sharding;
}

//===--- Annotations ----------------------------------------------------------------------------------------------===//

/// A rank's number has 31 bits, as MPI's have.
static LogicalResult readGrid(shard::GridOp op, SmallVectorImpl<int64_t> &grid) {
  grid.assign(op.getShape().begin(), op.getShape().end());
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t ranks = 1;
  for (int64_t size : grid) {
    if (size < 1)
      return op.emitOpError("expects sizes that are known and positive");
    if (llvm::MulOverflow(ranks, size, ranks) || ranks > most)
      return op.emitOpError("expects at most ") << most << " ranks";
  }
  return success();
}

LogicalResult ShardingPropagation::readAnnotation(shard::ShardOp op, shard::GridOp &gridOp) {
  auto sharding = op.getSharding().getDefiningOp<shard::ShardingOp>();
  if (!sharding)
    return op.emitOpError("expects a sharding that 'shard.sharding' defines");
  // There is one: shard.sharding's verifier saw to it.
  auto named = SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(op, sharding.getGridAttr());
  if (gridOp && gridOp != named)
    return sharding.emitOpError("expects the function's one grid, '")
           << gridOp.getSymName() << "', got '" << named.getSymName() << "'";
  gridOp = named;
  if (failed(readGrid(named, grid)))
    return failure();
  cutsBodies &= !gridOp->hasAttr(kMicrobatchesAttr);
  for (Operation *parent = op->getParentOp(); parent != function; parent = parent->getParentOp())
    if (!getShardable(parent))
      return op.emitOpError("expects to stand in the body of the function, got one inside of '")
             << op->getParentOp()->getName() << "'";
  if (!sharding.getStaticHaloSizes().empty() || !sharding.getStaticShardedDimsOffsets().empty())
    return sharding.emitOpError("expects neither halos nor offsets");
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ArrayRef<shard::GridAxesAttr> split = sharding.getSplitAxes().getAxes();
  Sharding axes(type.getRank());
  llvm::SmallDenseSet<int16_t> seen;
  for (auto [at, list] : llvm::enumerate(split)) {
    if (list.empty())
      continue;
    if (at >= axes.size())
      return op.emitOpError("expects a sharding of at most ") << type.getRank() << " axes, got " << split.size();
    axes[at].assign(list.asArrayRef().begin(), list.asArrayRef().end());
    for (int16_t axis : axes[at])
      if (axis < 0 || axis >= static_cast<int64_t>(grid.size()) || !seen.insert(axis).second)
        return sharding.emitOpError("expects axes of the grid, each once, got ") << axis;
  }
  known.insert({op.getResult(), KnownSharding{axes, op.getLoc(), true}});
  // The first annotation of a value says how it is, each other one what its users get.
  if (!op.getAnnotateForUsers())
    known.insert({op.getSrc(), KnownSharding{axes, op.getLoc(), true}});
  return success();
}

FailureOr<shard::GridOp> ShardingPropagation::readAnnotations() {
  shard::GridOp gridOp;
  int64_t stageAxis = -1;
  // A pipeline needs no other annotation.
  WalkResult stages = function.walk([&](StageOp op) {
    auto named = SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(op, op.getGridAttr());
    if (!named) {
      op.emitOpError("names grid '") << op.getGrid() << "', which is not there";
      return WalkResult::interrupt();
    }
    gridOp = gridOp ? gridOp : named;
    stageAxis = stageAxis < 0 ? int64_t(op.getAxis()) : stageAxis;
    return WalkResult::advance();
  });
  if (stages.wasInterrupted())
    return failure();
  if (gridOp) {
    cutsBodies = false;
    if (failed(readGrid(gridOp, grid)))
      return failure();
  }
  WalkResult result = function.walk([&](shard::ShardOp op) {
    if (failed(readAnnotation(op, gridOp)))
      return WalkResult::interrupt();
    // Each stage would have a part of what one of them computes.
    for (shard::GridAxesAttr axes : op.getSharding().getDefiningOp<shard::ShardingOp>().getSplitAxes().getAxes())
      if (llvm::is_contained(axes.asArrayRef(), stageAxis)) {
        op.emitOpError("cuts a value along the grid's axis of stages, ") << stageAxis;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return gridOp;
}

//===--- Propagation ----------------------------------------------------------------------------------------------===//

FactorShardings ShardingPropagation::share(ShardingOpInterface op, SmallVectorImpl<ShardingConflict> *conflicts) const {
  SmallVector<std::pair<unsigned, const KnownSharding *>> tensors;
  ShardingRule rule = op.getShardingRule();
  for (bool fixed : {true, false}) {
    unsigned number = 0;
    auto add = [&](Value value) {
      if (const KnownSharding *entry = lookup(value); entry && entry->isFixed == fixed)
        tensors.push_back({number, entry});
      ++number;
    };
    llvm::for_each(op->getOperands(), add);
    llvm::for_each(op->getResults(), add);
    llvm::for_each(llvm::make_first_range(rule.inner), add);
  }
  return shareFactors(rule, tensors, grid, conflicts);
}

/// Whether something became known.
bool ShardingPropagation::update(ShardingOpInterface op) {
  ShardingRule rule = op.getShardingRule();
  FactorShardings shared = share(op);
  bool changed = false;
  auto grow = [&](Value value, const TensorFactors &factors) {
    const KnownSharding *entry = lookup(value);
    if (entry && entry->isFixed)
      return;
    Sharding axes = entry ? entry->axes : Sharding(factors.size());
    std::optional<Location> source;
    for (auto [at, list] : llvm::enumerate(factors)) {
      if (list.empty())
        continue;
      const GridAxes &wanted = shared.axes[list.front()];
      bool extends = wanted.size() > axes[at].size() &&
                     ArrayRef<int16_t>(wanted).take_front(axes[at].size()) == ArrayRef<int16_t>(axes[at]);
      // Nothing to do for most ranks.
      int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(at);
      if (!extends || size < countParts(wanted, grid))
        continue;
      bool isFree = true;
      for (size_t other = 0; other < axes.size(); ++other)
        for (int16_t axis : wanted)
          isFree &= other == at || !llvm::is_contained(axes[other], axis);
      if (!isFree)
        continue;
      axes[at] = wanted;
      source = shared.sources[list.front()];
    }
    if (!source)
      return;
    known.insert_or_assign(value, KnownSharding{axes, *source, false});
    changed = true;
  };
  for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands))
    grow(operand, factors);
  for (auto [result, factors] : llvm::zip_equal(op->getResults(), rule.results))
    grow(result, factors);
  for (const auto &[value, factors] : rule.inner)
    grow(value, factors);
  return changed;
}

ShardingOpInterface ShardingPropagation::getShardable(Operation *op) const {
  return op->getNumRegions() && !cutsBodies ? ShardingOpInterface() : dyn_cast<ShardingOpInterface>(op);
}

SmallVector<ShardingOpInterface> ShardingPropagation::listShardable() const {
  SmallVector<ShardingOpInterface> ops;
  func::FuncOp(function).getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ShardingOpInterface shardable = getShardable(op);
    if (shardable)
      ops.push_back(shardable);
    return op->getNumRegions() && !shardable ? WalkResult::skip() : WalkResult::advance();
  });
  return ops;
}

void ShardingPropagation::propagate() {
  SmallVector<ShardingOpInterface> ops = listShardable();
  for (bool changed = true; changed;) {
    changed = false;
    for (ShardingOpInterface op : ops)
      changed |= update(op);
    for (ShardingOpInterface op : llvm::reverse(ops))
      changed |= update(op);
  }
}

//===--- Remarks --------------------------------------------------------------------------------------------------===//

/// `[0, 1] of the annotation at 7:3`
static std::string describe(ArrayRef<int16_t> axes, Location source) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(axes, os);
  os << "] of the annotation";
  if (auto place = source->findInstanceOf<FileLineColLoc>())
    os << " at " << place.getLine() << ":" << place.getColumn();
  return text;
}

void ShardingPropagation::explain(const Remarks &remarks) const {
  if (!remarks.isOn())
    return;
  for (ShardingOpInterface op : listShardable()) {
    SmallVector<ShardingConflict> conflicts;
    share(op, &conflicts);
    for (const ShardingConflict &conflict : conflicts)
      remarks.missed(op.getLoc(), "conflict",
                     "keeps grid axes " + describe(conflict.kept, conflict.keptSource) + " and drops " +
                         describe(conflict.dropped, conflict.droppedSource));
  }
  func::FuncOp(function).getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (getShardable(op))
      return WalkResult::advance();
    bool computes = isa_and_nonnull<TinyDialect>(op->getDialect()) && !op->hasTrait<OpTrait::IsTerminator>() &&
                    op->getNumOperands() + op->getNumRegions() > 0;
    if (computes)
      remarks.missed(op->getLoc(), "replicated",
                     "'" + op->getName().getStringRef() + "' is not cut: every rank computes all of it");
    return WalkResult::skip();
  });
}

} // namespace tiny::tensor
