// Concatenations whose parts kernels of their own compute.
#ifndef TINY_LIB_TRANSFORMS_LAZY_PLACEPARTS_H
#define TINY_LIB_TRANSFORMS_LAZY_PLACEPARTS_H

#include "Tiny/Transforms/Lazy/KernelizePlan.h"

namespace tiny::lazy {

/// Rewrites a concatenation as a chain of `lazy.assign` to its slices: one for each part that a kernel of its own
/// computes, and one for what is between these. Each kernel then writes where its part belongs, and nothing is copied.
/// The chain begins with a splat; since every element is assigned, convert-lazy-to-kernel fills no buffer with it.
void placeParts(const Concatenation &concatenation);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_PLACEPARTS_H
