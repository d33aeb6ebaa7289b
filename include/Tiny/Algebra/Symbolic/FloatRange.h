// Intervals of floats. The basic operations round to nearest, which is monotone, so that the rounded corners of an
// interval bound every rounded result: no directed rounding is needed.
#ifndef TINY_ALGEBRA_SYMBOLIC_FLOATRANGE_H
#define TINY_ALGEBRA_SYMBOLIC_FLOATRANGE_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

#include "llvm/ADT/APFloat.h"

namespace tiny {

/// Every value is a number (never NaN) of one format with low <= value <= high; a zero bound stands for both zeros.
struct FloatRange {
  llvm::APFloat low, high;

  const llvm::fltSemantics &format() const { return low.getSemantics(); }
  bool isFinite() const { return low.isFinite() && high.isFinite(); }
  bool contains(double value) const;
};

/// None where a bound is NaN.
std::optional<FloatRange> makeFloatRange(llvm::APFloat low, llvm::APFloat high);
/// From doubles, outward: the format's numbers that are next to them.
std::optional<FloatRange> makeFloatRange(const llvm::fltSemantics &format, double low, double high);

/// What an operation gives on two ranges of one format; none where it may be NaN.
enum class FloatOp { Add, Sub, Mul, Div, Max, Min };
std::optional<FloatRange> apply(FloatOp op, const FloatRange &a, const FloatRange &b);
FloatRange negate(const FloatRange &a);
FloatRange unite(const FloatRange &a, const FloatRange &b);
/// |x|
FloatRange absolute(const FloatRange &a);
/// To an integral value of the same format.
FloatRange roundToIntegral(const FloatRange &a, llvm::RoundingMode mode);

/// Conversions, rounded to nearest; none for the integer of a float that does not surely fit `width` bits.
FloatRange convert(const FloatRange &a, const llvm::fltSemantics &format);
FloatRange toFloat(Bounds a, const llvm::fltSemantics &format);
std::optional<Bounds> toInteger(const FloatRange &a, unsigned width, bool isSigned);

/// True if x * 2^k is exact for each x of the range: it does not overflow, and loses no bit to underflow.
bool scalesExactly(const FloatRange &a, int k);
/// True if each x of the range, and each x * 2^k, is finite and above the least normal number in size, so that scaling
/// commutes with rounding.
bool staysNormal(const FloatRange &a, int k);

} // namespace tiny

#endif // TINY_ALGEBRA_SYMBOLIC_FLOATRANGE_H
