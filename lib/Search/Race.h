// Measures programs of one kernel against each other.
#ifndef TINY_LIB_SEARCH_RACE_H
#define TINY_LIB_SEARCH_RACE_H

#include "Tiny/Driver/Executable.h"

namespace tiny {

/// A compiled kernel with memory of its own for results.
class Runner {
public:
  /// `nearBytes` is what the caches hold that one core has for itself.
  static llvm::Expected<std::unique_ptr<Runner>> load(llvm::StringRef container, mlir::MLIRContext *context,
                                                      unsigned threads, int64_t nearBytes);

  llvm::ArrayRef<Parameter> getInputs() const { return executable->getInputs(); }
  llvm::ArrayRef<HostTensor> getResults() const { return results; }

  /// Runs the kernel once on data that is in no near cache, and adds its time to the samples.
  llvm::Error run(llvm::ArrayRef<const HostTensor *> inputs);

  /// Nanoseconds: the least and the middle one of all samples.
  uint64_t getLeast() const;
  uint64_t getMedian() const;
  void forgetSamples() { samples.clear(); }

private:
  std::unique_ptr<Executable> executable;
  std::vector<HostTensor> results;
  std::vector<uint64_t> samples;
  int64_t nearBytes = 0;
};

/// Whether the results are those of the default schedule: to the bit, or within what another order of sums may change.
bool hasSameResults(const Runner &runner, const Runner &other, bool toTheBit);

/// The runner that is faster than the incumbent by more than noise, if any. All run in turns, and those that are
/// clearly slower leave after few runs. Samples of the two are fresh then. None when it is over before that is known.
llvm::Expected<Runner *> race(Runner &incumbent, llvm::ArrayRef<Runner *> challengers,
                              llvm::ArrayRef<const HostTensor *> inputs, llvm::function_ref<bool()> isOver);

} // namespace tiny

#endif // TINY_LIB_SEARCH_RACE_H
