// One program for several targets.
#ifndef TINY_LIB_DRIVER_SEVERALTARGETS_H
#define TINY_LIB_DRIVER_SEVERALTARGETS_H

#include "Tiny/Driver/CompileProgram.h"
#include "Tiny/Target/Target.h"

namespace tiny {

/// Lowers the module to the kernel level and compiles each kernel for one of the targets: for the one that
/// `options.placement` or its attribute `device` names, otherwise for the first that has code for it. Gives a container
/// with a binary of each target. What must be decided once, such as fusion, goes by the first target.
llvm::Expected<std::string> compileForSeveral(mlir::ModuleOp module, llvm::ArrayRef<const Target *> targets,
                                              const CompileOptions &options);

} // namespace tiny

#endif // TINY_LIB_DRIVER_SEVERALTARGETS_H
