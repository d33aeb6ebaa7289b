// The one place that weighs recomputation against memory traffic. docs/Scheduling.md explains it with examples.
#ifndef TINY_TRANSFORMS_KERNELIZE_COSTMODEL_H
#define TINY_TRANSFORMS_KERNELIZE_COSTMODEL_H

#include "mlir/IR/Operation.h"

#include <algorithm>
#include <cmath>

namespace tiny::lazy {

/// What a buffer costs, what recomputation costs, and the caps that hold whatever the costs say. The unit of cost is
/// one cheap scalar operation, an addition.
///
/// `utils/measure-costs` finds the rates on the machine at hand. On two cores of a Xeon at 2.5 GHz it printed 10.7 to
/// 12.1 G additions a second in one kernel on one core, 10.2 to 10.5 GB of memory traffic a second, and 0.05 to 0.14
/// microseconds for a launch in the same queue.
struct CostModel {
  //===--- Costs ------------------------------------------------------------------------------------------------===//

  /// Moving one byte between memory and the core: measured 1.0 to 1.2 on one core; with both cores busy, which share
  /// the memory, twice that.
  double byteMoved = 2;
  /// Arithmetic on indices and constants of at most so much per element, less than a function, is never stored: masks,
  /// aranges and one-hots touch no memory, however often they are evaluated.
  double indexArithmetic = 11;

  /// A launch: 65536 additions are 6 microseconds of one core. A bare launch on the CPU device is measured at 600 to
  /// 1500 additions; but the same plan serves devices whose launches cost 4 to 10 microseconds (a GPU's driver, a pool
  /// of threads that must wake), and each kernel is compiled, for some 10 milliseconds.
  double launch = 65536;

  /// The operands of a sum of products are packed into tiles, and what is computed of them goes in: each element is
  /// evaluated once for some so many places that use it.
  double packedPlaces = 64;

  /// A sum that picks one element of many becomes a lookup, which reads a buffer. What is computed becomes one for it
  /// if it has at most this share of the elements that the sum would combine.
  double largestTable = 0.5;

  /// What several passes over a row want is computed by the first one alone: kernel-default-schedule keeps rows of at
  /// most so many bytes, which stay in the second-level cache; short ones stay in registers.
  double largestRow = 256 << 10;
  /// Columns are kept side by side, so many as fill a cache line; there must be as many.
  double columnLanes = 16;
  /// A part of a concatenation that others read too is computed there if its rows have so many elements: shorter ones
  /// would fill no vectors of who reads them.
  int64_t smallestSlice = 32;
  /// Without a schedule each pass computes it again, so that they are code and are counted as recomputation.
  unsigned maxPasses = 8;

  /// Rows that a product gives are kept in blocks for the passes over them: of at most so many bytes, which stay in the
  /// second-level cache, and so many rows; of no fewer than fill a tile of registers, and of no fewer elements than one
  /// and a half vectors: a kernel of their own runs shorter ones side by side, which is up to twice as fast.
  double largestBlock = 512 << 10;
  double blockRows = 128, minBlockRows = 4, minBlockLanes = 24;
  /// Threads share blocks, so there are at least so many, unless the product combines so little that one is enough.
  double minBlocks = 4, serialProduct = 2 << 20;
  /// For each block the product's other factor is packed again, where a buffer would let all rows share it. Measured at
  /// 0.34 ns an element of 768x768.
  double packedElement = 4;

  //===--- Caps on recomputation --------------------------------------------------------------------------------===//

  /// No kernel evaluates more than so many times the operations that its values have when each is computed once, and
  /// the program as a whole does not either; see KernelAudit.h for how they are counted.
  double maxOperations = 4;

  /// A value is computed in at most so many places; one that more want gets a buffer.
  unsigned maxCopies = 4;

  /// A reduction whose result is padded may be evaluated in the padding too: at so many times the places that it has,
  /// if that costs less than a buffer.
  double maxRepeat = 2;

  /// A kernel that stores the result of an elementwise operation may do so much recomputation per element besides: less
  /// than moving the element costs, and, however many values are recomputed, a bound on the kernel's operations.
  double hiddenPerElement = 2;

  /// What a tile of accumulators shares may be recomputed if it costs at most so much per accumulator, each of which
  /// takes a product and a sum at that place.
  double hiddenPerAccumulator = 0.25;

  //===--- Caps on what one kernel holds ------------------------------------------------------------------------===//

  /// One kernel has at most so many reductions: each is a loop of its own and runs what it reads once more, so a chain
  /// of them in one kernel grows with its square.
  size_t maxReductions = 16;

  /// One loop carries at most so many accumulators side by side, and one kernel stores at most so many results: times
  /// the lanes and the tile they must stay in registers.
  size_t maxAccumulators = 8;

  /// One kernel evaluates at most so many functions (`isFunction`) per element: each is many instructions, on
  /// several vectors side by side, and LLVM's time grows with the square of a kernel's length. 16 `sin` compile for 0.7
  /// s, and a load and a store for 16 are little.
  size_t maxFunctions = 16;

  /// A tile of accumulators, which share what is evaluated for each, has at most so many: as vectors they fill half of
  /// the registers of a core with 512 bits each.
  int64_t maxTile = 256;

  /// A reduction that runs inside of other loops may nest at most so many of them, loops of one step not counted.
  unsigned maxLoopDepth = 12;

  //===--- Which reductions share a kernel ----------------------------------------------------------------------===//

  /// Two reductions over different spaces share a kernel if one of them combines at most so many elements.
  double smallReduction = 16384;

  /// A reduction may run inside another if it combines at most so many elements in all: what running them side by side
  /// would gain is less than a launch.
  double nestedReduction = 32768;

  /// A product of two values that combines more elements has a kernel for itself, with what ends it and with products
  /// in the same loops: these are tiled, which beside another reduction they are not.
  double smallProduct = 262144;

  /// Of such products one kernel has at most so many, which one value reads: they divide the registers of the tile that
  /// one would have. Two take as long as two kernels; three of 512x512x512 take 1.1 times as long as three.
  size_t maxProducts = 2;

  /// Windows of such a product run side by side if its larger factor has at most so many bytes. As wide as the second
  /// level of a cache they are packed as quickly as the whole; of 128x1024x5632 they take 1.4 times as long.
  double largestWindowed = 4 << 20;

  /// A reduction that runs before the rest of its kernel must leave at least so many rows to run side by side, unless
  /// all that it does is less than a launch.
  double minRows = 8;

  /// Whether a reduction may run once per row, in the loops over the rows, before what needs it there.
  bool prefersRows(double rows, double elements) const { return rows >= minRows || elements <= launch; }

  //===--- The choice -------------------------------------------------------------------------------------------===//

  /// Of one element: 0 for what is free in a load (casts), 1 for an addition, more for divisions and functions.
  static double weight(mlir::Operation *op);

  /// Whether it is evaluated by many instructions, as exponentials are, and has the largest weight.
  static bool isFunction(mlir::Operation *op);

  /// Whether to compute an elementwise value where it is used: `elements` of it with `bytes` in all would be evaluated
  /// `evaluations` times at `weight` each, instead of once, stored and read back by a kernel more. `launches` is 0
  /// where there is that kernel anyway.
  bool prefersRecomputation(double elements, double bytes, double evaluations, double weight,
                            unsigned launches = 1) const {
    double extra = (evaluations - elements) * weight;
    double saved = launches * launch + 2 * bytes * byteMoved;
    return extra <= saved;
  }

  /// Whether a product that combines `combined` elements keeps its `rows` rows of `bytes` each in blocks, instead of a
  /// buffer that is stored and read by a kernel more. `sharing` of them read the same of the other factor, of which
  /// `inOneLoop` are in one loop.
  bool prefersBlocks(double rows, double bytes, double sharing, double inOneLoop, double combined) const {
    double block = std::min({blockRows, inOneLoop, largestBlock / bytes});
    if (combined > serialProduct)
      block = std::min(block, std::max(minBlockRows, rows / minBlocks));
    double again = (std::ceil(sharing / block) - 1) * rows / sharing;
    return again * combined / rows * packedElement <= launch + 2 * rows * bytes * byteMoved;
  }

  /// Whether to compute an elementwise value only where gathers pick `picked` elements of it, for `pickedCost` in all,
  /// instead of as a whole of `elements` with `bytes` each, for `wholeCost`, in a buffer that they read.
  bool prefersPicking(double elements, double bytes, double wholeCost, double picked, double pickedCost) const {
    return pickedCost <= wholeCost + launch + (elements + picked) * bytes * byteMoved;
  }
};

} // namespace tiny::lazy

#endif // TINY_TRANSFORMS_KERNELIZE_COSTMODEL_H
