// The pass checker on the command line.
#include "Tiny/Testing/CheckPasses.h"

#include "Tiny/Support/OptionValues.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"

using namespace mlir;

namespace tiny::reference {

namespace {
struct CLOptions {
  llvm::cl::opt<bool> enabled{
      "check-passes", llvm::cl::init(false),
      llvm::cl::desc("Evaluate every program before and after each pass; name the first pass that changes a result")};
  llvm::cl::opt<uint64_t> seed{"check-passes-seed", llvm::cl::init(CheckPassesOptions().seed),
                               llvm::cl::desc("Seed of the random inputs")};
  llvm::cl::opt<bool> wideFloats{"check-passes-wide-floats", llvm::cl::init(false),
                                 llvm::cl::desc("Random floats with full mantissas instead of multiples of 1/8")};
  llvm::cl::opt<bool> specialFloats{"check-passes-special-floats", llvm::cl::init(CheckPassesOptions().specialFloats),
                                    llvm::cl::desc("Evaluate twice more: with NaNs, infinities and negative zeros "
                                                   "among the inputs, and with extreme magnitudes")};
  llvm::cl::opt<NonNegative> tolerance{"check-passes-tolerance", llvm::cl::init(CheckPassesOptions().tolerance),
                                       llvm::cl::desc("By how many epsilons floats may differ")};
  llvm::cl::opt<bool> verbose{"check-passes-verbose", llvm::cl::init(false),
                              llvm::cl::desc("Remark on what is evaluated, and why something is not")};
  llvm::cl::opt<Bounded<1, kLargestSize>> maxSteps{"check-passes-max-steps",
                                                   llvm::cl::init(CheckPassesOptions().limits.maxSteps),
                                                   llvm::cl::desc("Leave out programs that take more steps than this")};
  llvm::cl::list<std::string> functions{"check-passes-function", llvm::cl::CommaSeparated,
                                        llvm::cl::desc("Check these functions alone")};
  llvm::cl::opt<std::string> fromPass{"check-passes-from", llvm::cl::desc("Check from the first run of this pass on")};
  llvm::cl::opt<std::string> toPass{"check-passes-to", llvm::cl::desc("Check up to the next run of this pass")};
  llvm::cl::opt<std::string> reproducer{"check-passes-reproducer",
                                        llvm::cl::desc("The file for a reproducer of what is found")};
};
} // namespace

static llvm::ManagedStatic<CLOptions> options;

void registerPassCheckerCLOptions() { *options; }

std::optional<CheckPassesOptions> getPassCheckerCLOptions(bool always) {
  if (!options.isConstructed() || (!options->enabled && !always))
    return std::nullopt;
  CheckPassesOptions check;
  check.seed = options->seed;
  check.wideFloats = options->wideFloats;
  check.specialFloats = options->specialFloats;
  check.tolerance = options->tolerance.getValue();
  check.verbose = options->verbose;
  check.progress = llvm::errs().is_displayed();
  check.functions.assign(options->functions.begin(), options->functions.end());
  check.fromPass = options->fromPass;
  check.toPass = options->toPass;
  check.reproducer = options->reproducer;
  check.limits.maxSteps = options->maxSteps;
  return check;
}

} // namespace tiny::reference
