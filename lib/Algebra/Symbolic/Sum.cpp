// Sums and products: collection of terms, distribution.
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

void LinearForm::add(Expr atom, Wide coefficient) {
  if (coefficient == 0)
    return;
  auto *position = llvm::lower_bound(terms, atom, [](const Term &term, Expr key) { return term.atom < key; });
  if (position == terms.end() || position->atom != atom) {
    terms.insert(position, {atom, coefficient});
    return;
  }
  // collect: a x + b x -> (a + b) x
  position->coefficient += coefficient;
  if (position->coefficient == 0)
    terms.erase(position);
}

void LinearForm::add(const LinearForm &other, Wide factor) {
  constant += other.constant * factor;
  if (terms.empty() && factor != 0) {
    terms = other.terms;
    for (Term &term : terms)
      term.coefficient *= factor;
    return;
  }
  if (factor == 0)
    return;
  if (other.terms.size() < 8) {
    for (const Term &term : other.terms)
      add(term.atom, term.coefficient * factor);
    return;
  }
  // Both are sorted: one merge.
  SmallVector<Term, 4> merged;
  merged.reserve(terms.size() + other.terms.size());
  const Term *mine = terms.begin(), *end = terms.end();
  for (const Term &term : other.terms) {
    while (mine != end && mine->atom < term.atom)
      merged.push_back(*mine++);
    Wide coefficient = term.coefficient * factor;
    if (mine != end && mine->atom == term.atom)
      coefficient += (mine++)->coefficient;
    if (coefficient != 0)
      merged.push_back({term.atom, coefficient});
  }
  merged.append(mine, end);
  terms = std::move(merged);
}

Wide LinearForm::coefficientOf(Expr atom) const {
  auto *position = llvm::lower_bound(terms, atom, [](const Term &term, Expr key) { return term.atom < key; });
  return position != terms.end() && position->atom == atom ? position->coefficient : 0;
}

LinearForm ExprContext::linear(Expr a) const {
  LinearForm form;
  if (a.is(ExprKind::Constant)) {
    form.constant = a->constant;
  } else if (a.is(ExprKind::Sum)) {
    form.constant = a->constant;
    for (auto [operand, coefficient] : zip_equal(a->operands, a->coefficients))
      form.terms.push_back({Expr(operand), coefficient});
  } else {
    form.terms.push_back({a, 1});
  }
  return form;
}

Expr ExprContext::sum(const LinearForm &given) {
  LinearForm form = given;
  bool hasParts = any_of(form.terms, [](const LinearForm::Term &term) {
    return term.atom.is(ExprKind::Mod) || term.atom.is(ExprKind::FloorDiv) || term.atom.is(ExprKind::Select);
  });
  // Each step removes a division, a remainder or a term, so this ends; the depth bound is for rules within rules.
  bool isAtom = form.terms.size() == 1 && form.terms[0].coefficient > 0;
  if (hasParts && !isAtom && depth < 8) {
    ++depth;
    while (!form.terms.empty() && recombine(form)) {
    }
    --depth;
  }
  auto fits = [](Wide value) { return value <= Wide(kIndexLimit) && value >= -Wide(kIndexLimit); };
  if (!fits(form.constant))
    return {};
  // constant-by-bounds: x -> c   [c <= x <= c]
  LinearForm varying;
  varying.constant = form.constant;
  for (const LinearForm::Term &term : form.terms) {
    if (!fits(term.coefficient))
      return {};
    if (term.atom.bounds().isConstant())
      varying.constant += term.coefficient * term.atom->low;
    else
      varying.terms.push_back(term);
  }
  if (!fits(varying.constant))
    return {};
  if (varying.terms.empty())
    return constant(int64_t(varying.constant));
  if (varying.terms.size() == 1 && varying.constant == 0 && varying.terms[0].coefficient == 1)
    return varying.terms[0].atom;
  SmallVector<Expr, 4> operands;
  SmallVector<int64_t, 4> coefficients;
  for (const LinearForm::Term &term : varying.terms) {
    operands.push_back(term.atom);
    coefficients.push_back(int64_t(term.coefficient));
  }
  return node(ExprKind::Sum, operands, int64_t(varying.constant), coefficients);
}

Expr ExprContext::add(Expr a, Expr b) {
  if (!a || !b)
    return {};
  LinearForm form = linear(a);
  form.add(linear(b));
  return sum(form);
}

Expr ExprContext::sub(Expr a, Expr b) {
  if (!a || !b)
    return {};
  LinearForm form = linear(a);
  form.add(linear(b), -1);
  return sum(form);
}

Expr ExprContext::mul(Expr a, Expr b) {
  if (!a || !b)
    return {};
  if (a.bounds().isConstant() && !a.is(ExprKind::Constant))
    a = constant(a->low);
  if (b.bounds().isConstant() && !b.is(ExprKind::Constant))
    b = constant(b->low);
  if (a.is(ExprKind::Constant))
    std::swap(a, b);
  if (std::optional<int64_t> factor = b.asConstant()) {
    // distribute: (c + sum a t) k -> c k + sum (a k) t
    LinearForm form;
    form.add(linear(a), *factor);
    if (*factor == 0)
      return constant(0);
    return sum(form);
  }
  // product-factor: (k x) y -> k (x y), and products are flat and sorted
  Wide coefficient = 1;
  SmallVector<Expr, 4> factors;
  for (Expr side : {a, b}) {
    if (side.is(ExprKind::Sum) && side.size() == 1 && side->constant == 0) {
      coefficient *= side->coefficients[0];
      side = side.operand(0);
    }
    if (side.is(ExprKind::Product))
      for (const ExprNode *factor : side->operands)
        factors.push_back(Expr(factor));
    else
      factors.push_back(side);
  }
  llvm::sort(factors);
  LinearForm form;
  form.add(node(ExprKind::Product, factors), coefficient);
  return sum(form);
}

bool ExprContext::isMultipleOf(Expr a, int64_t divisor) const {
  LinearForm form = linear(a);
  if (form.constant % divisor != 0)
    return false;
  return all_of(form.terms, [&](const LinearForm::Term &term) {
    if (term.coefficient % divisor == 0)
      return true;
    if (term.atom.is(ExprKind::Product))
      return any_of(term.atom->operands, [&](const ExprNode *factor) {
        return factor->kind == ExprKind::Sum && factor->constant % divisor == 0 &&
               all_of(factor->coefficients, [&](int64_t c) { return c % divisor == 0; });
      });
    return false;
  });
}
