// Devices of the runtime and the targets whose code they run.
#ifndef TINY_DRIVER_DEVICES_H
#define TINY_DRIVER_DEVICES_H

#include "Tiny/Driver/CompileProgram.h"

namespace tiny {

/// Lets targets make records of the devices that the runtime opens, under the name "host". Tools call it at start-up,
/// behind `registerAllTargets`.
void registerDeviceFinder();

/// The target whose code the device runs, of several ("vulkan,cpu") the first one's; the default one for devices that
/// run any code, or none.
const Target *findTargetOf(llvm::StringRef device);

/// Of several devices the targets of all, each once: "vulkan,cpu".
std::string nameTargetsOf(llvm::StringRef device);

/// What kernels are compiled for that a target is to make code for: the machine that the options give for the first
/// target; of a module with a record that one; of a program that runs at once the device that will run it, where the
/// target has a record for it.
MachineChoice chooseMachine(const Target &target, const CompileOptions &options, mlir::ModuleOp module,
                            bool isFirst = true);

/// The same where the module's own record does not matter.
MachineChoice chooseMachine(const Target &target, const CompileOptions &options, bool isFirst,
                            mlir::MLIRContext *context);

} // namespace tiny

#endif // TINY_DRIVER_DEVICES_H
