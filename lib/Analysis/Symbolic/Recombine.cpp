// Terms of a sum that belong together: quotients and remainders of one number, selects by one condition.
#include "Tiny/Analysis/Symbolic.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

/// The divisor of a quotient or remainder by a constant, else 0.
static int64_t constantDivisor(Expr a, ExprKind kind) {
  if (!a.is(kind))
    return 0;
  return a.operand(1).asConstant().value_or(0);
}

/// `a` and `b` as linear forms differ by a multiple of `modulus` in every coefficient: their difference divided by it.
static std::optional<LinearForm> multipleBetween(const LinearForm &a, const LinearForm &b, int64_t modulus) {
  LinearForm difference = a;
  difference.add(b, -1);
  if (difference.constant % modulus != 0)
    return std::nullopt;
  difference.constant /= modulus;
  for (LinearForm::Term &term : difference.terms) {
    if (term.coefficient % modulus != 0)
      return std::nullopt;
    term.coefficient /= modulus;
  }
  return difference;
}

/// The linear K with `wanted` = numerator // divisor + K.
static std::optional<LinearForm> beyondQuotient(ExprContext &context, Expr wanted, const LinearForm &numerator,
                                                int64_t divisor) {
  LinearForm form = context.linear(wanted);
  // shift-quotient: floor(X' / d) -> floor(X / d) + K   [X' = X + d K]
  for (const LinearForm::Term &term : form.terms) {
    if (term.coefficient != 1 || constantDivisor(term.atom, ExprKind::FloorDiv) != divisor)
      continue;
    std::optional<LinearForm> k = multipleBetween(context.linear(term.atom.operand(0)), numerator, divisor);
    if (!k)
      continue;
    Expr whole = term.atom;
    form.add(whole, -1);
    form.add(*k);
    return form;
  }
  return std::nullopt;
}

/// d - 1 - form: -floor(form / d) = floor((d - 1 - form) / d).
static LinearForm flipped(const LinearForm &form, int64_t d) {
  LinearForm result;
  result.add(form, -1);
  result.constant += d - 1;
  return result;
}

/// One step of recombination on a sum; true if it changed. The caller repeats.
bool ExprContext::recombine(LinearForm &form) {
  SmallVector<LinearForm::Term, 8> mods, quotients, selects;
  for (const LinearForm::Term &term : form.terms) {
    if (constantDivisor(term.atom, ExprKind::Mod))
      mods.push_back(term);
    else if (constantDivisor(term.atom, ExprKind::FloorDiv))
      quotients.push_back(term);
    else if (term.atom.is(ExprKind::Select))
      selects.push_back(term);
  }

  for (const LinearForm::Term &mod : mods) {
    int64_t m = constantDivisor(mod.atom, ExprKind::Mod);
    Wide a = mod.coefficient;
    Expr x = mod.atom.operand(0);
    Expr quotient; // x // m, made when a candidate is there
    auto makeQuotient = [&] {
      if (!quotient)
        quotient = floorDiv(x, constant(m));
      return quotient;
    };
    // recombine: a (x mod m) + a m (x // m) -> a x
    for (const LinearForm::Term &other : quotients) {
      if ((other.coefficient != a * m && other.coefficient != -a * m) || !makeQuotient())
        continue;
      int64_t d = constantDivisor(other.atom, ExprKind::FloorDiv);
      LinearForm numerator = linear(other.atom.operand(0));
      if (other.coefficient != a * m)
        numerator = flipped(numerator, d);
      if (std::optional<LinearForm> k = beyondQuotient(*this, quotient, numerator, d)) {
        // x // m = other + K, so a m other = a m (x // m) - a m K
        form.add(mod.atom, -a);
        form.add(other.atom, -other.coefficient);
        form.add(linear(x), a);
        form.add(*k, -a * m);
        return true;
      }
    }
    // recombine-wider: a (x mod m) + a m ((x // m + y) mod k) -> a ((x + m y) mod (m k))
    for (const LinearForm::Term &other : mods) {
      int64_t k = constantDivisor(other.atom, ExprKind::Mod);
      if (other.coefficient != a * m || other.atom == mod.atom || Wide(m) * k >= kIndexLimit || !makeQuotient())
        continue;
      Expr shifted = x;
      if (this->mod(quotient, constant(k)) != other.atom) {
        Expr y = sub(other.atom.operand(0), quotient);
        if (!y || y.cost() + 8 > other.atom.operand(0).cost())
          continue;
        shifted = add(x, mul(y, constant(m)));
      }
      Expr wider = this->mod(shifted, constant(m * k));
      if (!wider || wider.cost() > mod.atom.cost() + 8)
        continue;
      form.add(mod.atom, -a);
      form.add(other.atom, -other.coefficient);
      form.add(linear(wider), a);
      return true;
    }
  }

  for (const LinearForm::Term &term : quotients) {
    int64_t m = constantDivisor(term.atom, ExprKind::FloorDiv);
    // flip: c ((k - x) // d) -> -c ((x + d - 1 - k) // d)   [c < 0, and x costs no more than k - x]
    if (term.coefficient < 0) {
      LinearForm numerator = linear(term.atom.operand(0));
      int64_t negative = count_if(numerator.terms, [](const LinearForm::Term &t) { return t.coefficient < 0; });
      if (2 * negative > int64_t(numerator.terms.size())) {
        Expr positive = sum(flipped(numerator, m));
        Expr quotient = positive ? floorDiv(positive, constant(m)) : positive;
        if (quotient && quotient.cost() <= term.atom.cost()) {
          form.add(term.atom, -term.coefficient);
          form.add(linear(quotient), -term.coefficient);
          return true;
        }
      }
    }
    // remainder: -a m (x // m) + a x -> a (x mod m), wherever the sum holds a times all of x
    if (term.coefficient % m == 0) {
      Wide a = -term.coefficient / m;
      LinearForm x = linear(term.atom.operand(0));
      if (!x.terms.empty() &&
          all_of(x.terms, [&](const LinearForm::Term &t) { return form.coefficientOf(t.atom) == a * t.coefficient; })) {
        Expr remainder = mod(term.atom.operand(0), constant(m));
        if (remainder) {
          form.add(term.atom, -term.coefficient);
          form.add(x, -a);
          form.add(linear(remainder), a);
          return true;
        }
      }
    }
    // absorb: b t + c ((r t + y) // d) -> c (((r + d b / c) t + y) // d)    [c divides b]
    LinearForm inside = linear(term.atom.operand(0));
    for (const LinearForm::Term &part : inside.terms) {
      Wide b = form.coefficientOf(part.atom);
      if (b == 0 || b % term.coefficient != 0 || part.atom == term.atom)
        continue;
      LinearForm merged = inside;
      merged.add(part.atom, b / term.coefficient * m);
      Expr numerator = sum(merged);
      if (!numerator || numerator.cost() > term.atom.operand(0).cost())
        continue;
      Expr quotient = floorDiv(numerator, constant(m));
      if (!quotient)
        continue;
      LinearForm next = form;
      next.add(part.atom, -b);
      next.add(term.atom, -term.coefficient);
      next.add(linear(quotient), term.coefficient);
      if (next.terms.size() >= form.terms.size())
        continue;
      form = std::move(next);
      return true;
    }
  }

  // quotient: a x - a (x mod m) -> a m (x // m), wherever the sum holds a times all of x
  for (const LinearForm::Term &term : mods) {
    int64_t m = constantDivisor(term.atom, ExprKind::Mod);
    LinearForm x = linear(term.atom.operand(0));
    if (x.terms.empty() || !all_of(x.terms, [&](const LinearForm::Term &t) {
          return form.coefficientOf(t.atom) == -term.coefficient * t.coefficient;
        }))
      continue;
    Expr quotient = floorDiv(term.atom.operand(0), constant(m));
    if (!quotient)
      continue;
    Wide a = -term.coefficient;
    form.add(term.atom, a);
    form.add(x, -a);
    form.add(linear(quotient), a * m);
    return true;
  }

  // hermite, hermite-2, hermite-3, hermite-4: x // m + (x + 1) // m + ... + (x + m - 1) // m -> x   (Hermite)
  SmallVector<LinearForm> numerators;
  for (const LinearForm::Term &term : quotients)
    numerators.push_back(linear(term.atom.operand(0)));
  for (auto [which, first] : enumerate(quotients)) {
    int64_t m = constantDivisor(first.atom, ExprKind::FloorDiv);
    if (m > int64_t(quotients.size()))
      continue;
    const LinearForm &x = numerators[which];
    SmallVector<const LinearForm::Term *> found(m, nullptr);
    LinearForm multiples;
    for (auto [position, other] : enumerate(quotients)) {
      if (other.coefficient != first.coefficient || constantDivisor(other.atom, ExprKind::FloorDiv) != m ||
          numerators[position].terms.size() != x.terms.size() || numerators[position].terms[0].atom != x.terms[0].atom)
        continue;
      LinearForm shifted = numerators[position];
      Wide shift = floorModulo(shifted.constant - x.constant, m);
      shifted.constant -= shift;
      std::optional<LinearForm> k = multipleBetween(shifted, x, m);
      if (!k || found[size_t(shift)])
        continue;
      found[size_t(shift)] = &other;
      multiples.add(*k);
    }
    if (is_contained(found, nullptr))
      continue;
    for (const LinearForm::Term *term : found)
      form.add(term->atom, -term->coefficient);
    form.add(x, first.coefficient);
    form.add(multiples, first.coefficient);
    return true;
  }

  // join-selects: a (c ? x : y) + b (c ? u : v) -> c ? a x + b u : a y + b v    [it costs less]
  for (size_t i = 0; i < selects.size() && selects.size() < 16; ++i)
    for (size_t j = i + 1; j < selects.size(); ++j) {
      Expr one = selects[i].atom, two = selects[j].atom;
      bool isNegated = logicalNot(one.operand(0)) == two.operand(0);
      if (one.operand(0) != two.operand(0) && !isNegated)
        continue;
      auto branch = [&](unsigned k) {
        LinearForm both;
        both.add(linear(one.operand(k)), selects[i].coefficient);
        both.add(linear(two.operand(isNegated ? 3 - k : k)), selects[j].coefficient);
        return sum(both);
      };
      Expr joined = select(one.operand(0), branch(1), branch(2));
      if (!joined || joined.cost() >= one.cost() + two.cost() + 1)
        continue;
      form.add(one, -selects[i].coefficient);
      form.add(two, -selects[j].coefficient);
      form.add(linear(joined), 1);
      return true;
    }
  return false;
}
