// Casts between integers of 64 bits and floats, by casts of 32 bits.
#include "IntegerCasts.h"

#include <cmath>

using namespace mlir;

namespace tiny::uop {

namespace {

/// A number without its sign, and what brings the sign back. The least integer's magnitude is right as unsigned.
struct Sign {
  Sign(MathBuilder &whole, Num x, bool isSigned) : magnitude(x), isSigned(isSigned) {
    if (!isSigned)
      return;
    isNegative = x < 0;
    magnitude = whole.select(isNegative, -x, x);
  }
  Num restore(MathBuilder &real, Num x) const { return isSigned ? real.select(isNegative, -x, x) : x; }

  Num magnitude;

private:
  Num isNegative;
  bool isSigned;
};

Num cutTo32(Num x) {
  MathBuilder &b = *x.builder;
  Type word = b.ops().getI32Type();
  return x.value.getType() == word ? x : b.wrap(arith::TruncIOp::create(b.ops(), b.getLoc(), word, x.value));
}

/// The word, which has no sign, as a float.
Num wordToFloat(MathBuilder &real, Num word) {
  return real.wrap(arith::UIToFPOp::create(real.ops(), real.getLoc(), real.getFloat(), word.value));
}

} // namespace

Num integerToSingle(MathBuilder &whole, MathBuilder &single, Num x, bool isSigned, bool toOdd) {
  Sign sign(whole, x, isSigned);
  x = sign.magnitude;
  // Each step cuts bits off a number that has more than `left`; the last bit says whether any was set. What was cut has
  // at least 29 bits after the first four steps, and 17 after the last.
  constexpr struct {
    int cut, left;
  } kSteps[] = {{16, 48}, {8, 40}, {4, 36}, {4, 32}, {8, 24}};
  Num factor = single.c(1);
  for (auto [cut, left] : ArrayRef(kSteps)) {
    if (left >= whole.getWidth() || (left == 24 && !toOdd))
      continue;
    Num isLong = whole.shiftRightLogical(x, whole.i(left)) != whole.i(0);
    Num isInexact = (x & whole.i((uint64_t(1) << cut) - 1)) != whole.i(0);
    Num shorter = whole.shiftRightLogical(x, whole.i(cut));
    shorter = whole.select(isInexact, shorter | whole.i(1), shorter);
    x = whole.select(isLong, shorter, x);
    factor = single.select(isLong, factor * single.c(std::ldexp(1.0, cut)), factor);
  }
  return sign.restore(single, wordToFloat(single, cutTo32(x)) * factor);
}

Num integerToDouble(MathBuilder &whole, MathBuilder &twice, Num x, bool isSigned) {
  Sign sign(whole, x, isSigned);
  Num low = cutTo32(sign.magnitude), high = cutTo32(whole.shiftRightLogical(sign.magnitude, whole.i(32)));
  return sign.restore(twice, wordToFloat(twice, high) * twice.c(0x1p32) + wordToFloat(twice, low));
}

Num integerOfFloat(MathBuilder &whole, MathBuilder &real, Num x, bool isSigned) {
  OpBuilder &ops = real.ops();
  Location loc = real.getLoc();
  auto toWord = [&](Num value) { return real.wrap(arith::FPToUIOp::create(ops, loc, ops.getI32Type(), value.value)); };
  auto widen = [&](Num word) { return whole.wrap(arith::ExtUIOp::create(ops, loc, whole.getInteger(), word.value)); };
  // Products with powers of two are exact, and so is the difference: it is the lower bits of the magnitude.
  Num magnitude = isSigned ? real.abs(x) : x;
  Num high = toWord(magnitude * real.c(0x1p-32));
  Num low = toWord(magnitude - wordToFloat(real, high) * real.c(0x1p32));
  Num result = (widen(high) << 32) | widen(low);
  return isSigned ? whole.select(x < 0, -result, result) : result;
}

} // namespace tiny::uop
