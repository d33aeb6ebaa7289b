// From the uop level down to SPIR-V for Vulkan.
#ifndef TINY_CONVERSION_UOPTOSPIRV_PASSES_H
#define TINY_CONVERSION_UOPTOSPIRV_PASSES_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#include "Tiny/Conversion/UOpToSPIRV/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/UOpToSPIRV/Passes.h.inc"

} // namespace tiny

#endif // TINY_CONVERSION_UOPTOSPIRV_PASSES_H
