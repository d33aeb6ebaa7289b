// From the lazy level down to the kernel level.
#ifndef TINY_CONVERSION_LAZYTOKERNEL_PASSES_H
#define TINY_CONVERSION_LAZYTOKERNEL_PASSES_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/Pass/Pass.h"

namespace tiny {

#define GEN_PASS_DECL
#include "Tiny/Conversion/LazyToKernel/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Conversion/LazyToKernel/Passes.h.inc"

} // namespace tiny

#endif // TINY_CONVERSION_LAZYTOKERNEL_PASSES_H
