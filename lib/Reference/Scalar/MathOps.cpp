// math on floats: the C library in double, rounded once to the type.
#include "ScalarOps.h"

#include <cmath>

using namespace mlir;

namespace tiny::reference {

#define F1(EXPR)                                                                                                       \
  [](const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {                                         \
    for (size_t k = 0; k < count; ++k) {                                                                               \
      double x = in[0][k].f;                                                                                           \
      out[k].f = (EXPR);                                                                                               \
    }                                                                                                                  \
  }
#define F2(EXPR)                                                                                                       \
  [](const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {                                         \
    for (size_t k = 0; k < count; ++k) {                                                                               \
      double x = in[0][k].f, y = in[1][k].f;                                                                           \
      out[k].f = (EXPR);                                                                                               \
    }                                                                                                                  \
  }
#define TEST(EXPR)                                                                                                     \
  [](const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {                                         \
    for (size_t k = 0; k < count; ++k) {                                                                               \
      double x = in[0][k].f;                                                                                           \
      out[k].i = (EXPR) ? -1 : 0;                                                                                      \
    }                                                                                                                  \
  }

static void fma(const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {
  for (size_t k = 0; k < count; ++k) {
    double x = in[0][k].f, y = in[1][k].f, z = in[2][k].f;
    // In single precision by itself: through double it would be rounded twice.
    out[k].f = code.out.format == Format::F32
                   ? std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))
                   : std::fma(x, y, z);
  }
}
static void fpowi(const ScalarCode &, LaneArgs in, Scalar *out, size_t count, bool &) {
  for (size_t k = 0; k < count; ++k)
    out[k].f = std::pow(in[0][k].f, static_cast<double>(in[1][k].i));
}
static void clamp(const ScalarCode &, LaneArgs in, Scalar *out, size_t count, bool &) {
  for (size_t k = 0; k < count; ++k) {
    double x = in[0][k].f, low = in[1][k].f, high = in[2][k].f;
    out[k].f = std::isnan(x) ? x : x < low ? low : x > high ? high : x;
  }
}

static bool isNormal(const ScalarCode &code, double x) {
  int minimum = code.in.format == Format::F64        ? -1022
                : code.in.format == Format::F32      ? -126
                : code.in.format == Format::BF16     ? -126
                : code.in.format == Format::F8E4M3FN ? -6
                                                     : -14;
  return std::isfinite(x) && std::fabs(x) >= std::ldexp(1.0, minimum);
}

static const ScalarEntry entries[] = {
    {"math.absf", F1(std::fabs(x))},
    {"math.acos", F1(std::acos(x))},
    {"math.acosh", F1(std::acosh(x))},
    {"math.asin", F1(std::asin(x))},
    {"math.asinh", F1(std::asinh(x))},
    {"math.atan", F1(std::atan(x))},
    {"math.atan2", F2(std::atan2(x, y))},
    {"math.atanh", F1(std::atanh(x))},
    {"math.cbrt", F1(std::cbrt(x))},
    {"math.ceil", F1(std::ceil(x))},
    {"math.clampf", clamp},
    {"math.copysign", F2(std::copysign(x, y))},
    {"math.cos", F1(std::cos(x))},
    {"math.cosh", F1(std::cosh(x))},
    {"math.erf", F1(std::erf(x))},
    {"math.erfc", F1(std::erfc(x))},
    {"math.exp", F1(std::exp(x))},
    {"math.exp2", F1(std::exp2(x))},
    {"math.expm1", F1(std::expm1(x))},
    {"math.floor", F1(std::floor(x))},
    {"math.fma", fma},
    {"vector.fma", fma},
    {"math.fpowi", fpowi},
    {"math.isfinite", TEST(std::isfinite(x))},
    {"math.isinf", TEST(std::isinf(x))},
    {"math.isnan", TEST(std::isnan(x))},
    {"math.isnormal", TEST(isNormal(code, x))},
    {"math.log", F1(std::log(x))},
    {"math.log10", F1(std::log10(x))},
    {"math.log1p", F1(std::log1p(x))},
    {"math.log2", F1(std::log2(x))},
    {"math.powf", F2(std::pow(x, y))},
    {"math.round", F1(std::round(x))},
    {"math.roundeven", F1(std::nearbyint(x))},
    {"math.rsqrt", F1(1.0 / std::sqrt(x))},
    {"math.sin", F1(std::sin(x))},
    {"math.sincos", F1(std::sin(x))},
    {"math.sincos#1", F1(std::cos(x))},
    {"math.sinh", F1(std::sinh(x))},
    {"math.sqrt", F1(std::sqrt(x))},
    {"math.tan", F1(std::tan(x))},
    {"math.tanh", F1(std::tanh(x))},
    {"math.trunc", F1(std::trunc(x))},
};

ArrayRef<ScalarEntry> getMathOps() { return entries; }

} // namespace tiny::reference
