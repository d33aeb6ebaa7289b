// Conditions: negation, conjunction, disjunction, exclusive or.
#include "Tiny/Algebra/Steps.h"
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

Expr ExprContext::logicalNot(Expr a) {
  if (!a)
    return {};
  auto key = std::make_pair(std::make_pair(a.get(), a.get()), unsigned(ExprKind::Not));
  if (Expr known = cache.lookup(key))
    return known;
  Expr result;
  switch (a.kind()) {
  case ExprKind::Constant:
    return condition(!a.isTrue());
  // not-not: not not x -> x
  case ExprKind::Not:
    return a.operand(0);
  // not-ge: not x >= 0 -> -x - 1 >= 0
  case ExprKind::NonNegative: {
    LinearForm form;
    form.add(linear(a.operand(0)), -1);
    form.constant -= 1;
    Expr negated = sum(form);
    // The operand was in normal form, and its negation is one.
    result = negated ? node(ExprKind::NonNegative, {negated}) : negated;
    break;
  }
  // de-morgan-and, de-morgan-or:
  // not (x and y) -> not x or not y, and the reverse: the members of a flat junction of literals, so this is one level
  case ExprKind::And:
  case ExprKind::Or: {
    SmallVector<Expr> members;
    for (const ExprNode *member : a->operands) {
      // Members of a junction are literals or junctions of the other kind; a deep alternation is kept as it is.
      Expr m(member);
      bool isDeep = m.is(ExprKind::And) || m.is(ExprKind::Or) || m.is(ExprKind::Select);
      members.push_back(isDeep ? (m.is(ExprKind::Select) ? node(ExprKind::Not, {m}) : Expr()) : logicalNot(m));
      if (isDeep && !members.back()) {
        SmallVector<Expr> inner;
        for (const ExprNode *literal : m->operands) {
          Expr l(literal);
          bool isJunction = l.is(ExprKind::And) || l.is(ExprKind::Or);
          inner.push_back(isJunction ? node(ExprKind::Not, {l}) : logicalNot(l));
        }
        members.back() = junction(m.is(ExprKind::Or), inner);
      }
    }
    result = junction(a.is(ExprKind::Or), members);
    break;
  }
  default:
    result = node(ExprKind::Not, {a});
  }
  if (result)
    cache[key] = result;
  return result;
}

namespace {
/// Where a conjunction leaves one linear part: constant + part >= 0 for the part and for its negation.
struct Interval {
  Expr lower, upper; // part + c >= 0, and c - part >= 0
  Wide lowerConstant = 0, upperConstant = 0;
};
} // namespace

/// A flat, sorted conjunction or disjunction. A disjunction is simplified as the negated conjunction of its negations.
Expr ExprContext::junction(bool isAnd, ArrayRef<Expr> given) {
  ExprKind kind = isAnd ? ExprKind::And : ExprKind::Or;
  SmallVector<Expr> members;
  for (Expr member : given) {
    if (!member)
      return {};
    // and-true, and-false, or-true, or-false: x and true -> x,  x and false -> false; or: dually
    if (member.is(ExprKind::Constant)) {
      if (member.isTrue() != isAnd)
        return condition(!isAnd);
      continue;
    }
    if (member.is(kind))
      for (const ExprNode *inner : member->operands)
        members.push_back(Expr(inner));
    else
      members.push_back(member);
  }
  // same-direction, empty-interval, point-interval:
  // x >= a and x >= b -> x >= max(a, b);  x >= a and x <= b -> false [a > b], x == a [a == b];  or: by negation
  std::map<SmallVector<std::pair<unsigned, int64_t>>, Interval> intervals; // by linear part
  SmallVector<Expr> kept;
  for (Expr member : members) {
    if (!member.is(ExprKind::NonNegative)) {
      kept.push_back(member);
      continue;
    }
    Expr literal = isAnd ? member : logicalNot(member);
    if (!literal)
      return {};
    LinearForm form = linear(literal.operand(0));
    bool isUpper = form.terms[0].coefficient < 0;
    SmallVector<std::pair<unsigned, int64_t>> key;
    for (const LinearForm::Term &term : form.terms)
      key.push_back({term.atom->id, int64_t(isUpper ? -term.coefficient : term.coefficient)});
    Interval &interval = intervals[key];
    Expr &slot = isUpper ? interval.upper : interval.lower;
    Wide &slotConstant = isUpper ? interval.upperConstant : interval.lowerConstant;
    if (!slot || form.constant < slotConstant) {
      slot = literal;
      slotConstant = form.constant;
    }
  }
  for (auto &[key, interval] : intervals) {
    // -c1 <= x <= c2
    if (interval.lower && interval.upper) {
      if (interval.lowerConstant + interval.upperConstant < 0 && mayApply("empty-interval"))
        return condition(!isAnd);
      if (interval.lowerConstant + interval.upperConstant == 0 && mayApply("point-interval")) {
        Expr equal = isZero(interval.lower.operand(0));
        kept.push_back(isAnd ? equal : logicalNot(equal));
        continue;
      }
    }
    for (Expr literal : {interval.lower, interval.upper})
      if (literal)
        kept.push_back(isAnd ? literal : logicalNot(literal));
  }
  if (any_of(kept, [](Expr member) { return !member; }))
    return {};
  // idempotent: x and x -> x
  llvm::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  // complement: x and not x -> false
  DenseMap<const ExprNode *, char> present;
  for (Expr member : kept)
    present[member.get()] = 1;
  for (Expr member : kept)
    if (member.is(ExprKind::Not) && present.count(member.operand(0).get()) && mayApply("complement"))
      return condition(!isAnd);
  // absorption, unit: x and (x or y) -> x;  x and (not x or y) -> x and y
  ExprKind dual = isAnd ? ExprKind::Or : ExprKind::And;
  for (size_t k = 0; k < kept.size(); ++k) {
    if (!kept[k].is(dual))
      continue;
    SmallVector<Expr> remaining;
    bool isAbsorbed = false, changed = false;
    for (const ExprNode *operand : kept[k]->operands) {
      Expr literal(operand);
      isAbsorbed |= present.count(operand) != 0;
      Expr negated = literal.is(ExprKind::And) || literal.is(ExprKind::Or) ? Expr() : logicalNot(literal);
      if (negated && present.count(negated.get()))
        changed = true;
      else
        remaining.push_back(literal);
    }
    if ((!isAbsorbed && !changed) || !mayApply(isAbsorbed ? "absorption" : "unit"))
      continue;
    SmallVector<Expr> next(kept);
    next.erase(next.begin() + k);
    if (!isAbsorbed)
      next.push_back(junction(!isAnd, remaining));
    return junction(isAnd, next);
  }
  if (kept.empty())
    return condition(isAnd);
  if (kept.size() == 1)
    return kept[0];
  return node(kind, kept);
}

Expr ExprContext::logicalAnd(Expr a, Expr b) { return junction(true, {a, b}); }
Expr ExprContext::logicalOr(Expr a, Expr b) { return junction(false, {a, b}); }

Expr ExprContext::logicalXor(Expr a, Expr b) {
  if (!a || !b)
    return {};
  // xor-self, xor-true, xor-not: x xor x -> false,  x xor true -> not x,  not x xor y -> not (x xor y)
  if (a == b)
    return condition(false);
  if (a.is(ExprKind::Constant))
    std::swap(a, b);
  if (b.is(ExprKind::Constant))
    return b.isTrue() ? logicalNot(a) : a;
  if (logicalNot(a) == b)
    return condition(true);
  if (a.is(ExprKind::Not))
    return logicalNot(logicalXor(a.operand(0), b));
  if (b.is(ExprKind::Not))
    return logicalNot(logicalXor(a, b.operand(0)));
  if (b < a)
    std::swap(a, b);
  // xor-twice: (x xor y) xor y -> x
  for (auto [whole, part] : {std::make_pair(a, b), std::make_pair(b, a)})
    if (whole.is(ExprKind::Xor)) {
      if (whole.operand(0) == part)
        return whole.operand(1);
      if (whole.operand(1) == part)
        return whole.operand(0);
    }
  return node(ExprKind::Xor, {a, b});
}
