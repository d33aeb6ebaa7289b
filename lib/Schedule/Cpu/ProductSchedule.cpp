// Schedules reductions of products: chooses the register tile, what is packed, and the parts for threads.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ProductSchedule.h"

#include "Candidates.h"
#include "DotSchedule.h"
#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/ConstantArguments.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

int64_t roundUp(int64_t number, int64_t multiple) { return llvm::divideCeil(number, multiple) * multiple; }

/// The rows and lanes of one product's accumulators in registers, the fewest lanes of a part, whether the rows are
/// packed, and the number of blocks of the reduced axis.
struct Tile {
  int64_t rows = 1, lanes = 1, panel = 1;
  bool packRows = true;
  int64_t blocks = 1;

  std::string describe() const {
    std::string text =
        llvm::formatv("register tile of {0} rows and {1} lanes{2}", rows, lanes, packRows ? ", rows packed" : "");
    return blocks > 1 ? text + llvm::formatv(", in {0} blocks", blocks).str() : text;
  }
};

/// How the operands are read.
struct Reads {
  /// The rows lie element by element along the last reduced axis, with no operations on them; some operand's rows begin
  /// at multiples of `cost::kWayBytes`.
  bool plainRows = true, rowsCollide = false;
  /// They are computed from constants alone, so that packing them costs a run nothing.
  bool constantRows = true, constantLanes = true;
  /// Some operation on the rows is a function.
  bool rowFunctions = false;
  /// The lanes are neighbours in memory.
  bool walksLanes = true;
  /// Bytes of an element of the lanes, and how many of them fit a vector register.
  int64_t bytes = 4, lanes = 16;
};

Reads findReads(SchedulePlan &plan, Products &products, const cost::Machine &target,
                const llvm::SmallBitVector &constants) {
  Reads reads;
  AccessStride lanes(plan.getAxis(products.laneAxis)), rows(plan.getAxis(products.rowAxis)),
      last(plan.getAxis(products.reduced.back()));
  auto bytesOf = [](Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); };
  for (Operand &b : products.b) {
    reads.walksLanes &= lanes.get(b.load.getIndex()) == std::optional<int64_t>(1);
    reads.constantLanes &= dependsOnConstants(findStagedValue(b.load), constants);
  }
  for (Operand &a : products.a) {
    std::optional<int64_t> rowStride = rows.get(a.load.getIndex());
    reads.plainRows &= rowStride && last.get(a.load.getIndex()) == std::optional<int64_t>(1) && !a.load.getGate() &&
                       findStagedValue(a.load) == a.load.getResult();
    reads.constantRows &= dependsOnConstants(findStagedValue(a.load), constants);
    reads.rowFunctions |= takesFunction(findStagedValue(a.load));
    reads.rowsCollide |= rowStride && *rowStride * bytesOf(a.load.getType()) % cost::kWayBytes == 0;
  }
  reads.bytes = bytesOf(products.sums.front().getResult(0).getType());
  reads.lanes = std::max<int64_t>(1, target.getLanes() * 4 / std::max<int64_t>(4, reads.bytes));
  return reads;
}

/// Cycles of all tiles of this shape, and of packing the rows.
double estimate(const Products &products, const Reads &reads, Tile tile) {
  int64_t vectors = tile.lanes / reads.lanes;
  double multiplications = double(roundUp(products.nRows, tile.rows)) * roundUp(products.nLanes, tile.lanes) /
                           reads.lanes * products.getCount();
  // A row of each b, and an element of each a for each row.
  double loads = double(products.b.size()) / products.getCount() / tile.rows +
                 double(products.a.size()) / products.getCount() / vectors;
  double cycles = multiplications / 2 * (1 + 0.3 * loads) * products.nReduced;
  if (tile.packRows && reads.constantRows)
    return cycles;
  if (tile.packRows)
    return cycles + double(products.nRows) * products.nReduced * products.a.size() * cost::kPackElement;
  // Rows in one place push each other out.
  return reads.rowsCollide && tile.rows > cost::kWays ? 1.5 * cycles : cycles;
}

/// Bytes of the tiles into which the lanes of all operands are packed.
int64_t countPanelBytes(const Products &products, const Reads &reads, int64_t lanes) {
  return lanes * products.nReduced * reads.bytes * products.b.size();
}

/// The number of blocks of the outermost reduced axis with which a panel of all lanes fits the cache. 0 if none does,
/// or if there are several panels: all of them would have to be packed at once.
int64_t chooseBlocks(SchedulePlan &plan, const Products &products, const Reads &reads, int64_t lanes,
                     const cost::Machine &target) {
  ReduceOp sum = products.sums.front();
  if (lanes < products.nLanes || products.getCount() > 1 || !reads.plainRows || !sum.mayReorder())
    return 0;
  int64_t extent = plan.getAxis(products.reduced.front()).getExtent();
  if (products.nRows * lanes * reads.bytes > cost::kLargestPanelBytes * cost::getParts(target))
    return 0;
  int64_t fewest = llvm::divideCeil(countPanelBytes(products, reads, lanes), cost::kLargestBlockPanelBytes);
  for (int64_t blocks = fewest; blocks <= extent / 4; ++blocks)
    if (extent % blocks == 0)
      return blocks;
  return 0;
}

/// How many lanes are packed together. With several products each register tile has few.
int64_t choosePanel(const Products &products, const Reads &reads, Tile tile) {
  int64_t panel = tile.lanes;
  while (products.getCount() > 1 && reads.walksLanes && roundUp(products.nLanes, tile.lanes) % (2 * panel) == 0 &&
         2 * panel * reads.bytes <= cost::kPackedRowBytes &&
         countPanelBytes(products, reads, 2 * panel) <= cost::kLargestPanelBytes)
    panel *= 2;
  return panel;
}

/// The cheapest register tile: it wastes little work behind the ends of the axes, and loads little. Several products
/// divide the registers among them.
Tile chooseTile(SchedulePlan &plan, const Products &products, const Reads &reads, const cost::Machine &target) {
  Candidates candidates(plan.getOriginal(), "cycles");
  Tile best{1, reads.lanes};
  double bestCycles = 0;
  int64_t nA = products.a.size(), nB = products.b.size();
  for (int64_t vectors : {1, 2, 3, 4}) {
    int64_t lanes = vectors * reads.lanes, blocks = 1;
    if (vectors > 1 && lanes >= products.nLanes + reads.lanes)
      continue;
    if (vectors > 1 && countPanelBytes(products, reads, lanes) > cost::kLargestPanelBytes)
      blocks = chooseBlocks(plan, products, reads, lanes, target);
    if (blocks == 0)
      continue;
    // Accumulators leave room for a row of lanes and an element of the other operand, and for what is loaded ahead of
    // its turn: an accumulator that finds no register is stored and loaded in each step, which waits for both.
    int64_t fitting = (target.vectorRegisters - 1 - vectors * nB - nA) / (vectors * products.getCount());
    if (vectors > 1 && fitting < 1)
      continue;
    int64_t mostRows = std::min(std::max<int64_t>(fitting, 1), products.nRows);
    for (int64_t rows = mostRows; rows >= std::max<int64_t>(1, mostRows / 3); --rows)
      for (bool packRows : {true, false}) {
        // A tile of a block has no end to look for.
        if ((!packRows && !reads.plainRows) || (products.isKept && products.nRows % rows != 0))
          continue;
        // Vectors of rows are gathered while they are packed.
        if (reads.rowFunctions && rows > 1 && !llvm::isPowerOf2_64(rows))
          continue;
        if (blocks > 1 && (packRows || products.isKept || products.nRows < 2 * rows))
          continue;
        Tile tile{rows, lanes, lanes, packRows, blocks};
        double cycles = estimate(products, reads, tile);
        candidates.add([&] { return tile.describe(); }, cycles);
        if (bestCycles == 0 || cycles < bestCycles) {
          bestCycles = cycles;
          best = tile;
        }
      }
  }
  candidates.tell([&] { return best.describe(); });
  best.panel = choosePanel(products, reads, best);
  return best;
}

/// The axis along which parts are cut for threads, and the number of parts.
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
Parts choosePartsOfTiles(const Products &products, const Reads &reads, Tile tile, int64_t most) {
  // What is packed once is still read again by each part, as fast as it would be packed as it lies.
  double lanePack = reads.walksLanes || reads.constantLanes ? cost::kPackVector : cost::kPackElement;
  double rowPack = reads.constantRows ? cost::kPackVector : cost::kPackElement;
  double packed[] = {double(products.nLanes) * products.nReduced * products.b.size() * lanePack,
                     tile.packRows ? double(products.nRows) * products.nReduced * products.a.size() * rowPack : 0};
  int64_t tiles[] = {roundUp(products.nRows, tile.rows) / tile.rows, roundUp(products.nLanes, tile.panel) / tile.panel};
  double cycles = estimate(products, reads, tile);
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
        best = {along == 0 ? products.rowAxis : products.laneAxis, count};
      }
    }
  return best;
}

/// The parts for threads: along an axis that both operands vary over where there is one, else along one that the lanes'
/// operand varies over, else of tiles.
Parts chooseParts(SchedulePlan &plan, const Products &products, const Reads &reads, Tile tile,
                  const cost::Machine &target) {
  double work = products.countWork() * products.getCount();
  int64_t parts = std::min<int64_t>(cost::kMostProductParts, static_cast<int64_t>(work / cost::kSmallestProductPart));
  if (cost::getParts(target) < 2 || parts < 2)
    return {};
  for (int64_t id : products.shared)
    if (int64_t extent = plan.getAxis(id).getExtent(); extent > 1)
      return {id, extent <= 4 * cost::getParts(target) ? extent : findDivisor(extent, 4 * cost::getParts(target))};
  // Each part packs the rows again.
  int64_t wanted = std::min(parts, cost::getParts(target)), most = tile.packRows ? std::min(parts, 2 * wanted) : parts;
  for (int64_t id : products.b.front().axes)
    if (int64_t count = id == products.laneAxis ? 1 : findDivisor(plan.getAxis(id).getExtent(), most); count >= wanted)
      return {id, count};
  return choosePartsOfTiles(products, reads, tile, parts);
}

/// Of the loops that fill a tile and that no gate depends on, puts the longest inside the others. So the test which
/// pixels of a window lie in the picture stands outside the loop over channels.
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

/// How many rows are computed into a tile before its readers run: few enough for the tile to stay in the second-level
/// cache, and many, since the lanes' operand is packed again for each block, with few rows behind the end.
int64_t chooseBlock(const Products &products, const Reads &reads, const cost::Machine &target) {
  int64_t rowBytes = roundUp(products.nLanes, reads.lanes) * reads.bytes;
  int64_t tileBytes = std::min(cost::kLargestTileBytes, target.getCacheBytes(1) / cost::kBlockShare);
  int64_t most = std::clamp<int64_t>(llvm::alignDown(tileBytes / rowBytes, cost::kRowsMultiple), cost::kRowsMultiple,
                                     cost::kMostBlockRows);
  // Blocks are what threads share.
  if (cost::getParts(target) > 1 && products.countWork() * products.getCount() >= 2 * cost::kSmallestProductPart &&
      products.nOthers == 1)
    most = std::clamp<int64_t>(roundUp(llvm::divideCeil(products.nRows, cost::getParts(target)), cost::kRowsMultiple),
                               cost::kRowsMultiple, most);
  int64_t best = std::min(most, roundUp(products.nRows, cost::kRowsMultiple));
  for (int64_t rows = best - cost::kRowsMultiple; rows >= best / 2 && rows > 0; rows -= cost::kRowsMultiple)
    if (roundUp(products.nRows, rows) < roundUp(products.nRows, best))
      best = rows;
  return best;
}

/// Fills the tile for a block of as many rows as the products have. Parts for threads are made of blocks.
bool fillByBlocks(SchedulePlan &plan, Products &products, const Tile &tile) {
  int64_t inBlock = products.rowAxis;
  return plan.pad(products.rowAxis, products.nRows) &&
         (plan.getAxis(products.rowAxis).getExtent() == static_cast<uint64_t>(products.nRows) ||
          plan.split(products.rowAxis, products.nRows, AxisKind::Loop, &inBlock)) &&
         plan.pad(products.laneAxis, tile.panel) && plan.widenStage(products.laneAxis, inBlock, products.rowAxis);
}

/// Packs the values read from each argument over `axes`. Sets `filling` to the ids of the axes that fill each tile.
bool stageAll(SchedulePlan &plan, MutableArrayRef<Operand> operands, ArrayRef<int64_t> axes,
              SmallVectorImpl<int64_t> *filling = nullptr) {
  llvm::SmallSetVector<int64_t, 4> arguments;
  for (Operand &operand : operands)
    arguments.insert(operand.argument);
  return llvm::all_of(arguments,
                      [&](int64_t argument) { return plan.stage(argument, axes, StageSpace::Local, filling); });
}

/// Writes out several steps of the innermost reduced loop if it is long and the tile small: the decoder then has no
/// slack for loop counting and loads.
void unrollReduced(SchedulePlan &plan, const Products &products, int64_t vectors) {
  if (vectors > cost::kMostUnrolled)
    return;
  RangeOp innermost;
  for (int64_t id : products.reduced)
    if (RangeOp axis = plan.getAxis(id))
      innermost = axis;
  if (innermost && innermost.getExtent() % cost::kUnrolled == 0 && innermost.getExtent() >= 4 * cost::kUnrolled)
    plan.split(innermost.getId(), cost::kUnrolled, AxisKind::Unroll);
}

} // namespace

bool scheduleProduct(SchedulePlan &plan, Products &products, const cost::Machine &target,
                     const llvm::SmallBitVector &constants) {
  if (products.countWork() < cost::kSmallestProduct || products.nLanes < target.getLanes() / 4)
    return false;
  if (products.nRows < 4)
    return scheduleDots(plan, products, target);
  Reads reads = findReads(plan, products, target, constants);
  if (!reads.walksLanes && !reads.constantLanes && prefersDots(products, target) &&
      scheduleDots(plan, products, target))
    return true;
  int64_t rows = products.nRows;
  if (products.isKept) {
    products.nRows = chooseBlock(products, reads, target);
    reads.plainRows &= rows % products.nRows == 0;
  }
  Tile tile = chooseTile(plan, products, reads, target);
  Parts parts;
  if (!products.isKept) {
    parts = chooseParts(plan, products, reads, tile, target);
  } else if (!fillByBlocks(plan, products, tile)) {
    plan.reset();
    return false;
  }
  auto partsOf = [&](int64_t axis) { return axis == parts.axis ? parts.count : 1; };
  int64_t rowsInPart = roundUp(products.nRows, tile.rows * partsOf(products.rowAxis)) / partsOf(products.rowAxis);
  bool packRows =
      tile.packRows &&
      rowsInPart * products.nReduced * reads.bytes * int64_t(products.a.size()) <= cost::kLargestPackedRowsBytes &&
      (products.sizeB > tile.lanes || reads.rowFunctions || reads.constantRows);
  bool packLanes = countPanelBytes(products, reads, tile.lanes) / tile.blocks <= cost::kLargestPanelBytes &&
                   products.nRows >= 2 * tile.rows;
  // Lanes that are no neighbours are packed, however few rows share them, unless lanes lie along the reduced axis.
  if (!packLanes && !reads.walksLanes) {
    if (scheduleDots(plan, products, target))
      return true;
    packLanes = true;
  }

  int64_t rowInner, laneInner, vectorInner = -1, rowOuter = products.rowAxis, laneOuter = products.laneAxis;
  int64_t threadInner = -1, tileAxis = -1;
  bool good = plan.pad(products.rowAxis, tile.rows * partsOf(products.rowAxis)) &&
              plan.pad(products.laneAxis, tile.panel * partsOf(products.laneAxis));
  good = good && plan.split(rowOuter, tile.rows, AxisKind::Upcast, &rowInner);
  laneInner = laneOuter;
  if (good && tile.panel > tile.lanes) {
    good = plan.split(laneOuter, tile.panel, AxisKind::Loop, &tileAxis);
    laneInner = tileAxis;
  }
  good = good && plan.split(laneInner, tile.lanes, AxisKind::Upcast, &laneInner);
  // Threads share whole tiles: a part of few live points would not fill one.
  if (good && parts.count > 1) {
    good = plan.split(parts.axis, parts.count, AxisKind::Thread, &threadInner);
    if (parts.axis == rowOuter)
      rowOuter = threadInner;
    if (parts.axis == laneOuter)
      laneOuter = threadInner;
  }
  // Vectors of other lengths than powers of two are no machine's.
  if (good && !llvm::isPowerOf2_64(tile.lanes)) {
    vectorInner = laneInner;
    good = plan.split(vectorInner, reads.lanes, AxisKind::Upcast, &laneInner);
  }
  if (!good) {
    plan.reset();
    return false;
  }
  bool rowLoops = rowInner != rowOuter && plan.getAxis(rowOuter).getKind() == AxisKind::Loop;
  // What the panel of lanes varies over outside, rows inside: a panel is packed once and stays near while all rows
  // pass.
  if (rowLoops) {
    auto place = [&](int64_t id) { return plan.getAxis(id).getPlace(); };
    int64_t innermost = rowOuter;
    for (int64_t id : products.b.front().axes) {
      id = id == parts.axis && parts.count > 1 ? threadInner : id == products.laneAxis ? laneOuter : id;
      if (plan.getAxis(id).getKind() == AxisKind::Loop && place(id) > place(innermost))
        innermost = id;
    }
    if (innermost != rowOuter)
      plan.swap(rowOuter, innermost);
  }
  if (tile.blocks > 1) {
    int64_t blocks = products.reduced.front();
    SmallVector<int64_t> free{rowOuter, rowInner}, filling;
    if (vectorInner >= 0)
      free.push_back(vectorInner);
    free.push_back(laneInner);
    if (!plan.split(blocks, plan.getAxis(blocks).getExtent() / tile.blocks, AxisKind::Reduce,
                    &products.reduced.front()) ||
        !plan.stagePartial(blocks, free, StageSpace::Local, filling, /*accumulates=*/true)) {
      plan.reset();
      return false;
    }
    // The tile of the sums has lanes of its own, and the panel is packed for these.
    laneInner = filling.back();
    if (vectorInner >= 0)
      vectorInner = filling[filling.size() - 2];
  }
  if (packRows) {
    SmallVector<int64_t> layout;
    if (rowLoops)
      layout.push_back(rowOuter);
    llvm::append_range(layout, products.reduced);
    layout.push_back(rowInner);
    packRows = stageAll(plan, products.a, layout);
  }
  if (packLanes) {
    SmallVector<int64_t> layout(products.reduced);
    if (tileAxis >= 0)
      layout.insert(layout.begin(), tileAxis);
    if (vectorInner >= 0)
      layout.push_back(vectorInner);
    layout.push_back(laneInner);
    // Blocks of rows would each pack all panels again: they are packed at once, outside.
    bool isWhole = rows > products.nRows && !reads.constantLanes && tileAxis < 0 && laneOuter != laneInner &&
                   plan.getAxis(laneOuter).getKind() == AxisKind::Loop &&
                   countPanelBytes(products, reads, products.nLanes) <= cost::kLargestPackedBytes;
    if (isWhole)
      layout.insert(layout.begin(), laneOuter);
    SmallVector<int64_t> filling;
    packLanes = stageAll(plan, products.b, layout, &filling);
    for (ArrayRef<int64_t> axes = filling; !axes.empty(); axes = axes.drop_front(layout.size())) {
      ArrayRef<int64_t> reduced = axes.slice(tileAxis >= 0 || isWhole, products.reduced.size());
      // The tiles of a panel are filled side by side, row by row.
      if (tileAxis >= 0)
        for (int64_t id : reduced)
          plan.swap(axes.front(), id);
      hoistGates(plan, reduced);
    }
    if (!packLanes && !reads.walksLanes) {
      plan.reset();
      return false;
    }
  }
  // What is packed is walked as one along all reduced axes, and so is what lies so.
  for (int64_t id : ArrayRef(products.reduced).drop_front())
    if (findAccessesApart(plan.getAxis(products.reduced.front()), plan.getAxis(id)).empty())
      plan.merge(products.reduced.front(), id);
  unrollReduced(plan, products, tile.rows * (tile.lanes / reads.lanes) * products.getCount());
  return true;
}

} // namespace tiny::kernel
