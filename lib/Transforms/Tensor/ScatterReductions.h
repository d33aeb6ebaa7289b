// All-reduces as reduce-scatters and all-gathers, where that pays.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_SCATTERREDUCTIONS_H
#define TINY_LIB_TRANSFORMS_TENSOR_SCATTERREDUCTIONS_H

#include "Tiny/Dialect/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tiny::tensor {

/// In a function that `tensor-partition` made. Returns how many all-reduces became reduce-scatters.
unsigned scatterReductions(mlir::func::FuncOp function, const cost::Machine &machine);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_SCATTERREDUCTIONS_H
