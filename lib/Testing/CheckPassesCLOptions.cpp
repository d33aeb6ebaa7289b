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
  llvm::cl::opt<bool> specialFloats{
      "check-passes-special-floats", llvm::cl::init(CheckPassesOptions().specialFloats),
      llvm::cl::desc("Evaluate a second time, with NaNs, infinities and negative zeros among the inputs")};
  llvm::cl::opt<NonNegative> tolerance{"check-passes-tolerance", llvm::cl::init(CheckPassesOptions().tolerance),
                                       llvm::cl::desc("By how many epsilons floats may differ")};
  llvm::cl::opt<bool> verbose{"check-passes-verbose", llvm::cl::init(false),
                              llvm::cl::desc("Remark on what is evaluated, and why something is not")};
  llvm::cl::opt<Bounded<1, kLargestSize>> maxSteps{"check-passes-max-steps",
                                                   llvm::cl::init(CheckPassesOptions().limits.maxSteps),
                                                   llvm::cl::desc("Leave out programs that take more steps than this")};
};
} // namespace

static llvm::ManagedStatic<CLOptions> options;

void registerPassCheckerCLOptions() { *options; }

bool isPassCheckerEnabled() { return options.isConstructed() && options->enabled; }

LogicalResult applyPassCheckerCLOptions(PassManager &manager) {
  if (!isPassCheckerEnabled())
    return success();
  CheckPassesOptions check;
  check.seed = options->seed;
  check.wideFloats = options->wideFloats;
  check.specialFloats = options->specialFloats;
  check.tolerance = options->tolerance.getValue();
  check.verbose = options->verbose;
  check.limits.maxSteps = options->maxSteps;
  checkPasses(manager, check);
  return success();
}

} // namespace tiny::reference
