// Attributes of a level below have no meaning on tensor operations.
#ifndef TINY_DIALECT_TENSOR_LOWERATTRIBUTES_H
#define TINY_DIALECT_TENSOR_LOWERATTRIBUTES_H

#include "mlir/IR/Operation.h"

namespace tiny::tensor {

/// Reports an attribute of a level below, such as `lazy.group_id`, on a tensor operation inside `root`: what the
/// operation becomes would not carry it.
llvm::LogicalResult verifyNoLowerAttributes(mlir::Operation *root);

} // namespace tiny::tensor

#endif // TINY_DIALECT_TENSOR_LOWERATTRIBUTES_H
