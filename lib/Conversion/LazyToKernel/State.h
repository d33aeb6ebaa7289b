// Which groups write over an older state, and in which order the groups of a function may then run.
#ifndef TINY_LIB_CONVERSION_LAZYTOKERNEL_STATE_H
#define TINY_LIB_CONVERSION_LAZYTOKERNEL_STATE_H

#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny {

/// The position of a movement's first element in its input, where the result is a run of consecutive elements there.
std::optional<int64_t> getContiguousOffset(mlir::Operation *movement);
/// The same for the places of an assignment.
std::optional<int64_t> getContiguousOffset(const ShapeTracker &tracker);

/// The assignments whose result a group yields as `yielded`, each the base of the next; none where it is computed.
llvm::SmallVector<lazy::AssignOp, 1> getAssignments(mlir::Value yielded);

/// A *state* is a value in a buffer of its own: an argument, or what a group yields. A result of a group takes over the
/// buffer of an older state where
/// - it is an assignment to it, or is returned as the next state of an argument (`tiny.aliases`);
/// - the old state is donated or a temporary, no result of the function, and nobody else takes it over;
/// - whoever else reads the old state can run before;
/// - the kernel may write over what it reads (InPlace.h).
/// Where only the last does not hold, an assignment may be split in two: one group computes the value, the other puts
/// it in its place.
class StatePlan {
public:
  /// Decides, splits groups and reorders the block of `func`, so that readers of an old state stand before whoever
  /// writes over it. From the last group to the first: of several updates of one state the last one gets its buffer.
  static mlir::FailureOr<StatePlan> compute(mlir::func::FuncOp func);

  /// The state whose buffer the result of a group takes over, or null where it has one of its own.
  mlir::Value getOverwritten(mlir::Value result) const { return overwritten.lookup(result); }

  /// Whether a result is the first of a chain of assignments that write over each other, into slices that make up the
  /// whole, and nobody reads the states between: nothing of the first one's base is ever seen.
  bool isOverwritten(mlir::OpResult result) const;

private:
  friend class StatePlanner;
  llvm::DenseMap<mlir::Value, mlir::Value> overwritten;
};

} // namespace tiny

#endif // TINY_LIB_CONVERSION_LAZYTOKERNEL_STATE_H
