// arith on floats, select and the casts between floats and integers.
#include "ScalarOps.h"

#include <cmath>

using namespace mlir;

namespace tiny::reference {

// The body of a row: x and y are the operands.
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

// NaN wins, and -0 < +0.
static double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? x : y;
  return x == y ? (std::signbit(x) ? y : x) : (x > y ? x : y);
}
static double minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? x : y;
  return x == y ? (std::signbit(x) ? x : y) : (x < y ? x : y);
}
// A number wins over NaN.
static double maxnum(double x, double y) { return std::isnan(x) ? y : std::isnan(y) ? x : maximum(x, y); }
static double minnum(double x, double y) { return std::isnan(x) ? y : std::isnan(y) ? x : minimum(x, y); }

static bool compare(arith::CmpFPredicate predicate, double x, double y) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return x == y;
  case P::OGT:
    return x > y;
  case P::OGE:
    return x >= y;
  case P::OLT:
    return x < y;
  case P::OLE:
    return x <= y;
  case P::ONE:
    return !unordered && x != y;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || x == y;
  case P::UGT:
    return unordered || x > y;
  case P::UGE:
    return unordered || x >= y;
  case P::ULT:
    return unordered || x < y;
  case P::ULE:
    return unordered || x <= y;
  case P::UNE:
    return unordered || x != y;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

static void select(const ScalarCode &, LaneArgs in, Scalar *out, size_t count, bool &) {
  for (size_t k = 0; k < count; ++k)
    out[k] = in[0][k].i ? in[1][k] : in[2][k];
}
static void compareLanes(const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {
  auto predicate = static_cast<arith::CmpFPredicate>(code.parameter);
  for (size_t k = 0; k < count; ++k)
    out[k].i = compare(predicate, in[0][k].f, in[1][k].f) ? -1 : 0;
}
template <bool isSigned> static void toFloat(const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {
  for (size_t k = 0; k < count; ++k) {
    int64_t x = isSigned ? in[0][k].i : static_cast<int64_t>(zeroExtend(in[0][k].i, code.in.width));
    out[k].f = intToFloat(code.out.format, x, isSigned);
  }
}
template <bool isSigned> static void toInteger(const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {
  for (size_t k = 0; k < count; ++k)
    out[k].i = floatToInt(in[0][k].f, code.out.width, isSigned);
}
static void bitcast(const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &) {
  for (size_t k = 0; k < count; ++k)
    out[k] = decode(code.out, encode(code.in, in[0][k]));
}

static const ScalarEntry entries[] = {
    {"arith.addf", F2(x + y)},
    {"arith.subf", F2(x - y)},
    {"arith.mulf", F2(x * y)},
    {"arith.divf", F2(x / y)},
    {"arith.remf", F2(std::fmod(x, y))},
    {"arith.negf", F1(-x)},
    {"arith.maximumf", F2(maximum(x, y))},
    {"arith.minimumf", F2(minimum(x, y))},
    {"arith.maxnumf", F2(maxnum(x, y))},
    {"arith.minnumf", F2(minnum(x, y))},
    {"arith.extf", F1(x)},
    {"arith.truncf", F1(x)},
    {"arith.convertf", F1(x)},
    {"arith.cmpf", compareLanes},
    {"arith.select", select},
    {"arith.sitofp", toFloat<true>},
    {"arith.uitofp", toFloat<false>},
    {"arith.fptosi", toInteger<true>},
    {"arith.fptoui", toInteger<false>},
    {"arith.bitcast", bitcast},
};

ArrayRef<ScalarEntry> getFloatOps() { return entries; }

} // namespace tiny::reference
