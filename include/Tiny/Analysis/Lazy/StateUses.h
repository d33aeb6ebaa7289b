// States, what reads them, and what assigns to them.
#ifndef TINY_ANALYSIS_LAZY_STATEUSES_H
#define TINY_ANALYSIS_LAZY_STATEUSES_H

#include "Tiny/Dialect/Lazy/Lazy.h"

namespace tiny {

/// The position of a movement's first element in its input, where the result is a run of consecutive elements there.
std::optional<int64_t> getContiguousOffset(mlir::Operation *movement);
/// The same for the places of an assignment.
std::optional<int64_t> getContiguousOffset(const ShapeTracker &tracker);

/// The assignments whose result a group yields as `yielded`, each the base of the next; none where it is computed.
llvm::SmallVector<lazy::AssignOp, 1> getAssignments(mlir::Value yielded);
/// The same for a result of a group; none for any other value.
llvm::SmallVector<lazy::AssignOp, 1> getAssignmentsOf(mlir::Value result);

/// The bytes of a static tensor, rounded; a double, since more than a buffer holds is an error only later.
double countBytes(mlir::Value value);

/// The value in whose buffer a value outside of groups is, all of it or a part. Such a value is a *state*: an argument,
/// a constant, or what a group yields.
mlir::Value getState(mlir::Value value);

/// Whether a value is all of its state.
bool isWhole(mlir::Value value);

/// An operand, named so that it may get neighbours.
struct StateUse {
  mlir::Operation *owner = nullptr;
  unsigned number = 0;

  mlir::Value get() const { return owner->getOperand(number); }
  bool operator==(const StateUse &other) const { return owner == other.owner && number == other.number; }
};

/// The operands of groups and others that are a state or a view of it, in the order of the block. Movement uses
/// nothing, nor does a group that has no use for an input.
llvm::SmallVector<StateUse> getUses(mlir::Value state);

/// A result of a group that is assigned to a state, or to a splat.
struct Update {
  lazy::GroupOp group;
  unsigned number = 0;          ///< of the result
  std::optional<StateUse> base; ///< none for a splat

  mlir::OpResult result() const { return group->getOpResult(number); }
  lazy::AssignOp first() const;
  /// Whether the group reads the base too.
  bool isRead() const;
};

/// What the input of a group is assigned for; none where the group only reads it.
std::optional<Update> getUpdate(StateUse use);
/// What a result of a group is assigned to; none where it is computed.
std::optional<Update> getUpdateOf(mlir::Value result);

/// Whether an input of a group is more than the base of an update.
bool isRead(StateUse use);

/// Whether two trackers of a row-major `shape` name no element both; false where it is not known.
bool areApart(const ShapeTracker &a, const ShapeTracker &b, llvm::ArrayRef<int64_t> shape);

/// Whether what a use reads of a state is none of the elements at `places`, trackers of it; false where it is not
/// known.
bool readsApart(StateUse use, llvm::ArrayRef<ShapeTracker> places);

/// Whether nothing of an update's base is ever seen: its group assigns each element, or it is the first of a chain of
/// assignments to slices that make up the whole, between which nobody reads but what has been assigned.
bool isReplaced(mlir::OpResult result);

} // namespace tiny

#endif // TINY_ANALYSIS_LAZY_STATEUSES_H
