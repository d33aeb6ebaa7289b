// Fusion as a transform-dialect operation.
#ifndef TINY_TRANSFORMS_KERNELIZE_LAZYTRANSFORMOPS_H
#define TINY_TRANSFORMS_KERNELIZE_LAZYTRANSFORMOPS_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "Tiny/Transforms/Kernelize/LazyTransformOps.h.inc"

namespace tiny::lazy {

/// Makes `transform.tiny.fuse` known wherever the transform dialect is loaded.
void registerTransformExtension(mlir::DialectRegistry &registry);

} // namespace tiny::lazy

#endif // TINY_TRANSFORMS_KERNELIZE_LAZYTRANSFORMOPS_H
