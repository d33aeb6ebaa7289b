// From the kernel level to the uop level: passes.
#ifndef TINY_CONVERSION_KERNELTOUOP_PASSES_H
#define TINY_CONVERSION_KERNELTOUOP_PASSES_H

#include "Tiny/Support/OptionValues.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/KernelToUOp/Passes.h.inc"

} // namespace tiny

#endif // TINY_CONVERSION_KERNELTOUOP_PASSES_H
