// Searches grids and the shardings of arguments and large constants for those with the shortest predicted step.
//
// What a plan costs is what its partitioned program costs: each candidate is partitioned, on a copy, and its products,
// bytes and exchanges are counted. Values that stand alike, as the weights of layers do, are cut alike. From a grid
// without cuts the search takes one group of them after the other, the largest first, tries all ways to cut it, and
// keeps the best, until a round changes nothing. What a person annotated is part of every candidate. A pipeline's grid
// has stages first, then ranks of each stage, then microbatches; its stages are where AssignStages puts them.
#include "AlikeValues.h"
#include "AssignStages.h"
#include "Partition.h"
#include "Pipeline.h"
#include "ScatterReductions.h"
#include "Sharding.h"
#include "StepCost.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Microbatches.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORCHOOSESHARDINGS
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

/// Groups of values that are cut in different ways; more would take too long, and small ones matter little.
constexpr size_t kMostGroups = 24;
/// Rounds over all groups.
constexpr unsigned kMostRounds = 4;
/// Elements of the smallest constant that is cut.
constexpr int64_t kSmallestConstant = 1 << 12;
/// Operations of the largest program, counted once for each microbatch, of which a pipeline is tried.
constexpr int64_t kMostInPipeline = 1 << 14;
/// A pipeline is chosen where its step is shorter than this share of the best other plan's: predictions are not finer.
constexpr double kPipelineGain = 0.95;
/// Stages of a pipeline: more would only wait.
constexpr int64_t kMostStages = 16;

struct Plan {
  SmallVector<int64_t> grid;
  /// The first axis of the grid has stages, and the last one microbatches.
  bool isPipeline = false;
  /// All-reduces that are scattered before what is computed next.
  unsigned scattered = 0;
  /// By group of values; empty: they are not annotated.
  SmallVector<Sharding> cuts;
  StepCost cost;
  bool fits = false;

  /// What fits comes first; then the shorter step, then the smaller memory. What does not fit is the better the smaller
  /// it is.
  bool isBetterThan(const Plan &other) const {
    if (fits != other.fits)
      return fits;
    auto key = [&](const Plan &plan) {
      return fits ? std::pair(plan.cost.getTime(), plan.cost.memory) : std::pair(plan.cost.memory, plan.cost.getTime());
    };
    return key(*this) < key(other);
  }
};

/// The search for one function.
class ShardingSearch {
public:
  ShardingSearch(func::FuncOp function, shard::GridOp own, int64_t ranks)
      : function(function), own(own), ranks(ranks), machine(target::findMachine(function)), groups(listGroups()),
        weights(findWeights(function, machine)) {}

  /// The best plan; fails with an error where there is none.
  FailureOr<Plan> run();
  /// Annotates these values, or what the mapping has in their place.
  void annotate(const Plan &plan, StringRef grid, const IRMapping &mapping = {}) const;
  ArrayRef<SmallVector<Value>> getGroups() const { return groups; }
  unsigned getTried() const { return tried; }

private:
  std::vector<Plan> listGrids();
  SmallVector<SmallVector<Value>> listGroups();
  SmallVector<Sharding> listCuts(unsigned group, const Plan &plan);
  bool evaluate(Plan &plan);
  void improve(Plan &plan);

  func::FuncOp function;
  /// The grid that a person's annotations name, if there are some.
  shard::GridOp own;
  int64_t ranks;
  const cost::Machine &machine;
  /// The largest first.
  SmallVector<SmallVector<Value>> groups;
  llvm::MapVector<Value, double> weights;
  unsigned tried = 0;
};

} // namespace

/// One axis of ranks, or two; and pipelines of each number of stages, with as many microbatches or some times more.
std::vector<Plan> ShardingSearch::listGrids() {
  std::vector<Plan> plans;
  auto add = [&](ArrayRef<int64_t> grid, bool isPipeline = false) {
    Plan &plan = plans.emplace_back();
    plan.grid.assign(grid.begin(), grid.end());
    plan.isPipeline = isPipeline;
  };
  if (own) {
    add(own.getShape());
    return plans;
  }
  add({ranks});
  for (int64_t outer = 2; outer < ranks; ++outer)
    if (ranks % outer == 0)
      add({outer, ranks / outer});
  int64_t size = std::distance(function.getBody().front().begin(), function.getBody().front().end());
  for (int64_t stages = 2; stages <= std::min<int64_t>(ranks, kMostStages); ++stages)
    for (int64_t microbatches : {stages, 2 * stages, 4 * stages})
      if (ranks % stages == 0 && size * microbatches <= kMostInPipeline)
        add({stages, ranks / stages, microbatches}, /*isPipeline=*/true);
  return plans;
}

/// Those that nobody annotated, the largest first.
SmallVector<SmallVector<Value>> ShardingSearch::listGroups() {
  auto count = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() ? type.getNumElements() : 0;
  };
  SmallVector<Value> values;
  auto add = [&](Value value, int64_t smallest) {
    if (count(value) >= smallest && llvm::none_of(value.getUsers(), llvm::IsaPred<shard::ShardOp>))
      values.push_back(value);
  };
  for (BlockArgument argument : function.getArguments())
    add(argument, 2);
  for (auto constant : function.getBody().front().getOps<ConstantOp>())
    add(constant, kSmallestConstant);
  SmallVector<SmallVector<Value>> list = groupAlike(function, values);
  auto countAll = [&](const SmallVector<Value> &group) {
    return count(group.front()) * static_cast<int64_t>(group.size());
  };
  llvm::stable_sort(list, [&](const auto &a, const auto &b) { return countAll(a) > countAll(b); });
  list.truncate(std::min(list.size(), kMostGroups));
  return list;
}

/// Every way to give each axis of the grid an axis of the tensor that is long enough, or none. In a pipeline one axis
/// of the tensor, cut among the ranks of a stage, and its parts into microbatches.
SmallVector<Sharding> ShardingSearch::listCuts(unsigned group, const Plan &plan) {
  ArrayRef<int64_t> grid = plan.grid;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(groups[group].front().getType()).getShape();
  SmallVector<Sharding> cuts = {Sharding(shape.size())};
  if (plan.isPipeline) {
    cuts.front().clear();
    // Stages have weights whole.
    if (weights.contains(groups[group].front()))
      return cuts;
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      if (extent < grid[1] * grid[2])
        continue;
      Sharding &cut = cuts.emplace_back(shape.size());
      if (grid[1] > 1)
        cut[axis].push_back(1);
      cut[axis].push_back(2);
    }
    return cuts;
  }
  for (auto [gridAxis, size] : llvm::enumerate(grid)) {
    for (size_t known = 0, end = cuts.size(); known < end; ++known)
      for (auto [axis, extent] : llvm::enumerate(shape)) {
        Sharding cut = cuts[known];
        cut[axis].push_back(static_cast<int16_t>(gridAxis));
        int64_t parts = 1;
        for (int16_t each : cut[axis])
          parts *= grid[each];
        if (extent >= parts)
          cuts.push_back(std::move(cut));
      }
  }
  // The first one is the value without an annotation.
  cuts.front().clear();
  return cuts;
}

void ShardingSearch::annotate(const Plan &plan, StringRef grid, const IRMapping &mapping) const {
  OpBuilder builder(func::FuncOp(function).getContext());
  for (auto [group, sharding] : llvm::zip_equal(groups, plan.cuts)) {
    if (sharding.empty())
      continue;
    auto split = llvm::map_to_vector(
        sharding, [&](const GridAxes &axes) { return shard::GridAxesAttr::get(builder.getContext(), axes); });
    for (Value member : group) {
      Value value = mapping.lookupOrDefault(member);
      builder.setInsertionPointAfterValue(value);
      Value how =
          shard::ShardingOp::create(builder, value.getLoc(), FlatSymbolRefAttr::get(builder.getContext(), grid), split);
      auto cut = shard::ShardOp::create(builder, value.getLoc(), value, how);
      value.replaceAllUsesExcept(cut.getResult(), cut);
    }
  }
}

/// Partitions a copy and predicts what a rank's program takes. False where there is no such program.
bool ShardingSearch::evaluate(Plan &plan) {
  ++tried;
  OwningOpRef<ModuleOp> scratch(ModuleOp::create(function.getLoc()));
  OpBuilder builder = OpBuilder::atBlockBegin(scratch->getBody());
  StringRef name = own ? own.getSymName() : StringRef("ranks");
  auto grid = shard::GridOp::create(builder, function.getLoc(), name, plan.grid);
  if (plan.isPipeline)
    grid->setAttr(kMicrobatchesAttr, builder.getI64IntegerAttr(2));
  IRMapping mapping;
  auto copy = cast<func::FuncOp>(builder.clone(*function, mapping));
  if (plan.isPipeline && !assignStages(copy, name, /*axis=*/0, plan.grid[0], machine))
    return false;
  annotate(plan, name, mapping);
  QuietRemarks quiet;
  ScopedDiagnosticHandler swallow(function.getContext(), [](Diagnostic &) { return success(); });
  if (failed(partitionFunction(copy)))
    return false;
  plan.scattered = scatterReductions(copy, machine);
  plan.cost = plan.isPipeline ? predictPipeline(copy, ArrayRef(plan.grid).drop_back(), /*axis=*/0, machine)
                              : predictStep(copy, plan.grid, machine);
  plan.fits = machine.memoryBytes == 0 || plan.cost.memory <= machine.memoryBytes;
  return true;
}

/// Goes downhill, one group at a time.
void ShardingSearch::improve(Plan &plan) {
  for (unsigned round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    for (unsigned group = 0; group < groups.size(); ++group) {
      Plan best = plan;
      for (Sharding &cut : listCuts(group, plan)) {
        if (cut == plan.cuts[group])
          continue;
        Plan candidate = plan;
        candidate.cuts[group] = cut;
        if (evaluate(candidate) && candidate.isBetterThan(best))
          best = std::move(candidate);
      }
      changed |= best.cuts[group] != plan.cuts[group];
      plan = std::move(best);
    }
    if (!changed)
      return;
  }
}

FailureOr<Plan> ShardingSearch::run() {
  std::optional<Plan> best;
  for (Plan &plan : listGrids()) {
    plan.cuts.resize(groups.size());
    // Where nothing is annotated there is no program of ranks yet, and any cut is better.
    if (!evaluate(plan))
      continue;
    improve(plan);
    // Of plans that are predicted alike the simpler one.
    bool isAlike = best && plan.isPipeline && plan.fits == best->fits &&
                   double(plan.cost.getTime()) > kPipelineGain * double(best->cost.getTime());
    if (!best || (!isAlike && plan.isBetterThan(*best)))
      best = std::move(plan);
  }
  if (!best)
    return function.emitOpError("cannot be partitioned on ") << ranks << " ranks";
  if (!best->fits)
    return function.emitOpError("does not fit: of the shardings that were tried on ")
           << ranks << " ranks the smallest takes " << best->cost.memory << " bytes of a rank, which has "
           << machine.memoryBytes << " (memory_bytes of the record)";
  return *best;
}

/// "axis 0 by 2 ranks, axis 1 by 4".
static std::string describe(const Sharding &sharding, const Plan &plan) {
  std::string text;
  ArrayRef<int64_t> grid = plan.grid;
  for (auto [axis, list] : llvm::enumerate(sharding)) {
    int64_t parts = 1;
    int64_t microbatches = 1;
    for (int16_t each : list)
      (plan.isPipeline && each == 2 ? microbatches : parts) *= grid[each];
    if (microbatches > 1)
      text += llvm::formatv("{0}axis {1} in {2} microbatches", text.empty() ? "" : ", ", axis, microbatches).str();
    if (parts > 1)
      text += llvm::formatv("{0}axis {1} in {2} parts", text.empty() ? "" : ", ", axis, parts).str();
  }
  return text.empty() ? "whole" : text;
}

namespace {

struct TensorChooseShardings : impl::TensorChooseShardingsBase<TensorChooseShardings> {
  using TensorChooseShardingsBase::TensorChooseShardingsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (ranks < 1 || ranks > 1 << 20) {
      module.emitError("expects 1 to 2^20 ranks, got ") << ranks.getValue();
      return signalPassFailure();
    }
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!function.isExternal() && function.isPublic() && function.getBody().hasOneBlock() &&
          !function->hasAttr(kGridAttr) && failed(choose(module, function)))
        return signalPassFailure();
  }

  LogicalResult choose(ModuleOp module, func::FuncOp function) {
    ShardingPropagation written(function);
    FailureOr<shard::GridOp> own = written.readAnnotations();
    if (failed(own))
      return failure();
    if (*own && ((*own)->hasAttr(kMicrobatchesAttr) || !function.getOps<StageOp>().empty())) {
      Remarks("tensor-choose-shardings", function)
          .missed(function.getLoc(), "pipeline", "stays as it is annotated: plans have no pipelines");
      return success();
    }
    if (*own && ShapedType::getNumElements((*own).getShape()) != ranks)
      return (*own).emitOpError("expects a grid of the ") << ranks.getValue() << " ranks that are asked for";
    if (target::findMachine(function).network.front().ranks == 0)
      return function.emitOpError("expects a record with a 'network': utils/measure-network writes one");
    ShardingSearch search(function, *own, ranks);
    FailureOr<Plan> plan = search.run();
    if (failed(plan))
      return failure();
    std::string name = *own ? (*own).getSymName().str() : "ranks";
    if (!*own &&
        (plan->isPipeline || llvm::any_of(plan->cuts, [](const Sharding &sharding) { return !sharding.empty(); }))) {
      OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
      SymbolTable symbols(module);
      auto grid = shard::GridOp::create(builder, function.getLoc(), name, plan->grid);
      if (plan->isPipeline)
        grid->setAttr(kMicrobatchesAttr, builder.getI64IntegerAttr(2));
      symbols.insert(grid);
      name = grid.getSymName().str();
    }
    if (plan->isPipeline)
      (void)assignStages(function, name, /*axis=*/0, plan->grid[0], target::findMachine(function));
    search.annotate(*plan, name);
    tell(function, *plan, search);
    return success();
  }

  void tell(func::FuncOp function, const Plan &plan, const ShardingSearch &search) {
    Remarks remarks("tensor-choose-shardings", function);
    const StepCost &cost = plan.cost;
    std::string grid;
    for (int64_t size : ArrayRef(plan.grid).drop_back(plan.isPipeline))
      grid += (grid.empty() ? "" : "x") + std::to_string(size);
    bool isCut = plan.isPipeline || !function.getOps<shard::ShardOp>().empty();
    std::string what =
        (isCut ? "runs on a grid of " + grid + " ranks" : std::string("stays whole, no cut pays")) +
        (plan.isPipeline
             ? llvm::formatv(", a pipeline of {0} stages with {1} microbatches", plan.grid[0], plan.grid[2]).str()
             : std::string()) +
        llvm::formatv(": a step of {0:f1} us, {1:f1} of them exchanges; {2:f2} MiB of a rank",
                      double(cost.getTime()) / 1e3, double(cost.exchanges) / 1e3, double(cost.memory) / (1 << 20))
            .str();
    auto say = [&](const Twine &text) {
      if (announces)
        emitRemark(UnknownLoc::get(&getContext())) << "'" << function.getSymName() << "' " << text;
    };
    say(what);
    remarks.passed(function.getLoc(), isCut ? "chosen" : "whole", what,
                   {{"kernels", double(cost.kernels)},
                    {"exchanges", double(cost.exchanges)},
                    {"sent", double(cost.sent)},
                    {"memory", double(cost.memory)},
                    {"tried", double(search.getTried())}});
    if (plan.scattered) {
      std::string text = (Twine(plan.scattered) + (plan.scattered == 1 ? " sum is" : " sums are") +
                          " scattered, and what is computed next is cut along")
                             .str();
      remarks.passed(function.getLoc(), "scattered", text, {{"sums", double(plan.scattered)}});
      say(text);
    }
    for (auto [group, sharding] : llvm::zip_equal(search.getGroups(), plan.cuts)) {
      if (sharding.empty())
        continue;
      std::string how = describe(sharding, plan);
      for (Value value : group)
        remarks.passed(value.getLoc(), "cut", name(value) + ": " + how);
      say("cuts " + name(group.front()) + (group.size() > 1 ? " and " + Twine(group.size() - 1) + " alike" : Twine()) +
          ": " + how);
    }
  }

  static std::string name(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return "argument " + std::to_string(argument.getArgNumber());
    return llvm::formatv("a constant of {0}", value.getType());
  }
};

} // namespace
} // namespace tiny::tensor
