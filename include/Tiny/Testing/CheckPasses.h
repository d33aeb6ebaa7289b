// Differential testing of passes: a module is evaluated before and after every pass, and the first pass that changes a
// result is named.
#ifndef TINY_TESTING_CHECKPASSES_H
#define TINY_TESTING_CHECKPASSES_H

#include "Tiny/Reference/Interpreter.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include <memory>

namespace mlir {
class PassManager;
} // namespace mlir

namespace tiny::reference {

/// How passes are checked.
struct CheckPassesOptions {
  /// Of the random inputs.
  uint64_t seed = 0;
  /// Random floats with full mantissas; by default sums and products are exact.
  bool wideFloats = false;
  /// Evaluates a second time, with NaNs, infinities and negative zeros among the floats. Programs whose operations may
  /// assume that there are none (`nnan`, `ninf`) are left out of that.
  bool specialFloats = true;
  /// Floats may differ by this many epsilons of their type (an eighth of it for types of 16 bits and less), relative to
  /// the larger of the two numbers and to the largest number of the result. Integers must be equal.
  double tolerance = 128;
  /// Remarks on what is evaluated, and why something is not.
  bool verbose = false;
  /// Programs that take longer are left out. By default a pass waits a minute for its check, no more.
  InterpreterOptions limits = {/*maxSteps=*/uint64_t(1) << 32};
};

/// What a checker found; shared with whoever has to act on it.
struct CheckPassesResult {
  /// A pass changed a result; an error says so.
  bool changed = false;
  /// Comparisons made.
  uint64_t comparisons = 0;
};

/// Evaluates every program of the outermost module (and every kernel that no program launches) on seeded random inputs
/// before the first pass and after each pass that changed the module. Programs that cannot be evaluated, or not any
/// more, are left out. Where the context runs threads, passes on functions are only checked all together; else each is.
std::unique_ptr<mlir::PassInstrumentation> createPassChecker(const CheckPassesOptions &options,
                                                             std::shared_ptr<CheckPassesResult> result = nullptr);

/// Adds a checker to a complete pipeline, and behind the last pass a gate that fails where the checker found something.
/// Switches threads off.
void checkPasses(mlir::PassManager &manager, const CheckPassesOptions &options);

/// The command line: `--check-passes` and its options.
void registerPassCheckerCLOptions();
bool isPassCheckerEnabled();
/// Checks passes if the command line says so; to be called when the pipeline is complete.
mlir::LogicalResult applyPassCheckerCLOptions(mlir::PassManager &manager);

} // namespace tiny::reference

#endif // TINY_TESTING_CHECKPASSES_H
