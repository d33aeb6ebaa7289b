// Passes that stay on the kernel level.
#ifndef TINY_TRANSFORMS_KERNEL_PASSES_H
#define TINY_TRANSFORMS_KERNEL_PASSES_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Support/OptionValues.h"
#include "mlir/Pass/Pass.h"

namespace tiny::kernel {

#define GEN_PASS_DECL
#include "Tiny/Transforms/Kernel/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Transforms/Kernel/Passes.h.inc"

} // namespace tiny::kernel

#endif // TINY_TRANSFORMS_KERNEL_PASSES_H
