// The program of one rank, made of an annotated function.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_PARTITION_H
#define TINY_LIB_TRANSFORMS_TENSOR_PARTITION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tiny::tensor {

/// Partitions the function in place, and tells of conflicts in the remarks of `tensor-partition`. A function without
/// annotations stays as it is.
mlir::LogicalResult partitionFunction(mlir::func::FuncOp function, bool *wasPartitioned = nullptr);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_PARTITION_H
