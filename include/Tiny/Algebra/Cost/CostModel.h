// The one place that weighs recomputation against memory traffic. docs/Scheduling.md explains it with examples.
#ifndef TINY_ALGEBRA_COST_COSTMODEL_H
#define TINY_ALGEBRA_COST_COSTMODEL_H

#include "Tiny/Algebra/Cost/Capacity.h"

#include <algorithm>
#include <cmath>

namespace tiny::cost {

/// What a buffer costs, what recomputation costs, and caps that hold whatever the costs say. The unit of cost is one
/// cheap scalar operation, an addition. What depends on the machine comes from its record.
///
/// `utils/measure-costs` finds the rates on the machine at hand. On two cores of a Xeon at 2.5 GHz it printed 10.7 to
/// 12.1 G additions a second in one kernel on one core, 10.2 to 10.5 GB of memory traffic a second, and 0.05 to 0.14
/// microseconds for a launch in the same queue; on two of a Zen 5 34.1 G additions, 43 to 71 GB, and 0.04 microseconds.
struct CostModel {
  explicit CostModel(const Machine &machine = getGenericMachine())
      : byteMoved(getByteMoved(machine)), launch(getLaunch(machine)), largestRow(getKeptBytes(machine)),
        columnLanes(machine.cacheLine / 4), smallestSlice(2 * machine.getLanes()), largestBlock(getKeptBytes(machine)),
        minBlockLanes(machine.getLanes() * 3 / 2), maxThreads(double(getParallelism(machine))),
        packedElement(getAdditions(machine) / double(std::max<int64_t>(1, machine.clock))),
        maxTile(getMostAccumulators(machine)), largestWindowed(machine.getCacheBytes(2)),
        maxResults(getMostResults(machine)), minBlockRows(getTileRows(machine)), maxProducts(getMostProducts(machine)),
        peak(getPeakAdditions(machine) / getAdditions(machine)) {
    double addition = double(std::max<int64_t>(1, machine.getCost(OpClass::Add).interval));
    for (unsigned k = 0; k < kOpClasses; ++k) {
      int64_t interval = machine.costs[k].interval;
      code[k] = static_cast<OpClass>(k) == OpClass::Free ? 0 : interval ? double(interval) / addition : 1;
      weights[k] = code[k] > 0 ? std::max(1.0, code[k] / peak) : 0;
    }
  }

  //===--- What follows from the record -------------------------------------------------------------------------===//

  /// Cost of moving one byte between memory and the core. Measured: 1.0 to 1.2 on one core, and twice that if both
  /// cores share the memory.
  double byteMoved;

  /// Cost of one more kernel, as a launch: on CPUs most of it is that the threads that share it begin.
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
  /// Most threads that share a kernel.
  double maxThreads;
  /// Cost of packing one element of the product's other factor again for each block: a cycle. A buffer would let all
  /// rows share it. Measured: 0.34 ns an element of 768x768 at 2.5 GHz.
  double packedElement;

  /// Most accumulators of a tile: as vectors they fill half of the registers.
  int64_t maxTile;

  /// Largest larger factor, in bytes, of such a product whose windows run side by side: the last cache holds it.
  /// Factors that the second-level cache holds are packed as quickly in windows as whole; windows of 128x1024x5632 take
  /// 1.4 times as long.
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
  /// How many additions of a register tile, which reach what a core can do, take as long as one of cheap operations.
  double peak;

  /// Whether a reduction of so many elements in all, each of them an addition, takes at most as long as a launch. Then
  /// it may run in whatever loops its kernel has: inside another reduction, or beside one over another space. A larger
  /// one wants loops of its own.
  bool isSmall(double combined) const { return combined <= launch; }
  /// The same for a product of two values, which is tiled: it reaches what a core can do.
  double getSmallProduct() const { return peak * launch; }
  bool isSmallProduct(double combined) const { return combined <= getSmallProduct(); }
  /// Threads that are worth waking for so much work, each for as long as two launches. Fewer rows than these are not
  /// left by a reduction before the rest of its kernel, nor fewer blocks of a product's rows.
  double getThreads(double work) const { return std::clamp(work / (2 * launch), 1.0, maxThreads); }
  /// Whether a reduction may run once per row, in the loops over the rows, before its result is needed there.
  bool prefersRows(double rows, double elements) const { return rows >= getThreads(elements); }

  //===--- Budgets, whatever the costs say ----------------------------------------------------------------------===//

  /// Most evaluations for each that would do: of a value, by the places that compute it, and of all operations of a
  /// kernel and of the whole program, as KernelAudit.h counts them. What is wanted more often gets a buffer.
  static constexpr unsigned maxEvaluations = 4;
  /// Most loops of one kernel after each other: its reductions, and passes over a row that want one value. Each
  /// evaluates again what it reads, so the code of a chain grows with its square.
  static constexpr unsigned maxLoops = 16;

  //===--- The choice -------------------------------------------------------------------------------------------===//

  /// Cost of one element by class of operation, in additions: 0 for what is free in a load, as much as its operands
  /// take from the first-level cache, or more where units are busy longer, as with functions. A class that the record
  /// does not state costs as much as an addition.
  std::array<double, kOpClasses> weights = {};
  double getWeight(OpClass opClass) const { return weights[static_cast<unsigned>(opClass)]; }
  /// Length of its code: how many additions a core could begin meanwhile.
  std::array<double, kOpClasses> code = {};
  double getCode(OpClass opClass) const { return code[static_cast<unsigned>(opClass)]; }
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
  bool hidesBesideTile(double weight, double accumulators) const { return peak * weight <= accumulators; }
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
    double block =
        std::min({inOneLoop, largestBlock / bytes, std::max(minBlockRows, rows / getThreads(combined / peak))});
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
