// What the files of this folder share.
#ifndef TINY_LIB_TARGET_VULKAN_VULKAN_H
#define TINY_LIB_TARGET_VULKAN_VULKAN_H

#include "Tiny/Target/GpuTarget.h"

namespace tiny::vulkan {

constexpr llvm::StringLiteral kDeviceName = "vulkan";

/// What is compiled for where nobody says it.
constexpr llvm::StringLiteral kDefaultProcessor = "generic";

/// The facts about a kind of device: "generic" or "lavapipe". The error lists the names that there are.
llvm::Expected<cost::Machine> describeMachine(llvm::StringRef processor);

/// The facts that this machine's device states, and its name.
llvm::Expected<std::pair<std::string, cost::Machine>> describeFound(const FoundDevice &found);

/// The module's kernels, which are at the spirv level, as one SPIR-V module. Reports that there is none.
mlir::FailureOr<std::string> writeSpirv(mlir::ModuleOp module);

} // namespace tiny::vulkan

#endif // TINY_LIB_TARGET_VULKAN_VULKAN_H
