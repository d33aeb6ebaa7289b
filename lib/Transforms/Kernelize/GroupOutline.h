// Imposed fusion: operations that a person named become one group.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_GROUPOUTLINE_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_GROUPOUTLINE_H

#include "Tiny/Dialect/Lazy/Lazy.h"

namespace tiny::lazy {

/// The discardable attribute, a string, by which `lazy-impose-groups` knows the members of a group.
inline constexpr llvm::StringLiteral kGroupIdName = "lazy.group_id";

/// Moves operations of one block into a new `lazy.group`, whatever that costs. Movements and index sources between them
/// go along, those that others read too are copied; what else they read are the group's inputs, and whatever others
/// read of what they compute are its results. What stood between the members and needs a result moves behind the group.
///
/// Fails, with an error at the operation and without a change, where a member can't stand in a group or stands in one,
/// where the group would wait for itself, where nobody reads a result, and where inputs and results are more than
/// `maxBuffers`. `name` is for errors. Takes time linear in the block.
mlir::FailureOr<GroupOp> outlineGroup(llvm::ArrayRef<mlir::Operation *> members, llvm::StringRef name,
                                      unsigned maxBuffers);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_GROUPOUTLINE_H
