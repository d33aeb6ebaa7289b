// Where the time of a run goes, kernel by kernel.
#ifndef TINY_DRIVER_PROFILE_H
#define TINY_DRIVER_PROFILE_H

#include "Tiny/Driver/Executable.h"
#include <chrono>

namespace tiny {

/// What this machine can do.
struct MachineLimits {
  /// On as many threads at once.
  unsigned threads = 1;
  struct Transfer {
    double bytes, bytesPerSecond;
  };
  /// How fast so many bytes, shared by the threads, come to registers again and again, from a cache as long as one
  /// holds them: by increasing amount, the last one from main memory. Empty for unknown.
  llvm::SmallVector<Transfer> transfers;
  /// Operations on f32, a fused multiply-add counted as two; zero for unknown.
  double operationsPerSecond = 0;

  /// The seconds that a kernel takes at best that moves so many bytes and does so many operations; zero for unknown.
  double getBestSeconds(double bytes, double operations) const;
};

/// Measures it, in some 100 ms: sums over memory of several sizes, and multiply-adds in registers, on that many threads
/// side by side.
llvm::Expected<MachineLimits> measureMachine(mlir::MLIRContext *context, unsigned threads);

/// Listens to runs of one program, one after the other. It must stay where it is while a run lasts.
class Profile {
public:
  /// What the next run is to be given.
  tiny_run_options start();
  /// To be called when that run has ended well.
  void stop();

  /// A line for each kernel, copy and fill, in the order of their time; then their sum. A launch counts with the fewest
  /// nanoseconds that it took in any run. The limit of a kernel is the time that its bytes or its operations take at
  /// best on all threads, whichever is more.
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
