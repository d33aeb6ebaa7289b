// An executable as bytes: what the compile cache keeps.
#ifndef TINY_LIB_DRIVER_IMAGE_H
#define TINY_LIB_DRIVER_IMAGE_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Driver/Executable.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tiny {

/// A program with everything that it takes to run it, as MLIR bytecode: the `kernel.program` with its constants, for
/// each kernel an `llvm.func` without its body, which says its grid and its work, and on the module the objects that
/// define the kernels. It has no version: whoever keeps it knows which build wrote it.
std::string writeImage(kernel::ProgramOp program, llvm::ArrayRef<std::string> objects,
                       const llvm::StringMap<KernelWork> &work);

/// Reads it back; constants stay where they are in the buffer, which lives as long as the context. Fails when the bytes
/// are no image.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> readImage(std::unique_ptr<llvm::MemoryBuffer> bytes,
                                                            mlir::MLIRContext *context);

/// What stands beside the program in an image's module.
std::vector<std::string> getObjects(mlir::ModuleOp image);
llvm::StringMap<KernelWork> getKernelWork(mlir::ModuleOp image);

} // namespace tiny

#endif // TINY_LIB_DRIVER_IMAGE_H
