// What passes do to a program, found out in a process of its own: a crash is one of the answers.
#ifndef TINY_TESTING_OUTCOME_H
#define TINY_TESTING_OUTCOME_H

#include "Tiny/Testing/CheckPasses.h"

namespace tiny {

/// What running passes on a program came to.
struct Outcome {
  enum class Kind { Fine, WrongResult, Error, Crash } kind = Kind::Fine;
  /// The pass that changed a result; the first error without its numbers and types, so that it is the same for smaller
  /// programs; the number of the signal.
  std::string cause;
  /// The first error, as it was reported.
  std::string message;

  bool isSame(const Outcome &other) const { return kind == other.kind && cause == other.cause; }
  /// As a sentence for a person.
  std::string describe() const;
};

struct RunOptions {
  /// Compares results before and after passes where it is there.
  std::optional<reference::CheckPassesOptions> check;
  /// Called in the new process before the passes run, and on what they made. Where one failed that may not verify; a
  /// crash in `after` is ignored.
  std::function<void(mlir::MLIRContext *)> before;
  std::function<void(mlir::ModuleOp)> after;
  /// The file for the program in front of the last pass that began, as a reproducer; none where it is empty.
  std::string snapshot;
  /// The process is ended after so many seconds: a crash, by SIGALRM.
  unsigned seconds = 120;
};

/// Runs passes on a copy of the module, in a forked process, whose output goes nowhere. The context must run no
/// threads.
Outcome runApart(mlir::ModuleOp module, llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)> addPasses,
                 const RunOptions &options);

} // namespace tiny

#endif // TINY_TESTING_OUTCOME_H
