// The extents of a product of a softmax of a product.
#ifndef TINY_LIB_TRANSFORMS_LAZY_SOFTMAXEXTENTS_H
#define TINY_LIB_TRANSFORMS_LAZY_SOFTMAXEXTENTS_H

#include "GuardedSum.h"
#include "Tiny/Algebra/Cost/SoftmaxProduct.h"
#include "Tiny/Support/Remarks.h"

namespace tiny::lazy {

/// The extents of `sum`, whose shifted element is `element`, if that is computed from a sum of products in f32: rows
/// are along axes that the elements vary over and what they are multiplied by does not. Nothing of extents so large
/// that their products are no numbers.
std::optional<cost::SoftmaxProduct> findSoftmaxProduct(const ShiftedElement &element, const GuardedSum &sum);

/// Why the reductions of such a product take less time apart; empty where that is not predicted, or it is none.
Reason whyApart(const ShiftedElement &element, const GuardedSum &sum, const cost::Machine &machine);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_SOFTMAXEXTENTS_H
