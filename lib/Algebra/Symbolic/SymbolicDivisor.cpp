// Division and modulo by an expression. A divisor of zero is undefined, so the rules may assume that there is none.
#include "Monomial.h"
#include "Tiny/Algebra/Steps.h"

using namespace llvm;
using namespace tiny;

Expr ExprContext::floorDivSymbolic(Expr a, Expr b) {
  // quotient-by-bounds: x // y -> q   [the bounds leave one quotient]
  Expr plain = node(ExprKind::FloorDiv, {a, b});
  bool isSigned = b->low > 0 || b->high < 0;
  if (isSigned && plain.bounds().isConstant() && mayApply("quotient-by-bounds"))
    return constant(plain->low);
  // remainder-below-divisor: (x mod y) // y -> 0
  if (a.is(ExprKind::Mod) && a.operand(1) == b && mayApply("remainder-below-divisor"))
    return constant(0);
  Monomial divisor = divisorMonomial(*this, b);
  // whole-symbolic: (y x + z) // y -> x + z // y
  LinearForm whole, rest;
  splitWhole(*this, a, b, whole, rest);
  if ((!whole.terms.empty() || whole.constant != 0) && mayApply("whole-symbolic")) {
    Expr remaining = sum(rest);
    Expr quotient = remaining ? floorDiv(remaining, b) : remaining;
    if (!quotient)
      return {};
    whole.add(linear(quotient));
    return sum(whole);
  }
  if (a.asConstant() == 0)
    return a;
  // quotient-zero: x // y -> 0   [0 <= x < y]
  if (a->low >= 0 && b->low > 0)
    if (Expr gap = sub(b, a); gap && gap->low > 0 && mayApply("quotient-zero"))
      return constant(0);
  // cancel: (f x) // (f y) -> x // y
  Monomial common = commonFactor(*this, a, divisor);
  if (common.coefficient > 1 || !common.factors.empty()) {
    Expr numerator = divideForm(*this, a, common);
    Monomial reduced = divisor;
    if (numerator && divide(reduced, common) && mayApply("cancel"))
      return floorDiv(numerator, fromMonomial(*this, reduced));
  }
  return plain;
}

Expr ExprContext::modSymbolic(Expr a, Expr b) {
  Expr quotient = node(ExprKind::FloorDiv, {a, b});
  bool isSigned = b->low > 0 || b->high < 0;
  // one-quotient: x mod y -> x - q y   [the bounds leave one quotient q, and it costs no more]
  if (isSigned && quotient.bounds().isConstant()) {
    Expr result = sub(a, mul(constant(quotient->low), b));
    if (result && result.cost() <= 8 + a.cost() + b.cost() && mayApply("one-quotient"))
      return result;
  }
  // remainder-in-symbolic: (a (x mod y) + z) mod y -> (a x + z) mod y
  LinearForm form = linear(a);
  for (const LinearForm::Term &term : form.terms)
    if (term.atom.is(ExprKind::Mod) && term.atom.operand(1) == b && mayApply("remainder-in-symbolic")) {
      LinearForm inner = form;
      inner.add(term.atom, -term.coefficient);
      if (inner.terms.empty() && inner.constant == 0 && term.coefficient == 1)
        return a;
      inner.add(linear(term.atom.operand(0)), term.coefficient);
      Expr numerator = sum(inner);
      return numerator ? mod(numerator, b) : numerator;
    }
  Monomial divisor = divisorMonomial(*this, b);
  // whole-symbolic-remainder: (y x + z) mod y -> z mod y
  LinearForm whole, rest;
  splitWhole(*this, a, b, whole, rest);
  if ((!whole.terms.empty() || whole.constant != 0) && mayApply("whole-symbolic-remainder")) {
    Expr remaining = sum(rest);
    return remaining ? mod(remaining, b) : remaining;
  }
  if (a.asConstant() == 0)
    return a;
  // remainder-itself: x mod y -> x   [0 <= x < y]
  if (a->low >= 0 && b->low > 0)
    if (Expr gap = sub(b, a); gap && gap->low > 0 && mayApply("remainder-itself"))
      return a;
  // cancel-remainder: (f x) mod (f y) -> f (x mod y)
  Monomial common = commonFactor(*this, a, divisor);
  if (common.coefficient > 1 || !common.factors.empty()) {
    Expr numerator = divideForm(*this, a, common);
    Monomial reduced = divisor;
    if (numerator && divide(reduced, common) && mayApply("cancel-remainder"))
      return mul(fromMonomial(*this, common), mod(numerator, fromMonomial(*this, reduced)));
  }
  return node(ExprKind::Mod, {a, b});
}
