// Where the time of a run goes, kernel by kernel.
#ifndef TINY_DRIVER_PROFILE_H
#define TINY_DRIVER_PROFILE_H

#include "Tiny/Driver/Executable.h"
#include <chrono>

namespace tiny {

/// What one core of this machine can do.
struct MachineLimits {
  /// Bytes that move between registers and main memory; zero for unknown.
  double bytesPerSecond = 0;
  /// Operations on f32, a fused multiply-add counted as two.
  double operationsPerSecond = 0;
};

/// Measures it, in some 50 ms: a sum over memory that no cache holds, and multiply-adds in registers.
llvm::Expected<MachineLimits> measureMachine(mlir::MLIRContext *context);

/// Listens to one run. It must stay where it is while the run lasts.
class Profile {
public:
  /// What the run is to be given.
  tiny_run_options start();

  /// A line for each kernel, copy and fill, in the order of their time; then their sum. The limit of a kernel is the
  /// time that its bytes or its operations take at best, whichever is more.
  void print(llvm::raw_ostream &stream, const llvm::StringMap<KernelWork> &work, const MachineLimits &limits) const;

  /// The run in the trace event format: a complete event for each launch.
  std::string formatTrace(const llvm::StringMap<KernelWork> &work) const;

private:
  struct Event {
    std::string name;
    /// From the start of the run.
    uint64_t beginNanoseconds, nanoseconds;
  };
  std::vector<Event> events;
  std::chrono::steady_clock::time_point begin;
};

} // namespace tiny

#endif // TINY_DRIVER_PROFILE_H
