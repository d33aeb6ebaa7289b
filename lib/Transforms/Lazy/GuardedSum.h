// A sum of products with a shifted element, some of which a selection replaces by zero.
#ifndef TINY_LIB_TRANSFORMS_LAZY_GUARDEDSUM_H
#define TINY_LIB_TRANSFORMS_LAZY_GUARDEDSUM_H

#include "ShiftedElement.h"

namespace tiny::lazy {

/// One thing that is done to a shifted element on its way into a sum, over the sum's indices.
struct Part : TrackedValue {
  enum class Kind {
    factor,
    divisor,
    guard, ///< what is inside is replaced by zero where the test of `value` holds, or where it does not
  };
  /// What makes a guard's condition of `value`.
  enum class Test {
    none,     ///< it is one
    isNaN,    ///< the sum of a row: whether it is NaN
    isLowest, ///< the maximum of a row: whether it is -inf
  };
  Kind kind = Kind::factor;
  bool zeroWhere = true; ///< a guard selects zero where the test holds; else where it does not
  Test test = Test::none;
  bool varies = false; ///< along the summed axes
};

/// A sum whose elements contain a shifted element.
struct GuardedSum {
  ReduceOp reduce;
  mlir::Operation *function = nullptr; ///< the shifted element
  ShapeTracker element;                ///< from the sum's indices to those of the shifted element
  std::vector<Part> parts;             ///< the outermost first: what follows a guard is inside of it
  mlir::Type rounded;                  ///< what the match ignores: the element is rounded to this type

  /// Whether a part of this kind varies along the summed axes (or does not).
  bool has(Part::Kind kind, bool varies) const {
    return llvm::any_of(parts, [&](const Part &part) { return part.kind == kind && part.varies == varies; });
  }
};

/// `reduce` as such a sum; nothing if it has no shifted element. Of several, the first one with a maximum counts, else
/// the first.
///
/// Elements relative to a maximum are between 0 and 1, and so are softmax's quotients of them. If they are rounded to a
/// narrower type and back on their way into a sum that is rounded like this itself, the match ignores that rounding.
std::optional<GuardedSum> matchGuardedSum(ReduceOp reduce);

/// Replaces conditions of guards by tests of the merged reduction's results, if these say the same for each value of x:
/// `isNaN(f / l)`, with l the row's sum of f, by whether l is NaN, and `all x = -inf` by whether the maximum is -inf.
/// `element` is the sum's.
void resolveGuards(GuardedSum &sum, const ShiftedElement &element);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_GUARDEDSUM_H
