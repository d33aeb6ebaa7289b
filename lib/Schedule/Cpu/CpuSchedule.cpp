// Picks what fits a kernel: products of bytes, tiles of accumulators or of products, or the best predicted loops.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "CpuSchedule.h"
#include "BlockSchedule.h"
#include "ByteProducts.h"
#include "Lanes.h"
#include "LoopSchedule.h"
#include "MergeLoops.h"
#include "Parts.h"
#include "ProductSchedule.h"
#include "StreamedSums.h"

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Algebra/Cost/LoopChoice.h"
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

/// Plans a tile of accumulators, in blocks where their rows are products.
static StringRef scheduleAccumulators(SchedulePlan &plan, ArrayRef<RangeOp> axes, const cost::Machine &target,
                                      int64_t tile) {
  if (scheduleBlocks(plan, axes, target))
    return "blocks of accumulators";
  tellRefusal(plan, "blocks");
  for (const Step &step : scheduleAccumulatorTile(plan.getOriginal(), axes, target, tile))
    if (plan.pad(step.id, step.factor))
      plan.split(step.id, step.factor, step.kind);
  return "a tile of accumulators";
}

/// Plans products, whose operands may have to be packed for their loops to merge. Empty if there are none.
static StringRef scheduleProducts(SchedulePlan &plan, const cost::Machine &target,
                                  const llvm::SmallBitVector &constants) {
  for (bool pack : {true, false}) {
    if (!mergeLoops(plan, pack) && pack)
      continue;
    std::optional<Products> products = findProducts(plan.getKernel());
    plan.clearRefusal();
    if (products && scheduleProduct(plan, *products, target, constants)) {
      // The readers of a block of rows are passes over each row. Other products have their parts.
      if (products->isKept) {
        addParts(plan, scheduleLoops(plan, target), target);
      }
      return "tiles of products";
    }
    if (products)
      tellRefusal(plan, "product");
    if (pack)
      plan.reset();
  }
  return "";
}

/// Whether a sum has no more products than the core has registers: a tile's packing serves few of them, and all that
/// one is computed from stays in registers, however the loops go.
static bool isShort(FuncOp kernel, const cost::Machine &target) {
  int64_t products = 1;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (isReduced(axis))
      products = llvm::SaturatingMultiply<uint64_t>(products, axis.getExtent());
  return products <= target.vectorRegisters;
}

/// Whether stores may interleave lanes along one axis with copies along another, which those of a tile do not.
static bool mayInterleave(FuncOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<RangeOp>(), [&](RangeOp axis) {
    return axis.getKind() == AxisKind::Loop && !findInterleaved(kernel, axis).empty() &&
           judgeLanes(kernel, axis) != LaneFit::None;
  });
}

/// Plans loops in place of a product's tile where these are predicted to be faster.
static bool scheduleAsLoops(SchedulePlan &plan, const cost::Machine &target) {
  SchedulePlan loops(plan.getOriginal());
  mergeLoops(loops, /*pack=*/false);
  mergeReduced(loops);
  splitDivided(loops);
  if (!isShort(loops.getKernel(), target) && !mayInterleave(loops.getKernel()))
    return false;
  std::optional<int64_t> time = scheduleLoops(loops, target), given = predictPlan(plan, target);
  if (!time || !given || !cost::isFaster(*time, *given))
    return false;
  plan.swap(loops);
  return true;
}

StringRef scheduleCpu(SchedulePlan &plan, const cost::Machine &target, int64_t tile,
                      const llvm::SmallBitVector &constants) {
  FuncOp kernel = plan.getOriginal();
  StringRef rule;
  std::optional<int64_t> time;
  if (scheduleByteProducts(plan, target)) {
    rule = "products of bytes";
  } else if (SmallVector<RangeOp> axes = findAccumulatorTile(kernel, cost::getMostAccumulators(target));
             !axes.empty()) {
    rule = scheduleAccumulators(plan, axes, target, tile);
  } else {
    rule = scheduleProducts(plan, target, constants);
    bool isProduct = !rule.empty();
    SchedulePlan streamed(kernel);
    mergeLoops(streamed, /*pack=*/false);
    if (!isProduct) {
      mergeReduced(plan);
      mergeReduced(streamed);
      time = scheduleLoops(plan, target);
      rule = "the best predicted loops";
    }
    if (isProduct && scheduleAsLoops(plan, target)) {
      isProduct = false;
      rule = "the best predicted loops";
    }
    if (scheduleStreamedSums(streamed, plan, target)) {
      plan.swap(streamed);
      time.reset();
      rule = "sums in a tile";
    } else if (isProduct) {
      return rule;
    }
  }
  addParts(plan, time ? time : predictPlan(plan, target), target);
  return rule;
}

} // namespace tiny::kernel
