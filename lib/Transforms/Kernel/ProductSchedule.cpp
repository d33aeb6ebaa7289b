// See KernelTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ProductSchedule.h"

#include "Tiny/Dialect/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Transforms/Kernel/Axes.h"
#include "Tiny/Transforms/Kernel/Stage.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// Below so many multiplications packing costs more than it gains.
constexpr int64_t kSmallestProduct = 1 << 15;
/// A part for a thread has at least so many multiplications: some 20 microseconds of work. There are at most so many.
constexpr int64_t kSmallestPart = 1 << 20, kMostParts = 64;
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

/// Cycles to pack an element: one by one, and in vectors as it lies.
constexpr double kPackElement = 2.0, kPackVector = 0.25;
/// Rows that begin at multiples of so many bytes share their places in the first-level cache, which has so many ways.
constexpr int64_t kWayBytes = 4096, kWays = 8;

/// How many rows and lanes the accumulators in registers are for, and whether the rows are packed.
struct Tile {
  int64_t rows = 1, lanes = 1;
  bool packRows = true;
};

/// How the operands are read.
struct Reads {
  /// The rows one element after the other along the last reduced axis, with nothing to compute on them, and how many
  /// bytes apart they begin.
  bool plainRows = false;
  int64_t rowBytes = 0;
  /// The lanes as they lie.
  bool walksLanes = false;
  /// Bytes of an element of the lanes, and how many of them a vector register holds.
  int64_t bytes = 4, lanes = 16;
};

Reads findReads(SchedulePlan &plan, Product &product, const ScheduleTarget &target) {
  Reads reads;
  AccessStride lanes(plan.getAxis(product.laneAxis)), rows(plan.getAxis(product.rowAxis)),
      last(plan.getAxis(product.reduced.back()));
  reads.walksLanes = lanes.get(product.b.load.getIndex()) == std::optional<int64_t>(1);
  auto bytesOf = [](Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); };
  std::optional<int64_t> rowStride = rows.get(product.a.load.getIndex());
  reads.plainRows = rowStride && last.get(product.a.load.getIndex()) == std::optional<int64_t>(1) &&
                    !product.a.load.getGate() && findStagedValue(product.a.load) == product.a.load.getResult();
  reads.rowBytes = rowStride ? *rowStride * bytesOf(product.a.load.getType()) : 0;
  reads.bytes = bytesOf(product.reduce.getResult(0).getType());
  reads.lanes = std::max<int64_t>(1, target.lanes * 4 / std::max<int64_t>(4, reads.bytes));
  return reads;
}

/// Cycles that one tile and all others like it take, and that packing the rows takes.
double estimate(const Product &product, const Reads &reads, Tile tile) {
  int64_t vectors = tile.lanes / reads.lanes;
  double multiplications =
      double(roundUp(product.nRows, tile.rows)) * roundUp(product.nLanes, tile.lanes) / reads.lanes;
  double loads = 1.0 / tile.rows + 1.0 / vectors;
  double cycles = multiplications / 2 * (1 + 0.3 * loads) * product.nReduced;
  if (tile.packRows)
    return cycles + double(product.nRows) * product.nReduced * kPackElement;
  // Rows in one place push each other out.
  return reads.rowBytes % kWayBytes == 0 && tile.rows > kWays ? 1.5 * cycles : cycles;
}

/// The tile that takes least: it computes little behind the ends of the axes, and loads little.
Tile chooseTile(const Product &product, const Reads &reads, const ScheduleTarget &target) {
  Tile best{1, reads.lanes, true};
  double bestCycles = 0;
  for (int64_t vectors : {1, 2, 3, 4}) {
    int64_t lanes = vectors * reads.lanes;
    if (vectors > 1 &&
        (lanes >= product.nLanes + reads.lanes || lanes * product.nReduced * reads.bytes > kLargestPanelBytes))
      continue;
    // Accumulators leave room for a row of lanes and an element of the other operand.
    int64_t mostRows = std::min((target.registers - vectors - 1) / vectors, product.nRows);
    for (int64_t rows = mostRows; rows >= std::max<int64_t>(1, mostRows / 3); --rows)
      for (bool packRows : {true, false}) {
        if (!packRows && (!reads.plainRows || product.nRows % rows != 0))
          continue;
        Tile tile{rows, lanes, packRows};
        double cycles = estimate(product, reads, tile);
        if (bestCycles == 0 || cycles < bestCycles) {
          bestCycles = cycles;
          best = tile;
        }
      }
  }
  return best;
}

/// Along which axis parts are cut for threads, and how many.
struct Parts {
  int64_t axis = -1, count = 1;
};

/// The largest number up to `most` that divides `extent`.
int64_t findDivisor(int64_t extent, int64_t most) {
  for (int64_t divisor = std::min(most, extent); divisor > 1; --divisor)
    if (extent % divisor == 0)
      return divisor;
  return 1;
}

/// Parts of whole tiles, along rows or along lanes: those that compute and pack least again, and that one, two or four
/// threads share evenly.
Parts choosePartsOfTiles(const Product &product, const Reads &reads, Tile tile, int64_t most) {
  double packed[] = {double(product.nLanes) * product.nReduced * (reads.walksLanes ? kPackVector : kPackElement),
                     tile.packRows ? double(product.nRows) * product.nReduced * kPackElement : 0};
  int64_t tiles[] = {roundUp(product.nRows, tile.rows) / tile.rows, roundUp(product.nLanes, tile.lanes) / tile.lanes};
  double cycles = estimate(product, reads, tile);
  Parts best;
  double bestCycles = 0;
  for (int along : {0, 1})
    for (int64_t count = std::min(tiles[along], most); count >= 1; --count) {
      // Rows that are read as they lie have no end to look for.
      if (along == 0 && !tile.packRows && tiles[along] % count != 0)
        continue;
      double uneven = 0;
      for (int64_t threads : {1, 2, 4})
        uneven += double(roundUp(count, threads)) / count / 3;
      double cost = (cycles * roundUp(tiles[along], count) / tiles[along] + packed[along] * count) * uneven;
      if (bestCycles == 0 || cost < bestCycles) {
        bestCycles = cost;
        best = {along == 0 ? product.rowAxis : product.laneAxis, count};
      }
    }
  return best;
}

/// The parts for threads: along an axis that both operands vary over where there is one, else along one that the lanes'
/// operand varies over, else of tiles.
Parts chooseParts(SchedulePlan &plan, const Product &product, const Reads &reads, Tile tile,
                  const ScheduleTarget &target) {
  double work = double(product.nLanes) * product.nRows * product.nReduced * product.nOthers;
  int64_t parts = std::min<int64_t>(kMostParts, static_cast<int64_t>(work / kSmallestPart));
  if (target.parts < 2 || parts < 2)
    return {};
  for (int64_t id : product.shared)
    if (int64_t extent = plan.getAxis(id).getExtent(); extent > 1)
      return {id, extent <= 4 * target.parts ? extent : findDivisor(extent, 4 * target.parts)};
  // Each part packs the rows again.
  int64_t wanted = std::min(parts, target.parts), most = tile.packRows ? std::min(parts, 2 * wanted) : parts;
  for (int64_t id : product.b.axes)
    if (int64_t count = id == product.laneAxis ? 1 : findDivisor(plan.getAxis(id).getExtent(), most); count >= wanted)
      return {id, count};
  return choosePartsOfTiles(product, reads, tile, parts);
}

/// Puts the longest of the loops that fill a tile, of those that no gate depends on, inside of the others: what says
/// which pixels of a window lie in the picture then stands outside of the loop over channels.
void hoistGates(SchedulePlan &plan, ArrayRef<int64_t> filling) {
  int64_t channels = -1, extent = 1;
  bool isGated = false;
  for (int64_t id : filling) {
    RangeOp axis = plan.getAxis(id);
    AccessStride strides(axis);
    bool gated = llvm::any_of(plan.getKernel().getBody().getOps<LoadOp>(),
                              [&](LoadOp load) { return load.getGate() && strides.dependsOnAxis(load.getGate()); });
    isGated |= gated;
    if (!gated && static_cast<int64_t>(axis.getExtent()) > extent) {
      channels = id;
      extent = axis.getExtent();
    }
  }
  if (isGated && channels >= 0 && channels != filling.back())
    plan.swap(channels, filling.back());
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
  Reads reads = findReads(plan, product, target);
  Tile tile = chooseTile(product, reads, target);
  Parts parts = chooseParts(plan, product, reads, tile, target);
  auto partsOf = [&](int64_t axis) { return axis == parts.axis ? parts.count : 1; };
  int64_t rowsInPart = roundUp(product.nRows, tile.rows * partsOf(product.rowAxis)) / partsOf(product.rowAxis);
  bool packRows =
      tile.packRows && rowsInPart * product.nReduced * reads.bytes <= kLargestBlockBytes && product.sizeB > tile.lanes;
  bool packLanes = tile.lanes * product.nReduced * reads.bytes <= kLargestPanelBytes && product.nRows >= 2 * tile.rows;
  // Unpacked, an operand must at least be read with lanes as it lies.
  if (!packLanes && !reads.walksLanes)
    return false;

  int64_t rowInner, laneInner, vectorInner = -1, rowOuter = product.rowAxis, laneOuter = product.laneAxis;
  int64_t threadInner = -1;
  bool good = plan.pad(product.rowAxis, tile.rows * partsOf(product.rowAxis)) &&
              plan.pad(product.laneAxis, tile.lanes * partsOf(product.laneAxis));
  if (good && parts.count > 1) {
    good = plan.split(parts.axis, parts.count, AxisKind::Thread, &threadInner);
    if (parts.axis == rowOuter)
      rowOuter = threadInner;
    if (parts.axis == laneOuter)
      laneOuter = threadInner;
  }
  good = good && plan.split(rowOuter, tile.rows, AxisKind::Upcast, &rowInner) &&
         plan.split(laneOuter, tile.lanes, AxisKind::Upcast, &laneInner);
  // Vectors of other lengths than powers of two are no machine's.
  if (good && !llvm::isPowerOf2_64(tile.lanes)) {
    vectorInner = laneInner;
    good = plan.split(vectorInner, reads.lanes, AxisKind::Upcast, &laneInner);
  }
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
      id = id == parts.axis && parts.count > 1 ? threadInner : id == product.laneAxis ? laneOuter : id;
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
    if (vectorInner >= 0)
      layout.push_back(vectorInner);
    layout.push_back(laneInner);
    SmallVector<int64_t> filling;
    packLanes = plan.stage(product.b.argument, layout, StageSpace::Local, &filling);
    if (packLanes)
      hoistGates(plan, ArrayRef(filling).take_front(product.reduced.size()));
    if (!packLanes && !reads.walksLanes) {
      plan.reset();
      return false;
    }
  }
  // What is packed is walked as one along all reduced axes, and so is what lies so.
  for (int64_t id : ArrayRef(product.reduced).drop_front())
    if (findAccessesApart(plan.getAxis(product.reduced.front()), plan.getAxis(id)).empty())
      plan.merge(product.reduced.front(), id);
  return true;
}

} // namespace tiny::kernel
