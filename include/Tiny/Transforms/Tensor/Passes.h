// Passes that stay on the tensor level.
#ifndef TINY_TRANSFORMS_TENSOR_PASSES_H
#define TINY_TRANSFORMS_TENSOR_PASSES_H

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/OptionValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Pass/Pass.h"

namespace tiny::tensor {

#define GEN_PASS_DECL
#include "Tiny/Transforms/Tensor/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Transforms/Tensor/Passes.h.inc"

} // namespace tiny::tensor

#endif // TINY_TRANSFORMS_TENSOR_PASSES_H
