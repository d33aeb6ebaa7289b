// Schedules reductions of products: chooses the register tile, what is packed, and the parts for threads.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ProductSchedule.h"

#include "Candidates.h"
#include "DotSchedule.h"
#include "Parts.h"
#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Algebra/Cost/Product.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/ConstantArguments.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

int64_t roundUp(int64_t number, int64_t multiple) { return llvm::divideCeil(number, multiple) * multiple; }

using cost::RegisterTile;

/// The classes of the operations between a load and the value that is packed.
SmallVector<cost::OpClass, 0> findWork(LoadOp load) {
  SmallVector<cost::OpClass, 0> work;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  (void)getBackwardSlice(findStagedValue(load), &slice, options);
  for (Operation *op : slice)
    if (cost::OpClass opClass = target::classify(op);
        !isa<LoadOp, RangeOp>(op) && op->getNumResults() == 1 && !op->getResult(0).getType().isIndex() &&
        !op->getResult(0).getType().isInteger(1) && opClass != cost::OpClass::Free)
      work.push_back(opClass);
  return work;
}

/// The products as the model sees them.
cost::Product buildProduct(SchedulePlan &plan, Products &products, const llvm::SmallBitVector &constants) {
  cost::Product product;
  auto bytesOf = [](Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); };
  auto build = [&](Operand &operand, int64_t own) {
    cost::Factor factor;
    factor.bytes = bytesOf(operand.load.getType());
    factor.stride = AccessStride(plan.getAxis(own)).get(operand.load.getIndex());
    for (int64_t id : products.reduced)
      factor.reduced.push_back(AccessStride(plan.getAxis(id)).get(operand.load.getIndex()));
    for (int64_t id : operand.axes)
      if (id != own)
        factor.others *= static_cast<int64_t>(plan.getAxis(id).getExtent());
    factor.isConstant = dependsOnConstants(findStagedValue(operand.load), constants);
    factor.isGated = bool(operand.load.getGate());
    factor.work = findWork(operand.load);
    return factor;
  };
  for (Operand &a : products.a)
    product.a.push_back(build(a, products.rowAxis));
  for (Operand &b : products.b)
    product.b.push_back(build(b, products.laneAxis));
  product.rows = products.nRows;
  product.lanes = products.nLanes;
  product.others = products.nOthers;
  product.sums = products.getCount();
  product.bytes = bytesOf(products.sums.front().getResult(0).getType());
  product.mayReorder = llvm::all_of(products.sums, [](ReduceOp sum) { return sum.mayReorder(); });
  product.isKept = products.isKept;
  for (int64_t id : products.reduced)
    product.reduced.push_back(plan.getAxis(id).getExtent());
  return product;
}

/// Tiles that are weighed with their parts for threads, the fastest first.
constexpr size_t kMostWeighed = 4;

using cost::TileChoice;

/// Packs more lanes together where that is predicted to gain: with several products each register tile has few.
void widenPanel(TileChoice &choice, const Products &products, const cost::Product &product,
                const cost::Machine &target) {
  if (products.getCount() < 2 || !choice.tile.packLanes || !product.walksLanes())
    return;
  int64_t lanes = choice.tile.lanes, all = roundUp(products.nLanes, lanes);
  for (int64_t panel : {2 * lanes, 4 * lanes}) {
    RegisterTile tile = choice.tile;
    tile.panel = panel;
    cost::TileTimes times = cost::predictTile(product, tile, target);
    if (all % panel == 0 && times.getTotal() < choice.times.getTotal())
      choice = {tile, times};
  }
}

/// The axis along which parts are cut for threads, the number of parts, and the predicted time of the whole.
struct Parts {
  int64_t axis = -1, count = 1;
  double time = 0;
};

/// The largest number up to `most` that divides `extent`.
int64_t findDivisor(int64_t extent, int64_t most) {
  for (int64_t divisor = std::min(most, extent); divisor > 1; --divisor)
    if (extent % divisor == 0)
      return divisor;
  return 1;
}

/// Parts of whole tiles, along rows or along lanes: those that compute, pack and read least again, and that one thread,
/// two, four and so on, as many as there are cores, share evenly.
Parts choosePartsOfTiles(const Products &products, const cost::Product &product, const TileChoice &choice, int64_t most,
                         const cost::Machine &target) {
  const RegisterTile &tile = choice.tile;
  int64_t tiles[] = {int64_t(llvm::divideCeil(products.nRows, tile.rows)),
                     int64_t(llvm::divideCeil(products.nLanes, tile.panel))};
  Parts best;
  int64_t tilesOfPart = 0;
  cost::TileTimes ofPart;
  for (int along : {0, 1})
    for (int64_t count = std::min(tiles[along], most); count >= 1; --count) {
      cost::TileTimes times = choice.times;
      if (along == 1) {
        times.packRows *= count;
      } else if (count > 1) {
        if (int64_t next = llvm::divideCeil(tiles[0], count); next != tilesOfPart) {
          tilesOfPart = next;
          cost::Product part = product;
          part.blockRows = next * tile.rows;
          ofPart = cost::predictTile(part, tile, target);
        }
        times = ofPart;
      }
      double uneven = 0, counted = 0;
      for (int64_t threads = 1; threads <= cost::getParallelism(target); threads *= 2, ++counted)
        uneven += double(roundUp(count, threads)) / double(count);
      uneven /= counted;
      double padded = double(roundUp(tiles[along], count)) / double(tiles[along]);
      double time = (double(times.sums) * padded + double(times.packRows) + double(times.packLanes)) * uneven;
      if (best.axis < 0 || time < best.time)
        best = {along == 0 ? products.rowAxis : products.laneAxis, count, time};
    }
  return best;
}

/// The parts for threads: along an axis that both operands vary over where there is one, else along one that the lanes'
/// operand varies over, else of tiles.
Parts chooseParts(SchedulePlan &plan, const Products &products, const cost::Product &product, const TileChoice &choice,
                  const cost::Machine &target) {
  double time = double(choice.times.getTotal());
  int64_t parts = countParts(choice.times.getTotal(), target), wanted = std::min(parts, cost::getParallelism(target));
  if (products.isKept || wanted < 2)
    return {-1, 1, time};
  for (int64_t id : products.shared) {
    int64_t extent = plan.getAxis(id).getExtent(), all = 4 * cost::getParallelism(target);
    int64_t count = extent <= all ? extent : findDivisor(extent, all);
    // Where too few divide it each point is a part, unless it takes no longer than to begin one.
    if (count < wanted && choice.times.getTotal() / extent >= 2000 * cost::getLaunchTime(target))
      count = extent;
    if (count > 1)
      return {id, count, time};
  }
  // Each part packs the rows again.
  int64_t most = choice.tile.packRows ? std::min(parts, 2 * wanted) : parts;
  for (int64_t id : products.b.front().axes)
    if (int64_t count = id == products.laneAxis ? 1 : findDivisor(plan.getAxis(id).getExtent(), most); count >= wanted)
      return {id, count, time};
  return choosePartsOfTiles(products, product, choice, parts, target);
}

/// The tile and its parts of the least predicted time.
std::pair<TileChoice, Parts> choose(SchedulePlan &plan, const Products &products, const cost::Product &product,
                                    const cost::Machine &target) {
  SmallVector<TileChoice, 0> choices = cost::findTiles(product, target);
  Candidates candidates(plan.getOriginal(), "nanoseconds");
  for (const TileChoice &choice : choices)
    candidates.add([&] { return choice.tile.describe(); }, double(choice.times.getTotal()) / 1000);
  std::optional<std::pair<TileChoice, Parts>> best;
  for (const TileChoice &choice : ArrayRef(choices).take_front(kMostWeighed))
    if (Parts parts = chooseParts(plan, products, product, choice, target); !best || parts.time < best->second.time)
      best = {choice, parts};
  candidates.tell([&] { return best->first.tile.describe(); });
  widenPanel(best->first, products, product, target);
  return *best;
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

/// Fills the tile for a block of as many rows as the products have. Parts for threads are made of blocks.
bool fillByBlocks(SchedulePlan &plan, Products &products, const RegisterTile &tile) {
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

} // namespace

bool scheduleProduct(SchedulePlan &plan, Products &products, const cost::Machine &target,
                     const llvm::SmallBitVector &constants) {
  cost::Product product = buildProduct(plan, products, constants);
  int64_t rows = products.nRows;
  if (products.isKept) {
    // The rows of a tile divide those of a block.
    cost::Product whole = product;
    whole.isKept = false;
    TileChoice first = cost::findTiles(whole, target).front();
    // Threads share blocks.
    int64_t fewest =
        products.nOthers > 1 ? 1 : std::min(countParts(first.times.getTotal(), target), cost::getParallelism(target));
    products.nRows = cost::chooseBlockRows(whole, first.tile, std::max<int64_t>(1, fewest), target);
    product.blockRows = products.nRows;
    // Behind the end of all blocks there are rows to gate.
    for (cost::Factor &a : product.a)
      a.isGated |= rows % products.nRows != 0;
  }
  auto [choice, parts] = choose(plan, products, product, target);
  if (scheduleDots(plan, products, product, choice.times.getTotal(), target))
    return true;
  const RegisterTile &tile = choice.tile;
  if (products.isKept && !fillByBlocks(plan, products, tile)) {
    plan.reset();
    return false;
  }
  auto partsOf = [&, &parts = parts](int64_t axis) { return axis == parts.axis ? parts.count : 1; };
  bool packRows = tile.packRows, packLanes = tile.packLanes;

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
    good = plan.split(vectorInner, product.countLanes(target), AxisKind::Upcast, &laneInner);
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
    bool isWhole =
        rows > products.nRows &&
        !llvm::all_of(product.b, [](const cost::Factor &factor) { return factor.isConstant; }) && tileAxis < 0 &&
        laneOuter != laneInner && plan.getAxis(laneOuter).getKind() == AxisKind::Loop &&
        products.nLanes * products.nReduced * product.bytes * int64_t(products.b.size()) <= target.getCacheBytes(2);
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
    if (!packLanes && !product.walksLanes()) {
      plan.reset();
      return false;
    }
  }
  // What is packed is walked as one along all reduced axes, and so is what lies so.
  for (int64_t id : ArrayRef(products.reduced).drop_front())
    if (findAccessesApart(plan.getAxis(products.reduced.front()), plan.getAxis(id)).empty())
      plan.merge(products.reduced.front(), id);
  return true;
}

} // namespace tiny::kernel
