// Predicts a product of a softmax of a product from nests that are made from its extents alone.
#include "Tiny/Algebra/Cost/SoftmaxProduct.h"

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Algebra/Cost/Nest.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

namespace tiny::cost {

namespace {

constexpr int64_t kBytes = 4;
/// Most vectors of a row in a tile of registers.
constexpr int64_t kMostTileVectors = 4;

/// For each of `others` a product of rows x reduced by reduced x lanes.
struct Product {
  int64_t others, rows, lanes, reduced;
};

} // namespace

static int64_t divideUp(int64_t a, int64_t b) { return int64_t(llvm::divideCeil(a, b)); }

static int64_t predict(const Nest &nest, const Machine &machine) { return predictNest(nest, machine).getTotal(); }

/// A tile of rows and lanes in registers. The lanes' factor is packed in panels of these lanes; rows pass inside a
/// panel, or panels inside the rows.
static Nest makeTile(const Product &of, int64_t rows, int64_t lanes, bool rowsInside) {
  NestAxis others{of.others, AxisRole::Loop, false}, panels{divideUp(of.lanes, lanes), AxisRole::Loop, false},
      tiles{divideUp(of.rows, rows), AxisRole::Loop, false};
  int64_t panel = lanes * of.reduced, tile = rows * of.reduced;
  Nest nest;
  nest.axes = {others,
               rowsInside ? panels : tiles,
               rowsInside ? tiles : panels,
               {of.reduced, AxisRole::Loop, true},
               {rows, AxisRole::Copies, false},
               {lanes, AxisRole::Lanes, false}};
  auto add = [&](bool isStore, int64_t other, int64_t ofPanels, int64_t ofTiles, int64_t reduced, int64_t row,
                 int64_t lane) {
    nest.accesses.push_back(
        {kBytes,
         isStore,
         {other, rowsInside ? ofPanels : ofTiles, rowsInside ? ofTiles : ofPanels, reduced, row, lane}});
  };
  add(false, of.rows * of.reduced, 0, tile, 1, of.reduced, 0);
  add(false, of.lanes * of.reduced, panel, 0, lanes, 0, 1);
  add(true, of.rows * of.lanes, lanes, rows * of.lanes, 0, of.lanes, 1);
  nest.work = {{OpClass::MultiplyAdd, 0b111111, true}};
  return nest;
}

/// Packs the lanes' factor, whose neighbours along the reduced axis are neighbours in memory.
static Nest makePacking(const Product &of, int64_t lanes) {
  Nest nest;
  nest.axes = {{of.others, AxisRole::Loop, false},
               {divideUp(of.lanes, lanes), AxisRole::Loop, false},
               {of.reduced, AxisRole::Loop, false},
               {lanes, AxisRole::Lanes, false}};
  nest.accesses = {{kBytes, false, {of.lanes * of.reduced, lanes * of.reduced, 1, of.reduced}},
                   {kBytes, true, {of.lanes * of.reduced, lanes * of.reduced, lanes, 1}}};
  return nest;
}

/// A sum for each row and column, with lanes along the reduced axis: nothing is packed.
static Nest makeDots(const Product &of, int64_t rows, int64_t columns, const Machine &machine) {
  int64_t lanes = machine.getLanes();
  Nest nest;
  nest.axes = {{of.others, AxisRole::Loop, false},
               {divideUp(of.lanes, columns), AxisRole::Loop, false},
               {divideUp(of.rows, rows), AxisRole::Loop, false},
               {divideUp(of.reduced, lanes), AxisRole::Loop, true},
               {rows, AxisRole::Copies, false},
               {columns, AxisRole::Copies, false},
               {lanes, AxisRole::Lanes, true}};
  nest.accesses = {{kBytes, false, {of.rows * of.reduced, 0, rows * of.reduced, lanes, of.reduced, 0, 1}},
                   {kBytes, false, {of.lanes * of.reduced, columns * of.reduced, 0, lanes, 0, of.reduced, 1}}};
  nest.work = {{OpClass::MultiplyAdd, 0b1111111, true}};
  return nest;
}

/// Picoseconds of the best tile of registers for a product of which so many rows are in one block. If its lanes' factor
/// is packed, then once for all blocks.
static int64_t predictProduct(const Product &of, int64_t blockRows, bool isPacked, const Machine &machine) {
  Product block{of.others * divideUp(of.rows, blockRows), std::min(of.rows, blockRows), of.lanes, of.reduced};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t vectors = 1; vectors <= kMostTileVectors; ++vectors) {
    int64_t lanes = vectors * machine.getLanes(),
            most = std::max<int64_t>(1, (machine.vectorRegisters - 1 - vectors) / vectors);
    int64_t packing = isPacked ? predict(makePacking(of, lanes), machine) : 0;
    for (int64_t rows = 1; rows <= std::min(most, block.rows); ++rows)
      least = std::min(least, packing + predict(makeTile(block, rows, lanes, true), machine));
  }
  return least;
}

/// Picoseconds of one kernel that has so many rows side by side, in blocks of so many keys.
static int64_t predictRows(const SoftmaxProduct &of, int64_t rows, int64_t block, const Machine &machine) {
  int64_t lanes = machine.getLanes(), vectors = divideUp(of.width, lanes), halvings = llvm::Log2_64_Ceil(lanes);
  Product scores{of.others, of.rows, of.keys, of.depth}, sums{of.others, of.rows, of.width, of.keys};
  // The factor that corrects a row's sums waits for the maximum of all lanes, as does their sum.
  Nest between;
  between.axes = {{of.others, AxisRole::Loop, false},
                  {divideUp(of.rows, rows), AxisRole::Loop, false},
                  {divideUp(of.keys, block), AxisRole::Loop, false},
                  {rows, AxisRole::Copies, false},
                  {4 * halvings, AxisRole::Copies, true},
                  {block, AxisRole::Lanes, false}};
  between.work = {{OpClass::Add, 0b011111, true}, {OpClass::Function, 0b001111, true}, {OpClass::Function, 0b101111}};
  between.work.append(vectors, {OpClass::MultiplyAdd, 0b001111});
  int64_t packed =
              predict(makePacking(scores, block), machine) + predict(makeTile(scores, rows, block, false), machine),
          dots = predict(makeDots(scores, rows, 1, machine), machine);
  return std::min(packed, dots) + predict(between, machine) +
         predict(makeTile(sums, rows, vectors * lanes, false), machine);
}

int64_t chooseSharedRows(int64_t extent, int64_t most) {
  int64_t best = 1;
  double bestCost = 0;
  for (int64_t rows = std::min(extent, most); rows >= 1; --rows)
    if (double cost = double(divideUp(extent, rows) * rows) * (1 + 1.0 / double(rows));
        bestCost == 0 || cost < bestCost) {
      bestCost = cost;
      best = rows;
    }
  return best;
}

int64_t predictOneKernel(const SoftmaxProduct &of, const Machine &machine) {
  int64_t lanes = machine.getLanes(), vectors = divideUp(of.width, lanes);
  int64_t most = std::max<int64_t>(1, (machine.vectorRegisters - vectors - 1) / vectors);
  // There are two blocks at least.
  int64_t block = std::min(kMostVectorsOfBlockRow * lanes, int64_t(llvm::PowerOf2Ceil(divideUp(of.keys, 2))));
  return machine.launch * 1000 + predictRows(of, chooseSharedRows(of.rows, most), block, machine);
}

int64_t predictTwoKernels(const SoftmaxProduct &of, const Machine &machine) {
  int64_t lanes = machine.getLanes(), rowBytes = of.keys * kBytes, run = kRowAccumulators * lanes;
  int64_t blockRows = std::clamp<int64_t>(machine.getCacheBytes(1) / kBlockShare / rowBytes, 1, kMostBlockRows);
  // Three passes read the row that is kept, two change it; then it is stored.
  Nest softmax;
  softmax.axes = {{of.others, AxisRole::Loop, false},
                  {divideUp(of.rows, blockRows), AxisRole::Loop, false},
                  {std::min(of.rows, blockRows), AxisRole::Loop, false},
                  {divideUp(of.keys, run), AxisRole::Loop, false},
                  {run, AxisRole::Lanes, false}};
  NestAccess kept{kBytes, false, {0, 0, of.keys, run, 1}},
      stored{kBytes, true, {of.rows * of.keys, blockRows * of.keys, of.keys, run, 1}};
  softmax.accesses.append(3, kept);
  kept.isStore = true;
  softmax.accesses.append({kept, stored});
  softmax.work = {
      {OpClass::Add, 0b11111}, {OpClass::Function, 0b11111}, {OpClass::Add, 0b11111}, {OpClass::Divide, 0b11111}};
  return (1 + kLaunchesPerKernel) * machine.launch * 1000 + predict(softmax, machine) +
         predictProduct({of.others, of.rows, of.keys, of.depth}, blockRows, true, machine) +
         predictProduct({of.others, of.rows, of.width, of.keys}, of.rows, false, machine);
}

} // namespace tiny::cost
