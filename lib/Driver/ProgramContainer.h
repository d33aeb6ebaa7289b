// A compiled program as a container, and back.
#ifndef TINY_LIB_DRIVER_PROGRAMCONTAINER_H
#define TINY_LIB_DRIVER_PROGRAMCONTAINER_H

#include "ProgramRanks.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Driver/Executable.h"
#include "Tiny/Runtime/Runtime.hpp"

namespace tiny {

/// Code that a target made of kernels.
struct TargetBinary {
  const Target *target;
  const TargetOutput *output;
};

/// The program with its kernels' code and what it says of inputs and results. The facts are those of the processors
/// that the code is for. Each kernel is in at least one binary. The options say where constants go.
llvm::Expected<std::string> writeContainer(kernel::ProgramOp program, llvm::ArrayRef<TargetBinary> binaries,
                                           const CompileOptions &options);

/// What a container holds, on a device.
struct LoadedContainer {
  runtime::Program program;
  /// Whole tensors, where the program is one of many ranks.
  std::vector<Parameter> inputs, results;
  RankSignature ranks;
  std::vector<files::Size> sizes;
  /// By result: the argument whose buffer it is in. By argument: whether the program may write it.
  std::vector<std::optional<unsigned>> aliases;
  std::vector<bool> donated;
  WorkByKernel work;
};

/// Loads the container, whose bytes must outlive the program. Types are made in the context.
llvm::Expected<LoadedContainer> loadContainer(llvm::StringRef bytes, const ContainerOrigin &origin, tiny_device *device,
                                              mlir::MLIRContext *context);

/// The last failure of the runtime as an error.
llvm::Error runtimeError(const llvm::Twine &doing);

} // namespace tiny

#endif // TINY_LIB_DRIVER_PROGRAMCONTAINER_H
