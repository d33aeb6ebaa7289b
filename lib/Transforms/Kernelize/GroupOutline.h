// Imposed fusion: operations that a person named become one group.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_GROUPOUTLINE_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_GROUPOUTLINE_H

#include "Tiny/Dialect/Lazy/Lazy.h"

namespace tiny::lazy {

/// The discardable string attribute by which `lazy-impose-groups` knows the members of a group.
inline constexpr llvm::StringLiteral kGroupIdName = "lazy.group_id";

/// Moves operations of one block into a new `lazy.group`, whatever that costs. Movements and index sources between them
/// join it; those that others read too are copied. Its inputs are the other values that the members read, its results
/// the values that others read of them. Operations between the members that need a result move behind the group.
///
/// Fails, with an error at the operation and without a change, if a member can't stand in a group or stands in one, if
/// the group would wait for itself, if nobody reads a result, or if it has more than `maxBuffers` inputs and results.
/// `name` is for errors. Takes time linear in the block.
mlir::FailureOr<GroupOp> outlineGroup(llvm::ArrayRef<mlir::Operation *> members, llvm::StringRef name,
                                      unsigned maxBuffers);

/// Most buffers of a kernel on the operation's device; at least one that it reads and one that it writes.
unsigned getMostBuffers(mlir::Operation *op);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_GROUPOUTLINE_H
