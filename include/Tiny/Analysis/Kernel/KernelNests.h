// The passes of a kernel as nests, which cost prediction reads.
#ifndef TINY_ANALYSIS_KERNEL_KERNELNESTS_H
#define TINY_ANALYSIS_KERNEL_KERNELNESTS_H

#include "Tiny/Algebra/Cost/Nest.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// One nest for each set of axes that reductions and stages close: what is evaluated along these and along free axes
/// runs in loops of its own. A kernel's schedule is in its axes, so the nests are those of the kernel as it is. None
/// where a pass has more than 64 axes. `countTrips` says how many points of an axis run; by default its extent.
std::optional<llvm::SmallVector<cost::Nest>> findNests(FuncOp kernel,
                                                       llvm::function_ref<int64_t(RangeOp)> countTrips = {});

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_KERNELNESTS_H
