// The time of a kernel that workgroups run.
#ifndef TINY_LIB_SCHEDULE_GPU_PREDICTION_H
#define TINY_LIB_SCHEDULE_GPU_PREDICTION_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// Cycles until the result of an operation is there, and until lanes of a workgroup have met.
inline constexpr double kOperationLatency = 4, kMeetingLatency = 60;
/// Registers of a lane beside its accumulators.
inline constexpr double kOtherRegisters = 40;
/// Of parts that do not take longest, so much is not hidden.
inline constexpr double kNotHidden = 0.1;

/// Nanoseconds that parts of a GPU take for a kernel, each by itself.
struct WorkgroupTimes {
  /// To begin all instructions, and to move what lanes load and store between registers and the nearest memory.
  double issue = 0, accesses = 0;
  /// What workgroups read of the cache that they share, and what comes from memory at least once.
  double cache = 0, memory = 0;
  /// What a lane waits for one after the other, in as many rounds of workgroups as the device needs.
  double latency = 0;
  /// Whether the record has as many lanes and as many bytes of tiles for a workgroup.
  bool fits = true;

  /// Picoseconds in all: the longest part, and some of what the others take.
  int64_t getTotal() const;
};

/// As the record has it; a fact that it does not have takes no time. See `docs/Scheduling.md`.
WorkgroupTimes predictWorkgroups(FuncOp kernel, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_PREDICTION_H
