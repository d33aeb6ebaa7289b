// Arguments of sin, cos and tan modulo pi/2: Cody and Waite for the usual ones, Payne and Hanek for all others.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

/// x - n pi/2 with pi/2 in three parts: the first product with n is exact, and so is what is left of x, which may be as
/// small as the second one's last places; its rounding errors are added to the third.
static Reduced reduceNear(MathBuilder &b, Num x) {
  auto [n, quadrant] = b.round(x * 6.36619772367581382433e-01);
  Num first = b.fma(n, b.c(-1.57079632673412561417e+00, -0x1.9218p+0), x);
  Num part = b.c(0x1.0b4611a626331p-34, 0x1.ed511p-14), product = n * part;
  Num second = first - product;
  Num error = b.sumError(first, -product, second) - b.productError(n, part, product);
  Num tail = b.fma(n, b.c(-0x1.1701b839a252p-88, -0x1.68c234p-39), error);
  Num high = second + tail;
  return {quadrant, high, (second - high) + tail};
}

/// Bits of 2/pi after a leading word of zeros, in words of 64.
static constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// The word of 2/pi at an index that varies: there is no table in a kernel, so one of the constants is selected.
static Num wordAt(MathBuilder &b, Num index) {
  Num result = b.i(0);
  // In words of 32 bits the leading word is a half, and 2^104 is the largest exponent.
  int count = b.isDouble() ? std::size(kTwoOverPi) : 9;
  for (int k = 1; k < count; ++k) {
    uint64_t word = kTwoOverPi[k];
    if (!b.isDouble()) {
      uint64_t pair = kTwoOverPi[(k + 1) / 2];
      word = k % 2 ? pair >> 32 : pair & 0xffffffff;
    }
    result = b.select(index == static_cast<double>(k), b.i(word), result);
  }
  return result;
}

/// |x| = m 2^e with an integer m. Bits of 2/pi whose products with |x| are multiples of 4 are left out; of the next,
/// three words are enough for any float, since none comes closer to a multiple of pi/2.
static Reduced reduceFar(MathBuilder &b, Num x) {
  int width = b.getWidth(), mantissaBits = b.getMantissa();
  int wordShift = b.isDouble() ? 6 : 5;
  Num raw = b.bits(b.abs(x));
  Num exponent = (raw >> mantissaBits) - (b.getBias() + mantissaBits);
  Num mantissa = (raw & b.i((uint64_t(1) << mantissaBits) - 1)) | b.i(uint64_t(1) << mantissaBits);
  // Two fraction bits above the point of the product are the quadrant.
  Num offset = exponent + (width - 2);
  Num index = offset >> wordShift, shift = offset & b.i(width - 1);
  Num words[4];
  for (int k = 0; k < 4; ++k)
    words[k] = wordAt(b, index + k);
  Num fraction[3];
  for (int k = 0; k < 3; ++k)
    fraction[k] =
        (words[k] << shift) | b.shiftRightLogical(b.shiftRightLogical(words[k + 1], b.i(1)), b.i(width - 1) - shift);
  Num top = mantissa * fraction[0];
  auto [middleLow, middleHigh] = b.mulExtended(mantissa, fraction[1]);
  Num bottomHigh = b.mulExtended(mantissa, fraction[2]).second;
  Num low = middleLow + bottomHigh;
  // Unsigned overflow: the sum is below a summand.
  Num signBit = b.i(uint64_t(1) << (width - 1));
  Num carry = b.select((low ^ signBit) < (middleLow ^ signBit), b.i(1), b.i(0));
  Num high = top + middleHigh + carry;

  Num quadrant = b.shiftRightLogical(high, b.i(width - 2));
  high = (high << 2) | b.shiftRightLogical(low, b.i(width - 2));
  low = low << 2;
  // To the nearest quadrant: a fraction of a half or more counts from the next.
  Num isUpper = high < 0.0;
  quadrant = quadrant + b.select(isUpper, b.i(1), b.i(0));
  Num negatedLow = -low;
  Num negatedHigh = (high ^ b.i(~uint64_t(0))) + b.select(low == 0.0, b.i(1), b.i(0));
  high = b.select(isUpper, negatedHigh, high);
  low = b.select(isUpper, negatedLow, low);

  // Each half word is exact as a float.
  int half = width / 2;
  Num mask = b.i((uint64_t(1) << half) - 1);
  auto part = [&](Num word, bool upper, int position) {
    Num bits = upper ? b.shiftRightLogical(word, b.i(half)) : word & mask;
    return b.toReal(bits) * std::ldexp(1.0, -half * position);
  };
  Num p0 = part(high, true, 1), p1 = part(high, false, 2), p2 = part(low, true, 3), p3 = part(low, false, 4);
  Num s = p0 + p1, tail = (b.sumError(p0, p1, s) + p2) + p3;
  Num f = s + tail, g = b.sumError(s, tail, f);
  // Times pi/2, in two parts.
  Num piHigh = b.c(0x1.921fb54442d18p+0, 0x1.921fb6p+0), piLow = b.c(0x1.1a62633145c07p-54, -0x1.777a5cf72cecep-25);
  Num r = f * piHigh;
  Num rest = b.productError(f, piHigh, r) + (f * piLow + g * piHigh);
  Num resultHigh = r + rest, resultLow = (r - resultHigh) + rest;
  Num flip = (x < 0.0);
  Num flipped = b.select(isUpper, b.select(flip, b.c(1.0), b.c(-1.0)), b.select(flip, b.c(-1.0), b.c(1.0)));
  return {b.select(flip, -quadrant, quadrant), resultHigh * flipped, resultLow * flipped};
}

Reduced reduceHalfPi(MathBuilder &b, Num x) {
  Num isFar = b.abs(x) > b.c(0x1p20, 1600.0);
  // What is far or NaN is kept out of the near path's arithmetic, which has no use for it.
  Reduced near = reduceNear(b, b.select(isFar, b.c(0.0), x));
  // The argument goes in by a value that the loop changes: what does not depend on the loop would be hoisted out of it.
  SmallVector<Num> result = b.ifAny(
      isFar, {near.quadrant, b.select(isFar, x, near.high), near.low}, [&](ArrayRef<Num> before) -> SmallVector<Num> {
        Reduced far = reduceFar(b, before[1]);
        return {b.select(isFar, far.quadrant, before[0]), b.select(isFar, far.high, before[1]),
                b.select(isFar, far.low, before[2])};
      });
  return {result[0], result[1], result[2]};
}

} // namespace tiny::uop
