// exp, exp2, expm1.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

static Num clamp(MathBuilder &b, Num x, double low, double high) {
  // NaN is neither below nor above, so it passes.
  x = b.select(x < low, b.c(low), x);
  return b.select(x > high, b.c(high), x);
}

/// SLEEF's expf on |x| below 0.35: 1 + (x + x^2 (1/2 + ...)), which loses less than Horner's order to the end.
static Num expSingle(MathBuilder &b, Num x) {
  Num p = b.poly(x, {0.5, 0.166666671633720397949219, 0.0416664853692054748535156, 0.00833336077630519866943359,
                     0.00139304355252534151077271, 0.000198527617612853646278381});
  return b.fma(p, x * x, x) + 1.0;
}

/// fdlibm's exp of high + low, |high| below 0.35: 1 + x + x R / (2 - R), R = x - x^2 (1/6 - x^2/360 + ...).
static Num expDouble(MathBuilder &b, Num high, Num low) {
  Num x = high + low, t = x * x;
  Num r = x - t * b.poly(t, {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
                             -1.65339022054652515390e-06, 4.13813679705723846039e-08});
  return 1.0 - (((-low) - (x * r) / (2.0 - r)) - high);
}

/// 2^shift e^x for a small shift, where the result is infinity or 0 beyond the bounds.
static Num expShifted(MathBuilder &b, Num x, double low, double high, int shift) {
  Num bounded = clamp(b, x, low, high);
  MathBuilder::PowerOfTwo power = b.roundToPower(bounded, 1.44269504088896338700, shift);
  // The high part of ln 2 has so few bits that its products with n are exact.
  Num top = b.fma(power.exponent, b.c(-6.93147180369123816490e-01, -6.9314575195e-01), bounded);
  // In f32 the low part is below the last place.
  if (!b.isDouble())
    return power * expSingle(b, b.fma(power.exponent, b.c(-1.4286067653e-06), top));
  return power * expDouble(b, top, power.exponent * -1.90821492927058770002e-10);
}

Num expandExp(MathBuilder &b, Num x) {
  return b.isDouble() ? expShifted(b, x, -746.0, 710.0, 0) : expShifted(b, x, -104.0, 89.0, 0);
}

Num halfExp(MathBuilder &b, Num x) {
  return b.isDouble() ? expShifted(b, x, -746.0, 712.0, -1) : expShifted(b, x, -104.0, 91.0, -1);
}

Num expandExp2(MathBuilder &b, Num x) {
  Num bounded = b.isDouble() ? clamp(b, x, -1080.0, 1024.0) : clamp(b, x, -152.0, 128.0);
  MathBuilder::PowerOfTwo power = b.roundToPower(bounded);
  Num rest = bounded - power.exponent; // Exact.
  if (!b.isDouble()) {
    // SLEEF's exp2f.
    return power * b.poly(rest, {1.0, 0.6931471825, 0.2402264476, 0.5550347269e-1, 0.9618384764e-2, 0.1339262701e-2,
                                 0.1535920892e-3});
  }
  // The product with ln 2 in two parts.
  Num high = rest * 0.693147180559945286227;
  Num low = b.productError(rest, b.c(0.693147180559945286227), high) + rest * 2.319046813846299558e-17;
  return power * expDouble(b, high, low);
}

// fdlibm's expm1: e = x^2/2 (r1 - t) / (6 - x t) on |x| up to ln(2) / 2, put together for every exponent alike.
Num expandExpM1(MathBuilder &b, Num x) {
  Num bounded = b.isDouble() ? clamp(b, x, -45.0, 710.0) : clamp(b, x, -20.0, 89.0);
  auto [real, n] = b.round(bounded * 1.44269504088896338700);
  Num high = b.fma(real, b.c(-6.93147180369123816490e-01, -6.9314575195e-01), bounded);
  Num low = real * b.c(1.90821492927058770002e-10, 1.4286067653e-06);
  Num y = high - low;
  Num c = (high - y) - low;
  Num half = y * 0.5, hxs = y * half;
  Num r1 = b.poly(hxs,
                  {1.0, -3.33333333333331316428e-02, 1.58730158725481460165e-03, -7.93650757867487942473e-05,
                   4.00821782732936239552e-06, -2.01099218183624371326e-07},
                  {1.0, -3.3333212137e-2, 1.5807170421e-3});
  Num t = b.fma(-r1, half, b.c(3.0));
  Num e = hxs * ((r1 - t) / b.fma(-y, t, b.c(6.0)));
  e = b.fma(y, e - c, -c) - hxs;
  // e^x - 1 = 2^n ((1 - 2^-n) + (y - e)); with n = 0 the first term is 0. The scale takes two steps, for n up to 1024.
  Num inverse = b.select(n > b.getMantissa() + 4, b.c(0.0), b.pow2(b.select(n > b.getMantissa() + 4, b.i(0), -n)));
  // The smaller term is added last where 2^n is large.
  Num few = (1.0 - inverse) + (y - e);
  Num many = (y - (e + inverse)) + 1.0;
  Num sum = b.select(n < (b.isDouble() ? 20 : 22), few, many);
  Num result = b.scale(sum, n);
  // The sign of zero and the smallest numbers.
  return b.select(b.abs(x) < b.c(0x1p-54, 0x1p-25), x, result);
}

} // namespace tiny::uop
