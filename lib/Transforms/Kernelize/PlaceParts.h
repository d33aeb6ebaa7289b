// Concatenations whose parts kernels of their own compute.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_PLACEPARTS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_PLACEPARTS_H

#include "Tiny/Transforms/Kernelize/KernelizePlan.h"

namespace tiny::lazy {

/// Rewrites a concatenation as a chain of `lazy.assign` to its slices: one for each part that a kernel of its own
/// computes, and one for each run of pieces between these. Each kernel then writes its part in place, and nothing is
/// copied. Each assignment stands as early as it can. Other readers of a part read a view of the assignment's result.
/// The chain begins with a splat. Every element is assigned and none is read before, so the buffer is not filled with
/// the splat.
void placeParts(const Placement &placement);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_PLACEPARTS_H
