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
  /// there yet: the time beyond what its parts take when they keep all of these threads busy. Empty where threads were
  /// not watched.
  std::vector<double> busy, waiting;
  /// The most threads that could share a launch: no more than there are parts.
  unsigned sharing = 1;
};

/// The middle of some times; 0 of none.
double getMedian(std::vector<double> times);

/// A time as a person reads it: `1.23 ms`.
std::string formatTime(double microseconds);

/// Sentences, the first reason first: what was measured, in how many runs and how far they lie apart; what is waiting;
/// what the prediction is made of, and whether it holds; the share of what the machine can do. `predicted` may be null,
/// `limit` (microseconds of all launches at best) and the work 0.
std::vector<std::string> explainKernel(const MeasuredKernel &kernel, const cost::KernelTimes *predicted,
                                       const KernelWork &work, const MachineLimits &limits);

} // namespace tiny

#endif // TINY_TOOLS_TINY_RUN_EXPLAIN_H
