// Schedule changes as transform-dialect operations.
#ifndef TINY_SCHEDULE_STEPS_KERNELTRANSFORMOPS_H
#define TINY_SCHEDULE_STEPS_KERNELTRANSFORMOPS_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Schedule/Steps/Tensorize.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "Tiny/Schedule/Steps/KernelTransformOps.h.inc"

namespace tiny::kernel {

/// Makes `transform.tiny.*` known wherever the transform dialect is loaded.
void registerTransformExtension(mlir::DialectRegistry &registry);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_KERNELTRANSFORMOPS_H
