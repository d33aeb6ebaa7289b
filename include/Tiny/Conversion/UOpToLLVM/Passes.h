// From the uop level down to LLVM, for the CPU.
#ifndef TINY_CONVERSION_UOPTOLLVM_PASSES_H
#define TINY_CONVERSION_UOPTOLLVM_PASSES_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#include "Tiny/Conversion/UOpToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/UOpToLLVM/Passes.h.inc"

} // namespace tiny

#endif // TINY_CONVERSION_UOPTOLLVM_PASSES_H
