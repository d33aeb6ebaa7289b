// Floats of 16 bits as what they are: bits, and the number behind them.
#ifndef TINY_UNITTESTS_FAKECUDA_FLOATS_H
#define TINY_UNITTESTS_FAKECUDA_FLOATS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace fake {

template <typename To, typename From> To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// The nearest number with so many digits, ties to even, whose exponent is at least `least`.
inline double roundTo(double value, int digits, int least) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent;
  std::frexp(value, &exponent);
  double step = std::ldexp(1.0, (exponent - 1 > least ? exponent - 1 : least) - (digits - 1));
  return std::nearbyint(value / step) * step;
}

/// A float of Digits digits and exponents from Least on.
template <int Digits, int Least> struct Narrow {
  uint16_t bits;
  static constexpr int kMantissa = Digits - 1;
  static constexpr uint16_t kInfinity = uint16_t(((1 << (15 - kMantissa)) - 1) << kMantissa);
  static constexpr uint16_t kNaN = 0x7FFF;

  double number() const {
    double sign = bits >> 15 ? -1.0 : 1.0;
    int exponent = (bits & 0x7FFF) >> kMantissa, mantissa = bits & ((1 << kMantissa) - 1);
    if ((bits & 0x7FFF) > kInfinity)
      return std::nan("");
    if ((bits & 0x7FFF) == kInfinity)
      return sign * HUGE_VAL;
    if (exponent == 0)
      return sign * std::ldexp(double(mantissa), Least - kMantissa);
    return sign * std::ldexp(double(mantissa + (1 << kMantissa)), Least + exponent - 1 - kMantissa);
  }
  static Narrow of(double value) {
    if (std::isnan(value))
      return {kNaN};
    auto sign = uint16_t(std::signbit(value) << 15);
    double rounded = std::fabs(roundTo(value, Digits, Least));
    if (rounded == 0)
      return {sign};
    if (std::isinf(rounded))
      return {uint16_t(sign | kInfinity)};
    int exponent;
    std::frexp(rounded, &exponent);
    --exponent;
    if (exponent > -Least + 1)
      return {uint16_t(sign | kInfinity)};
    if (exponent < Least)
      return {uint16_t(sign | uint16_t(std::ldexp(rounded, kMantissa - Least)))};
    auto whole = uint32_t(std::ldexp(rounded, kMantissa - exponent));
    return {uint16_t(sign | ((exponent - Least + 1) << kMantissa) | (whole & ((1u << kMantissa) - 1)))};
  }
};
using Half = Narrow<11, -14>;
using Bfloat = Narrow<8, -126>;

/// a * b + c with more digits than any of these types has, in a double whose last digit says that there was more: it
/// rounds as the exact value does.
inline double fuseOdd(double product, double c) {
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double other = sum - product, error = (product - (sum - other)) + (c - other);
  if (error != 0 && !(bitsOf<uint64_t>(sum) & 1))
    sum = std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
  return sum;
}

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_FLOATS_H
