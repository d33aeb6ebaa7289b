// Which groups write over an older state, what is copied for it, and in which order the groups of a function then run.
#ifndef TINY_LIB_CONVERSION_LAZYTOKERNEL_STATE_H
#define TINY_LIB_CONVERSION_LAZYTOKERNEL_STATE_H

#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny {

/// A *state* is a value in a buffer of its own: an argument, or what a group yields. A result of a group takes over the
/// buffer of an older state where
/// - it is an assignment to it, or is returned as the next state of an argument (`tiny.aliases`);
/// - the old state is donated or a temporary, and nobody else takes it over;
/// - whoever else reads the old state can run before;
/// - the kernel may write over what it reads (InPlace.h).
/// Where it could but for some readers, these read a copy: of the state, or of the parts that they read, whatever is
/// less. Where it can not, the base is copied and the assignment takes over the copy. Which of several assignments to
/// one state takes it over is decided from the end: the one that leads to what must be in that buffer.
class StatePlan {
public:
  /// What happens to one update.
  struct Decision {
    mlir::Location loc;
    bool inPlace; ///< no copy was needed
    std::string message;
  };

  /// Decides, and rewrites `func` so that what is left to do is plain: each copy is a group that yields its input; each
  /// assignment takes over its base or has a splat for one; each result that aliases an argument is in its buffer;
  /// readers of an old state stand before whoever writes over it.
  static mlir::FailureOr<StatePlan> compute(mlir::func::FuncOp func);

  /// The state whose buffer the result of a group takes over, or null where it has one of its own.
  mlir::Value getOverwritten(mlir::Value result) const { return overwritten.lookup(result); }

  /// Of the updates, in the order in which they were decided.
  mlir::ArrayRef<Decision> getDecisions() const { return decisions; }

private:
  friend class StatePlanner;
  llvm::DenseMap<mlir::Value, mlir::Value> overwritten;
  std::vector<Decision> decisions;
};

} // namespace tiny

#endif // TINY_LIB_CONVERSION_LAZYTOKERNEL_STATE_H
