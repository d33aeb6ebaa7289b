// How a convolution is computed, as a transform-dialect operation.
#ifndef TINY_TRANSFORMS_TENSOR_TENSORTRANSFORMOPS_H
#define TINY_TRANSFORMS_TENSOR_TENSORTRANSFORMOPS_H

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "Tiny/Transforms/Tensor/TensorTransformOps.h.inc"

namespace tiny::tensor {

/// Makes `transform.tiny.winograd` known wherever the transform dialect is loaded.
void registerTransformExtension(mlir::DialectRegistry &registry);

} // namespace tiny::tensor

#endif // TINY_TRANSFORMS_TENSOR_TENSORTRANSFORMOPS_H
