// The one place that weighs recomputation against memory traffic. docs/Scheduling.md explains it with examples.
#ifndef TINY_ALGEBRA_COST_COSTMODEL_H
#define TINY_ALGEBRA_COST_COSTMODEL_H

#include "Tiny/Algebra/Cost/FittedChoices.h"

#include <algorithm>
#include <cmath>

namespace tiny::cost {

/// What a buffer costs, what recomputation costs, and caps that hold whatever the costs say. The unit of cost is one
/// cheap scalar operation, an addition. What depends on the machine comes from its record.
///
/// `utils/measure-costs` finds the rates on the machine at hand. On two cores of a Xeon at 2.5 GHz it printed 10.7 to
/// 12.1 G additions a second in one kernel on one core, 10.2 to 10.5 GB of memory traffic a second, and 0.05 to 0.14
/// microseconds for a launch in the same queue.
struct CostModel {
  explicit CostModel(const Machine &machine = getGenericMachine())
      : byteMoved(getByteMoved(machine)), launch(getLaunch(machine)), largestRow(getKeptBytes(machine)),
        columnLanes(machine.cacheLine / 4), smallestSlice(2 * machine.getLanes()),
        largestBlock(machine.getCacheBytes(1) / kBlockShare), minBlockLanes(machine.getLanes() * 3 / 2),
        minBlocks(getParts(machine)), packedElement(2 * byteMoved), maxTile(getMostAccumulators(machine)),
        largestWindowed(kWindowedCaches * machine.getCacheBytes(1)) {
    double addition = std::max<int64_t>(1, machine.getCost(OpClass::Add).interval);
    for (unsigned k = 0; k < kOpClasses; ++k) {
      int64_t interval = machine.costs[k].interval;
      weights[k] = static_cast<OpClass>(k) == OpClass::Free ? 0 : interval ? interval / addition : 1;
    }
  }

  //===--- Costs ------------------------------------------------------------------------------------------------===//

  /// Cost of moving one byte between memory and the core. Measured: 1.0 to 1.2 on one core, and twice that if both
  /// cores share the memory.
  double byteMoved;
  /// Largest cost per element of arithmetic on indices and constants that is never stored. Masks, aranges and one-hots
  /// touch no memory, however often they are evaluated.
  double indexArithmetic = 11;

  /// Cost of a launch: 65536 additions are 6 microseconds of one core. A bare launch on the CPU device takes 600 to
  /// 1500 additions. But the same plan serves devices whose launches take 4 to 10 microseconds (a GPU's driver, threads
  /// that must wake), and each kernel takes some 10 milliseconds to compile.
  double launch;

  /// Places of a product that share one evaluation of an operand's element, since the operands are packed into tiles.
  double packedPlaces = 64;

  /// Largest table that is stored for a lookup, as a share of the elements that the sum would combine: a sum that picks
  /// one element of many may become a lookup, which reads a buffer.
  static constexpr double largestTable = 0.5;

  /// Largest row, in bytes, that kernel-default-schedule keeps for later passes over it: it stays in the second-level
  /// cache, and a short one in registers.
  double largestRow;
  /// Columns that are kept side by side, since so many fill a cache line; there must be at least as many.
  double columnLanes;
  /// Shortest row, in elements, of a part that is computed in its concatenation although others read it: shorter ones
  /// would fill no vectors of the readers.
  int64_t smallestSlice;
  /// Most passes over a row that want one value. Without a schedule each of them computes it again.
  unsigned maxPasses = 8;

  /// Blocks of a product's rows that are kept for the passes over them: the largest block in bytes, which stays in the
  /// second-level cache, and the most rows.
  /// The fewest rows fill a tile of registers. The fewest elements of a row are one and a half vectors: shorter rows
  /// run side by side in a kernel of their own, up to twice as fast.
  double largestBlock;
  double blockRows = 128, minBlockRows = 4, minBlockLanes;
  /// Fewest blocks, since threads share them, unless the product combines at most `serialProduct` elements.
  double minBlocks, serialProduct = 2 << 20;
  /// Cost of packing one element of the product's other factor again for each block; a buffer would let all rows share
  /// it. Measured: 0.34 ns an element of 768x768.
  double packedElement;

  //===--- Caps on recomputation --------------------------------------------------------------------------------===//

  /// Most operations that a kernel, or the whole program, evaluates, as a multiple of those when each value is computed
  /// once. KernelAudit.h says how they are counted.
  double maxOperations = 4;

  /// Most places that compute one value; a value that more places want gets a buffer.
  unsigned maxCopies = 4;

  /// Most evaluations of a padded reduction per result, if that costs less than a buffer: it is evaluated in the
  /// padding too.
  double maxRepeat = 2;

  /// Recomputation per stored element that costs no time: a kernel that stores an elementwise result waits for memory
  /// longer than that.
  double hiddenPerElement = 2;

  /// Recomputation, per accumulator, that a tile of accumulators may share: each accumulator takes a product and a sum
  /// anyway.
  double hiddenPerAccumulator = 0.25;

  //===--- Caps on what one kernel holds ------------------------------------------------------------------------===//

  /// Most reductions of one kernel. Each is a loop of its own that evaluates its inputs again, so a chain of them grows
  /// with its square.
  size_t maxReductions = 16;

  /// Most accumulators side by side in one loop, and most results of one kernel. Times the lanes and the tile, they
  /// must stay in registers.
  size_t maxAccumulators = 8;

  /// Most functions (of the class `Function`) that one kernel evaluates per element. Each is many instructions, on
  /// several vectors side by side, and LLVM's time grows with the square of a kernel's length: 16 `sin` compile for
  /// 0.7 s.
  size_t maxFunctions = 16;

  /// Most accumulators of a tile: as vectors they fill half of the registers of a core with 512 bits each.
  int64_t maxTile;

  /// Most loops around a reduction inside other loops. Loops of one step do not count.
  unsigned maxLoopDepth = 12;

  //===--- Which reductions share a kernel ----------------------------------------------------------------------===//

  /// Two reductions over different spaces share a kernel if one of them combines at most so many elements.
  double smallReduction = 16384;

  /// A reduction may run inside another if it combines at most so many elements in all: running them side by side would
  /// save less than a launch.
  double nestedReduction = 32768;

  /// A product of two values that combines more elements shares a kernel only with what ends it and with products in
  /// the same loops. These are tiled; beside another reduction they would not be.
  double smallProduct = 262144;

  /// Most such products of one kernel, which one value reads: they divide the registers of a tile. Two take as long as
  /// two kernels; three of 512x512x512 take 1.1 times as long as three kernels.
  size_t maxProducts = 2;

  /// Largest larger factor, in bytes, of such a product whose windows run side by side. Factors that fit the
  /// second-level cache are packed as quickly in windows as whole; windows of 128x1024x5632 take 1.4 times as long.
  double largestWindowed;

  /// Fewest rows that a reduction before the rest of its kernel must leave to run side by side, unless all of its work
  /// is less than a launch.
  double minRows = 8;

  /// Whether a reduction may run once per row, in the loops over the rows, before its result is needed there.
  bool prefersRows(double rows, double elements) const { return rows >= minRows || elements <= launch; }

  //===--- The choice -------------------------------------------------------------------------------------------===//

  /// Cost of one element by class of operation, in additions: 0 for what is free in a load, more than 1 for divisions
  /// and functions. A class that the record does not state costs as much as an addition.
  std::array<double, kOpClasses> weights = {};
  double getWeight(OpClass opClass) const { return weights[static_cast<unsigned>(opClass)]; }

  /// Whether to compute an elementwise value where it is used. It has `elements` of `bytes` in all, and would be
  /// evaluated `evaluations` times at `weight` each. Otherwise it is computed once, stored, and read back by another
  /// kernel. `launches` is 0 if that kernel exists anyway.
  bool prefersRecomputation(double elements, double bytes, double evaluations, double weight,
                            unsigned launches = 1) const {
    double extra = (evaluations - elements) * weight;
    double saved = launches * launch + 2 * bytes * byteMoved;
    return extra <= saved;
  }

  /// Whether a product that combines `combined` elements keeps its `rows` rows of `bytes` each in blocks. Otherwise
  /// they are stored in a buffer and read by another kernel. `sharing` rows read the same part of the other factor, and
  /// `inOneLoop` of these are in one loop.
  bool prefersBlocks(double rows, double bytes, double sharing, double inOneLoop, double combined) const {
    double block = std::min({blockRows, inOneLoop, largestBlock / bytes});
    if (combined > serialProduct)
      block = std::min(block, std::max(minBlockRows, rows / minBlocks));
    double again = (std::ceil(sharing / block) - 1) * rows / sharing;
    return again * combined / rows * packedElement <= launch + 2 * rows * bytes * byteMoved;
  }

  /// Whether to compute an elementwise value only for the `picked` elements that gathers read, for `pickedCost` in all.
  /// Otherwise all `elements` of `bytes` each are computed, for `wholeCost`, into a buffer that they read.
  bool prefersPicking(double elements, double bytes, double wholeCost, double picked, double pickedCost) const {
    return pickedCost <= wholeCost + launch + (elements + picked) * bytes * byteMoved;
  }
};

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_COSTMODEL_H
