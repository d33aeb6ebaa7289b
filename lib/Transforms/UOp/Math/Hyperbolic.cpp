// sinh, cosh, tanh and their inverses, by expm1, exp, log and log1p: fdlibm's formulas.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

Num expandSinh(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num t = expandExpM1(b, b.select(a < 22.0, a, b.c(22.0)));
  Num small = t * 2.0 - t * t / (t + 1.0);
  Num medium = t + t / (t + 1.0);
  Num result = b.select(a < 1.0, small, medium) * 0.5;
  result = b.select(a < b.c(22.0, 10.0), result, halfExp(b, a));
  return b.select(a < b.c(0x1p-28, 0x1p-12), x, b.copySign(result, x));
}

Num expandCosh(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num bounded = b.select(a < 22.0, a, b.c(22.0));
  Num t = expandExpM1(b, bounded);
  Num small = t * t / ((t + 1.0) * 2.0) + 1.0;
  Num e = expandExp(b, bounded);
  Num medium = e * 0.5 + 0.5 / e;
  Num result = b.select(a < 0.34657359, small, medium);
  return b.select(a < b.c(22.0, 10.0), result, halfExp(b, a));
}

Num expandTanh(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  // Beyond 22 (10 in f32) the result is 1; NaN stays.
  Num bounded = b.select(a > b.c(22.0, 10.0), b.c(22.0, 10.0), a);
  // Of the two arguments of expm1 one is wanted: -2a below 1, where the result is small, else 2a.
  Num isSmall = bounded < 1.0;
  Num t = expandExpM1(b, b.select(isSmall, bounded * -2.0, bounded * 2.0));
  Num result = b.select(isSmall, -t, b.c(2.0)) / (t + 2.0);
  result = b.select(isSmall, result, 1.0 - result);
  return b.select(a < b.c(0x1p-28, 0x1p-12), x, b.copySign(result, x));
}

Num expandAsinh(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num isHuge = a > b.c(0x1p28, 0x1p13);
  Num bounded = b.select(isHuge, b.c(1.0), a);
  Num square = bounded * bounded;
  Num near = expandLog1p(b, bounded + square / (b.sqrt(square + 1.0) + 1.0));
  Num far = expandLog(b, a) + 0.693147180559945309417;
  Num result = b.select(isHuge, far, near);
  return b.select(a < b.c(0x1p-28, 0x1p-12), x, b.copySign(result, x));
}

Num expandAcosh(MathBuilder &b, Num x) {
  Num isHuge = x > b.c(0x1p28, 0x1p13);
  Num t = b.select(isHuge, b.c(1.0), x) - 1.0;
  Num near = expandLog1p(b, t + b.sqrt(t * 2.0 + t * t));
  Num far = expandLog(b, x) + 0.693147180559945309417;
  return b.select(x < 1.0, b.nan(), b.select(isHuge, far, near));
}

Num expandAtanh(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num result = expandLog1p(b, (a + a) / (1.0 - a)) * 0.5;
  return b.select(a < b.c(0x1p-28, 0x1p-12), x, b.copySign(result, x));
}

} // namespace tiny::uop
