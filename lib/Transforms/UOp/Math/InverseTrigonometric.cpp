// asin, acos, atan, atan2.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

/// asin(x) = x + x R(x^2) on |x| up to 1/2: fdlibm's rational function in f64, Cephes' polynomial in f32.
static Num asinRest(MathBuilder &b, Num z) {
  if (!b.isDouble())
    return z * b.poly(z, {1.6666752422E-1, 7.4953002686E-2, 4.5470025998E-2, 2.4181311049E-2, 4.2163199048E-2});
  Num p = z * b.poly(z, {1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
                         -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05});
  Num q = b.poly(z, {1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01,
                     7.70381505559019352791e-02});
  return p / q;
}

static Num halfPi(MathBuilder &b) { return b.c(1.57079632679489655800e+00, 0x1.921fb6p+0); }
static Num halfPiLow(MathBuilder &b) { return b.c(6.12323399573676603587e-17, -0x1.777a5cp-25); }

/// For a in [1/2, 1]: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)). The root comes in two parts, high exact as a square.
struct FarRoot {
  Num root, high, low, rest;
};
static FarRoot farRoot(MathBuilder &b, Num a) {
  Num z = (1.0 - a) * 0.5;
  Num root = b.sqrt(z), high = b.high(root);
  Num low = b.select(root == 0.0, b.c(0.0), (z - high * high) / (root + high));
  return {root, high, low, asinRest(b, z)};
}

Num expandAsin(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num near = b.fma(x, asinRest(b, x * x), x);
  auto [root, high, low, rest] = farRoot(b, a);
  // pi/4 - (2 s R - (pi/2's tail - 2 c) - (pi/4 - 2 df))
  Num quarter = halfPi(b) * 0.5;
  Num far = quarter - ((root * rest * 2.0 - (halfPiLow(b) - low * 2.0)) - (quarter - high * 2.0));
  // Beyond 1 the root is NaN, and so is the result.
  return b.select(a < 0.5, b.select(a < b.c(0x1p-27, 0x1p-12), x, near), b.copySign(far, x));
}

Num expandAcos(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num near = halfPi(b) - (x - (halfPiLow(b) - x * asinRest(b, x * x)));
  auto [root, high, low, rest] = farRoot(b, a);
  Num positive = (high + (rest * root + low)) * 2.0;
  Num negative = (halfPi(b) - (root + (rest * root - halfPiLow(b)))) * 2.0;
  return b.select(a < 0.5, near, b.select(x < 0.0, negative, positive));
}

/// fdlibm's atan of a number that is not negative: from the nearest of 0, atan(1/2), pi/4, atan(3/2), pi/2.
static Num atanPositive(MathBuilder &b, Num a) {
  Num top = a, bottom = b.c(1.0), high = b.c(0.0), low = b.c(0.0);
  auto from = [&](double bound, Num newTop, Num newBottom, Num newHigh, Num newLow) {
    Num beyond = a >= bound;
    top = b.select(beyond, newTop, top);
    bottom = b.select(beyond, newBottom, bottom);
    high = b.select(beyond, newHigh, high);
    low = b.select(beyond, newLow, low);
  };
  from(7.0 / 16, a * 2.0 - 1.0, a + 2.0, b.c(4.63647609000806093515e-01, 4.6364760399e-01),
       b.c(2.26987774529616870924e-17, 5.0121582440e-09));
  from(11.0 / 16, a - 1.0, a + 1.0, b.c(7.85398163397448278999e-01, 7.8539812565e-01),
       b.c(3.06161699786838301793e-17, 3.7748947079e-08));
  from(19.0 / 16, a - 1.5, a * 1.5 + 1.0, b.c(9.82793723247329054082e-01, 9.8279368877e-01),
       b.c(1.39033110312309984516e-17, 3.4473217170e-08));
  from(39.0 / 16, b.c(-1.0), a, b.c(1.57079632679489655800e+00, 1.5707962513e+00),
       b.c(6.12323399573676603587e-17, 7.5497894159e-08));
  Num t = top / bottom, z = t * t;
  Num s = z * b.poly(z,
                     {3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
                      -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
                      6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
                      -3.65315727442169155270e-02, 1.62858201153657823623e-02},
                     {3.3333328366e-01, -1.9999158382e-01, 1.4253635705e-01, -1.0648017377e-01, 6.1687607318e-02});
  return high - (b.fma(t, s, -low) - t);
}

Num expandAtan(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num result = b.copySign(atanPositive(b, a), x);
  return b.select(a < b.c(0x1p-27, 0x1p-12), x, b.select(b.isNan(x), x, result));
}

Num expandAtan2(MathBuilder &b, Num y, Num x) {
  Num ax = b.abs(x), ay = b.abs(y);
  // At two infinities the quotient is 1, at two zeros it is 0.
  Num infinite = ax == b.infinity();
  Num ratio = ay / ax;
  ratio = b.select(b.select(infinite, ay, b.c(0.0)) == b.infinity(), b.c(1.0), ratio);
  ratio = b.select(ay == 0.0, b.c(0.0), ratio);
  Num angle = b.select(ratio < b.c(0x1p-27, 0x1p-12), ratio, atanPositive(b, ratio));
  // On the left the angle counts from pi, whose tail is taken from the angle.
  Num isLeft = b.bits(x) < 0.0;
  Num piLow = b.c(1.2246467991473531772E-16, -8.7422776573e-08);
  Num left = b.c(3.1415926535897931160E+00, 3.1415927410e+00) - (angle - piLow);
  Num result = b.copySign(b.select(isLeft, left, angle), y);
  return b.select(b.isNan(x), x, b.select(b.isNan(y), y, result));
}

} // namespace tiny::uop
