// Schedules reductions relative to a running maximum (attention): blocks, rows side by side, packing.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "BlockSchedule.h"
#include "Parts.h"

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Algebra/Cost/LoopChoice.h"
#include "Tiny/Algebra/Cost/Product.h"
#include "Tiny/Algebra/Cost/SoftmaxProduct.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/BlockReduce.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

struct OnlineKernel {
  /// The axis of the blocks; a free axis that the elements vary over and the tile does not; accumulators of a row.
  int64_t reduced = -1, rows = -1, points = 1;
  /// What is summed up for one element.
  int64_t steps = 0;
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
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  (void)getBackwardSlice(reduce.getInputs().front(), &slice, options);
  if (Operation *op = reduce.getInputs().front().getDefiningOp())
    slice.insert(op);
  for (Operation *op : slice)
    if (auto sum = dyn_cast<ReduceOp>(op)) {
      int64_t points = 1;
      for (Value range : sum.getRanges())
        points *= range.getDefiningOp<RangeOp>().getExtent();
      online.steps += points;
    }
  // Rows for which the weights stay where they are: what is loaded for one serves the others. What of a weight does not
  // vary over the tile is a factor of the element. The tile may be of another copy of the kernel.
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  auto variesAlong = [&](Value value, unsigned position) { return llvm::is_contained(sets.getOpen(value), position); };
  auto isNarrow = [&](Value value) {
    return llvm::none_of(sets.getOpen(value), [&](unsigned position) {
      RangeOp open = sets.getRanges()[position];
      return llvm::any_of(tile, [&](RangeOp axis) { return axis.getId() == open.getId(); });
    });
  };
  SmallVector<Value> weights;
  for (Value weight : reduce.getInputs().drop_front())
    llvm::append_range(weights, splitFactors(weight, isNarrow).wide);
  auto isWeight = [&](unsigned position) {
    return llvm::any_of(weights, [&](Value weight) { return variesAlong(weight, position); });
  };
  for (unsigned position : sets.getOpen(reduce.getInputs().front()))
    if (RangeOp axis = sets.getRanges()[position]; axis.getKind() == AxisKind::Loop && !isWeight(position))
      online.rows = std::max<int64_t>(online.rows, axis.getId());
  return online;
}

int64_t roundUp(int64_t number, int64_t multiple) { return llvm::divideCeil(number, multiple) * multiple; }

/// The length of a block: of the powers of two the one with the least work behind the end of the axis and between
/// blocks, in operations on vectors for one row. There are two blocks at least.
int64_t chooseBlock(const OnlineKernel &online, int64_t extent, const cost::Machine &target) {
  int64_t lanes = target.getLanes(), vectors = llvm::divideCeil(online.points, lanes);
  // A maximum and a sum of all lanes: each halves the vector by a shuffle and an operation, which wait for each
  // other.
  // Then the factor of what came before, and the products with it.
  const cost::OpCost &add = target.getCost(cost::OpClass::Add);
  double halving = 2 * add.latency / 100.0, interval = double(std::max<int64_t>(1, add.interval)),
         function = double(target.getCost(cost::OpClass::Function).interval) / interval;
  double between = 2 * halving * llvm::Log2_64_Ceil(lanes) + function + 2.0 * vectors;
  int64_t best = 0;
  double bestCost = 0;
  for (int64_t block = cost::kMostBlockVectors * lanes; block >= 2; block /= 2) {
    double elements = double(llvm::divideCeil(block, lanes)) * (online.steps + function);
    double cost =
        std::max<int64_t>(2, llvm::divideCeil(extent, block)) * (elements + double(block) * vectors + between);
    if (best == 0 || cost < bestCost) {
      best = block;
      bestCost = cost;
    }
  }
  return best;
}

/// A load of an argument by the elements, and the axes to pack it over. It is packed if neighbouring lanes are not
/// neighbours in memory, or if it reads rows, which may lie behind the end.
struct Packed {
  int64_t argument;
  SmallVector<int64_t> axes;
};

SmallVector<Packed> findPacked(FuncOp kernel, RangeOp lanes, RangeOp blocks, RangeOp rows,
                               const cost::Machine &target) {
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
    if (!argument || stride == std::optional<int64_t>(1))
      continue;
    auto varies = [&](RangeOp axis) {
      return axis && llvm::is_contained(sets.getOpen(load.getResult()), sets.getPosition(axis));
    };
    RangeOp fastest = varies(lanes) ? lanes : varies(rows) ? rows : RangeOp();
    if (!fastest)
      continue;
    Packed next{argument.getArgNumber(), {}};
    int64_t bytes = cast<MemRefType>(argument.getType()).getElementTypeBitWidth() / 8 * fastest.getExtent();
    for (unsigned position : sets.getOpen(load.getResult()))
      if (RangeOp axis = sets.getRanges()[position]; axis.getKind() == AxisKind::Reduce) {
        next.axes.insert(axis == blocks ? next.axes.begin() : next.axes.end(), axis.getId());
        bytes *= axis.getExtent();
      }
    next.axes.push_back(fastest.getId());
    if (bytes <= target.getCacheBytes(2))
      packed.push_back(std::move(next));
  }
  return packed;
}

/// The axis that elements are summed up along, where its points are lanes of every load of the element: of few rows
/// that share it, what has no neighbours along the blocks costs less to add up across lanes than to pack. None
/// elsewhere.
RangeOp findSummedLanes(FuncOp kernel, RangeOp blocks, int64_t nRows, int64_t rows, int64_t block,
                        const cost::Machine &target) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  (void)getBackwardSlice(findMaximumReduce(blocks).getInputs().front(), &slice, options);
  ReduceOp sum;
  for (Operation *op : slice)
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (sum)
        return {};
      sum = reduce;
    }
  if (!sum || !sum.mayReorder() || sum.getRanges().size() != 1)
    return {};
  auto axis = sum.getRanges().front().getDefiningOp<RangeOp>();
  int64_t extent = axis.getExtent();
  if (axis.getSize() || extent % target.getLanes() != 0 ||
      extent / target.getLanes() * block * rows > cost::kLongestCode)
    return {};
  cost::Product scores = cost::Product::make(1, nRows, extent, blocks.getExtent(), /*isTurned=*/true);
  std::optional<std::pair<cost::DotShape, int64_t>> dots = cost::chooseDots(scores, target);
  if (!dots || dots->second >= cost::findTiles(scores, target).front().times.getTotal())
    return {};
  AccessStride strides(axis), along(blocks);
  bool isApart = false;
  for (Operation *op : slice)
    if (auto load = dyn_cast<LoadOp>(op); load && strides.dependsOnAxis(load.getIndex())) {
      if (strides.get(load.getIndex()) != std::optional<int64_t>(1))
        return {};
      isApart |= along.dependsOnAxis(load.getIndex()) && along.get(load.getIndex()) != std::optional<int64_t>(1);
    }
  return isApart ? axis : RangeOp();
}

} // namespace

bool scheduleBlocks(SchedulePlan &plan, ArrayRef<RangeOp> tile, const cost::Machine &target) {
  std::optional<OnlineKernel> online = findOnline(plan.getKernel(), tile);
  if (!online || online->rows < 0)
    return false;
  int64_t extent = plan.getAxis(online->reduced).getExtent();
  int64_t block = chooseBlock(*online, extent, target);
  // The accumulators of all rows are registers, with room for a row of weights and an element.
  int64_t vectors = llvm::divideCeil(online->points, target.getLanes());
  int64_t nRows = plan.getAxis(online->rows).getExtent(), lanes, copied = -1, rowAxis = online->rows;
  int64_t rows = cost::chooseSharedRows(nRows, std::max<int64_t>(1, (target.vectorRegisters - vectors - 1) / vectors));
  // Where nothing else is free, each part packs all that it reads: few parts.
  bool onlyRows = llvm::none_of(plan.getKernel().getBody().getOps<RangeOp>(), [&](RangeOp axis) {
    return axis.getKind() == AxisKind::Loop && static_cast<int64_t>(axis.getId()) != rowAxis && axis.getExtent() > 1 &&
           llvm::none_of(tile, [&](RangeOp of) { return of.getId() == axis.getId(); });
  });
  int64_t time = cost::predictOneKernel({1, nRows, extent, online->steps, online->points}, target),
          parts = onlyRows ? std::min(cost::getParallelism(target), countParts(time, target)) : 1;
  while (parts > 1 && roundUp(nRows, rows * parts) > nRows + nRows / 16)
    --parts;
  int64_t multiple = rows * std::max<int64_t>(parts, 1);
  // Vectors of a power of two; LLVM makes scalars of others.
  auto makeCopies = [&](RangeOp axis) {
    int64_t id = axis.getId(), length = axis.getExtent(), vector = length & -length;
    if (vector < target.getLanes())
      vector = length;
    return plan.split(id, vector, AxisKind::Upcast) &&
           (vector == length || plan.split(id, length / vector, AxisKind::Upcast));
  };
  RangeOp summed = findSummedLanes(plan.getKernel(), plan.getAxis(online->reduced), nRows, rows, block, target);
  bool good = (!summed || plan.split(summed.getId(), 0, AxisKind::Upcast)) &&
              plan.pad(online->reduced, extent <= block ? 2 * block : block) && llvm::all_of(tile, makeCopies);
  good = good && plan.pad(rowAxis, multiple) && (parts < 2 || plan.split(rowAxis, parts, AxisKind::Thread, &rowAxis)) &&
         (rows == 1 || plan.split(rowAxis, rows, AxisKind::Upcast, &copied)) &&
         plan.split(online->reduced, block, AxisKind::Upcast, &lanes);
  if (good && !summed)
    for (const Packed &packed :
         findPacked(plan.getKernel(), plan.getAxis(lanes), plan.getAxis(online->reduced), plan.getAxis(copied), target))
      plan.stage(packed.argument, packed.axes, StageSpace::Local);
  if (good && plan.blockReduce(lanes))
    return true;
  plan.reset();
  return false;
}

} // namespace tiny::kernel
