// What follows from a machine's record for every choice: what it does in a time, what it holds, what it does at once.
#ifndef TINY_ALGEBRA_COST_CAPACITY_H
#define TINY_ALGEBRA_COST_CAPACITY_H

#include "Tiny/Algebra/Cost/Machine.h"

#include <algorithm>

namespace tiny::cost {

/// Threads that share a kernel, and results side by side that fill the device: one for each core.
inline int64_t getParallelism(const Machine &machine) { return std::max<int64_t>(1, machine.cores); }
/// Bytes that stay in the second-level cache until they are read again: half of it, as what is computed from them
/// passes by as well.
inline int64_t getKeptBytes(const Machine &machine) { return machine.getCacheBytes(1) / 2; }
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
/// Lines at one place in a page that the first-level cache holds, which finds them by that place: one for each page
/// that it is large. 0 where there is none.
inline int64_t getLinesOfPlace(const Machine &machine) {
  return machine.caches[0].bytes ? std::max<int64_t>(1, machine.caches[0].bytes / kPageBytes) : 0;
}
/// Results of a kernel. Each is written in a stream of its own, at one place in a page.
inline int64_t getMostResults(const Machine &machine) {
  int64_t lines = getLinesOfPlace(machine);
  return lines ? lines : std::max<int64_t>(1, machine.buffers);
}
/// Accumulators of one tile: as vectors they fill half of the registers.
inline int64_t getMostAccumulators(const Machine &machine) {
  constexpr double kMost = 1 << 30;
  return std::max<int64_t>(1,
                           int64_t(std::min(kMost, double(machine.getLanes()) * double(machine.vectorRegisters) / 2)));
}

/// Millions of additions a second that one core begins in vectors, as sums in a register tile do.
inline double getPeakAdditions(const Machine &machine) {
  double interval = double(std::max<int64_t>(1, machine.getCost(OpClass::Add).interval));
  return std::max(1.0, double(machine.getLanes()) * double(machine.clock) * 100 / interval);
}
/// Millions of additions a second of a kernel on one core that adds what lies in the first-level cache: two elements of
/// 4 bytes are read, and one is written.
inline double getAdditions(const Machine &machine) {
  double most = getPeakAdditions(machine);
  return machine.caches[0].bandwidth ? std::min(most, double(machine.caches[0].bandwidth) / 12) : most;
}
/// Additions in the time that a byte takes between memory and a core while all cores move some.
inline double getByteMoved(const Machine &machine) {
  int64_t share = machine.memoryBandwidth / std::max<int64_t>(1, machine.cores);
  if (machine.coreBandwidth)
    share = std::min(share, machine.coreBandwidth);
  return getAdditions(machine) / double(std::max<int64_t>(1, share));
}
/// Nanoseconds of a launch, and until other threads have begun, which a GPU has none of. Where a record states none,
/// the generic one's.
inline int64_t getLaunchTime(const Machine &machine) {
  return machine.launch ? machine.launch : getGenericMachine().launch;
}
inline int64_t getWake(const Machine &machine) {
  return machine.wake || machine.kind == DeviceKind::Gpu ? machine.wake : getGenericMachine().wake;
}
/// Additions in the time that one more kernel costs: its launch, for which other threads begin. Where a record states
/// no launch, the generic one's.
inline double getLaunch(const Machine &machine) {
  if (machine.launch == 0)
    return getLaunch(getGenericMachine());
  return getAdditions(machine) * double(machine.launch + getWake(machine)) / 1000;
}

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_CAPACITY_H
