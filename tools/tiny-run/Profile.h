// Where the time of a run goes, kernel by kernel.
#ifndef TINY_TOOLS_TINY_RUN_PROFILE_H
#define TINY_TOOLS_TINY_RUN_PROFILE_H

#include "Explain.h"
#include "MachineLimits.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <map>

namespace tiny {

/// Collects the times of runs of one program, one run after the other. It must not move during a run.
class Profile {
public:
  explicit Profile(unsigned threads) : threads(threads) {}

  /// The options to give to the next run. With `watches` it sees what each thread does, which takes some time of its
  /// own: kernels are timed in the other runs.
  tiny_run_options start(bool watches);
  /// Call it when that run has ended without an error.
  void stop();

  /// Prints a line for each kernel, copy and fill, longest first, then their sum. A launch counts with its fastest time
  /// in any run. The limit of a kernel is the time that its bytes or its operations take at best on all threads,
  /// whichever is more. `predicted` are the times that the cost model gives on as many threads. Behind the sum stands
  /// why a kernel of some weight stays far from its limit.
  void print(llvm::raw_ostream &stream, const llvm::StringMap<KernelWork> &work,
             const llvm::StringMap<cost::KernelTimes> &predicted, const MachineLimits &limits) const;

  /// The same as data (docs/View.md): kernels with their times in each run, the launches of the fastest run, and
  /// limits.
  llvm::json::Object describe(const llvm::StringMap<KernelWork> &work,
                              const llvm::StringMap<cost::KernelTimes> &predicted, const MachineLimits &limits) const;

  /// What a kernel did in its fastest run the machine can do, though it did less while its limits were measured.
  void raiseLimits(MachineLimits &limits, const llvm::StringMap<KernelWork> &work) const;

  /// The share of the runs' time in which threads were ready and had no processor, as other programs had it; 0 where
  /// the system does not say.
  double getDelayedShare() const;

  /// The fastest run in the trace event format: a complete event for each launch.
  std::string formatTrace(const llvm::StringMap<KernelWork> &work) const;

private:
  struct Event {
    std::string name;
    /// From the start of the run.
    uint64_t beginNanoseconds, nanoseconds;
    /// What threads did of it.
    std::vector<tiny_part> parts;
  };
  /// Adds the run's launches of each kernel: to its times, or what its threads did.
  void addTimes();
  void addParts();
  std::vector<Event> events, fastestRun, fastestEvents;
  std::map<std::string, MeasuredKernel> kernels;
  unsigned threads;
  /// Whether the run is watched, and whether `fastestRun` was.
  bool isWatched = false, hasWatched = false;
  std::chrono::steady_clock::time_point begin;
  /// How long threads had no processor, since the process began and in all runs, and what these took.
  double delayAtStart = 0, delay = 0, duration = 0;
};

} // namespace tiny

#endif // TINY_TOOLS_TINY_RUN_PROFILE_H
