// Passes over index arithmetic.
#ifndef TINY_TRANSFORMS_SYMBOLIC_PASSES_H
#define TINY_TRANSFORMS_SYMBOLIC_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tiny::sym {

#define GEN_PASS_DECL
#include "Tiny/Transforms/Symbolic/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Transforms/Symbolic/Passes.h.inc"

} // namespace tiny::sym

#endif // TINY_TRANSFORMS_SYMBOLIC_PASSES_H
