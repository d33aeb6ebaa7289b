// The search of one kernel's schedule.
#ifndef TINY_LIB_SEARCH_KERNELSEARCH_H
#define TINY_LIB_SEARCH_KERNELSEARCH_H

#include "KernelProgram.h"
#include "Progress.h"
#include "Race.h"
#include "Tiny/Schedule/Variants.h"
#include "Tiny/Search/Tune.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace tiny {

/// Inputs for a search: positive numbers, since variances and what roots are taken of would make all results NaN, which
/// says nothing of a schedule.
llvm::Expected<std::vector<HostTensor>> makeSearchInputs(llvm::ArrayRef<Parameter> inputs);
llvm::SmallVector<const HostTensor *> getPointers(llvm::ArrayRef<HostTensor> tensors);

/// What all searches of a model share.
struct SearchSetting {
  const TuneRequest &request;
  mlir::MLIRContext *context;
  CompilePool &pool;
  Progress &progress;
};

/// Climbs from a kernel's schedule to faster ones: measures all that differ in one decision, goes on from the first
/// that wins, and ends where nothing near is faster or the time is over.
class KernelSearch {
public:
  KernelSearch(const SearchSetting &setting, kernel::FuncOp kernel, kernel::LaunchOp launch,
               llvm::ArrayRef<kernel::ScheduleStep> given)
      : setting(setting), kernel(kernel), launch(launch), given(given), best(given) {}

  /// Searches until `progress` has only `end` seconds left, and tells what was found. False where nothing was.
  llvm::Expected<bool> run(double end);

  /// The faster schedule, and nanoseconds before and after it.
  llvm::ArrayRef<kernel::ScheduleStep> getSteps() const { return best; }
  uint64_t getBefore() const { return reference->getLeast(); }
  uint64_t getAfter() const { return found->getLeast(); }

  /// How much longer than the fastest schedule the best predicted one took: 1 for as long. None where only one was
  /// measured.
  std::optional<double> getRegret() const;

private:
  /// A schedule that was measured.
  struct Sample {
    int64_t predicted;
    uint64_t nanoseconds;
  };
  using Candidate = std::pair<std::unique_ptr<Runner>, const kernel::ScheduleVariant *>;

  llvm::Expected<bool> loadReference();
  llvm::Expected<std::unique_ptr<Runner>> load(llvm::StringRef container) const;
  llvm::Expected<bool> climb(llvm::function_ref<bool()> isOver);
  llvm::Expected<std::vector<Candidate>> prepare(llvm::ArrayRef<kernel::ScheduleVariant> variants,
                                                 llvm::function_ref<bool()> isOver);
  llvm::Expected<bool> confirm();
  std::string getName() const;
  std::string countAll() const;

  SearchSetting setting;
  kernel::FuncOp kernel;
  kernel::LaunchOp launch;
  llvm::SmallVector<kernel::ScheduleStep> given, best;
  std::unique_ptr<Runner> reference, found;
  std::vector<HostTensor> inputs;
  llvm::StringSet<> seen;
  llvm::DenseSet<uint64_t> seenCode;
  unsigned measured = 0, refused = 0, wrong = 0;
  std::vector<Sample> samples;
};

} // namespace tiny

#endif // TINY_LIB_SEARCH_KERNELSEARCH_H
