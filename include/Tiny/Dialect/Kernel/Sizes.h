// The sizes of a program that are known when it is called, from the shapes of its arguments.
#ifndef TINY_DIALECT_KERNEL_SIZES_H
#define TINY_DIALECT_KERNEL_SIZES_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Support/Signature.h"
#include "llvm/Support/Error.h"

namespace tiny::kernel {

/// The shape of the argument or the result at these sizes: its `tiny.shape`, else that of its tensor type.
llvm::SmallVector<int64_t> getLiveShape(mlir::Attribute shape, mlir::RankedTensorType type,
                                        llvm::ArrayRef<int64_t> sizes);

/// The sizes at which the program takes arguments of these shapes. The message names the argument, and the size where
/// it is out of its bounds.
llvm::Expected<llvm::SmallVector<int64_t>> findSizes(ProgramOp program, const Signature &signature,
                                                     llvm::ArrayRef<std::vector<int64_t>> shapes);

} // namespace tiny::kernel

#endif // TINY_DIALECT_KERNEL_SIZES_H
