// Monomials: how division by an expression sees its operands.
#ifndef TINY_LIB_ALGEBRA_SYMBOLIC_MONOMIAL_H
#define TINY_LIB_ALGEBRA_SYMBOLIC_MONOMIAL_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

namespace tiny {

/// coefficient * product of factors.
struct Monomial {
  LinearForm::Wide coefficient = 1;
  llvm::SmallVector<Expr, 4> factors;

  bool isOne() const { return coefficient == 1 && factors.empty(); }
};

/// The divisor as one monomial; a sum of several terms is its own only factor, beside its content.
Monomial divisorMonomial(ExprContext &context, Expr divisor);
Expr fromMonomial(ExprContext &context, const Monomial &monomial);
/// Divides `monomial` by `by` if that leaves a monomial.
bool divide(Monomial &monomial, const Monomial &by);
/// numerator = divisor * whole + rest, with as much in `whole` as is seen.
void splitWhole(ExprContext &context, Expr numerator, Expr divisor, LinearForm &whole, LinearForm &rest);
/// The factors that every term of the numerator shares with the divisor.
Monomial commonFactor(ExprContext &context, Expr numerator, const Monomial &divisor);
/// The numerator divided by a monomial that divides each of its terms; null if it does not.
Expr divideForm(ExprContext &context, Expr numerator, const Monomial &by);

} // namespace tiny

#endif // TINY_LIB_ALGEBRA_SYMBOLIC_MONOMIAL_H
