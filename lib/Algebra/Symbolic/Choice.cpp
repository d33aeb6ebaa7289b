// Minimum, maximum, selection, and the bitwise operations.
#include "Tiny/Algebra/Steps.h"
#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tiny;

/// Iterative, since extrema nest as deep as what is read in.
static Expr extremum(ExprContext &context, Expr a, Expr b, ExprKind kind) {
  if (!a || !b)
    return {};
  bool isMin = kind == ExprKind::Min;
  while (true) {
    // min-ordered, max-ordered: min(x, y) -> x   [x <= y]
    if (Expr difference = context.sub(a, b)) {
      if (difference->high <= 0 && mayApply(isMin ? "min-ordered" : "max-ordered"))
        return isMin ? a : b;
      if (difference->low >= 0 && mayApply(isMin ? "min-ordered" : "max-ordered"))
        return isMin ? b : a;
    }
    if (b < a)
      std::swap(a, b);
    // min-nested, min-inside, max-nested, max-inside: min(min(x, y), z) -> min(x, z)   [z <= y]
    Expr remaining, other;
    for (auto [inner, beside] : {std::make_pair(a, b), std::make_pair(b, a)}) {
      if (!inner.is(kind) || remaining)
        continue;
      for (unsigned k : {0u, 1u}) {
        Expr difference = context.sub(beside, inner.operand(k));
        if (!difference)
          continue;
        if ((isMin ? difference->high <= 0 : difference->low >= 0) && mayApply(isMin ? "min-nested" : "max-nested")) {
          remaining = inner.operand(1 - k);
          other = beside;
          break;
        }
        if ((isMin ? difference->low >= 0 : difference->high <= 0) && mayApply(isMin ? "min-inside" : "max-inside"))
          return inner;
      }
    }
    if (!remaining)
      return context.node(kind, {a, b});
    a = remaining;
    b = other;
  }
}

Expr ExprContext::min(Expr a, Expr b) { return extremum(*this, a, b, ExprKind::Min); }
Expr ExprContext::max(Expr a, Expr b) { return extremum(*this, a, b, ExprKind::Max); }

Expr ExprContext::select(Expr c, Expr a, Expr b) {
  // Each round takes one selection away from a branch.
  while (true) {
    if (!c || !a || !b)
      return {};
    // select-known, select-same: true ? x : y -> x,  c ? x : x -> x
    if (c.is(ExprKind::Constant))
      return c.isTrue() ? a : b;
    if (a == b)
      return a;
    // select-not: not c ? x : y -> c ? y : x   [one of the two is the canonical condition]
    if (c.is(ExprKind::Not)) {
      c = c.operand(0);
      std::swap(a, b);
    }
    // select-nested, select-nested-else: c ? (c ? x : z) : y -> c ? x : y
    if (a.is(ExprKind::Select) && a.operand(0) == c && mayApply("select-nested"))
      a = a.operand(1);
    if (b.is(ExprKind::Select) && b.operand(0) == c && mayApply("select-nested-else"))
      b = b.operand(2);
    if (a == b)
      return a;
    if (a->isCondition) {
      // select-true, select-else-false, select-false, select-else-true:
      // c ? true : y -> c or y,  c ? x : false -> c and x,  c ? false : y -> not c and y,  c ? x : true -> not c or x
      if (a.isTrue() && mayApply("select-true"))
        return logicalOr(c, b);
      if (b.isFalse() && mayApply("select-else-false"))
        return logicalAnd(c, a);
      if (a.isFalse() && mayApply("select-false"))
        return logicalAnd(logicalNot(c), b);
      if (b.isTrue() && mayApply("select-else-true"))
        return logicalOr(logicalNot(c), a);
      return node(ExprKind::Select, {c, a, b});
    }
    // select-min, select-min-strict, select-max, select-max-strict: x <= y ? x : y -> min(x, y), and the three others
    if (c.is(ExprKind::NonNegative)) {
      Expr up = sub(b, a), down = sub(a, b);
      Expr one = constant(1);
      if (up && down) {
        if ((c.operand(0) == up || c.operand(0) == sub(up, one)) &&
            mayApply(c.operand(0) == up ? "select-min" : "select-min-strict"))
          return min(a, b);
        if ((c.operand(0) == down || c.operand(0) == sub(down, one)) &&
            mayApply(c.operand(0) == down ? "select-max" : "select-max-strict"))
          return max(a, b);
      }
    }
    if (a.is(ExprKind::Select) && a.operand(2) == b && mayApply("select-and")) {
      // select-and, select-and-not: c ? (d ? x : y) : y -> c and d ? x : y
      c = logicalAnd(c, a.operand(0));
      a = a.operand(1);
    } else if (a.is(ExprKind::Select) && a.operand(1) == b && mayApply("select-and-not")) {
      c = logicalAnd(c, logicalNot(a.operand(0)));
      a = a.operand(2);
    } else if (b.is(ExprKind::Select) && b.operand(1) == a && mayApply("select-or")) {
      // select-or: c ? x : (d ? x : y) -> c or d ? x : y
      c = logicalOr(c, b.operand(0));
      b = b.operand(2);
    } else {
      return node(ExprKind::Select, {c, a, b});
    }
  }
}

Expr ExprContext::bitAnd(Expr a, Expr b) {
  if (!a || !b)
    return {};
  if (a.is(ExprKind::Constant))
    std::swap(a, b);
  // and-same: x & x -> x
  if (a == b && mayApply("and-same"))
    return a;
  if (std::optional<int64_t> mask = b.asConstant()) {
    if (std::optional<int64_t> value = a.asConstant())
      return constant(*value & *mask);
    // and-low-bits: x & (2^k - 1) -> x mod 2^k
    if (*mask >= 0 && isPowerOf2_64(uint64_t(*mask) + 1) && mayApply("and-low-bits"))
      return mod(a, constant(*mask + 1));
    // and-high-bits: x & -2^k -> x - x mod 2^k
    if (*mask < 0 && isPowerOf2_64(-uint64_t(*mask)) && mayApply("and-high-bits"))
      return sub(a, mod(a, constant(-*mask)));
  }
  if (b < a)
    std::swap(a, b);
  return node(ExprKind::BitAnd, {a, b});
}

Expr ExprContext::bitOr(Expr a, Expr b) {
  if (!a || !b)
    return {};
  if (a.is(ExprKind::Constant))
    std::swap(a, b);
  // or-same: x | x -> x
  if (a == b && mayApply("or-same"))
    return a;
  if (std::optional<int64_t> mask = b.asConstant()) {
    if (std::optional<int64_t> value = a.asConstant())
      return constant(*value | *mask);
    // or-zero, or-ones: x | 0 -> x,  x | -1 -> -1
    if (*mask == 0)
      return a;
    if (*mask == -1)
      return b;
  }
  if (b < a)
    std::swap(a, b);
  return node(ExprKind::BitOr, {a, b});
}

Expr ExprContext::bitXor(Expr a, Expr b) {
  if (!a || !b)
    return {};
  if (a.is(ExprKind::Constant))
    std::swap(a, b);
  // xor-same: x ^ x -> 0
  if (a == b && mayApply("xor-same"))
    return constant(0);
  if (std::optional<int64_t> mask = b.asConstant()) {
    if (std::optional<int64_t> value = a.asConstant())
      return constant(*value ^ *mask);
    // xor-zero, xor-ones, xor-constants: x ^ 0 -> x,  x ^ -1 -> -1 - x,  (x ^ c) ^ d -> x ^ (c ^ d)
    if (*mask == 0)
      return a;
    if (*mask == -1)
      return sub(b, a);
    if (a.is(ExprKind::BitXor))
      for (unsigned k : {0u, 1u})
        if (std::optional<int64_t> inner = a.operand(k).asConstant())
          return bitXor(a.operand(1 - k), constant(*inner ^ *mask));
  }
  // xor-bits-twice: (x ^ y) ^ y -> x
  for (auto [whole, part] : {std::make_pair(a, b), std::make_pair(b, a)})
    if (whole.is(ExprKind::BitXor)) {
      if (whole.operand(0) == part)
        return whole.operand(1);
      if (whole.operand(1) == part)
        return whole.operand(0);
    }
  if (b < a)
    std::swap(a, b);
  return node(ExprKind::BitXor, {a, b});
}
