// See KernelTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "BlockSchedule.h"

#include "Tiny/Dialect/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Transforms/Kernel/BlockReduce.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// So many vectors of elements in a row of a block, at most: their maximum, their exponentials and the correction hide
/// each other's latency.
constexpr int64_t kMostVectors = 4;
/// What is packed at once may lie in the last-level cache.
constexpr int64_t kLargestPackedBytes = 32 << 20;

struct OnlineKernel {
  /// The axis of the blocks; a free axis that the elements vary over and the tile does not; accumulators of a row.
  int64_t reduced = -1, rows = -1, points = 1;
};

std::optional<OnlineKernel> findOnline(FuncOp kernel, ArrayRef<RangeOp> tile) {
  OnlineKernel online;
  ReduceOp reduce;
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (ReduceOp found = range.getKind() == AxisKind::Reduce ? findMaximumReduce(range) : ReduceOp()) {
      if (reduce || !found.mayReorder() || found.getRanges().size() != 1)
        return std::nullopt;
      reduce = found;
      online.reduced = range.getId();
    }
  if (!reduce)
    return std::nullopt;
  for (RangeOp axis : tile)
    online.points *= axis.getExtent();
  // Rows for which the weights stay where they are: what is loaded for one serves the others.
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  auto isWeight = [&](unsigned position) {
    return llvm::any_of(reduce.getInputs().drop_front(),
                        [&](Value weight) { return llvm::is_contained(sets.getOpen(weight), position); });
  };
  for (unsigned position : sets.getOpen(reduce.getInputs().front()))
    if (RangeOp axis = sets.getRanges()[position]; axis.getKind() == AxisKind::Loop && !isWeight(position))
      online.rows = std::max<int64_t>(online.rows, axis.getId());
  return online;
}

/// The arguments that the elements read across the lanes, with the axes to pack them over: where no neighbouring lane
/// finds its element beside.
struct Packed {
  int64_t argument;
  SmallVector<int64_t> axes;
};

SmallVector<Packed> findPacked(FuncOp kernel, RangeOp lanes, RangeOp blocks) {
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  SmallVector<Packed> packed;
  Value element = findMaximumReduce(lanes).getInputs().front();
  SmallVector<Value> pending{element};
  llvm::DenseSet<Operation *> seen;
  AccessStride strides(lanes);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    auto load = dyn_cast<LoadOp>(op);
    if (!load) {
      llvm::append_range(pending, op->getOperands());
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(load.getBuffer());
    std::optional<int64_t> stride = strides.get(load.getIndex());
    if (!argument || (stride && (*stride == 0 || *stride == 1)))
      continue;
    Packed next{argument.getArgNumber(), {static_cast<int64_t>(blocks.getId())}};
    int64_t bytes = cast<MemRefType>(argument.getType()).getElementTypeBitWidth() / 8 * blocks.getExtent() *
                    lanes.getExtent();
    for (unsigned position : sets.getOpen(load.getResult()))
      if (RangeOp axis = sets.getRanges()[position]; axis != blocks && axis.getKind() == AxisKind::Reduce) {
        next.axes.push_back(axis.getId());
        bytes *= axis.getExtent();
      }
    next.axes.push_back(lanes.getId());
    if (bytes <= kLargestPackedBytes)
      packed.push_back(std::move(next));
  }
  return packed;
}

} // namespace

bool scheduleBlocks(SchedulePlan &plan, ArrayRef<RangeOp> tile, const ScheduleTarget &target) {
  std::optional<OnlineKernel> online = findOnline(plan.getKernel(), tile);
  if (!online || online->rows < 0)
    return false;
  int64_t extent = plan.getAxis(online->reduced).getExtent(), block = kMostVectors * target.lanes;
  while (block >= target.lanes && (extent % block != 0 || block == extent))
    block /= 2;
  if (block < target.lanes)
    return false;
  // The accumulators of all rows are registers.
  int64_t vectors = llvm::divideCeil(online->points, target.lanes);
  int64_t rows = std::max<int64_t>(1, (target.registers - vectors) / vectors);
  while (plan.getAxis(online->rows).getExtent() % rows != 0)
    --rows;
  int64_t lanes;
  bool good = llvm::all_of(tile, [&](RangeOp axis) {
    return plan.split(axis.getId(), axis.getExtent(), AxisKind::Upcast);
  });
  good = good && (rows == 1 || plan.split(online->rows, rows, AxisKind::Upcast)) &&
         plan.split(online->reduced, block, AxisKind::Upcast, &lanes);
  if (good)
    for (const Packed &packed : findPacked(plan.getKernel(), plan.getAxis(lanes), plan.getAxis(online->reduced)))
      plan.stage(packed.argument, packed.axes, StageSpace::Local);
  if (good && plan.blockReduce(lanes))
    return true;
  plan.reset();
  return false;
}

} // namespace tiny::kernel
