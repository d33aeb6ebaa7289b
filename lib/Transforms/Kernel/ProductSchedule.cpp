// See KernelTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ProductSchedule.h"

#include "Tiny/Dialect/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Transforms/Kernel/Stage.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// Below so many multiplications packing costs more than it gains.
constexpr int64_t kSmallestProduct = 1 << 15;
/// A part for a thread has at least so many multiplications: some 20 microseconds of work.
constexpr int64_t kSmallestPart = 1 << 20;
/// The tile of the operand in lanes stays in the second-level cache.
constexpr int64_t kLargestPanelBytes = 768 << 10;
/// The packed rows may lie in the last-level cache: a core reads few of them for each operation.
constexpr int64_t kLargestBlockBytes = 32 << 20;

/// One operand of the product: the argument it is read from, and the free axes that it varies over.
struct Operand {
  int64_t argument = -1;
  LoadOp load;
  SmallVector<int64_t> axes;
};

/// sum over k of a[i, k] * b[k, j]: `b` is the operand that varies along the lanes.
struct Product {
  ReduceOp reduce;
  Operand a, b;
  /// Along the lanes, along the rows; those of the reduction; those that both operands vary over.
  int64_t laneAxis = -1, rowAxis = -1;
  SmallVector<int64_t> reduced, shared;
  int64_t nLanes = 1, nRows = 1, nReduced = 1, nOthers = 1;
  /// Elements of each operand along the free axes.
  int64_t sizeA = 1, sizeB = 1;
  /// The free axes, outermost first.
  SmallVector<int64_t> free;
};

/// The one load of an argument that the value is computed from together with loads that vary over no more.
std::optional<Operand> findOperand(Value value, const RangeSets &sets, ReduceOp reduce) {
  SmallVector<Value> pending{value};
  llvm::DenseSet<Operation *> seen;
  Operand operand;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || isa<RangeOp>(op) || !seen.insert(op).second)
      continue;
    if (isa<ReduceOp, StageOp>(op))
      return std::nullopt;
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(load.getBuffer());
      if (!argument)
        return std::nullopt;
      if (sets.getOpen(load.getResult()) == sets.getOpen(value)) {
        operand.argument = argument.getArgNumber();
        operand.load = load;
      }
      continue;
    }
    llvm::append_range(pending, op->getOperands());
  }
  if (!operand.load)
    return std::nullopt;
  for (unsigned position : sets.getOpen(value)) {
    RangeOp range = sets.getRanges()[position];
    if (!llvm::is_contained(reduce.getRanges(), range.getResult()))
      operand.axes.push_back(range.getId());
  }
  return operand;
}

/// True when the axis may be lanes of all that is not staged: stores walk it with stride one, loads too or stand still.
bool fitsLanes(FuncOp kernel, RangeOp axis, ArrayRef<LoadOp> staged) {
  AccessStride strides(axis);
  bool stored = false;
  for (Operation &op : kernel.getBody().front()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      std::optional<int64_t> stride = strides.get(store.getIndex());
      if (stride != std::optional<int64_t>(1))
        return false;
      stored = true;
    } else if (auto load = dyn_cast<LoadOp>(op); load && !llvm::is_contained(staged, load)) {
      std::optional<int64_t> stride = strides.get(load.getIndex());
      if (!stride || (*stride != 0 && *stride != 1))
        return false;
    }
  }
  return stored;
}

std::optional<Product> findProduct(FuncOp kernel) {
  auto reduces = kernel.getBody().getOps<ReduceOp>();
  if (!llvm::hasSingleElement(reduces) || !kernel.getBody().getOps<StageOp>().empty())
    return std::nullopt;
  Product product;
  product.reduce = *reduces.begin();
  ReduceOp reduce = product.reduce;
  if (reduce.getKind() != arith::AtomicRMWKind::addf || reduce.getInputs().size() != 1)
    return std::nullopt;
  auto multiply = reduce.getInputs().front().getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return std::nullopt;
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  std::optional<Operand> a = findOperand(multiply.getLhs(), sets, reduce);
  std::optional<Operand> b = findOperand(multiply.getRhs(), sets, reduce);
  // Both reads are named by their arguments: a product of a buffer with itself cannot be told apart.
  if (!a || !b || a->argument == b->argument)
    return std::nullopt;
  for (Value range : reduce.getRanges()) {
    auto axis = range.getDefiningOp<RangeOp>();
    if (axis.getKind() != AxisKind::Reduce)
      return std::nullopt;
    product.reduced.push_back(axis.getId());
    product.nReduced *= axis.getExtent();
  }
  for (RangeOp axis : sets.getRanges()) {
    if (llvm::is_contained(reduce.getRanges(), axis.getResult()))
      continue;
    if (axis.getKind() != AxisKind::Loop)
      return std::nullopt;
    product.free.push_back(axis.getId());
  }
  llvm::sort(product.free);
  for (int64_t id : llvm::reverse(product.free)) {
    RangeOp axis;
    for (auto range : kernel.getBody().getOps<RangeOp>())
      if (static_cast<int64_t>(range.getId()) == id)
        axis = range;
    int64_t extent = axis.getExtent();
    bool inA = llvm::is_contained(a->axes, id), inB = llvm::is_contained(b->axes, id);
    if (product.laneAxis < 0 && inA != inB && fitsLanes(kernel, axis, {a->load, b->load})) {
      product.laneAxis = id;
      product.nLanes = extent;
      if (inA)
        std::swap(a, b);
      continue;
    }
    product.nOthers *= extent;
    if (inA && inB)
      product.shared.push_back(id);
  }
  if (product.laneAxis < 0)
    return std::nullopt;
  for (int64_t id : a->axes) {
    if (llvm::is_contained(b->axes, id))
      continue;
    for (auto range : kernel.getBody().getOps<RangeOp>())
      if (static_cast<int64_t>(range.getId()) == id && static_cast<int64_t>(range.getExtent()) > product.nRows) {
        product.rowAxis = id;
        product.nRows = range.getExtent();
      }
  }
  if (product.rowAxis < 0)
    return std::nullopt;
  product.nOthers /= product.nRows;
  for (auto range : kernel.getBody().getOps<RangeOp>()) {
    int64_t id = range.getId(), extent = range.getExtent();
    product.sizeA *= llvm::is_contained(a->axes, id) ? extent : 1;
    product.sizeB *= llvm::is_contained(b->axes, id) ? extent : 1;
  }
  product.a = *a;
  product.b = *b;
  return product;
}

int64_t roundUp(int64_t number, int64_t multiple) { return llvm::divideCeil(number, multiple) * multiple; }

/// How many rows and lanes the accumulators in registers are for.
struct Tile {
  int64_t rows, lanes;
};

/// The tile that computes least behind the ends of the axes; of equal ones that which loads least.
Tile chooseTile(const Product &product, const ScheduleTarget &target) {
  Tile best{1, target.lanes};
  double bestCost = 0;
  for (int64_t vectors : {1, 2}) {
    int64_t lanes = vectors * target.lanes;
    if (vectors > 1 && lanes >= 2 * product.nLanes)
      continue;
    // Accumulators leave room for a row of lanes and an element of the other operand.
    int64_t mostRows = std::min((target.registers - vectors - 1) / vectors, product.nRows);
    for (int64_t rows = mostRows; rows >= std::max<int64_t>(1, mostRows / 2); --rows) {
      double waste = double(roundUp(product.nRows, rows)) * roundUp(product.nLanes, lanes);
      double loads = 1.0 / rows + 1.0 / vectors;
      double cost = waste * (1 + 0.3 * loads);
      if (bestCost == 0 || cost < bestCost) {
        bestCost = cost;
        best = {rows, lanes};
      }
    }
  }
  return best;
}

/// The largest number up to `most` that divides `extent`.
int64_t findDivisor(int64_t extent, int64_t most) {
  for (int64_t divisor = std::min(most, extent); divisor > 1; --divisor)
    if (extent % divisor == 0)
      return divisor;
  return 1;
}

} // namespace

bool scheduleProduct(SchedulePlan &plan, const ScheduleTarget &target) {
  std::optional<Product> found = findProduct(plan.getKernel());
  if (!found)
    return false;
  Product &product = *found;
  double work = double(product.nLanes) * product.nRows * product.nReduced * product.nOthers;
  if (work < kSmallestProduct || product.nRows < 4 || product.nLanes < target.lanes / 4)
    return false;
  Tile tile = chooseTile(product, target);
  bool walksLanes;
  {
    AccessStride strides(plan.getAxis(product.laneAxis));
    walksLanes = strides.get(product.b.load.getIndex()) == std::optional<int64_t>(1);
  }

  // Parts for threads: an axis of its own where there is one, else that whose parts repeat least of the packing.
  int64_t parts = std::min<int64_t>(target.parts, static_cast<int64_t>(work / kSmallestPart));
  int64_t rowTiles = llvm::divideCeil(product.nRows, tile.rows),
          laneTiles = llvm::divideCeil(product.nLanes, tile.lanes);
  int64_t threadAxis = -1, threadParts = 1;
  for (int64_t id : product.shared)
    if (RangeOp axis = plan.getAxis(id); static_cast<int64_t>(axis.getExtent()) > 1 && parts > 1) {
      int64_t extent = axis.getExtent();
      threadAxis = id;
      threadParts = extent <= 4 * target.parts ? extent : findDivisor(extent, 4 * target.parts);
      break;
    }
  bool partsOfRows = double(product.sizeB) * (walksLanes ? 0.15 : 1.0) < double(product.sizeA);
  if (threadParts < 2 && parts > 1 && !partsOfRows)
    for (int64_t id : product.b.axes) {
      int64_t divisor = id == product.laneAxis ? 1 : findDivisor(plan.getAxis(id).getExtent(), 2 * parts);
      if (divisor >= parts && threadParts < 2) {
        threadAxis = id;
        threadParts = divisor;
      }
    }
  if (threadParts < 2 && parts > 1) {
    int64_t tiles = partsOfRows ? rowTiles : laneTiles;
    threadAxis = partsOfRows ? product.rowAxis : product.laneAxis;
    threadParts = std::min(parts, tiles);
    // Parts of whole tiles: the axis is padded to a multiple of both.
    while (threadParts > 1 && double(roundUp(tiles, threadParts)) / tiles > 1.1)
      --threadParts;
  }
  auto partsOf = [&](int64_t axis) { return axis == threadAxis ? threadParts : 1; };
  int64_t rowsInPart = roundUp(product.nRows, tile.rows * partsOf(product.rowAxis)) / partsOf(product.rowAxis);
  bool packRows = rowsInPart * product.nReduced * 4 <= kLargestBlockBytes && product.sizeB >= 2 * tile.lanes;
  bool packLanes = tile.lanes * product.nReduced * 4 <= kLargestPanelBytes && product.nRows >= 2 * tile.rows;
  // Unpacked, an operand must at least be read with lanes as it lies.
  if (!packLanes && !walksLanes)
    return false;

  int64_t rowInner, laneInner, rowOuter = product.rowAxis, laneOuter = product.laneAxis;
  int64_t threadInner = -1;
  bool good = plan.pad(product.rowAxis, tile.rows * partsOf(product.rowAxis)) &&
              plan.pad(product.laneAxis, tile.lanes * partsOf(product.laneAxis));
  if (good && threadParts > 1) {
    good = plan.split(threadAxis, threadParts, AxisKind::Thread, &threadInner);
    if (threadAxis == rowOuter)
      rowOuter = threadInner;
    if (threadAxis == laneOuter)
      laneOuter = threadInner;
  }
  good = good && plan.split(rowOuter, tile.rows, AxisKind::Upcast, &rowInner) &&
         plan.split(laneOuter, tile.lanes, AxisKind::Upcast, &laneInner);
  if (!good) {
    plan.reset();
    return false;
  }
  bool rowLoops = rowInner != rowOuter;
  // What the panel of lanes varies over outside, rows inside: a panel is packed once and stays near while all rows
  // pass.
  if (rowLoops) {
    auto place = [&](int64_t id) { return std::pair<int64_t, int64_t>(plan.getAxis(id).getLoopOrder(), id); };
    int64_t innermost = rowOuter;
    for (int64_t id : product.b.axes) {
      id = id == threadAxis && threadParts > 1 ? threadInner : id == product.laneAxis ? laneOuter : id;
      if (plan.getAxis(id).getKind() == AxisKind::Loop && place(id) > place(innermost))
        innermost = id;
    }
    if (innermost != rowOuter)
      plan.swap(rowOuter, innermost);
  }
  if (packRows) {
    SmallVector<int64_t> layout;
    if (rowLoops)
      layout.push_back(rowOuter);
    llvm::append_range(layout, product.reduced);
    layout.push_back(rowInner);
    packRows = plan.stage(product.a.argument, layout, StageSpace::Local);
  }
  if (packLanes) {
    SmallVector<int64_t> layout(product.reduced);
    layout.push_back(laneInner);
    packLanes = plan.stage(product.b.argument, layout, StageSpace::Local);
    if (!packLanes && !walksLanes) {
      plan.reset();
      return false;
    }
  }
  // Packed operands are walked as one along all reduced axes.
  if (packRows && packLanes)
    for (int64_t id : ArrayRef(product.reduced).drop_front())
      plan.merge(product.reduced.front(), id);
  return true;
}

} // namespace tiny::kernel
