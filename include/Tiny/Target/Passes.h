// Passes about targets.
#ifndef TINY_TARGET_PASSES_H
#define TINY_TARGET_PASSES_H

#include "Tiny/Dialect/Target/Target.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#include "Tiny/Target/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Target/Passes.h.inc"

} // namespace tiny

#endif // TINY_TARGET_PASSES_H
