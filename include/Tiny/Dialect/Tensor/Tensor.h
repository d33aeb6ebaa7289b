// The tiny dialect: named tensor operations with NumPy broadcasting and type promotion.
#ifndef TINY_DIALECT_TENSOR_TENSOR_H
#define TINY_DIALECT_TENSOR_TENSOR_H

#include "Tiny/Dialect/Tensor/Promotion.h"
#include "Tiny/Dialect/Tensor/Reduction.h"
#include "Tiny/Dialect/Tensor/ShardingRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tiny::tensor {
class TensorBuilder;
} // namespace tiny::tensor

#include "Tiny/Dialect/Tensor/TensorDialect.h.inc"
#include "Tiny/Dialect/Tensor/TensorInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Tiny/Dialect/Tensor/TensorOps.h.inc"

#endif // TINY_DIALECT_TENSOR_TENSOR_H
