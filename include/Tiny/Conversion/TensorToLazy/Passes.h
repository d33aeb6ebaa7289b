// From the tensor level down to the lazy level.
#ifndef TINY_CONVERSION_TENSORTOLAZY_PASSES_H
#define TINY_CONVERSION_TENSORTOLAZY_PASSES_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#include "Tiny/Conversion/TensorToLazy/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/TensorToLazy/Passes.h.inc"

} // namespace tiny

#endif // TINY_CONVERSION_TENSORTOLAZY_PASSES_H
