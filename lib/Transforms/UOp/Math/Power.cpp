// pow, cbrt, rsqrt.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

/// log2 of a positive number as high + low, to some 10 bits more than the type has: fdlibm's pow.
static std::pair<Num, Num> log2Extended(MathBuilder &b, Num x) {
  Num isTiny = x < b.minNormal();
  Num raw = b.bits(b.select(isTiny, x * b.c(0x1p54, 0x1p25), x));
  Num exponent = (raw >> b.getMantissa()) - b.getBias() - b.select(isTiny, b.i(54, 25), b.i(0));
  Num fraction = raw & b.i((uint64_t(1) << b.getMantissa()) - 1);
  // The mantissa is taken relative to 1 or 3/2, whichever is nearer; from sqrt(3) on, half of it relative to 1.
  Num isMiddle = fraction > b.i(0x3988effffffff, 0x1cc471), isUpper = fraction >= b.i(0xbb67a00000000, 0x5db3d7);
  isMiddle = isMiddle & !isUpper;
  exponent = exponent + b.select(isUpper, b.i(1), b.i(0));
  Num biasBits = b.i(0x3ff0000000000000, 0x3f800000) - (b.select(isUpper, b.i(1), b.i(0)) << b.getMantissa());
  Num ax = b.real(fraction | biasBits);
  Num point = b.select(isMiddle, b.c(1.5), b.c(1.0));

  Num u = ax - point, v = 1.0 / (ax + point);
  Num ss = u * v, sHigh = b.high(ss);
  Num tHigh = b.high(ax + point), tLow = ax - (tHigh - point);
  Num sLow = v * ((u - sHigh * tHigh) - sHigh * tLow);
  Num s2 = ss * ss;
  Num r = s2 * s2 *
          b.poly(s2,
                 {5.99999999999994648725e-01, 4.28571428578550184252e-01, 3.33333329818377432918e-01,
                  2.72728123808534006489e-01, 2.30660745775561754067e-01, 2.06975017800338417784e-01},
                 {6.0000002384e-01, 4.2857143283e-01, 3.3333334327e-01, 2.7272811532e-01, 2.3066075146e-01,
                  2.0697501302e-01});
  r = r + sLow * (sHigh + ss);
  s2 = sHigh * sHigh;
  tHigh = b.high((s2 + 3.0) + r);
  tLow = r - ((tHigh - 3.0) - s2);
  u = sHigh * tHigh;
  v = sLow * tHigh + tLow * ss;
  Num pHigh = b.high(u + v), pLow = v - (pHigh - u);
  // Times 2 / (3 ln 2).
  Num zHigh = pHigh * b.c(9.61796700954437255859e-01, 9.6191406250e-01);
  Num zLow = pHigh * b.c(-7.02846165095275826516e-09, -1.1736857402e-04) +
             pLow * b.c(9.61796693925975554329e-01, 9.6179670095e-01) +
             b.select(isMiddle, b.c(1.35003920212974897128e-08, 1.56322085e-06), b.c(0.0));
  Num pointHigh = b.select(isMiddle, b.c(5.84962487220764160156e-01, 5.84960938e-01), b.c(0.0));
  Num t = b.toReal(exponent);
  Num high = b.high(((zHigh + zLow) + pointHigh) + t);
  return {high, zLow - (((high - t) - pointHigh) - zHigh)};
}

/// x^y for x > 0 and finite, y finite: 2^(y log2 x).
static Num powPositive(MathBuilder &b, Num x, Num y) {
  auto [t1, t2] = log2Extended(b, x);
  // A huge y overflows or underflows for every x but 1, and must not overflow on the way.
  Num bound = b.c(0x1p64, 0x1p32);
  y = b.select(y > bound, bound, b.select(y < -bound, -bound, y));
  Num yHigh = b.high(y);
  Num pLow = (y - yHigh) * t1 + y * t2, pHigh = yHigh * t1;
  Num z = pLow + pHigh;
  // Beyond these it is infinity or 0.
  double most = b.isDouble() ? 1025.0 : 129.0, least = b.isDouble() ? -1080.0 : -155.0;
  Num isOver = z > most, isUnder = z < least;
  z = b.select(isOver, b.c(most), b.select(isUnder, b.c(least), z));
  MathBuilder::PowerOfTwo power = b.roundToPower(z);
  Num isBounded = isOver | isUnder;
  Num rest = b.select(isBounded, b.c(0.0), pHigh - power.exponent);
  pLow = b.select(isBounded, b.c(0.0), pLow);
  Num t = b.high(pLow + rest);
  Num u = t * b.c(6.93147182464599609375e-01, 6.93145752e-01);
  Num v = (pLow - (t - rest)) * b.c(6.93147180559945286227e-01, 6.9314718246e-01) +
          t * b.c(-1.90465429995776804525e-09, 1.42860654e-06);
  Num sum = u + v, w = v - (sum - u);
  t = sum * sum;
  Num q = sum - t * b.poly(t, {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
                               -1.65339022054652515390e-06, 4.13813679705723846039e-08});
  Num r = (sum * q) / (q - 2.0) - (w + sum * w);
  return power * (1.0 - (r - sum));
}

static Num powSigned(MathBuilder &b, Num x, Num y, Num isInteger, Num isOdd) {
  Num ax = b.abs(x);
  Num isZero = ax == 0.0, isInfinite = ax == b.infinity();
  Num inside = b.select(isZero | isInfinite, b.c(1.0), ax);
  Num magnitude = powPositive(b, inside, y);
  // 0^y and inf^y, and y infinite: 0, 1 or infinity.
  Num positive = y > 0.0;
  magnitude = b.select(isZero, b.select(positive, b.c(0.0), b.infinity()), magnitude);
  magnitude = b.select(isInfinite, b.select(positive, b.infinity(), b.c(0.0)), magnitude);
  Num grows = b.select(ax > 1.0, y, -y) > 0.0;
  Num atInfinity = b.select(ax == 1.0, b.c(1.0), b.select(grows, b.infinity(), b.c(0.0)));
  magnitude = b.select(b.abs(y) == b.infinity(), atInfinity, magnitude);
  Num isNegative = b.bits(x) < 0.0;
  Num result = b.select(isNegative & isOdd, -magnitude, magnitude);
  // A negative number to a fraction is NaN; zeros and infinities have a value.
  Num isFinite = (ax < b.infinity()) & (ax > 0.0);
  result = b.select(isNegative & isFinite & !isInteger, b.nan(), result);
  result = b.select(b.isNan(x), x, b.select(b.isNan(y), y, result));
  return b.select((y == 0.0) | (x == 1.0), b.c(1.0), result);
}

Num expandPow(MathBuilder &b, Num x, Num y) {
  Num ay = b.abs(y);
  // Floats of 2^(mantissa + 1) and more are even integers; others are integers if adding the magic number is exact.
  Num isHuge = ay >= b.c(0x1p53, 0x1p24);
  Num small = b.select(isHuge, b.c(0.0), ay);
  Num magic = b.c(0x1p52, 0x1p23);
  Num rounded = b.select(small < magic, (small + magic) - magic, small);
  Num isInteger = isHuge | (rounded == small);
  Num raw = b.bits(b.select(small < magic, small + magic, small));
  Num isOdd = ((raw & b.i(1)) != 0.0) & (rounded == small) & !isHuge;
  return powSigned(b, x, y, isInteger, isOdd);
}

Num expandPowInteger(MathBuilder &b, Num x, Num n, Num isOdd) { return powSigned(b, x, n, n == n, isOdd); }

Num expandCbrt(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num isTiny = a<b.minNormal(), isHuge = a> b.c(0x1p1000, 0x1p100);
  // 2^54 and 2^24 are cubes; three times the largest number is none.
  Num scaled = b.select(isTiny, a * b.c(0x1p54, 0x1p24), b.select(isHuge, a * b.c(0x1p-54, 0x1p-24), a));
  // A third of the exponent and mantissa bits is within a few percent; unsigned division by a constant.
  Num third = b.wrap(arith::DivUIOp::create(b.ops(), b.getLoc(), b.bits(scaled).value, b.i(3).value));
  Num t = b.real(third + b.i(0x2a9f789300000000, 0x2a5119f2));
  // Halley: t (t^3 + 2x) / (2 t^3 + x), three digits to nine to all.
  auto halley = [&](Num t) {
    Num cube = t * t * t;
    return t * ((cube + scaled + scaled) / (cube + cube + scaled));
  };
  t = halley(t);
  if (b.isDouble())
    t = halley(t);
  // Newton with an exact square of a short t, as in fdlibm: the error is that of the last addition.
  t = b.real(b.bits(t) & b.i(0xffffffffc0000000ull, 0xfffff000u));
  Num square = t * t;
  Num quotient = scaled / square;
  t = t + t * ((quotient - t) / (t + t + quotient));
  Num unscale = b.select(isTiny, b.c(0x1p-18, 0x1p-8), b.select(isHuge, b.c(0x1p18, 0x1p8), b.c(1.0)));
  Num result = b.copySign(t * unscale, x);
  Num isOrdinary = (a > 0.0) & (a < b.infinity());
  return b.select(isOrdinary, result, x);
}

Num expandRsqrt(MathBuilder &b, Num x) { return 1.0 / b.sqrt(x); }

} // namespace tiny::uop
