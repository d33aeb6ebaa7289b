// Truncating division and remainder: reduced to floor division where the signs are known.
#include "Monomial.h"
#include "Tiny/Algebra/Steps.h"

using namespace llvm;
using namespace tiny;

using Wide = LinearForm::Wide;

static int signOf(Expr a) { return a->low >= 0 ? 1 : a->high <= 0 ? -1 : 0; }

Expr ExprContext::truncate(Expr a, Expr b, bool wantsQuotient) {
  ExprKind kind = wantsQuotient ? ExprKind::TruncDiv : ExprKind::TruncRem;
  if (!a || !b)
    return {};
  if (b.bounds().isConstant() && !b.is(ExprKind::Constant))
    b = constant(b->low);
  if (b->low == 0 && b->high == 0)
    return {};
  // trunc-positive, trunc-dividend-negative, trunc-divisor-negative, trunc-both-negative, rem-positive,
  // rem-dividend-negative, rem-divisor-negative, rem-both-negative:
  // trunc(x / y) -> s t floor((s x) / (t y)),  x rem y -> s ((s x) mod (t y))   [s x >= 0, t y >= 0; s, t = +-1]
  auto rule = [&](StringRef name) { return mayApply(Twine(wantsQuotient ? "trunc-" : "rem-") + name); };
  int sign = signOf(a), divisorSign = b->low == 0 || b->high == 0 ? 0 : signOf(b);
  StringRef signs = sign < 0 ? (divisorSign < 0 ? "both-negative" : "dividend-negative")
                             : (divisorSign < 0 ? "divisor-negative" : "positive");
  if (sign && divisorSign && rule(signs)) {
    Expr x = sign < 0 ? neg(a) : a, y = divisorSign < 0 ? neg(b) : b;
    Expr result = wantsQuotient ? floorDiv(x, y) : mod(x, y);
    int resultSign = wantsQuotient ? sign * divisorSign : sign;
    return resultSign < 0 ? neg(result) : result;
  }
  // trunc-by-bounds, rem-by-bounds: x -> q   [the bounds leave one value]
  Expr plain = node(kind, {a, b});
  if ((b->low > 0 || b->high < 0) && plain.bounds().isConstant() && rule("by-bounds"))
    return constant(plain->low);
  // rem-itself, rem-itself-negative: x rem y -> x   [|x| < |y|]
  int64_t most = std::max(std::abs(a->low), std::abs(a->high));
  if (!wantsQuotient && (b->low > most || b->high < -most) && rule("itself"))
    return a;
  LinearForm form = linear(a);
  // trunc-negate, rem-negate: trunc(-x / y) -> -trunc(x / y),  (-x) rem y -> -(x rem y)
  bool isNegated = form.constant <= 0;
  for (const LinearForm::Term &term : form.terms)
    isNegated &= term.coefficient < 0;
  if (isNegated && a->high > 0 && rule("negate"))
    return neg(truncate(neg(a), b, wantsQuotient));
  // trunc-negative-divisor, rem-negative-divisor: trunc(x / -d) -> -trunc(x / d),  x rem -d -> x rem d
  std::optional<int64_t> d = b.asConstant();
  if (d && *d < 0 && rule("negative-divisor")) {
    Expr result = truncate(a, constant(-*d), wantsQuotient);
    return wantsQuotient ? neg(result) : result;
  }
  // trunc-whole, rem-whole: trunc((y x) / y) -> x,  (y x) rem y -> 0
  LinearForm whole, rest;
  splitWhole(*this, a, b, whole, rest);
  if (rest.terms.empty() && rest.constant == 0 && rule("whole"))
    return wantsQuotient ? sum(whole) : constant(0);
  // trunc-cancel, rem-cancel: trunc((f x) / (f y)) -> trunc(x / y),  (f x) rem (f y) -> f (x rem y)
  Monomial divisor = divisorMonomial(*this, b);
  Monomial common = commonFactor(*this, a, divisor);
  if (!common.isOne()) {
    Expr numerator = divideForm(*this, a, common);
    if (numerator && divide(divisor, common) && rule("cancel")) {
      Expr result = truncate(numerator, fromMonomial(*this, divisor), wantsQuotient);
      return wantsQuotient ? result : mul(fromMonomial(*this, common), result);
    }
  }
  // trunc-nested: trunc(trunc(x / m) / d) -> trunc(x / (m d))
  if (wantsQuotient && d && a.is(ExprKind::TruncDiv))
    if (std::optional<int64_t> m = a.operand(1).asConstant();
        m && *m > 0 && Wide(*m) * *d < kIndexLimit && rule("nested"))
      return truncate(a.operand(0), constant(*m * *d), true);
  // rem-rem: (x rem y) rem y -> x rem y
  if (!wantsQuotient && a.is(ExprKind::TruncRem) && a.operand(1) == b && rule("rem"))
    return a;
  return plain;
}

Expr ExprContext::truncDiv(Expr a, Expr b) { return truncate(a, b, true); }
Expr ExprContext::truncRem(Expr a, Expr b) { return truncate(a, b, false); }
