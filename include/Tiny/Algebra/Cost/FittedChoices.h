// Numbers that were fitted by measurement and are no facts about a machine. Each says what it chooses. They stand here
// until prediction from the record replaces them; what depends on the machine is a function of its record.
#ifndef TINY_ALGEBRA_COST_FITTEDCHOICES_H
#define TINY_ALGEBRA_COST_FITTEDCHOICES_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tiny::cost {

/// Most parts that a product, or a kernel of few points, is cut into for threads. It does not grow with the cores, so
/// that processors of one family get the same kernels.
inline constexpr int64_t kThreadParts = 4;
/// Most results side by side that reductions are split for, whatever the number of cores.
inline constexpr int64_t kMostParallel = 16;
/// Of the second-level cache, how much a row or a tile may take that later passes read again: a quarter.
inline constexpr int64_t kKeptShare = 4;
/// Of the second-level cache, how much a block of a product's rows may take: a half.
inline constexpr int64_t kBlockShare = 2;
/// How many times as large as the second-level cache a factor may be of which windows run side by side.
inline constexpr int64_t kWindowedCaches = 4;
/// Of the additions that a core can do in vectors, one in so many is done in a kernel that does little else.
inline constexpr int64_t kReachedAdditions = 4;
/// What one more kernel costs, in launches: each is compiled, too, and on other devices threads must wake for it.
inline constexpr int64_t kLaunchesPerKernel = 32;

//===--- Fusion: budgets of recomputation and of code -------------------------------------------------------------===//

/// Most evaluations for each that would do: of a value, by the places that compute it, and of all operations of a
/// kernel and of the whole program, as KernelAudit.h counts them. What is wanted more often gets a buffer.
inline constexpr unsigned kMostEvaluations = 4;
/// Most loops of one kernel after each other: its reductions, and passes over a row that want one value. Each evaluates
/// again what it reads, so the code of a chain grows with its square.
inline constexpr unsigned kMostLoops = 16;

//===--- What follows from a record -------------------------------------------------------------------------------===//

/// Parts for threads; 1 for none.
inline int64_t getParts(const Machine &machine) { return std::clamp<int64_t>(machine.cores, 1, kThreadParts); }
/// Results side by side that fill the device.
inline int64_t getParallelism(const Machine &machine) {
  return std::clamp<int64_t>(machine.cores, 1, machine.kind == DeviceKind::Gpu ? machine.cores : kMostParallel);
}
/// Bytes of a row or a tile that later passes read again.
inline int64_t getKeptBytes(const Machine &machine) { return machine.getCacheBytes(1) / kKeptShare; }
/// Rows of the smallest register tile of a product: a core begins one in a cycle, two vectors long, and goes on to the
/// next until the sums of the first are there. Where a record states no latency, the generic one's.
inline int64_t getTileRows(const Machine &machine) {
  int64_t latency = machine.getCost(OpClass::MultiplyAdd).latency;
  return latency ? std::max<int64_t>(1, (latency + 99) / 100) : getTileRows(getGenericMachine());
}
/// Products whose register tiles run side by side: the sums of all of them fill half of the registers, and each has two
/// vectors for each row of the smallest tile. Where a record states no registers, the generic one's.
inline int64_t getMostProducts(const Machine &machine) {
  if (machine.vectorRegisters == 0)
    return getMostProducts(getGenericMachine());
  return std::max<int64_t>(1, machine.vectorRegisters / 2 / (2 * getTileRows(machine)));
}
/// Results of a kernel. Each is written in a stream of its own, at one place in a page: the first-level cache, which
/// finds lines by that place, holds one line for each page that it is large.
inline int64_t getMostResults(const Machine &machine) {
  return machine.caches[0].bytes ? std::max<int64_t>(1, machine.caches[0].bytes / kPageBytes)
                                 : std::max<int64_t>(1, machine.buffers);
}
/// Accumulators of one tile: as vectors they fill half of the registers.
inline int64_t getMostAccumulators(const Machine &machine) {
  return std::max<int64_t>(1, machine.getLanes() * machine.vectorRegisters / 2);
}

/// Millions of additions a second that a kernel of additions does on one core.
inline int64_t getAdditions(const Machine &machine) {
  int64_t interval = std::max<int64_t>(1, machine.getCost(OpClass::Add).interval);
  return std::max<int64_t>(1, machine.getLanes() * machine.clock * 100 / interval / kReachedAdditions);
}
/// Additions in the time that a byte takes between memory and a core while all cores move some. Rounded, at least 1.
inline int64_t getByteMoved(const Machine &machine) {
  int64_t share = std::max<int64_t>(1, machine.memoryBandwidth / std::max<int64_t>(1, machine.cores));
  return std::max<int64_t>(1, (getAdditions(machine) + share / 2) / share);
}
/// Additions in the time that one more kernel costs, as a power of two, so that like machines decide alike. Where a
/// record states no launch, the generic one's.
inline int64_t getLaunch(const Machine &machine) {
  if (machine.launch == 0)
    return getLaunch(getGenericMachine());
  int64_t additions = std::max<int64_t>(1, getAdditions(machine) * machine.launch * kLaunchesPerKernel / 1000),
          power = 1;
  while (power < additions)
    power *= 2;
  return power;
}

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_FITTEDCHOICES_H
