// Picks the rule that fits a kernel, and plans lanes along free axes itself.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "CpuSchedule.h"
#include "BlockSchedule.h"
#include "ByteProducts.h"
#include "ColumnSchedule.h"
#include "KeptRows.h"
#include "Lanes.h"
#include "LoopSchedule.h"
#include "ProductSchedule.h"
#include "RowSchedule.h"
#include "ShortRows.h"
#include "StreamedSums.h"
#include "WindowSchedule.h"

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/AccumulatorTile.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Support/Remarks.h"

using namespace mlir;

namespace tiny::kernel {
namespace {

/// One step of a script: split the axis of this id.
struct Step {
  int64_t id, factor;
  AxisKind kind;
};

/// Whether free loops stand inside the axis's loop. Rows then run side by side, and each pass over them strides.
static bool hasLoopsInside(FuncOp kernel, RangeOp axis) {
  return llvm::any_of(kernel.getBody().getOps<RangeOp>(), [&](RangeOp other) {
    return other.getKind() == AxisKind::Loop && !isReduced(other) && other.getPlace() > axis.getPlace();
  });
}

/// Whether to pad an axis that full vectors do not divide, instead of leaving it to LLVM's vectoriser. The vectoriser
/// leaves the rest of a loop scalar, lengthens no vectors, does not work across inner loops (some functions are such
/// loops), and seldom gathers.
static bool needsFullLanes(FuncOp kernel, RangeOp axis, int64_t lanes) {
  if (static_cast<int64_t>(axis.getExtent()) % lanes > cost::kLongestRest ||
      judgeLanes(kernel, axis) == LaneFit::Gathers)
    return true;
  llvm::DenseSet<Value> varying = findVarying(axis);
  return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
    return (isa<ReduceOp>(op) || target::isFunction(&op)) &&
           llvm::any_of(op.getResults(), [&](Value result) { return varying.contains(result); });
  });
}

/// Whether an axis that is stored along, and shorter than half a vector, becomes copies. LLVM's vectoriser then makes
/// vectors of functions along the loop outside.
static bool prefersCopies(FuncOp kernel, RangeOp axis, int64_t lanes) {
  int64_t extent = axis.getExtent(), rows = 1, functions = 0;
  if (axis.getKind() != AxisKind::Loop || extent * 2 >= lanes)
    return false;
  llvm::DenseSet<Value> varying = findVarying(axis);
  AccessStride strides(axis);
  for (Operation &op : kernel.getBody().front()) {
    if (isLoopingFunction(&op) || isa<ReduceOp, StageOp>(op))
      return false;
    if (auto range = dyn_cast<RangeOp>(op); range && range != axis)
      rows = std::max<int64_t>(rows, range.getExtent());
    if (auto store = dyn_cast<StoreOp>(op); store && strides.get(store.getIndex()) != std::optional<int64_t>(1))
      return false;
    functions += target::isFunction(&op) && varying.contains(op.getResult(0));
  }
  return functions > 0 && rows >= lanes && functions * extent <= cost::kMostFunctionCopies;
}

/// Plans several vectors side by side along the axis, whose elements are neighbours in memory: no more than a core can
/// begin while one of them waits for its longest chain of operations. False if the body is too short to need them or
/// too long to repeat.
static bool planVectors(SchedulePlan &plan, int64_t id, int64_t lanes, const cost::Machine &target) {
  RangeOp axis = plan.getAxis(id);
  llvm::DenseSet<Value> varying = findVarying(axis);
  int64_t operations = 0, functions = 0, bits = 32, interval = 0, longest = 0;
  llvm::DenseMap<Value, int64_t> chains;
  for (Operation &op : plan.getKernel().getBody().front()) {
    // Indices are free, and a stage's tile is no element.
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isIntOrFloat() || !varying.contains(op.getResult(0)))
      continue;
    functions += target::isFunction(&op);
    if (!isa<KernelDialect>(op.getDialect())) {
      const cost::OpCost &cost = target.getCost(target::classify(&op));
      int64_t &chain = chains[op.getResult(0)];
      for (Value operand : op.getOperands())
        chain = std::max(chain, chains.lookup(operand));
      chain += cost.latency;
      longest = std::max(longest, chain);
      interval += cost.interval;
      ++operations;
    }
    bits = std::max<int64_t>(bits, op.getResult(0).getType().getIntOrFloatBitWidth());
  }
  if ((functions == 0 && operations < cost::kLongBody) || functions > cost::kMostFunctionCopies ||
      operations > cost::kLongestBody)
    return false;
  bool needsPowerOf2 = makesScalars(plan.getKernel());
  int64_t useful = llvm::divideCeil(longest, std::max<int64_t>(1, interval));
  SmallVector<int64_t> counts = llvm::filter_to_vector(cost::kVectorsSideBySide, [&](int64_t count) {
    return count <= useful && count * lanes * bits / 8 <= cost::kMostBytesSideBySide &&
           (llvm::isPowerOf2_64(count) || !needsPowerOf2);
  });
  int64_t extent = axis.getExtent();
  auto *found = llvm::find_if(counts, [&](int64_t count) { return extent % (count * lanes) == 0; });
  if (counts.empty())
    return false;
  int64_t together = lanes * (found == counts.end() ? counts.front() : *found);
  if (found == counts.end() && (extent < cost::kVectorsOfGatedAxis * together || !plan.pad(id, together)))
    return false;
  return plan.split(id, together, AxisKind::Upcast);
}

/// Vectors of lanes along the axis for reductions that read a vector of each row and go on to the next row, which lies
/// in another cache line: enough to read long runs, with their accumulators in half of the registers. 1 elsewhere.
static int64_t countVectorsAcross(FuncOp kernel, RangeOp axis, const cost::Machine &target) {
  AccessStride lanes(axis);
  bool isAcross = false;
  int64_t accumulators = 0;
  for (auto reduce : kernel.getBody().getOps<ReduceOp>()) {
    // Maxima carry three accumulators each, see uop-split-extrema.
    bool isExtremum = reduce.getKind() && isa<FloatType>(reduce.getResult(0).getType()) &&
                      reduce.getKind() != arith::AtomicRMWKind::addf && reduce.getKind() != arith::AtomicRMWKind::mulf;
    accumulators += static_cast<int64_t>(reduce.getNumResults()) * (isExtremum ? 3 : 1);
    if (!lanes.dependsOnAxis(reduce.getResult(0)))
      return 1;
  }
  for (LoadOp load : findReducedLoads(kernel)) {
    if (lanes.get(load.getIndex()) != std::optional<int64_t>(1))
      continue;
    for (auto reduced : kernel.getBody().getOps<RangeOp>())
      if (std::optional<int64_t> stride = AccessStride(reduced).get(load.getIndex());
          reduced.getKind() == AxisKind::Reduce && stride && std::abs(*stride) > target.getLanes())
        isAcross = true;
  }
  int64_t vectors = isAcross ? cost::kVectorsAcross : 1;
  while (vectors > 1 && vectors * accumulators > target.vectorRegisters / 2)
    vectors /= 2;
  return vectors;
}

/// Plans lanes along the axis, or leaves it to LLVM's vectoriser and returns false.
bool planLanesAlong(SchedulePlan &plan, int64_t id, const cost::Machine &target) {
  FuncOp kernel = plan.getKernel();
  int64_t lanes = countLanes(kernel, target);
  RangeOp axis = plan.getAxis(id);
  int64_t extent = axis.getExtent();
  Location loc = axis.getLoc();
  LaneFit fit = judgeLanes(kernel, axis);
  plan.clearRefusal();
  bool strides = hasLoopsInside(kernel, axis) && fit != LaneFit::Gathers;
  if (int64_t across = fit == LaneFit::Neighbours ? countVectorsAcross(kernel, axis, target) : 1; across > 1)
    if (int64_t full = findMultiple(extent, across * lanes, lanes); full > lanes && plan.pad(id, full))
      return plan.split(id, full, AxisKind::Upcast);
  if (!strides && fit == LaneFit::Neighbours && planVectors(plan, id, lanes, target))
    return true;
  int64_t most = lanes * (strides ? cost::kVectorsAcross : 1), factor = most;
  while (factor > 1 && extent % factor != 0)
    factor /= 2;
  if (factor < lanes && needsFullLanes(kernel, axis, lanes)) {
    int64_t full = std::min<int64_t>(findMultiple(extent, most, lanes), llvm::PowerOf2Ceil(extent));
    if (plan.pad(id, full))
      factor = full;
  }
  // Part of a vector is worse than a loop, which LLVM's vectoriser takes in whole vectors with a rest.
  if (!strides && fit == LaneFit::Neighbours && factor < lanes && extent >= lanes)
    factor = 1;
  if (factor > 1 && plan.split(id, factor, AxisKind::Upcast))
    return true;
  Remarks remarks("kernel-default-schedule", kernel);
  auto tell = [&](const Twine &why) { return ("axis " + Twine(id) + " has no lanes: " + why).str(); };
  SmallVector<ReasonNumber> numbers = {{"axis", double(id)}, {"extent", double(extent)}, {"lanes", double(lanes)}};
  if (remarks.isOn() && plan.getRefusal().empty())
    remarks.analysis(loc, "upcast", tell("LLVM's vectoriser takes its extent of " + Twine(extent)), numbers);
  else if (remarks.isOn())
    remarks.missed(loc, "upcast", tell(plan.getRefusal()), numbers);
  return false;
}

/// Plans lanes along the free axes that fit best. Returns the id of one of them, if any.
std::optional<int64_t> planLanes(SchedulePlan &plan, const cost::Machine &target) {
  int64_t lanes = target.getLanes();
  FuncOp kernel = plan.getKernel();
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (int64_t id = axis.getId(); prefersCopies(kernel, axis, lanes))
      return plan.split(id, axis.getExtent(), AxisKind::Unroll) ? std::optional(id) : std::nullopt;
  SmallVector<int64_t> ids =
      llvm::map_to_vector(findLanes(kernel, lanes), [](RangeOp axis) { return static_cast<int64_t>(axis.getId()); });
  std::optional<int64_t> planned;
  for (int64_t id : ids)
    if (planLanesAlong(plan, id, target))
      planned = id;
  return planned;
}

/// The number of loads of reductions that do not move along the axis while others do: neighbouring points share them in
/// a register. 0 if some access is not affine in the axis or gated by it.
int64_t countReuse(FuncOp kernel, RangeOp axis, ArrayRef<LoadOp> reducedLoads) {
  AccessStride strides(axis);
  for (Operation &op : kernel.getBody().front()) {
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!load && !store)
      continue;
    Value gate = load ? load.getGate() : store.getGate();
    std::optional<int64_t> stride = strides.get(load ? load.getIndex() : store.getIndex());
    if (!stride || (store && *stride == 0) || (gate && strides.dependsOnAxis(gate)))
      return 0;
  }
  int64_t still = llvm::count_if(reducedLoads, [&](LoadOp load) { return *strides.get(load.getIndex()) == 0; });
  return still == static_cast<int64_t>(reducedLoads.size()) ? 0 : still;
}

/// The most reductions that one loop runs side by side; 1 if there are none.
int64_t countSideBySide(FuncOp kernel) {
  int64_t most = 1;
  llvm::DenseMap<Value, int64_t> counts;
  for (auto reduce : kernel.getBody().getOps<ReduceOp>())
    for (Value range : reduce.getRanges())
      most = std::max(most, ++counts[range]);
  return most;
}

/// The largest factor up to `most` that divides the extent; where all of these are small, the one with the fewest
/// points behind the end.
static int64_t chooseFactor(int64_t extent, int64_t most) {
  int64_t largest = std::min(most, extent), best = largest;
  for (int64_t factor = largest; 2 * factor > largest; --factor) {
    if (extent % factor == 0)
      return factor;
    if (llvm::alignTo(extent, factor) < llvm::alignTo(extent, best))
      best = factor;
  }
  return best;
}

/// Chooses a second axis beside the lanes, so that a reduction keeps several accumulators. They hide each other's
/// latency and share values that do not depend on the axis.
std::optional<Step> chooseTile(FuncOp kernel, int64_t lanesId, int64_t tile) {
  SmallVector<LoadOp> loads = findReducedLoads(kernel);
  std::optional<Step> best;
  int64_t bestReuse = 0;
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    if (axis.getKind() != AxisKind::Loop || axis.getId() == static_cast<uint64_t>(lanesId) || isReduced(axis))
      continue;
    int64_t reuse = countReuse(kernel, axis, loads), factor = chooseFactor(axis.getExtent(), tile);
    // More reuse first, then more accumulators.
    if (factor > 1 && (reuse > bestReuse || (reuse > 0 && reuse == bestReuse && factor > best->factor))) {
      best = Step{static_cast<int64_t>(axis.getId()), factor, AxisKind::Upcast};
      bestReuse = reuse;
    }
  }
  return best;
}

/// Chooses a reduced axis for lanes, each with an accumulator of its own: every load moves along it by one element or
/// not at all, and its reductions may combine in any order.
std::optional<Step> chooseReducedLanes(FuncOp kernel, int64_t lanes) {
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    if (axis.getKind() != AxisKind::Reduce || axis.getExtent() % lanes != 0)
      continue;
    bool fits = llvm::all_of(axis->getUsers(), [&](Operation *user) {
      auto reduce = dyn_cast<ReduceOp>(user);
      return !reduce || (reduce.getKind() && reduce.mayReorder());
    });
    AccessStride strides(axis);
    bool walks = false;
    for (auto load : kernel.getBody().getOps<LoadOp>()) {
      std::optional<int64_t> stride = strides.get(load.getIndex());
      fits &= stride && (*stride == 0 || *stride == 1) && !(load.getGate() && strides.dependsOnAxis(load.getGate()));
      walks |= stride == std::optional<int64_t>(1);
    }
    if (fits && walks)
      return Step{static_cast<int64_t>(axis.getId()), lanes, AxisKind::Upcast};
  }
  return std::nullopt;
}

/// Schedules a reduction that keeps a tile of accumulators. The whole tile becomes copies. Beside it stand lanes for
/// the reduction that the tile shares, and as many rows as leave the accumulators in registers.
SmallVector<Step> scheduleAccumulatorTile(FuncOp kernel, ArrayRef<RangeOp> axes, const cost::Machine &target,
                                          int64_t tile) {
  SmallVector<Step> steps;
  int64_t points = 1;
  for (RangeOp axis : axes) {
    steps.push_back({static_cast<int64_t>(axis.getId()), static_cast<int64_t>(axis.getExtent()), AxisKind::Upcast});
    points *= axis.getExtent();
  }
  if (std::optional<Step> reduced = chooseReducedLanes(kernel, target.getLanes()))
    steps.push_back(*reduced);
  if (std::optional<Step> rows =
          chooseTile(kernel, steps.front().id, std::min(tile, cost::getMostAccumulators(target) / points)))
    steps.push_back(*rows);
  return steps;
}

/// Says why a schedule that fits the kernel was given up: a step that was refused.
static void tellRefusal(SchedulePlan &plan, StringRef what) {
  if (!plan.getRefusal().empty())
    Remarks("kernel-default-schedule", plan.getOriginal())
        .missed(plan.getOriginal().getLoc(), what, what + " given up: " + plan.getRefusal());
}

} // namespace

static void addStep(SchedulePlan &plan, const Step &step) {
  if (plan.pad(step.id, step.factor))
    plan.split(step.id, step.factor, step.kind);
}

/// Whether a window's factors, all of which are written out, leave no quarter of the registers to its sums: each would
/// be loaded again for each row, which prediction does not see.
static bool leavesNoRoom(FuncOp kernel, const cost::Machine &target) {
  int64_t taps = 1;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Unroll && isReduced(axis))
      taps *= static_cast<int64_t>(axis.getExtent());
  return 4 * taps > 3 * target.vectorRegisters;
}

/// Takes the best predicted loops instead of what the rules planned, where they are faster. `plan` has its loops
/// merged.
static StringRef preferLoops(SchedulePlan &plan, SchedulePlan &ruled, StringRef rule, const cost::Machine &target,
                             bool isEven = false) {
  if (scheduleLoops(plan, ruled, target, isEven))
    return "the best predicted loops";
  plan.swap(ruled);
  return rule;
}

StringRef scheduleCpu(SchedulePlan &plan, const cost::Machine &target, int64_t tile,
                      const llvm::SmallBitVector &constants) {
  FuncOp kernel = plan.getOriginal();
  if (scheduleByteProducts(plan, target)) {
    addParts(plan, target);
    return "products of bytes";
  }
  SmallVector<Step> steps;
  StringRef rule = "a tile of accumulators";
  if (SmallVector<RangeOp> axes = findAccumulatorTile(kernel, cost::getMostAccumulators(target)); !axes.empty()) {
    if (scheduleBlocks(plan, axes, target)) {
      addParts(plan, target);
      return "blocks of accumulators";
    }
    tellRefusal(plan, "blocks");
    steps = scheduleAccumulatorTile(kernel, axes, target, tile);
  } else {
    for (bool pack : {true, false}) {
      if (!mergeLoops(plan, pack) && pack)
        continue;
      std::optional<Products> products = findProducts(plan.getKernel());
      plan.clearRefusal();
      if (products && scheduleProduct(plan, *products, target, constants)) {
        // The readers of a block of rows are passes over each row.
        if (products->isKept) {
          SchedulePlan bare(plan);
          unstageRows(bare, target);
          if (!scheduleRows(plan, bare, target, target.getLanes(), products->reduced))
            plan.swap(bare);
          addParts(plan, target);
        }
        SchedulePlan streamed(kernel);
        mergeLoops(streamed, /*pack=*/false);
        if (!products->isKept && scheduleStreamedSums(streamed, plan, target)) {
          addParts(streamed, target);
          plan.swap(streamed);
          return "sums in a tile";
        }
        return "tiles of products";
      }
      if (products)
        tellRefusal(plan, "product");
      if (pack)
        plan.reset();
    }
    // A window is walked by rows: merged loops would have to be divided for each gate.
    SchedulePlan windows(kernel);
    if (scheduleWindows(windows, target)) {
      mergeReduced(plan);
      rule = preferLoops(plan, windows, "sliding windows", target, leavesNoRoom(windows.getKernel(), target));
      addParts(plan, target);
      return rule;
    }
    tellRefusal(windows, "windows");
    mergeReduced(plan);
    SchedulePlan merged(plan), bare(plan);
    unstageRows(bare, target);
    ShortRows rows = findShortRows(bare.getKernel(), target, [&](RangeOp axis) {
      return judgeStoredLanes(bare.getKernel(), axis) > LaneFit::Gathers;
    });
    int64_t shortest = rows.way == ShortRows::Way::Lanes ? 2 : target.getLanes();
    if (scheduleShortRows(bare, rows)) {
      plan.swap(bare);
      rule = "short rows";
    } else if (scheduleRows(plan, bare, target, shortest)) {
      rule = "rows";
    } else if (scheduleColumns(plan, bare, target)) {
      rule = "columns";
    } else {
      // What is kept in no tile of rows or columns is computed by each pass.
      plan.swap(bare);
      rule = "lanes along free axes";
      if (std::optional<int64_t> id = planLanes(plan, target)) {
        // All accumulators of a loop stay in registers, with room for the values that they combine.
        int64_t vectors = 1;
        for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
          if (axis.getKind() == AxisKind::Upcast)
            vectors *= llvm::divideCeil(static_cast<int64_t>(axis.getExtent()), target.getLanes());
        int64_t most = std::max<int64_t>(1, target.vectorRegisters * 3 / 4 / countSideBySide(kernel) / vectors);
        if (std::optional<Step> second = chooseTile(plan.getKernel(), *id, std::min<int64_t>(tile, most)))
          addStep(plan, *second);
      }
    }
    SchedulePlan streamed(merged);
    rule = preferLoops(merged, plan, rule, target);
    plan.swap(merged);
    if (scheduleStreamedSums(streamed, plan, target)) {
      plan.swap(streamed);
      rule = "sums in a tile";
    }
  }
  for (const Step &step : steps)
    addStep(plan, step);
  addParts(plan, target);
  return rule;
}

} // namespace tiny::kernel
