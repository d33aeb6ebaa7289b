// Reductions of elements on the host, for communicators that have none of their own.
#include "Error.h"
#include "Tiny/Runtime/Communicator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace tiny::runtime;

namespace {

/// A float of at most 16 bits: sign, exponent, fraction. f8E4M3FN has no infinity, and its largest fraction is NaN.
struct SmallFloat {
  unsigned exponentBits, fractionBits;
  bool hasInfinity;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  float decode(uint16_t bits) const {
    unsigned exponent = (bits >> fractionBits) & ((1u << exponentBits) - 1),
             fraction = bits & ((1u << fractionBits) - 1);
    bool isNegative = bits >> (exponentBits + fractionBits) & 1;
    float value;
    if (exponent == (1u << exponentBits) - 1 && (hasInfinity || fraction == (1u << fractionBits) - 1))
      value = hasInfinity && fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0)
      value = std::ldexp(float(fraction), 1 - bias() - int(fractionBits));
    else
      value = std::ldexp(float(fraction | 1u << fractionBits), int(exponent) - bias() - int(fractionBits));
    return isNegative ? -value : value;
  }
  /// Rounds to nearest, ties to even. What is too large becomes infinity, or NaN where there is none.
  uint16_t encode(float value) const {
    uint16_t sign = std::signbit(value) ? uint16_t(1u << (exponentBits + fractionBits)) : 0;
    uint16_t allOnes = uint16_t((1u << (exponentBits + fractionBits)) - 1),
             top = uint16_t(((1u << exponentBits) - 1) << fractionBits);
    uint16_t nan = hasInfinity ? uint16_t(top | 1u << (fractionBits - 1)) : allOnes;
    if (std::isnan(value))
      return sign | nan;
    uint16_t tooLarge = hasInfinity ? top : nan;
    float size = std::fabs(value);
    if (std::isinf(size))
      return sign | tooLarge;
    int exponent = 0;
    std::frexp(size, &exponent);
    int step = std::max(exponent - 1, 1 - bias()) - int(fractionBits);
    // A whole number of steps of the exponent, rounded in the current mode, to nearest even.
    float steps = std::nearbyint(std::ldexp(size, -step));
    if (steps == 0)
      return sign;
    unsigned fraction = unsigned(steps);
    int stored = step + int(fractionBits) + bias();
    if (fraction < 1u << fractionBits) // below the least normal number
      return sign | uint16_t(fraction);
    if (fraction == 2u << fractionBits) {
      fraction >>= 1;
      ++stored;
    }
    unsigned bits = unsigned(stored) << fractionBits | (fraction & ((1u << fractionBits) - 1));
    unsigned most = hasInfinity ? top - 1u : allOnes - 1u;
    return sign | (bits > most ? tooLarge : uint16_t(bits));
  }
};

template <typename T> bool isNaN(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(x);
  else
    return false;
}

/// Which of two zeros is the lower one.
template <typename T> bool isNegative(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::signbit(x);
  else
    return false;
}

template <typename T> T reduce(tiny_reduction reduction, T x, T y) {
  switch (reduction) {
  case TINY_REDUCE_MAX:
  case TINY_REDUCE_MIN:
    if (isNaN(x) || isNaN(y))
      return isNaN(x) ? x : y;
    if (x == y)
      return isNegative(x) == (reduction == TINY_REDUCE_MAX) ? y : x;
    return (reduction == TINY_REDUCE_MAX ? x < y : y < x) ? y : x;
  case TINY_REDUCE_PRODUCT:
    return x * y;
  default:
    return x + y;
  }
}

/// `Wide` is what T is computed in: unsigned integers wrap.
template <typename T, typename Wide>
void reduceAll(tiny_reduction reduction, void *target, const void *source, uint64_t count) {
  auto *to = static_cast<char *>(target);
  const auto *from = static_cast<const char *>(source);
  for (uint64_t k = 0; k < count; ++k) {
    T x, y;
    std::memcpy(&x, to + k * sizeof(T), sizeof(T));
    std::memcpy(&y, from + k * sizeof(T), sizeof(T));
    bool compares = reduction == TINY_REDUCE_MAX || reduction == TINY_REDUCE_MIN;
    x = compares ? reduce(reduction, x, y) : T(reduce(reduction, Wide(x), Wide(y)));
    std::memcpy(to + k * sizeof(T), &x, sizeof(T));
  }
}

template <typename Bits>
void reduceSmall(SmallFloat format, tiny_reduction reduction, void *target, const void *source, uint64_t count) {
  auto *to = static_cast<Bits *>(target);
  const auto *from = static_cast<const Bits *>(source);
  for (uint64_t k = 0; k < count; ++k)
    to[k] = Bits(format.encode(reduce(reduction, format.decode(to[k]), format.decode(from[k]))));
}

} // namespace

tiny_status tiny_reduce(tiny_reduction reduction, tiny_dtype dtype, void *target, const void *source, uint64_t count) {
  if (reduction < TINY_REDUCE_SUM || reduction > TINY_REDUCE_MIN)
    return fail(TINY_INVALID_ARGUMENT, "unknown reduction %d", int(reduction));
  switch (dtype) {
  case TINY_DTYPE_I1: {
    // A sum or a product of truth values: the lowest bit of it.
    auto *to = static_cast<unsigned char *>(target);
    const auto *from = static_cast<const unsigned char *>(source);
    for (uint64_t k = 0; k < count; ++k)
      to[k] = (unsigned char)(reduce<unsigned>(reduction, to[k], from[k]) & 1u);
    return TINY_OK;
  }
  case TINY_DTYPE_I8:
    return reduceAll<int8_t, uint8_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_I16:
    return reduceAll<int16_t, uint32_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_I32:
    return reduceAll<int32_t, uint32_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_I64:
    return reduceAll<int64_t, uint64_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_U8:
    return reduceAll<uint8_t, uint32_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_U16:
    return reduceAll<uint16_t, uint32_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_U32:
    return reduceAll<uint32_t, uint32_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_U64:
    return reduceAll<uint64_t, uint64_t>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_F32:
    return reduceAll<float, float>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_F64:
    return reduceAll<double, double>(reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_F16:
    return reduceSmall<uint16_t>({5, 10, true}, reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_BF16:
    return reduceSmall<uint16_t>({8, 7, true}, reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_F8E4M3FN:
    return reduceSmall<uint8_t>({4, 3, false}, reduction, target, source, count), TINY_OK;
  case TINY_DTYPE_F8E5M2:
    return reduceSmall<uint8_t>({5, 2, true}, reduction, target, source, count), TINY_OK;
  }
  return fail(TINY_INVALID_ARGUMENT, "unknown element type %d", int(dtype));
}
