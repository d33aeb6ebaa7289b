// Why a kernel takes its time, in sentences: for the profile and for the page.
#ifndef TINY_TOOLS_TINY_RUN_EXPLAIN_H
#define TINY_TOOLS_TINY_RUN_EXPLAIN_H

#include "MachineLimits.h"
#include "Tiny/Search/Predict.h"

#include <string>
#include <vector>

namespace tiny {

/// What was measured of a kernel, in microseconds. All launches of a run are one time.
struct MeasuredKernel {
  uint64_t launches = 0;
  std::vector<double> times;
  /// What its parts took on all threads together, and how long threads that share it had nothing to do or were not
  /// there yet: the time beyond what its parts take when they keep all of these threads busy, as a share of the run's.
  /// Empty where threads were not watched.
  std::vector<double> busy, waiting;
  /// The most threads that could share a launch: no more than there are parts.
  unsigned sharing = 1;
};

/// The middle of some times; 0 of none.
double getMedian(std::vector<double> times);

/// How long threads waited in a run of the median time, in microseconds.
double getWaiting(const MeasuredKernel &kernel);

/// A time as a person reads it: `1.23 ms`.
std::string formatTime(double microseconds);

/// Sentences, the first reason first: what was measured, in how many runs and how far they lie apart; what is waiting;
/// what the prediction is made of, and whether it holds; the share of what the machine can do. `predicted` may be null,
/// and the work 0. `delayed` is the share of the runs' time in which threads had no processor, because other programs
/// had it.
std::vector<std::string> explainKernel(const MeasuredKernel &kernel, const cost::KernelTimes *predicted,
                                       const KernelWork &work, const MachineLimits &limits, double delayed);

} // namespace tiny

#endif // TINY_TOOLS_TINY_RUN_EXPLAIN_H
