// From the uop level down to LLVM with NVIDIA's operations.
#ifndef TINY_CONVERSION_UOPTONVVM_PASSES_H
#define TINY_CONVERSION_UOPTONVVM_PASSES_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#include "Tiny/Conversion/UOpToNVVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/UOpToNVVM/Passes.h.inc"

} // namespace tiny

#endif // TINY_CONVERSION_UOPTONVVM_PASSES_H
