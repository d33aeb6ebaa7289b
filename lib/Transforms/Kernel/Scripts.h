// The nested module that holds the kernels' transform scripts.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_SCRIPTS_H
#define TINY_LIB_TRANSFORMS_KERNEL_SCRIPTS_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"

namespace tiny::kernel {

/// Puts a detached script into the module of scripts (made where there is none), renames it where its name is taken,
/// and lets the kernel name it.
void addScript(mlir::ModuleOp module, FuncOp kernel, mlir::transform::NamedSequenceOp script);

/// Erases the script that the kernel names, if it stands in this module.
void dropScript(mlir::ModuleOp module, FuncOp kernel);

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_SCRIPTS_H
