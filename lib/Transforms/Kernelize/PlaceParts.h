// Concatenations whose parts kernels of their own compute.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_PLACEPARTS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_PLACEPARTS_H

#include "Tiny/Transforms/Kernelize/KernelizePlan.h"

namespace tiny::lazy {

/// Rewrites a concatenation as a chain of `lazy.assign` to its slices: one for each part that a kernel of its own
/// computes, and one for what is between these. Each kernel then writes where its part belongs, and nothing is copied.
/// Each assignment stands as early as it can, and who else reads a part reads a view of what it makes. The chain begins
/// with a splat; since every element is assigned, and none is read before, convert-lazy-to-kernel fills no buffer with
/// it.
void placeParts(const Placement &placement);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_PLACEPARTS_H
