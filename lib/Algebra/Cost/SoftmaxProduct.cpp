// Predicts a product of a softmax of a product from nests that are made from its extents alone.
#include "Tiny/Algebra/Cost/SoftmaxProduct.h"

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Algebra/Cost/Product.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tiny::cost {

static int64_t divideUp(int64_t a, int64_t b) { return int64_t(llvm::divideCeil(a, b)); }

static int64_t predict(const Nest &nest, const Machine &machine) { return predictNest(nest, machine).getTotal(); }

/// Picoseconds of one kernel that has so many rows side by side, in blocks of so many keys.
static int64_t predictRows(const SoftmaxProduct &of, int64_t rows, int64_t block, const Machine &machine) {
  int64_t lanes = machine.getLanes(), vectors = divideUp(of.width, lanes), halvings = llvm::Log2_64_Ceil(lanes);
  Product scores = Product::make(of.others, of.rows, of.depth, of.keys, /*isTurned=*/true),
          sums = Product::make(of.others, of.rows, divideUp(of.keys, block) * block, of.width);
  scores.isFused = true;
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
  // A score is scaled, its distance from the maximum found and negated, and where it is the maximum chosen.
  between.work.append(6, {OpClass::Add, 0b101111});
  int64_t packed = predictTile(scores, {rows, block, block, rows > 1, true, 1}, machine).getTotal(),
          dots = predictDots(scores, {rows, 1, 1}, machine),
          added = predictTile(sums, {rows, vectors * lanes, vectors * lanes, false, false, 1}, machine).getTotal();
  return std::min(packed, dots) + predict(between, machine) + added;
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
  int64_t block = std::min(kMostBlockVectors * lanes, int64_t(llvm::PowerOf2Ceil(divideUp(of.keys, 2))));
  return machine.launch * 1000 + predictRows(of, chooseSharedRows(of.rows, most), block, machine);
}

int64_t predictTwoKernels(const SoftmaxProduct &of, const Machine &machine) {
  Product scores = Product::make(of.others, of.rows, of.depth, of.keys, /*isTurned=*/true);
  scores.blockRows = chooseBlockRows(scores, findTiles(scores, machine).front().tile, 1, machine);
  scores.isKept = true;
  // Three passes read the row that is kept, two change it; then it is stored.
  Nest softmax;
  int64_t run = kMostBlockVectors * machine.getLanes();
  softmax.axes = {{of.others, AxisRole::Loop, false},
                  {divideUp(of.rows, scores.blockRows), AxisRole::Loop, false},
                  {scores.blockRows, AxisRole::Loop, false},
                  {divideUp(of.keys, run), AxisRole::Loop, false},
                  {run, AxisRole::Lanes, false}};
  NestAccess kept{scores.bytes, false, {0, 0, of.keys, run, 1}},
      stored{scores.bytes, true, {of.rows * of.keys, scores.blockRows * of.keys, of.keys, run, 1}};
  softmax.accesses.append(3, kept);
  kept.isStore = true;
  softmax.accesses.append({kept, stored});
  softmax.work = {
      {OpClass::Add, 0b11111}, {OpClass::Function, 0b11111}, {OpClass::Add, 0b11111}, {OpClass::Divide, 0b11111}};
  return (2 * machine.launch + getWake(machine)) * 1000 + predict(softmax, machine) +
         findTiles(scores, machine).front().times.getTotal() +
         findTiles(Product::make(of.others, of.rows, of.keys, of.width), machine).front().times.getTotal();
}

} // namespace tiny::cost
