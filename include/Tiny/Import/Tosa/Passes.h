// From upstream's tosa dialect to the tensor level.
#ifndef TINY_IMPORT_TOSA_PASSES_H
#define TINY_IMPORT_TOSA_PASSES_H

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#include "Tiny/Import/Tosa/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Import/Tosa/Passes.h.inc"

/// Lets programs have operations of `tosa`.
void registerTosaDialect(mlir::DialectRegistry &registry);

/// Converts what is `tosa` in a module, if anything is. Fails with errors.
llvm::LogicalResult convertTosaToTensor(mlir::ModuleOp module);

} // namespace tiny

#endif // TINY_IMPORT_TOSA_PASSES_H
