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
  /// Evaluates twice more: with NaNs, infinities and negative zeros among the floats, and with huge, tiny and subnormal
  /// ones and integers of the whole range. Left out where operations may assume that there are none (`nnan`, `ninf`),
  /// extreme magnitudes also where sums may be taken in another order.
  bool specialFloats = true;
  /// Floats may differ by this many epsilons of their type (an eighth of it for types of 16 bits and less), relative to
  /// the larger of the two numbers and to the largest number of the result. Integers must be equal.
  double tolerance = 128;
  /// Remarks on what is evaluated, and why something is not.
  bool verbose = false;
  /// Lines on the standard error stream while a large program is evaluated.
  bool progress = false;
  /// Only these functions; all where there are none.
  llvm::SmallVector<std::string> functions;
  /// Only passes from the first run of one to the next run of the other, both included. Empty: from the first pass, to
  /// the last one.
  std::string fromPass, toPass;
  /// Programs of which one evaluation takes more steps are compared at the end alone; where they differ, the pass is
  /// found by halves among the states that were kept.
  uint64_t maxStepsPerPass = uint64_t(1) << 22;
  /// The file for a reproducer of what is found; a new temporary file where it is empty.
  std::string reproducer;
  /// Programs that take longer are left out.
  InterpreterOptions limits = {/*maxSteps=*/uint64_t(1) << 32};
};

/// What a checker found; shared with whoever has to act on it.
struct CheckPassesResult {
  /// A pass changed a result, or left IR that does not verify; an error says so.
  bool changed = false;
  /// The first of these, as a diagnostic names it, and which run of it: only to be compared with others of the manager.
  std::string pass;
  const mlir::Pass *which = nullptr;
  /// Comparisons made.
  uint64_t comparisons = 0;
};

/// Evaluates every program of the outermost module (and every kernel that no program launches) on seeded random inputs
/// before the first pass and after each pass that changed the module; large ones only when the checker is destroyed,
/// with the pass manager. Programs that cannot be evaluated, or not any more, are left out. Where the context runs
/// threads, passes on functions are only checked all together; else each is.
std::unique_ptr<mlir::PassInstrumentation> createPassChecker(const CheckPassesOptions &options,
                                                             std::shared_ptr<CheckPassesResult> result);

/// Adds a checker and switches threads off. Once the pass manager is destroyed, the result says whether the run was
/// right.
std::shared_ptr<CheckPassesResult> checkPasses(mlir::PassManager &manager, const CheckPassesOptions &options);

/// The options of a check that a reproducer holds; none where it is no reproducer of a check.
std::optional<CheckPassesOptions> readPassReproducer(llvm::StringRef text, const mlir::DialectRegistry &registry);

/// Lets a parser pass over what `readPassReproducer` reads, which it warns of otherwise.
void ignorePassReproducer(mlir::ParserConfig &parser);

/// The command line: `--check-passes` and its options.
void registerPassCheckerCLOptions();
/// What the command line asks for, or none without `--check-passes`, unless the tool always checks.
std::optional<CheckPassesOptions> getPassCheckerCLOptions(bool always = false);

} // namespace tiny::reference

#endif // TINY_TESTING_CHECKPASSES_H
