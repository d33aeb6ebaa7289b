// The actions inside of passes: counting them, letting only the first ones happen, and showing what one did.
#ifndef TINY_TOOLS_TINY_BISECT_ACTIONS_H
#define TINY_TOOLS_TINY_BISECT_ACTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace tiny {

/// What is kept of the actions of a run, in memory that a forked process shares.
struct ActionRecord {
  uint64_t count = 0;
  /// What the last action that was let happen says of itself, where it was, and what it counts as.
  char title[1024], tag[128];
  /// How many actions of its tag there were up to it.
  uint64_t countOfTag = 0;
  /// The operation around it before and after, cut off where they are long.
  char before[1 << 18], after[1 << 18];
  /// The program after the pass.
  char result[1 << 20];
};

/// The record, zeroed, in shared memory; it stays for the rest of the process.
ActionRecord *makeActionRecord();

/// Lets the first `limit` actions of the context happen that are neither runs of passes nor sweeps of patterns, and
/// no others, and records the
/// last of them: what it does to the function or kernel around it.
void limitActions(mlir::MLIRContext *context, uint64_t limit, ActionRecord *record);

/// Puts the program into the record.
void recordResult(mlir::ModuleOp module, ActionRecord *record);

/// The lines in which two texts differ, marked, with some around them.
std::string formatDifference(llvm::StringRef before, llvm::StringRef after);

} // namespace tiny

#endif // TINY_TOOLS_TINY_BISECT_ACTIONS_H
