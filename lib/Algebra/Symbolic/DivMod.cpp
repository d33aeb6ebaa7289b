// Floor division and modulo.
#include "Tiny/Algebra/Steps.h"
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

static int64_t gcdOf(Wide coefficient, int64_t divisor) { return std::gcd(int64_t(coefficient % divisor), divisor); }

/// The divisors g of d, 1 < g < d, that some coefficient shares with d, largest first.
static SmallVector<int64_t> sharedFactors(const LinearForm &form, int64_t d) {
  SmallVector<int64_t> factors;
  for (const LinearForm::Term &term : form.terms) {
    int64_t g = gcdOf(term.coefficient, d);
    if (g > 1 && g < d && !is_contained(factors, g))
      factors.push_back(g);
  }
  llvm::sort(factors, std::greater<>());
  return factors;
}

/// form = g * multiple + rest, the coefficients of rest in [0, g).
static void splitBy(const LinearForm &form, int64_t g, LinearForm &multiple, LinearForm &rest) {
  rest.constant = floorModulo(form.constant, g);
  multiple.constant = floorDivide(form.constant, g);
  for (const LinearForm::Term &term : form.terms) {
    multiple.add(term.atom, floorDivide(term.coefficient, g));
    rest.add(term.atom, floorModulo(term.coefficient, g));
  }
}

std::optional<LinearForm> ExprContext::affineQuotient(const LinearForm &form, int64_t d) const {
  // floor((c + sum a t) / d) is affine within the bounds iff it is floor(first / d) + sum s (t - low) with
  // s = floor((first + a) / d) - floor(first / d), that is iff the remainder stays in [0, d) at its extremes.
  Wide first = form.constant;
  for (const LinearForm::Term &term : form.terms)
    first += term.coefficient * term.atom->low;
  Wide base = floorDivide(first, d), least = first - base * d, most = least;
  LinearForm result;
  result.constant = base;
  for (const LinearForm::Term &term : form.terms) {
    Wide slope = 0;
    if (term.atom->low != term.atom->high) {
      slope = floorDivide(first + term.coefficient, d) - base;
      Wide reach = (term.coefficient - slope * d) * (Wide(term.atom->high) - term.atom->low);
      least += std::min<Wide>(reach, 0);
      most += std::max<Wide>(reach, 0);
    }
    result.constant -= slope * term.atom->low;
    result.add(term.atom, slope);
  }
  if (least < 0 || most >= d)
    return std::nullopt;
  return result;
}

/// A sum whose value may not be representable in 64 bits must not be divided: only rules make such sums.
static bool mayWrap(const LinearForm &form) {
  Wide low = form.constant, high = form.constant;
  for (const LinearForm::Term &term : form.terms) {
    low += std::min(term.coefficient * term.atom->low, term.coefficient * term.atom->high);
    high += std::max(term.coefficient * term.atom->low, term.coefficient * term.atom->high);
  }
  Wide limit = Wide(1) << 63;
  return low < -limit || high >= limit;
}

Expr ExprContext::floorDivConstant(Expr a, int64_t d) {
  // quotient-by-one: x // 1 -> x
  if (d == 1)
    return a;
  LinearForm form = linear(a);
  // affine-quotient: floor((c + sum a t) / d) -> affine   [the remainder stays in [0, d)]
  if (std::optional<LinearForm> affine = affineQuotient(form, d); affine && mayApply("affine-quotient"))
    return sum(*affine);
  // whole: (d x + y) // d -> x + y // d
  LinearForm whole, rest;
  whole.constant = floorDivide(form.constant, d);
  rest.constant = floorModulo(form.constant, d);
  for (const LinearForm::Term &term : form.terms) {
    if (term.coefficient % d == 0)
      whole.add(term.atom, term.coefficient / d);
    else
      rest.add(term.atom, term.coefficient);
  }
  auto finish = [&](Expr quotient) {
    if (!quotient)
      return quotient;
    if (whole.terms.empty() && whole.constant == 0)
      return quotient;
    whole.add(linear(quotient));
    return sum(whole);
  };
  if ((!whole.terms.empty() || whole.constant != 0) && mayApply("whole")) {
    Expr remaining = sum(rest);
    return finish(remaining ? floorDiv(remaining, constant(d)) : remaining);
  }
  // common-factor: (g x + c) // (g e) -> (x + c // g) // e
  int64_t common = d;
  for (const LinearForm::Term &term : form.terms)
    common = gcdOf(term.coefficient, common);
  if (common > 1 && mayApply("common-factor")) {
    LinearForm multiple, remainder;
    splitBy(form, common, multiple, remainder);
    Expr inner = sum(multiple);
    return inner ? floorDiv(inner, constant(d / common)) : inner;
  }
  // shared-factor: (g x + r) // (g e) -> (x + K) // e   [floor(r / g) is the affine K]
  for (int64_t g : sharedFactors(form, d)) {
    LinearForm multiple, remainder;
    splitBy(form, g, multiple, remainder);
    std::optional<LinearForm> k = affineQuotient(remainder, g);
    if (!k)
      continue;
    multiple.add(*k);
    Expr inner = sum(multiple);
    if (inner && inner.cost() <= a.cost() && mayApply("shared-factor"))
      return floorDiv(inner, constant(d / g));
  }
  if (form.terms.size() == 1 && form.terms[0].coefficient == 1 && form.constant == 0) {
    Expr atom = form.terms[0].atom;
    // quotient-of-remainder: (x mod (k d)) // d -> (x // d) mod k
    if (atom.is(ExprKind::Mod))
      if (std::optional<int64_t> m = atom.operand(1).asConstant();
          m && *m > 0 && *m % d == 0 && mayApply("quotient-of-remainder")) {
        Expr quotient = floorDiv(atom.operand(0), constant(d));
        return quotient ? mod(quotient, constant(*m / d)) : quotient;
      }
  }
  for (const LinearForm::Term &term : form.terms) {
    if (!term.atom.is(ExprKind::FloorDiv) || (term.coefficient != 1 && term.coefficient != -1))
      continue;
    std::optional<int64_t> m = term.atom.operand(1).asConstant();
    if (!m || *m <= 0 || Wide(*m) * d >= kIndexLimit)
      continue;
    // nested, nested-negative:
    // (x // m + k) // d -> (x + m k) // (m d);   (k - x // m) // d -> (m k - x + m - 1) // (m d)
    LinearForm inner = form;
    inner.add(term.atom, -term.coefficient);
    LinearForm scaled;
    scaled.add(inner, *m);
    scaled.add(linear(term.atom.operand(0)), term.coefficient);
    if (term.coefficient == -1)
      scaled.constant += *m - 1;
    if (mayWrap(scaled))
      continue;
    Expr numerator = sum(scaled);
    if (numerator && numerator.cost() <= a.cost() && mayApply(term.coefficient == 1 ? "nested" : "nested-negative"))
      return floorDiv(numerator, constant(*m * d));
  }
  return node(ExprKind::FloorDiv, {a, constant(d)});
}

Expr ExprContext::modConstant(Expr a, int64_t d) {
  // remainder-by-one: x mod 1 -> 0
  if (d == 1)
    return constant(0);
  LinearForm form = linear(a);
  // remainder-in-divisor, remainder-in-remainder: (a (x mod m) + y) mod d -> (a x + y) mod d   [d divides a m]
  for (bool changed = true; changed;) {
    changed = false;
    for (const LinearForm::Term &term : form.terms) {
      if (!term.atom.is(ExprKind::Mod))
        continue;
      std::optional<int64_t> m = term.atom.operand(1).asConstant();
      if (!m || (term.coefficient * *m) % d != 0 ||
          !mayApply(*m % d == 0 ? "remainder-in-divisor" : "remainder-in-remainder"))
        continue;
      Expr atom = term.atom;
      Wide coefficient = term.coefficient;
      form.add(atom, -coefficient);
      form.add(linear(atom.operand(0)), coefficient);
      changed = true;
      break;
    }
  }
  // congruent: (c + sum a t) mod d -> (c' + sum a' t) mod d   [congruent modulo d]
  LinearForm reduced;
  reduced.constant = floorModulo(form.constant, d);
  for (const LinearForm::Term &term : form.terms) {
    Wide r = floorModulo(term.coefficient, d);
    reduced.add(term.atom, 2 * r > d ? r - d : r);
  }
  // affine-remainder, remainder-by-quotient: x mod d -> x - d K   [floor(x / d) is the affine K]
  if (std::optional<LinearForm> k = affineQuotient(reduced, d); k && mayApply("affine-remainder")) {
    reduced.add(*k, -Wide(d));
    return sum(reduced);
  }
  // common-factor-remainder: (g x + c) mod (g e) -> g ((x + c // g) mod e) + c mod g
  int64_t common = d;
  for (const LinearForm::Term &term : reduced.terms)
    common = gcdOf(term.coefficient, common);
  auto scaledMod = [&](const LinearForm &inner, int64_t g, LinearForm rest) {
    Expr x = sum(inner);
    Expr remainder = x ? mod(x, constant(d / g)) : x;
    if (!remainder)
      return remainder;
    rest.add(linear(remainder), g);
    return sum(rest);
  };
  if (common > 1 && mayApply("common-factor-remainder")) {
    LinearForm multiple, rest;
    splitBy(reduced, common, multiple, rest);
    return scaledMod(multiple, common, rest);
  }
  // shared-factor-remainder: (g x + r) mod (g e) -> g ((x + K) mod e) + r - g K   [floor(r / g) is the affine K]
  for (int64_t g : sharedFactors(reduced, d)) {
    LinearForm multiple, rest;
    splitBy(reduced, g, multiple, rest);
    std::optional<LinearForm> k = affineQuotient(rest, g);
    if (!k || !mayApply("shared-factor-remainder"))
      continue;
    multiple.add(*k);
    rest.add(*k, -Wide(g));
    return scaledMod(multiple, g, rest);
  }
  Expr numerator = sum(reduced);
  return numerator ? node(ExprKind::Mod, {numerator, constant(d)}) : numerator;
}

Expr ExprContext::floorDiv(Expr a, Expr b) {
  if (!a || !b)
    return {};
  if (b.bounds().isConstant() && !b.is(ExprKind::Constant))
    b = constant(b->low);
  auto key = std::make_pair(std::make_pair(a.get(), b.get()), unsigned(ExprKind::FloorDiv));
  if (Expr known = cache.lookup(key))
    return known;
  Expr result;
  if (std::optional<int64_t> d = b.asConstant()) {
    // Division by zero has no value: nothing may be made of it.
    if (*d == 0)
      return {};
    if (*d < 0)
      // negative-divisor: x // -d -> (-x) // d
      result = floorDiv(neg(a), constant(-*d));
    else
      result = floorDivConstant(a, *d);
  } else {
    result = floorDivSymbolic(a, b);
  }
  if (result)
    cache[key] = result;
  return result;
}

Expr ExprContext::mod(Expr a, Expr b) {
  if (!a || !b)
    return {};
  if (b.bounds().isConstant() && !b.is(ExprKind::Constant))
    b = constant(b->low);
  auto key = std::make_pair(std::make_pair(a.get(), b.get()), unsigned(ExprKind::Mod));
  if (Expr known = cache.lookup(key))
    return known;
  Expr result;
  if (std::optional<int64_t> d = b.asConstant()) {
    if (*d == 0)
      return {};
    if (*d < 0)
      // negative-modulus: x mod -d -> -((-x) mod d)
      result = neg(mod(neg(a), constant(-*d)));
    else
      result = modConstant(a, *d);
  } else {
    result = modSymbolic(a, b);
  }
  if (result)
    cache[key] = result;
  return result;
}
