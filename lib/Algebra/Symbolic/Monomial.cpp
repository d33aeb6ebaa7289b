// Monomials: how division by an expression sees its operands.
#include "Monomial.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

static Monomial monomial(Expr atom, Wide coefficient) {
  Monomial result{coefficient, {}};
  if (atom.is(ExprKind::Product))
    for (const ExprNode *factor : atom->operands)
      result.factors.push_back(Expr(factor));
  else
    result.factors.push_back(atom);
  return result;
}

Monomial tiny::divisorMonomial(ExprContext &context, Expr b) {
  LinearForm form = context.linear(b);
  if (form.constant == 0 && form.terms.size() == 1)
    return monomial(form.terms[0].atom, form.terms[0].coefficient);
  Wide content = form.constant;
  for (const LinearForm::Term &term : form.terms)
    content = std::gcd(int64_t(content), int64_t(term.coefficient));
  if (content > 1) {
    for (LinearForm::Term &term : form.terms)
      term.coefficient /= content;
    form.constant /= content;
    return {content, {context.sum(form)}};
  }
  return {1, {b}};
}

Expr tiny::fromMonomial(ExprContext &context, const Monomial &m) {
  Expr result = context.constant(int64_t(m.coefficient));
  for (Expr factor : m.factors)
    result = context.mul(result, factor);
  return result;
}

bool tiny::divide(Monomial &m, const Monomial &by) {
  Monomial result = m;
  if (result.coefficient % by.coefficient != 0)
    return false;
  result.coefficient /= by.coefficient;
  for (Expr factor : by.factors) {
    auto *position = llvm::find(result.factors, factor);
    if (position == result.factors.end())
      return false;
    result.factors.erase(position);
  }
  m = std::move(result);
  return true;
}

void tiny::splitWhole(ExprContext &context, Expr a, Expr b, LinearForm &whole, LinearForm &rest) {
  Monomial divisor = divisorMonomial(context, b);
  LinearForm form = context.linear(a);
  rest.constant = form.constant;
  for (const LinearForm::Term &term : form.terms) {
    Monomial m = monomial(term.atom, term.coefficient);
    Expr quotient = divide(m, divisor) ? fromMonomial(context, m) : Expr();
    if (quotient)
      whole.add(context.linear(quotient));
    else
      rest.add(term.atom, term.coefficient);
  }
  // A divisor that is a sum divides what holds a multiple of all its terms.
  LinearForm sum = context.linear(b);
  if (sum.terms.size() + (sum.constant != 0) < 2)
    return;
  Wide have = rest.coefficientOf(sum.terms[0].atom), want = sum.terms[0].coefficient;
  if (have == 0 || have % want != 0)
    return;
  LinearForm without = rest;
  without.add(sum, -(have / want));
  if (without.terms.size() + (without.constant != 0) >= rest.terms.size() + (rest.constant != 0))
    return;
  whole.constant += have / want;
  rest = without;
}

Monomial tiny::commonFactor(ExprContext &context, Expr a, const Monomial &divisor) {
  LinearForm form = context.linear(a);
  Monomial common{1, {}};
  if (form.terms.empty())
    return common;
  Wide content = divisor.coefficient;
  content = std::gcd(int64_t(content), int64_t(form.constant));
  for (const LinearForm::Term &term : form.terms)
    content = std::gcd(int64_t(content), int64_t(term.coefficient));
  common.coefficient = content;
  if (form.constant != 0)
    return common;
  SmallVector<Monomial> terms;
  for (const LinearForm::Term &term : form.terms)
    terms.push_back(monomial(term.atom, term.coefficient));
  for (Expr factor : divisor.factors) {
    if (!all_of(terms, [&](const Monomial &m) { return is_contained(m.factors, factor); }))
      continue;
    for (Monomial &m : terms)
      m.factors.erase(llvm::find(m.factors, factor));
    common.factors.push_back(factor);
  }
  return common;
}

Expr tiny::divideForm(ExprContext &context, Expr a, const Monomial &by) {
  LinearForm form = context.linear(a), result;
  result.constant = form.constant / by.coefficient;
  for (const LinearForm::Term &term : form.terms) {
    Monomial m = monomial(term.atom, term.coefficient);
    if (!divide(m, by))
      return {};
    Expr quotient = fromMonomial(context, m);
    if (!quotient)
      return {};
    result.add(context.linear(quotient));
  }
  return context.sum(result);
}
