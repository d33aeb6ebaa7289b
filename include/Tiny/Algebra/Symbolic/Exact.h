// Exact questions about conditions, answered by Presburger arithmetic where the rules of the engine do not decide.
#ifndef TINY_ALGEBRA_SYMBOLIC_EXACT_H
#define TINY_ALGEBRA_SYMBOLIC_EXACT_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

namespace tiny {

/// Whether a condition holds somewhere within the bounds of its leaves.
struct Satisfaction {
  enum class Verdict { Never, Somewhere, Unknown } verdict = Verdict::Unknown;
  /// Somewhere: the value of each leaf at one such point, by leaf number. Unknown: may name a point that was not
  /// confirmed.
  llvm::SmallVector<std::pair<int64_t, int64_t>> point;
};

/// Linear arithmetic with division and modulo by constants is decided exactly; a product, a symbolic division or a
/// choice between values is first taken for any value within its bounds, and a point found that way is confirmed by
/// evaluation.
Satisfaction satisfy(ExprContext &context, Expr condition);

/// Whether no element of one tracker and no element of the other lie at one position; false where it is not known.
bool areDisjoint(const ShapeTracker &a, const ShapeTracker &b);

} // namespace tiny

#endif // TINY_ALGEBRA_SYMBOLIC_EXACT_H
