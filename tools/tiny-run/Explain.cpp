// Puts what was measured and what is predicted of a kernel into sentences.
#include "Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tiny {

/// Less of a kernel's time is not worth a sentence, and times that differ by less are the same.
constexpr double kSomeShare = 0.2, kSameTime = 1.3;

/// Where other programs had the processors for more of the time, measured times say little.
constexpr double kMuchDelayed = 0.1;

double getMedian(std::vector<double> times) {
  if (times.empty())
    return 0;
  llvm::sort(times);
  size_t middle = times.size() / 2;
  return times.size() % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

double getWaiting(const MeasuredKernel &kernel) { return getMedian(kernel.waiting) * getMedian(kernel.times); }

static std::string formatNumber(double value) {
  std::string text;
  // Three digits, without an exponent.
  int digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

std::string formatTime(double microseconds) {
  if (microseconds >= 1e6)
    return formatNumber(microseconds * 1e-6) + " s";
  if (microseconds >= 1e3)
    return formatNumber(microseconds * 1e-3) + " ms";
  return microseconds >= 1 ? formatNumber(microseconds) + " us" : formatNumber(microseconds * 1e3) + " ns";
}

static std::string formatShare(double share) { return formatNumber(100 * share) + " %"; }

static std::string countThreads(unsigned threads) {
  return threads == 1 ? "one thread" : std::to_string(threads) + " threads";
}

namespace {

class Explanation {
public:
  Explanation(const MeasuredKernel &kernel, const cost::KernelTimes *predicted, const KernelWork &work,
              const MachineLimits &limits, double delayed)
      : kernel(kernel), predicted(predicted), work(work), limits(limits), delayed(delayed),
        median(getMedian(kernel.times)), waiting(getWaiting(kernel)),
        expected(predicted ? double(predicted->total) * 1e-6 * kernel.launches : 0) {}

  std::vector<std::string> take() {
    sayMeasured();
    if (median > 0) {
      sayWaiting();
      sayPredicted();
      sayLimit();
    }
    return std::move(sentences);
  }

private:
  void sayMeasured() {
    std::vector<double> times = kernel.times;
    llvm::sort(times);
    std::string launches = kernel.launches == 1 ? "one launch" : std::to_string(kernel.launches) + " launches";
    if (times.size() < 3)
      return say("Measured " + formatTime(median) + " in " + launches +
                 ", in one run or two: more runs (--repeat) say more");
    double low = times[times.size() / 4], high = times[times.size() - 1 - times.size() / 4];
    std::string text = "Measured " + formatTime(median) + " in " + launches + ": the median of " +
                       std::to_string(times.size()) + " runs, the middle half of which lie between " + formatTime(low) +
                       " and " + formatTime(high);
    if (high > kSameTime * low)
      text += "; so far apart they are because something else used the machine, or a thread came late";
    say(text);
  }

  void sayWaiting() {
    if (waiting >= kSomeShare * median)
      say("For " + formatTime(waiting) + " of it (" + formatShare(waiting / median) + ") a thread waited: of the " +
          std::to_string(kernel.sharing) + " that share it one was woken late, was interrupted, or found no part left");
    else if (limits.threads > 1 && kernel.sharing == 1 && !kernel.busy.empty())
      say("It is not cut into parts, so it runs on one thread of " + std::to_string(limits.threads));
  }

  void sayPredicted() {
    if (!predicted || expected <= 0)
      return;
    const auto *longest = std::max_element(predicted->longest.begin(), predicted->longest.end());
    std::string text =
        "Predicted are " + formatTime(expected) + " on " + countThreads(predicted->threads) + ", of which ";
    if (longest == predicted->longest.end() || *longest <= predicted->launch) {
      text += formatShare(double(predicted->launch) / predicted->total) + " to launch: its work is less than that";
    } else {
      cost::TimePart part = cost::describePart(longest - predicted->longest.begin(), predicted->longest.size());
      text += formatShare(double(*longest) / predicted->total) + " are " + part.name + ": " + part.meaning;
    }
    say(text);
    double working = median - (waiting >= kSomeShare * median ? waiting : 0);
    if (working > 1.5 * expected)
      say((working < median ? "Without waiting it takes " : "It takes ") + formatNumber(working / expected) +
          " times as long as predicted: " + explainExcess(working));
    else if (expected > 1.5 * working)
      say("It is faster than predicted: the prediction is too high here");
  }

  /// Why a kernel takes longer than predicted.
  std::string explainExcess(double working) const {
    if (delayed > kMuchDelayed)
      return "other programs had the processors for " + formatShare(delayed) +
             " of the time, so that what is measured here is too long";
    if (working < 1.5 * getBest())
      return "the machine was slower while it was measured than its record says, and would need " +
             formatTime(getBest()) + " at best";
    return "what takes the rest of the time the prediction does not know";
  }

  /// What all launches of a run take at best.
  double getBest() const { return limits.getBestSeconds(work.bytes, work.operations) * 1e6 * kernel.launches; }

  void sayLimit() {
    double best = getBest();
    if (best <= 0)
      return;
    auto rate = [&](double amount) { return formatNumber(amount * kernel.launches / median * 1e-3); };
    std::string text = "It moves " + rate(work.bytes) + " GB/s";
    if (work.operations)
      text +=
          " and does " + rate(work.operations) + " of " + formatNumber(limits.operationsPerSecond * 1e-9) + " Gop/s";
    if (best > median)
      say(text +
          ": more than the machine gave while its limits were measured, which something else may have disturbed");
    else
      say(text + ": " + formatShare(best / median) + " of what the machine can do on " + countThreads(limits.threads));
  }

  void say(const std::string &text) { sentences.push_back(text + "."); }

  const MeasuredKernel &kernel;
  const cost::KernelTimes *predicted;
  const KernelWork &work;
  const MachineLimits &limits;
  double delayed;
  /// In microseconds of a run, as all times here.
  double median, waiting, expected;
  std::vector<std::string> sentences;
};

} // namespace

std::vector<std::string> explainKernel(const MeasuredKernel &kernel, const cost::KernelTimes *predicted,
                                       const KernelWork &work, const MachineLimits &limits, double delayed) {
  return Explanation(kernel, predicted, work, limits, delayed).take();
}

} // namespace tiny
