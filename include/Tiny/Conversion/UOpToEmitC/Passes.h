// From the uop level down to EmitC, for targets that write C.
#ifndef TINY_CONVERSION_UOPTOEMITC_PASSES_H
#define TINY_CONVERSION_UOPTOEMITC_PASSES_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Pass/Pass.h"

namespace tiny::emitc {

#define GEN_PASS_DECL
#include "Tiny/Conversion/UOpToEmitC/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/UOpToEmitC/Passes.h.inc"

} // namespace tiny::emitc

#endif // TINY_CONVERSION_UOPTOEMITC_PASSES_H
