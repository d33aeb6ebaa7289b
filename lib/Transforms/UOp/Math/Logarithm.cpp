// log, log2, log10, log1p: fdlibm's, in the form without branches.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

/// Bits of sqrt(1/2), cut so that the upper half of a double says it all.
static Num sqrtHalf(MathBuilder &b) { return b.i(0x3fe6a09e00000000, 0x3f3504f3); }
static Num one(MathBuilder &b) { return b.i(0x3ff0000000000000, 0x3f800000); }

static Decomposed decomposeNormal(MathBuilder &b, Num x) {
  Num shifted = b.bits(x) + (one(b) - sqrtHalf(b));
  Num exponent = (shifted >> b.getMantissa()) - b.getBias();
  Num mantissa = (shifted & b.i((uint64_t(1) << b.getMantissa()) - 1)) + sqrtHalf(b);
  return {b.real(mantissa), exponent};
}

Decomposed decompose(MathBuilder &b, Num x) {
  Num isTiny = x < b.minNormal();
  Decomposed result = decomposeNormal(b, b.select(isTiny, x * b.c(0x1p54, 0x1p25), x));
  result.exponent = result.exponent - b.select(isTiny, b.i(54, 25), b.i(0));
  return result;
}

/// log(1 + f) = f - hfsq + rest.
struct LogTerms {
  Num f, hfsq, rest;
};

static LogTerms logTerms(MathBuilder &b, Num f) {
  Num s = f / (f + 2.0), z = s * s;
  Num r =
      b.poly(z,
             {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
              1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01},
             {0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841});
  Num hfsq = f * f * 0.5;
  return {f, hfsq, s * b.fma(z, r, hfsq)};
}

/// What every logarithm of x gives outside the positive finite numbers.
static Num finish(MathBuilder &b, Num x, Num result) {
  result = b.select(x < b.infinity(), result, x); // inf and NaN
  Num outside = b.select(x == 0.0, -b.infinity(), b.select(x < 0.0, b.nan(), x));
  return b.select(x > 0.0, result, outside);
}

Num expandLog(MathBuilder &b, Num x) {
  auto [mantissa, exponent] = decompose(b, x);
  auto [f, hfsq, rest] = logTerms(b, mantissa - 1.0);
  Num k = b.toReal(exponent);
  Num low = b.fma(k, b.c(1.90821492927058770002e-10, 9.0580006145e-06), rest);
  Num result = b.fma(k, b.c(6.93147180369123816490e-01, 6.9313812256e-01), (low - hfsq) + f);
  return finish(b, x, result);
}

Num expandLog2(MathBuilder &b, Num x) {
  auto [mantissa, exponent] = decompose(b, x);
  auto [f, hfsq, rest] = logTerms(b, mantissa - 1.0);
  Num k = b.toReal(exponent);
  Num high = b.high(f - hfsq);
  Num low = ((f - high) - hfsq) + rest;
  Num scaleHigh = b.c(1.44269504072144627571e+00, 1.4428710938e+00);
  Num scaleLow = b.c(1.67517131648865118353e-10, -1.7605285393e-04);
  Num valueHigh = high * scaleHigh;
  Num valueLow = (low + high) * scaleLow + low * scaleHigh;
  Num sum = k + valueHigh;
  valueLow = valueLow + ((k - sum) + valueHigh);
  return finish(b, x, valueLow + sum);
}

Num expandLog10(MathBuilder &b, Num x) {
  auto [mantissa, exponent] = decompose(b, x);
  auto [f, hfsq, rest] = logTerms(b, mantissa - 1.0);
  Num k = b.toReal(exponent);
  Num high = b.high(f - hfsq);
  Num low = ((f - high) - hfsq) + rest;
  Num scaleHigh = b.c(4.34294481878168880939e-01, 4.3432617188e-01);
  Num scaleLow = b.c(2.50829467116452752298e-11, -3.1689971365e-05);
  Num valueHigh = high * scaleHigh;
  Num whole = k * b.c(3.01029995663611771306e-01, 3.0102920532e-01);
  Num valueLow = k * b.c(3.69423907715893078616e-13, 7.9034151668e-07) + (low + high) * scaleLow + low * scaleHigh;
  Num sum = whole + valueHigh;
  valueLow = valueLow + ((whole - sum) + valueHigh);
  return finish(b, x, valueLow + sum);
}

Num expandLog1p(MathBuilder &b, Num x) {
  Num u = x + 1.0;
  auto [mantissa, exponent] = decomposeNormal(b, u);
  // What 1 + x lost, relative to u; nothing where x is so large that 1 is.
  Num lost = b.select(exponent >= 2.0, 1.0 - (u - x), x - (u - 1.0)) / u;
  lost = b.select(exponent < b.getMantissa() + 2, lost, b.c(0.0));
  Num near = exponent == 0.0;
  Num f = b.select(near, x, mantissa - 1.0);
  lost = b.select(near, b.c(0.0), lost);
  auto [f0, hfsq, rest] = logTerms(b, f);
  Num k = b.toReal(exponent);
  Num low = b.fma(k, b.c(1.90821492927058770002e-10, 9.0580006145e-06), lost);
  Num result = b.fma(k, b.c(6.93147180369123816490e-01, 6.9313812256e-01), ((rest + low) - hfsq) + f0);
  result = finish(b, u, result);
  return b.select(b.abs(x) < b.c(0x1p-54, 0x1p-25), x, result);
}

} // namespace tiny::uop
