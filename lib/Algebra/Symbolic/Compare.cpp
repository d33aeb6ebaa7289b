// Comparisons: linear >= 0 and linear == 0.
#include "Tiny/Algebra/Steps.h"
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

/// The greatest common divisor of the coefficients.
static int64_t contentOf(const LinearForm &form) {
  Wide content = 0;
  for (const LinearForm::Term &term : form.terms)
    content = std::gcd(int64_t(content), int64_t(term.coefficient));
  return int64_t(content);
}

static bool isWithin64Bits(const LinearForm &form) {
  Wide low = form.constant, high = form.constant;
  for (const LinearForm::Term &term : form.terms) {
    low += std::min(term.coefficient * term.atom->low, term.coefficient * term.atom->high);
    high += std::max(term.coefficient * term.atom->low, term.coefficient * term.atom->high);
  }
  return low >= -(Wide(1) << 63) && high < (Wide(1) << 63);
}

Expr ExprContext::lt(Expr a, Expr b) {
  if (!a || !b)
    return {};
  // lt: x < y -> y - x - 1 >= 0
  LinearForm form = linear(b);
  form.add(linear(a), -1);
  form.constant -= 1;
  return nonNegative(sum(form));
}

/// s (x mod m) + k >= 0, where x crosses few multiples of m: then it says that x lies in one interval.
Expr ExprContext::compareMod(const LinearForm &form) {
  const LinearForm::Term &term = form.terms[0];
  int64_t m = *term.atom.operand(1).asConstant();
  Expr x = term.atom.operand(0);
  Wide from = term.coefficient > 0 ? -form.constant : 0, to = term.coefficient > 0 ? Wide(m) - 1 : form.constant;
  Wide first = floorDivide(x->low, m), last = floorDivide(x->high, m);
  if (last - first > 3 || from > to)
    return {};
  // ge-remainder:
  // x mod m in [p, q] -> x in [j m + p, j m + q]   [one j only meets the bounds of x], and for what lies outside of it.
  for (bool isInside : {true, false}) {
    SmallVector<std::pair<Wide, Wide>> intervals;
    for (Wide j = first; j <= last; ++j) {
      Wide ranges[2][2] = {{from, to}, {0, -1}};
      if (!isInside) {
        ranges[0][0] = 0, ranges[0][1] = from - 1;
        ranges[1][0] = to + 1, ranges[1][1] = Wide(m) - 1;
      }
      for (auto &range : ranges) {
        Wide low = std::max<Wide>(j * m + range[0], x->low), high = std::min<Wide>(j * m + range[1], x->high);
        if (low > high || range[0] > range[1])
          continue;
        if (!intervals.empty() && intervals.back().second + 1 == low)
          intervals.back().second = high;
        else
          intervals.push_back({low, high});
      }
    }
    if (intervals.size() > 1)
      continue;
    Expr result = condition(false);
    if (!intervals.empty())
      result = logicalAnd(ge(x, constant(int64_t(intervals[0].first))), le(x, constant(int64_t(intervals[0].second))));
    if (!isInside)
      result = logicalNot(result);
    if (result && result.cost() <= term.atom.cost() + 1 && mayApply("ge-remainder"))
      return result;
  }
  return {};
}

Expr ExprContext::nonNegative(Expr a) {
  if (!a)
    return {};
  // ge-true, ge-false: x >= 0 -> true, false   [by bounds]
  if (a->low >= 0 && (a.is(ExprKind::Constant) || mayApply("ge-true")))
    return condition(true);
  if (a->high < 0 && (a.is(ExprKind::Constant) || mayApply("ge-false")))
    return condition(false);
  auto key = std::make_pair(std::make_pair(a.get(), a.get()), unsigned(ExprKind::NonNegative));
  if (Expr known = cache.lookup(key))
    return known;
  LinearForm form = linear(a);
  auto remember = [&](Expr result) {
    if (result)
      cache[key] = result;
    return result;
  };
  auto again = [&](const LinearForm &next) { return remember(nonNegative(sum(next))); };

  // ge-content: g x + c >= 0 -> x + c // g >= 0
  if (int64_t g = contentOf(form); g > 1 && mayApply("ge-content")) {
    LinearForm reduced;
    reduced.constant = floorDivide(form.constant, g);
    for (const LinearForm::Term &term : form.terms)
      reduced.add(term.atom, term.coefficient / g);
    return again(reduced);
  }
  // ge-quotient, ge-negative-quotient: x // d + y >= 0 -> x + d y >= 0;   y - x // d >= 0 -> d y + d - 1 - x >= 0
  for (const LinearForm::Term &term : form.terms) {
    if (!term.atom.is(ExprKind::FloorDiv) || (term.coefficient != 1 && term.coefficient != -1))
      continue;
    std::optional<int64_t> d = term.atom.operand(1).asConstant();
    if (!d || *d <= 0)
      continue;
    LinearForm rest = form, next;
    rest.add(term.atom, -term.coefficient);
    next.add(rest, *d);
    next.add(linear(term.atom.operand(0)), term.coefficient);
    if (term.coefficient < 0)
      next.constant += *d - 1;
    if (!isWithin64Bits(next))
      continue;
    Expr numerator = sum(next);
    if (numerator && numerator.cost() <= a.cost() &&
        mayApply(term.coefficient < 0 ? "ge-negative-quotient" : "ge-quotient"))
      return remember(nonNegative(numerator));
  }
  // ge-affine: g x + r >= 0 -> x + K >= 0   [floor(r / g) is the affine K]
  SmallVector<Wide> factors;
  for (const LinearForm::Term &term : form.terms) {
    Wide g = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    if (g > 1 && !is_contained(factors, g))
      factors.push_back(g);
  }
  llvm::sort(factors, std::greater<>());
  for (Wide g : factors) {
    LinearForm multiple, rest;
    multiple.constant = floorDivide(form.constant, g);
    rest.constant = floorModulo(form.constant, g);
    for (const LinearForm::Term &term : form.terms) {
      multiple.add(term.atom, floorDivide(term.coefficient, g));
      rest.add(term.atom, floorModulo(term.coefficient, g));
    }
    std::optional<LinearForm> k = affineQuotient(rest, int64_t(g));
    if (!k)
      continue;
    multiple.add(*k);
    Expr next = sum(multiple);
    if (next && next != a && next.cost() < a.cost() && mayApply("ge-affine"))
      return remember(nonNegative(next));
  }
  // ge-saturate: sum a t >= k -> sum min(a, k) t >= k   [every a > 0 and t >= 0, k > 0]
  if (form.constant < 0) {
    Wide k = -form.constant;
    bool saturates = false;
    if (all_of(form.terms,
               [&](const LinearForm::Term &term) {
                 saturates |= term.coefficient > k;
                 return term.coefficient > 0 && term.atom->low >= 0;
               }) &&
        saturates && mayApply("ge-saturate")) {
      for (LinearForm::Term &term : form.terms)
        term.coefficient = std::min(term.coefficient, k);
      return again(form);
    }
    // ge-simplex: sum a t >= k -> sum t >= 1   [0 < k <= every a, t >= 0]
    if (k > 1 &&
        all_of(form.terms,
               [&](const LinearForm::Term &term) { return term.coefficient >= k && term.atom->low >= 0; }) &&
        mayApply("ge-simplex")) {
      for (LinearForm::Term &term : form.terms)
        term.coefficient = 1;
      form.constant = -1;
      return again(form);
    }
  }
  if (form.terms.size() == 1) {
    const LinearForm::Term term = form.terms[0];
    if (term.atom.is(ExprKind::Mod) && (term.coefficient == 1 || term.coefficient == -1) &&
        term.atom.operand(1).asConstant().value_or(0) > 0)
      if (Expr result = compareMod(form))
        return remember(result);
    // ge-select: (c ? x : y) + k >= 0 -> c ? x + k >= 0 : y + k >= 0   [a branch is decided]
    if (term.atom.is(ExprKind::Select)) {
      auto branch = [&](unsigned which) {
        LinearForm taken;
        taken.constant = form.constant;
        taken.add(linear(term.atom.operand(which)), term.coefficient);
        return nonNegative(sum(taken));
      };
      Expr x = branch(1), y = branch(2);
      if (x && y && (x.is(ExprKind::Constant) || y.is(ExprKind::Constant)) && mayApply("ge-select"))
        return remember(select(term.atom.operand(0), x, y));
    }
    // ge-min, ge-max, le-min, le-max:
    // min(x, y) + k >= 0 -> x + k >= 0 and y + k >= 0; max: or   [one of them is decided]
    bool isMin = term.atom.is(ExprKind::Min), isMax = term.atom.is(ExprKind::Max);
    if ((isMin || isMax) && (term.coefficient == 1 || term.coefficient == -1)) {
      auto side = [&](unsigned which) {
        LinearForm taken;
        taken.constant = form.constant;
        taken.add(linear(term.atom.operand(which)), term.coefficient);
        return nonNegative(sum(taken));
      };
      Expr x = side(0), y = side(1);
      if (x && y && (x.is(ExprKind::Constant) || y.is(ExprKind::Constant)) &&
          mayApply(term.coefficient == 1 ? (isMin ? "ge-min" : "ge-max") : (isMin ? "le-min" : "le-max")))
        return remember(isMin == (term.coefficient == 1) ? logicalAnd(x, y) : logicalOr(x, y));
    }
  }
  return remember(node(ExprKind::NonNegative, {a}));
}

Expr ExprContext::eq(Expr a, Expr b) {
  if (!a || !b)
    return {};
  if (a->isCondition)
    return logicalNot(logicalXor(a, b));
  return isZero(sub(a, b));
}

Expr ExprContext::isZero(Expr a) {
  if (!a)
    return {};
  // eq-false, eq-at-least, eq-at-most: x == 0 -> false, true, -x >= 0, x >= 0   [by bounds]
  if (a->low > 0 || a->high < 0)
    return condition(false);
  if (a.bounds().isConstant())
    return condition(true);
  if (a->low == 0 && mayApply("eq-at-most"))
    return nonNegative(neg(a));
  if (a->high == 0 && mayApply("eq-at-least"))
    return nonNegative(a);
  LinearForm form = linear(a);
  // eq-content, eq-indivisible:
  // g x + c == 0 -> x + c / g == 0, or false where g does not divide c; the first coefficient is positive
  int64_t g = contentOf(form);
  if (form.constant % g != 0)
    return condition(false);
  if (form.terms[0].coefficient < 0)
    g = -g;
  if (g != 1) {
    form.constant /= g;
    for (LinearForm::Term &term : form.terms)
      term.coefficient /= g;
    return isZero(sum(form));
  }
  if (form.terms.size() == 1) {
    Expr atom = form.terms[0].atom;
    // eq-select: (c ? x : y) == k -> c ? x == k : y == k   [a branch is decided]
    if (atom.is(ExprKind::Select)) {
      Expr k = constant(-int64_t(form.constant));
      Expr x = eq(atom.operand(1), k), y = eq(atom.operand(2), k);
      if (x && y && (x.is(ExprKind::Constant) || y.is(ExprKind::Constant)) && mayApply("eq-select"))
        return select(atom.operand(0), x, y);
    }
    // eq-quotient: x // d == k -> k d <= x < (k + 1) d   [it costs no more]
    if (atom.is(ExprKind::FloorDiv))
      if (std::optional<int64_t> d = atom.operand(1).asConstant(); d && *d > 0) {
        Wide from = -form.constant * *d;
        Expr result = from > -kIndexLimit && from + *d < kIndexLimit
                          ? logicalAnd(ge(atom.operand(0), constant(int64_t(from))),
                                       lt(atom.operand(0), constant(int64_t(from + *d))))
                          : Expr();
        if (result && result.cost() <= atom.cost() + 1 && mayApply("eq-quotient"))
          return result;
      }
  }
  return node(ExprKind::IsZero, {a});
}
