// Finds which function of a polynomial a number is: its inverse is rounded to integers, which are fitted.
#include "Tiny/Algebra/View/NumberFit.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace tiny {

/// What is divided by in models: small integers.
static constexpr int64_t kMostDivisor = 64;

/// Rounds to the format. What double holds is rounded twice, which changes nothing for narrower formats, since it has
/// more than twice their bits.
static double roundTo(double number, const fltSemantics *format) {
  if (!format)
    return number;
  APFloat value(number);
  bool isInexact;
  value.convert(*format, APFloat::rmNearestTiesToEven, &isInexact);
  return value.convertToDouble();
}

static double apply(SizedNumber::Kind kind, int64_t divisor, double whole, const fltSemantics *format) {
  double number = roundTo(whole, format);
  switch (kind) {
  case SizedNumber::Kind::Whole:
    return number;
  case SizedNumber::Kind::Quotient:
    return roundTo(number / static_cast<double>(divisor), format);
  case SizedNumber::Kind::Reciprocal:
    return roundTo(1 / number, format);
  case SizedNumber::Kind::Root:
    return roundTo(std::sqrt(number), format);
  case SizedNumber::Kind::ReciprocalRoot:
    return roundTo(1 / roundTo(std::sqrt(number), format), format);
  }
  return number;
}

/// The integer that the function most likely gives the value of.
static double invert(SizedNumber::Kind kind, int64_t divisor, double value) {
  switch (kind) {
  case SizedNumber::Kind::Whole:
    return value;
  case SizedNumber::Kind::Quotient:
    return value * static_cast<double>(divisor);
  case SizedNumber::Kind::Reciprocal:
    return 1 / value;
  case SizedNumber::Kind::Root:
    return value * value;
  case SizedNumber::Kind::ReciprocalRoot:
    return 1 / value / value;
  }
  return value;
}

double SizedNumber::evaluate(ArrayRef<int64_t> point, const fltSemantics *format) const {
  return apply(kind, divisor, static_cast<double>(polynomial.evaluate(point).value_or(0)), format);
}

std::optional<SizedNumber> fitNumber(const DimFit &fit, ArrayRef<double> values, const fltSemantics *format) {
  auto find = [&](SizedNumber::Kind kind, int64_t divisor) -> std::optional<SizedNumber> {
    SmallVector<int64_t> numbers;
    for (double value : values) {
      double whole = std::round(invert(kind, divisor, value));
      if (!(std::abs(whole) < 0x1p53) || apply(kind, divisor, whole, format) != value)
        return std::nullopt;
      numbers.push_back(static_cast<int64_t>(whole));
    }
    if (std::optional<Dim> polynomial = fit.fit(numbers))
      return SizedNumber{*polynomial, kind, divisor};
    return std::nullopt;
  };
  if (std::optional<SizedNumber> found = find(SizedNumber::Kind::Whole, 1); found || !format)
    return found;
  for (auto kind : {SizedNumber::Kind::Reciprocal, SizedNumber::Kind::Root, SizedNumber::Kind::ReciprocalRoot})
    if (std::optional<SizedNumber> found = find(kind, 1))
      return found;
  for (int64_t divisor = 2; divisor <= kMostDivisor; ++divisor)
    if (std::optional<SizedNumber> found = find(SizedNumber::Kind::Quotient, divisor))
      return found;
  return std::nullopt;
}

} // namespace tiny
