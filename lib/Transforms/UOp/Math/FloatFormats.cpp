// Conversion between f32 and the float formats of 16 bits and less, by integer arithmetic on their bits.
#include "FloatFormats.h"

#include <cmath>

using namespace mlir;
using llvm::APFloat;

namespace tiny::uop {
namespace {

/// The layout of a float with a sign bit, of at most 16 bits.
struct Layout {
  int width, mantissa, bias;
  bool hasInfinity;

  explicit Layout(Type type) {
    const llvm::fltSemantics &semantics = cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
    width = APFloat::semanticsSizeInBits(semantics);
    mantissa = APFloat::semanticsPrecision(semantics) - 1;
    bias = 1 - APFloat::semanticsMinExponent(semantics);
    hasInfinity = APFloat::semanticsHasInf(semantics);
  }
  uint32_t sign() const { return 1u << (width - 1); }
  /// All bits of the exponent: infinity, where there is one.
  uint32_t top() const { return sign() - (1u << mantissa); }
  /// What is added to an exponent on the way to f32.
  int rebias() const { return 127 - bias; }
};

constexpr uint32_t kInfinity = 0x7f800000, kQuietNaN = 0x7fc00000, kSign = 0x80000000;

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

} // namespace

Num widenFloat(MathBuilder &m, Value x) {
  Layout layout(x.getType());
  OpBuilder &ops = m.ops();
  Type narrow = withElement(x.getType(), ops.getIntegerType(layout.width));
  Value stored = arith::BitcastOp::create(ops, m.getLoc(), narrow, x);
  Num bits = m.wrap(arith::ExtUIOp::create(ops, m.getLoc(), m.getInteger(), stored));
  if (layout.rebias() == 0)
    return m.real(bits << (32 - layout.width));
  Num magnitude = bits & m.i(layout.sign() - 1), sign = (bits & m.i(layout.sign())) << (32 - layout.width);
  Num normal = (magnitude << (23 - layout.mantissa)) + m.i(uint64_t(layout.rebias()) << 23);
  // A subnormal is its mantissa, as an integer, times the smallest one.
  Num subnormal = m.bits(m.toReal(magnitude) * m.c(std::ldexp(1.0, 1 - layout.bias - layout.mantissa)));
  Num result = m.select(magnitude < m.i(1u << layout.mantissa), subnormal, normal);
  result = layout.hasInfinity ? m.select(magnitude >= m.i(layout.top()), normal | m.i(kInfinity), result)
                              : m.select(magnitude == m.i(layout.sign() - 1), m.i(kQuietNaN), result);
  return m.real(result | sign);
}

Value narrowFloat(Num x, Type type) {
  MathBuilder &m = *x.builder;
  Layout layout(type);
  Num bits = m.bits(x), magnitude = bits & m.i(kSign - 1);
  Num sign = m.shiftRightLogical(bits & m.i(kSign), m.i(32 - layout.width));
  // Half of the last place less one, and one where the place is odd: ties go to even. A carry moves into the exponent.
  int shift = 23 - layout.mantissa;
  Num odd = (magnitude >> shift) & m.i(1);
  Num rounded = m.shiftRightLogical(magnitude + m.i((1u << (shift - 1)) - 1) + odd, m.i(shift));
  if (layout.rebias() != 0) {
    rounded = rounded - m.i(uint64_t(layout.rebias()) << layout.mantissa);
    // Beside this number the last place of f32 is the smallest subnormal, so the sum is rounded where it should be.
    Num big = m.c(std::ldexp(1.0, 24 - layout.bias - layout.mantissa));
    Num subnormal = m.bits(m.real(magnitude) + big) - m.bits(big);
    rounded = m.select(magnitude < m.i(uint64_t(layout.rebias() + 1) << 23), subnormal, rounded);
  }
  // Without infinities, the pattern behind the largest number is NaN.
  Num top = m.i(layout.hasInfinity ? layout.top() : layout.sign() - 1);
  rounded = m.select(rounded > top, top, rounded);
  if (layout.hasInfinity)
    rounded = m.select(magnitude > m.i(kInfinity), m.i(layout.top() | 1u << (layout.mantissa - 1)), rounded);
  OpBuilder &ops = m.ops();
  Type narrow = withElement(type, ops.getIntegerType(layout.width));
  Value stored = arith::TruncIOp::create(ops, m.getLoc(), narrow, (rounded | sign).value);
  return arith::BitcastOp::create(ops, m.getLoc(), type, stored);
}

Num roundToOdd(MathBuilder &m, Value x) {
  OpBuilder &ops = m.ops();
  Location loc = m.getLoc();
  Num nearest = m.wrap(arith::TruncFOp::create(ops, loc, m.getFloat(), x));
  Value back = arith::ExtFOp::create(ops, loc, x.getType(), nearest.value);
  Num inexact = m.wrap(arith::CmpFOp::create(ops, loc, arith::CmpFPredicate::ONE, back, x));
  Num away = m.wrap(arith::CmpFOp::create(ops, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(ops, loc, back),
                                          math::AbsFOp::create(ops, loc, x)));
  Num bits = m.bits(nearest), towardZero = m.select(away, bits - m.i(1), bits);
  return m.real(m.select(inexact, towardZero | m.i(1), bits));
}

} // namespace tiny::uop
