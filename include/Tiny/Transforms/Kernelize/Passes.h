// Passes that decide what becomes one kernel.
#ifndef TINY_TRANSFORMS_KERNELIZE_PASSES_H
#define TINY_TRANSFORMS_KERNELIZE_PASSES_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Support/OptionValues.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tiny::lazy {

#define GEN_PASS_DECL
#include "Tiny/Transforms/Kernelize/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Transforms/Kernelize/Passes.h.inc"

} // namespace tiny::lazy

#endif // TINY_TRANSFORMS_KERNELIZE_PASSES_H
