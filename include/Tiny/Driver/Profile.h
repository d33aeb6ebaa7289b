// Where the time of a run goes, kernel by kernel.
#ifndef TINY_DRIVER_PROFILE_H
#define TINY_DRIVER_PROFILE_H

#include "Tiny/Driver/Executable.h"
#include <chrono>

namespace tiny {

/// What this machine can do.
struct MachineLimits {
  /// Number of threads that ran at once while this was measured.
  unsigned threads = 1;
  struct Transfer {
    double bytes, bytesPerSecond;
  };
  /// Bandwidth of reading an amount of data again and again, shared by the threads, by increasing amount: from the
  /// smallest cache that holds it, the last one from main memory. Empty if unknown.
  llvm::SmallVector<Transfer> transfers;
  /// Operations on f32 per second, a fused multiply-add counted as two; zero if unknown.
  double operationsPerSecond = 0;

  /// The least seconds of a kernel that moves so many bytes and does so many operations; zero if unknown.
  double getBestSeconds(double bytes, double operations) const;
};

/// Measures the limits on that many threads at once, in some 100 ms: sums over memory of several sizes, and
/// multiply-adds in registers.
llvm::Expected<MachineLimits> measureMachine(mlir::MLIRContext *context, unsigned threads);

/// Collects the times of runs of one program, one run after the other. It must not move during a run.
class Profile {
public:
  /// The options to give to the next run.
  tiny_run_options start();
  /// Call it when that run has ended without an error.
  void stop();

  /// Prints a line for each kernel, copy and fill, longest first, then their sum. A launch counts with its fastest time
  /// in any run. The limit of a kernel is the time that its bytes or its operations take at best on all threads,
  /// whichever is more.
  void print(llvm::raw_ostream &stream, const llvm::StringMap<KernelWork> &work, const MachineLimits &limits) const;

  /// The fastest run in the trace event format: a complete event for each launch.
  std::string formatTrace(const llvm::StringMap<KernelWork> &work) const;

private:
  struct Event {
    std::string name;
    /// From the start of the run.
    uint64_t beginNanoseconds, nanoseconds;
  };
  std::vector<Event> events, fastestRun, fastestEvents;
  std::chrono::steady_clock::time_point begin;
};

} // namespace tiny

#endif // TINY_DRIVER_PROFILE_H
