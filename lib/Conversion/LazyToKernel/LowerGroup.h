// One group to one kernel.
#ifndef TINY_LIB_CONVERSION_LAZYTOKERNEL_LOWERGROUP_H
#define TINY_LIB_CONVERSION_LAZYTOKERNEL_LOWERGROUP_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/BitVector.h"

namespace tiny {

/// The rank-1 buffer that holds a tensor's elements row-major; null, and an error at `loc`, for a tensor that has none:
/// dynamic, too large, or of a type that no buffer holds.
mlir::MemRefType getBufferType(mlir::Location loc, mlir::Type tensor);

struct LoweredGroup {
  kernel::FuncOp kernel;
  /// The group's inputs that the kernel has: all but those that it assigns without reading them.
  llvm::BitVector inputs;
  /// It may load, and ignore, what is not written yet.
  bool readsUnwritten = false;
};

/// Builds the kernel of a group at the builder's insertion point: its arguments are the group's inputs, then its
/// results. Of an assignment it stores the value; whoever launches it sees to it that the rest of the base is there.
/// Only a part of the inputs `partial` is written yet: what is loaded and ignored elsewhere is not loaded of these.
/// Fails with an error at the operation that has no lowering.
mlir::FailureOr<LoweredGroup> lowerGroup(mlir::OpBuilder &builder, lazy::GroupOp group, llvm::StringRef name,
                                         const llvm::BitVector &partial);

} // namespace tiny

#endif // TINY_LIB_CONVERSION_LAZYTOKERNEL_LOWERGROUP_H
