// Passes that stay on the uop level.
#ifndef TINY_TRANSFORMS_UOP_PASSES_H
#define TINY_TRANSFORMS_UOP_PASSES_H

#include "Tiny/Support/OptionValues.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tiny::uop {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Tiny/Transforms/UOp/Passes.h.inc"

} // namespace tiny::uop

#endif // TINY_TRANSFORMS_UOP_PASSES_H
