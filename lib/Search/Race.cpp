// Runs programs of one kernel in turns, drops the slow ones early, and compares results.
#include "Race.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using llvm::Expected;

namespace tiny {

Expected<std::unique_ptr<Runner>> Runner::load(StringRef container, MLIRContext *context, unsigned threads,
                                               int64_t nearBytes) {
  auto runner = std::make_unique<Runner>();
  Expected<std::unique_ptr<Executable>> executable = Executable::load(container, context, "", threads);
  if (!executable)
    return executable.takeError();
  runner->executable = std::move(*executable);
  runner->nearBytes = nearBytes;
  for (const Parameter &result : runner->executable->getResults()) {
    std::optional<tiny_dtype> dtype = getDtype(result.type.getElementType());
    if (!dtype)
      return llvm::createStringError("a result is of a type that has no buffers");
    runner->results.push_back(HostTensor::zeros(*dtype, result.type.getShape()));
  }
  return runner;
}

/// Reads twice what near caches hold: in a program, other kernels have run since the last launch of this one.
static void evictNearCaches(int64_t nearBytes) {
  static std::vector<char> block;
  block.resize(std::max(block.size(), size_t(2 * nearBytes)), 1);
  [[maybe_unused]] static volatile char sink;
  char sum = 0;
  for (size_t at = 0; at < block.size(); at += 64)
    sum += block[at];
  sink = sum;
}

llvm::Error Runner::run(ArrayRef<const HostTensor *> inputs) {
  uint64_t nanoseconds = 0;
  auto add = [](void *sum, const char *, uint64_t more) { *static_cast<uint64_t *>(sum) += more; };
  tiny_run_options options = {add, &nanoseconds, nullptr, nullptr, nullptr, nullptr};
  evictNearCaches(nearBytes);
  if (llvm::Error error = executable->run(inputs, results, &options))
    return error;
  samples.push_back(nanoseconds);
  return llvm::Error::success();
}

uint64_t Runner::getLeast() const { return samples.empty() ? 0 : *llvm::min_element(samples); }

uint64_t Runner::getMedian() const {
  std::vector<uint64_t> sorted = samples;
  llvm::sort(sorted);
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

/// How far sums in another order may be from each other, relative to the largest element.
static double getTolerance(tiny_dtype dtype) {
  if (dtype == TINY_DTYPE_F64)
    return 1e-12;
  return dtype == TINY_DTYPE_F32 ? 1e-4 : 1e-2;
}

bool hasSameResults(const Runner &runner, const Runner &other, bool toTheBit) {
  for (auto [a, b] : llvm::zip_equal(runner.getResults(), other.getResults())) {
    if (a.bytes == b.bytes)
      continue;
    if (toTheBit || !isFloat(a.dtype))
      return false;
    double largest = 0;
    for (int64_t i = 0, n = b.size(); i < n; ++i)
      if (double value = std::abs(b.getNumber(i)); std::isfinite(value))
        largest = std::max(largest, value);
    for (int64_t i = 0, n = b.size(); i < n; ++i) {
      double x = a.getNumber(i), y = b.getNumber(i);
      bool isSame = x == y || (std::isnan(x) && std::isnan(y));
      if (!isSame && !(std::abs(x - y) <= getTolerance(a.dtype) * largest))
        return false;
    }
  }
  return true;
}

Expected<Runner *> race(Runner &incumbent, ArrayRef<Runner *> challengers, ArrayRef<const HostTensor *> inputs,
                        llvm::function_ref<bool()> isOver) {
  // Rounds: how often each runs, and what share of the best time those that stay may take at most.
  struct Round {
    unsigned runs;
    double limit;
    size_t most;
  };
  constexpr Round rounds[] = {{2, 1.3, 64}, {4, 1.08, 3}, {12, 1.0, 1}};
  SmallVector<Runner *> left(challengers);
  for (const Round &round : rounds) {
    if (isOver())
      return nullptr;
    incumbent.forgetSamples();
    for (Runner *runner : left)
      runner->forgetSamples();
    for (unsigned run = 0; run < round.runs; ++run) {
      // Each has a sample, whatever happens.
      if (run > 0 && isOver())
        return nullptr;
      if (llvm::Error error = incumbent.run(inputs))
        return error;
      for (Runner *runner : left)
        if (llvm::Error error = runner->run(inputs))
          return error;
    }
    llvm::stable_sort(left, [](Runner *a, Runner *b) { return a->getLeast() < b->getLeast(); });
    llvm::erase_if(left, [&](Runner *runner) { return runner->getLeast() > round.limit * incumbent.getLeast(); });
    if (left.empty())
      return nullptr;
    left.resize(std::min(left.size(), round.most));
  }
  Runner *best = left.front();
  // Both the least and the middle time are better by more than what repetition changes.
  bool isFaster = best->getLeast() < 0.97 * incumbent.getLeast() && best->getMedian() < 0.98 * incumbent.getMedian();
  return isFaster ? best : nullptr;
}

} // namespace tiny
