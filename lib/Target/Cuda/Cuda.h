// What the files of this folder share.
#ifndef TINY_LIB_TARGET_CUDA_CUDA_H
#define TINY_LIB_TARGET_CUDA_CUDA_H

#include "Tiny/Target/Target.h"
#include "llvm/ADT/StringMap.h"

namespace tiny::cuda {

constexpr llvm::StringLiteral kDeviceName = "cuda";

/// The facts about the GPUs of an architecture, such as "sm_80". The error lists the names that there are.
llvm::Expected<cost::Machine> describeMachine(llvm::StringRef architecture);

/// What is compiled for where nobody says it: what all GPUs that CUDA 13 knows can run.
constexpr llvm::StringLiteral kDefaultArchitecture = "sm_75";

/// The module's kernels, which are at the llvm level, as one file of PTX. PTX is of the least version that the
/// architecture needs. Reports an unknown architecture, and that there is no kernel. `symbols` gets the names of those
/// kernels that PTX cannot call what they are called.
mlir::FailureOr<std::string> writePtx(mlir::ModuleOp module, llvm::StringRef architecture, unsigned optimization,
                                      llvm::StringMap<std::string> *symbols = nullptr);

} // namespace tiny::cuda

#endif // TINY_LIB_TARGET_CUDA_CUDA_H
