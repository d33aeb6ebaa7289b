// Values that are the same on all ranks of a group.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_REPLICATEDVALUES_H
#define TINY_LIB_TRANSFORMS_TENSOR_REPLICATEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tiny::tensor {

/// Of the program of one rank, before its collectives are lowered: the values of its body that ranks which differ along
/// `axes` alone have all alike.
llvm::DenseSet<mlir::Value> findReplicated(mlir::func::FuncOp function, llvm::ArrayRef<int16_t> axes);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_REPLICATEDVALUES_H
