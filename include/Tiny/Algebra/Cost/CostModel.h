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
        minShared(getParts(machine)), packedElement(2 * byteMoved), maxTile(getMostAccumulators(machine)),
        largestWindowed(kWindowedCaches * machine.getCacheBytes(1)), maxResults(getMostResults(machine)),
        minBlockRows(getTileRows(machine)), maxProducts(getMostProducts(machine)) {
    double addition = std::max<int64_t>(1, machine.getCost(OpClass::Add).interval);
    for (unsigned k = 0; k < kOpClasses; ++k) {
      int64_t interval = machine.costs[k].interval;
      weights[k] = static_cast<OpClass>(k) == OpClass::Free ? 0 : interval ? interval / addition : 1;
    }
  }

  //===--- What follows from the record -------------------------------------------------------------------------===//

  /// Cost of moving one byte between memory and the core. Measured: 1.0 to 1.2 on one core, and twice that if both
  /// cores share the memory.
  double byteMoved;

  /// Cost of a launch: 65536 additions are 6 microseconds of one core. A bare launch on the CPU device takes 600 to
  /// 1500 additions. But the same plan serves devices whose launches take 4 to 10 microseconds (a GPU's driver, threads
  /// that must wake), and each kernel takes some 10 milliseconds to compile.
  double launch;

  /// Largest row, in bytes, that kernel-default-schedule keeps for later passes over it: it stays in the second-level
  /// cache, and a short one in registers.
  double largestRow;
  /// Columns that are kept side by side, since so many fill a cache line; there must be at least as many.
  double columnLanes;
  /// Shortest row, in elements, of a part that is computed in its concatenation although others read it: shorter ones
  /// would fill no vectors of the readers.
  int64_t smallestSlice;

  /// Largest block, in bytes, of a product's rows that is kept: it stays in the second-level cache.
  double largestBlock;
  /// Fewest elements of a row of a block, one and a half vectors: shorter rows run side by side in a kernel of their
  /// own, up to twice as fast.
  double minBlockLanes;
  /// Fewest rows that a reduction before the rest of its kernel leaves, and blocks of a product's rows, since threads
  /// share them, unless all of their work is less than a launch.
  double minShared;
  /// Cost of packing one element of the product's other factor again for each block; a buffer would let all rows share
  /// it. Measured: 0.34 ns an element of 768x768.
  double packedElement;

  /// Most accumulators of a tile: as vectors they fill half of the registers of a core with 512 bits each.
  int64_t maxTile;

  /// Largest larger factor, in bytes, of such a product whose windows run side by side. Factors that fit the
  /// second-level cache are packed as quickly in windows as whole; windows of 128x1024x5632 take 1.4 times as long.
  double largestWindowed;

  /// Most results of one kernel.
  size_t maxResults;
  /// Fewest rows of a block: they fill a tile of registers.
  double minBlockRows;
  /// Places of a product that share one evaluation of an operand's element, since the operands are packed into tiles:
  /// those of the longest row of a register tile, which has the fewest rows.
  double getPackedPlaces() const { return std::max(1.0, maxTile / minBlockRows); }
  /// Most large products of one kernel, which one value reads: they divide the registers of a tile.
  size_t maxProducts;

  /// Whether a reduction of so many elements in all, each of them an addition, takes at most as long as a launch. Then
  /// it may run in whatever loops its kernel has: inside another reduction, or beside one over another space. A larger
  /// one wants loops of its own.
  bool isSmall(double combined) const { return combined <= launch; }
  /// The same for a product of two values, which is tiled: it reaches what a core can do.
  double getSmallProduct() const { return kReachedAdditions * launch; }
  bool isSmallProduct(double combined) const { return combined <= getSmallProduct(); }
  /// Whether a reduction may run once per row, in the loops over the rows, before its result is needed there.
  bool prefersRows(double rows, double elements) const { return rows >= minShared || isSmall(elements); }

  //===--- Budgets, whatever the costs say ----------------------------------------------------------------------===//

  static constexpr unsigned maxEvaluations = kMostEvaluations, maxLoops = kMostLoops;

  //===--- The choice -------------------------------------------------------------------------------------------===//

  /// Cost of one element by class of operation, in additions: 0 for what is free in a load, more than 1 for divisions
  /// and functions. A class that the record does not state costs as much as an addition.
  std::array<double, kOpClasses> weights = {};
  double getWeight(OpClass opClass) const { return weights[static_cast<unsigned>(opClass)]; }
  /// Whether arithmetic on indices and constants, of `weight` per element, is never stored: a word of memory costs as
  /// much to load. Masks, aranges and one-hots touch no memory, however often they are evaluated.
  bool isIndexArithmetic(double weight) const { return weight <= 4 * byteMoved; }

  /// Whether to compute an elementwise value where it is used. It has `elements` of `bytes` in all, and would be
  /// evaluated `evaluations` times at `weight` each. Otherwise it is computed once, stored, and read back by another
  /// kernel. `launches` is 0 if that kernel exists anyway.
  bool prefersRecomputation(double elements, double bytes, double evaluations, double weight,
                            unsigned launches = 1) const {
    return getRecomputationCost(elements, evaluations, weight) <= getBufferCost(bytes, launches);
  }
  /// Recomputation that costs no time in a kernel that stores an elementwise result of so many bytes, for `operations`:
  /// it waits for memory longer than that.
  double getHidden(double bytes, double operations) const { return bytes * byteMoved - operations; }
  /// Whether recomputation of `weight` takes no longer than the sums of a tile that share it: these reach what a core
  /// can do.
  bool hidesBesideTile(double weight, double accumulators) const { return kReachedAdditions * weight <= accumulators; }
  /// The two sides of it.
  double getRecomputationCost(double elements, double evaluations, double weight) const {
    return (evaluations - elements) * weight;
  }
  double getBufferCost(double bytes, unsigned launches = 1) const { return launches * launch + 2 * bytes * byteMoved; }

  /// Whether a product that combines `combined` elements keeps its `rows` rows of `bytes` each in blocks. Otherwise
  /// they are stored in a buffer and read by another kernel. `sharing` rows read the same part of the other factor, and
  /// `inOneLoop` of these are in one loop.
  bool prefersBlocks(double rows, double bytes, double sharing, double inOneLoop, double combined) const {
    return getPackingCost(rows, bytes, sharing, inOneLoop, combined) <= getBufferCost(rows * bytes);
  }
  /// What it costs to pack the other factor again for each block.
  double getPackingCost(double rows, double bytes, double sharing, double inOneLoop, double combined) const {
    double block = std::min(inOneLoop, largestBlock / bytes);
    if (!isSmallProduct(combined))
      block = std::min(block, std::max(minBlockRows, rows / minShared));
    double again = (std::ceil(sharing / block) - 1) * rows / sharing;
    return again * combined / rows * packedElement;
  }

  /// Whether to compute an elementwise value only for the `picked` elements that gathers read, for `pickedCost` in all.
  /// Otherwise all `elements` of `bytes` each are computed, for `wholeCost`, into a buffer that they read.
  bool prefersPicking(double elements, double bytes, double wholeCost, double picked, double pickedCost) const {
    return pickedCost <= getPickedLimit(elements, bytes, wholeCost, picked);
  }
  /// The cost of the buffer, which `pickedCost` may not exceed.
  double getPickedLimit(double elements, double bytes, double wholeCost, double picked) const {
    return wholeCost + launch + (elements + picked) * bytes * byteMoved;
  }
};

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_COSTMODEL_H
