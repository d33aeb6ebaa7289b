// Values that stand alike in a program: a weight of one layer, and the same of the next.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_ALIKEVALUES_H
#define TINY_LIB_TRANSFORMS_TENSOR_ALIKEVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tiny::tensor {

/// Groups values that have the same type and whose surroundings, a few operations far, are the same but for elements of
/// constants: what is right for one of them is right for all. Groups and their members come in the order of `values`.
llvm::SmallVector<llvm::SmallVector<mlir::Value>> groupAlike(mlir::func::FuncOp function,
                                                             llvm::ArrayRef<mlir::Value> values);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_ALIKEVALUES_H
