// Interval arithmetic on floats: applies an operation to the bounds of its operands, with the operation's own rounding.
#include "Tiny/Algebra/Symbolic/FloatRange.h"

using namespace llvm;
using namespace tiny;

static bool isBelow(const APFloat &a, const APFloat &b) { return a.compare(b) == APFloat::cmpLessThan; }
static APFloat least(const APFloat &a, const APFloat &b) { return isBelow(b, a) ? b : a; }
static APFloat most(const APFloat &a, const APFloat &b) { return isBelow(a, b) ? b : a; }

bool FloatRange::contains(double value) const {
  APFloat exact(value);
  bool losesInfo;
  APFloat below = low, above = high;
  below.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  above.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return !isBelow(exact, below) && !isBelow(above, exact);
}

std::optional<FloatRange> tiny::makeFloatRange(APFloat low, APFloat high) {
  if (low.isNaN() || high.isNaN() || isBelow(high, low))
    return std::nullopt;
  return FloatRange{std::move(low), std::move(high)};
}

std::optional<FloatRange> tiny::makeFloatRange(const fltSemantics &format, double low, double high) {
  APFloat a(low), b(high);
  bool losesInfo;
  a.convert(format, APFloat::rmTowardNegative, &losesInfo);
  b.convert(format, APFloat::rmTowardPositive, &losesInfo);
  return makeFloatRange(std::move(a), std::move(b));
}

FloatRange tiny::negate(const FloatRange &a) { return {neg(a.high), neg(a.low)}; }

FloatRange tiny::unite(const FloatRange &a, const FloatRange &b) { return {least(a.low, b.low), most(a.high, b.high)}; }

FloatRange tiny::absolute(const FloatRange &a) {
  if (!a.low.isNegative())
    return a;
  if (a.high.isNegative() || a.high.isZero())
    return {abs(a.high), abs(a.low)};
  return {APFloat::getZero(a.format()), most(abs(a.low), a.high)};
}

FloatRange tiny::roundToIntegral(const FloatRange &a, RoundingMode mode) {
  FloatRange result = a;
  result.low.roundToIntegral(mode);
  result.high.roundToIntegral(mode);
  return result;
}

std::optional<FloatRange> tiny::apply(FloatOp op, const FloatRange &a, const FloatRange &b) {
  if (op == FloatOp::Max)
    return FloatRange{most(a.low, b.low), most(a.high, b.high)};
  if (op == FloatOp::Min)
    return FloatRange{least(a.low, b.low), least(a.high, b.high)};
  if (op == FloatOp::Sub)
    return apply(FloatOp::Add, a, negate(b));
  if (op == FloatOp::Add) {
    APFloat low = a.low, high = a.high;
    low.add(b.low, APFloat::rmNearestTiesToEven);
    high.add(b.high, APFloat::rmNearestTiesToEven);
    // inf - inf is NaN, and lies between corners that are none.
    bool mayCancel = (a.high.isInfinity() && b.low.isInfinity()) || (a.low.isInfinity() && b.high.isInfinity());
    return mayCancel ? std::nullopt : makeFloatRange(std::move(low), std::move(high));
  }
  bool hasInfinity = !a.isFinite() || !b.isFinite();
  bool hasZero = a.contains(0) || b.contains(0);
  if ((op == FloatOp::Mul && hasInfinity && hasZero) || (op == FloatOp::Div && (b.contains(0) || hasInfinity)))
    return std::nullopt;
  std::optional<FloatRange> result;
  for (const APFloat *x : {&a.low, &a.high})
    for (const APFloat *y : {&b.low, &b.high}) {
      APFloat corner = *x;
      if (op == FloatOp::Mul)
        corner.multiply(*y, APFloat::rmNearestTiesToEven);
      else
        corner.divide(*y, APFloat::rmNearestTiesToEven);
      if (corner.isNaN())
        return std::nullopt;
      FloatRange point{corner, corner};
      result = result ? unite(*result, point) : point;
    }
  return result;
}

FloatRange tiny::convert(const FloatRange &a, const fltSemantics &format) {
  FloatRange result = a;
  bool losesInfo;
  result.low.convert(format, APFloat::rmNearestTiesToEven, &losesInfo);
  result.high.convert(format, APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

FloatRange tiny::toFloat(Bounds a, const fltSemantics &format) {
  auto convertOne = [&](int64_t value) {
    APFloat result(format);
    result.convertFromAPInt(APInt(64, uint64_t(value), true), true, APFloat::rmNearestTiesToEven);
    return result;
  };
  return {convertOne(a.low), convertOne(a.high)};
}

std::optional<Bounds> tiny::toInteger(const FloatRange &a, unsigned width, bool isSigned) {
  auto convertOne = [&](const APFloat &value) -> std::optional<int64_t> {
    APSInt result(width, !isSigned);
    bool isExact;
    if (value.convertToInteger(result, APFloat::rmTowardZero, &isExact) == APFloat::opInvalidOp)
      return std::nullopt;
    return isSigned || width < 64 ? std::optional<int64_t>(result.getExtValue()) : std::nullopt;
  };
  std::optional<int64_t> low = convertOne(a.low), high = convertOne(a.high);
  if (!low || !high)
    return std::nullopt;
  return Bounds{*low, *high};
}

/// x * 2^k, or NaN where that is not exact.
static APFloat scaled(const APFloat &x, int k) {
  APFloat result = scalbn(x, k, APFloat::rmNearestTiesToEven);
  APFloat back = scalbn(result, -k, APFloat::rmNearestTiesToEven);
  return result.isFinite() && back.bitwiseIsEqual(x) ? result : APFloat::getNaN(x.getSemantics());
}

bool tiny::scalesExactly(const FloatRange &a, int k) {
  if (!a.isFinite() || scaled(a.low, k).isNaN() || scaled(a.high, k).isNaN())
    return false;
  // Up, only overflow loses. Down, only what becomes subnormal: nothing near zero may be there.
  return k >= 0 || staysNormal(a, k);
}

bool tiny::staysNormal(const FloatRange &a, int k) {
  if (!a.isFinite() || a.contains(0))
    return false;
  return llvm::all_of(std::array<const APFloat *, 2>{&a.low, &a.high}, [&](const APFloat *bound) {
    // The least normal number itself may have been rounded up to with the coarser steps below it.
    APFloat smallest = APFloat::getSmallestNormalized(a.format()), next = scaled(*bound, k);
    return isBelow(smallest, abs(*bound)) && !next.isNaN() && isBelow(smallest, abs(next));
  });
}
