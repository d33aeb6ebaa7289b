// Which concatenations are better assignments of their parts to slices.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_PLACEMENTS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_PLACEMENTS_H

#include "Concatenations.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tiny::lazy {

/// Finds values that `plan.kernels` store only to be copied into a concatenation, if the copies cost more than the
/// launches that they save, and adds them to the plan. A part has one place, in the largest concatenation that gains
/// from it. A concatenation that is a part itself, or whose parts lie side by side there, becomes a view. `isShared`
/// says whether anything but a concatenation reads the value that a node stores.
void findPlacements(KernelizePlan &plan, const LazyGraph &graph, const StoredSlices &concatenated,
                    const cost::CostModel &costs, llvm::function_ref<bool(unsigned)> isStored,
                    llvm::function_ref<bool(unsigned)> isShared);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_PLACEMENTS_H
