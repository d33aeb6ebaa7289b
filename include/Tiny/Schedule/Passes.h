// Passes that choose, impose and apply schedules.
#ifndef TINY_SCHEDULE_PASSES_H
#define TINY_SCHEDULE_PASSES_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Support/OptionValues.h"
#include "mlir/Pass/Pass.h"

namespace tiny::kernel {

#define GEN_PASS_DECL
#include "Tiny/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tiny/Schedule/Passes.h.inc"

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_PASSES_H
