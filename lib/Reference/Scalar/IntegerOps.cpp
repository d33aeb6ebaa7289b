// arith and sym on integers and index. Results need not wrap here: the caller brings them into their type.
#include "ScalarOps.h"

#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace mlir;

namespace tiny::reference {

// The body of a row: x and y are the operands, w their width, `undefined` the flag.
#define I1(EXPR)                                                                                                       \
  [](const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &undefined) {                                \
    const unsigned w = code.in.width;                                                                                  \
    (void)w;                                                                                                           \
    for (size_t k = 0; k < count; ++k) {                                                                               \
      int64_t x = in[0][k].i;                                                                                          \
      out[k].i = static_cast<int64_t>(EXPR);                                                                           \
    }                                                                                                                  \
  }
#define I2(EXPR)                                                                                                       \
  [](const ScalarCode &code, LaneArgs in, Scalar *out, size_t count, bool &undefined) {                                \
    const unsigned w = code.in.width;                                                                                  \
    (void)w;                                                                                                           \
    for (size_t k = 0; k < count; ++k) {                                                                               \
      int64_t x = in[0][k].i, y = in[1][k].i;                                                                          \
      out[k].i = static_cast<int64_t>(EXPR);                                                                           \
    }                                                                                                                  \
  }

static uint64_t bits(int64_t x) { return static_cast<uint64_t>(x); }

static int64_t divide(int64_t x, int64_t y, bool &undefined) {
  if (y == 0) {
    undefined = true;
    return 0;
  }
  // The one quotient that does not fit; it wraps.
  return y == -1 ? static_cast<int64_t>(-bits(x)) : x / y;
}
static int64_t remainder(int64_t x, int64_t y, bool &undefined) {
  if (y == 0) {
    undefined = true;
    return 0;
  }
  return y == -1 ? 0 : x % y;
}
static uint64_t divideUnsigned(uint64_t x, uint64_t y, bool &undefined) {
  undefined |= y == 0;
  return y == 0 ? 0 : x / y;
}
static uint64_t remainderUnsigned(uint64_t x, uint64_t y, bool &undefined) {
  undefined |= y == 0;
  return y == 0 ? 0 : x % y;
}
static int64_t floorDivide(int64_t x, int64_t y, bool &undefined) {
  int64_t r = remainder(x, y, undefined);
  return divide(x, y, undefined) - (r != 0 && (r < 0) != (y < 0));
}
static int64_t ceilDivide(int64_t x, int64_t y, bool &undefined) {
  int64_t r = remainder(x, y, undefined);
  return divide(x, y, undefined) + (r != 0 && (r < 0) == (y < 0));
}
static int64_t floorModulo(int64_t x, int64_t y, bool &undefined) {
  int64_t r = remainder(x, y, undefined);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
static int64_t highSigned(int64_t x, int64_t y, unsigned w) {
  return static_cast<int64_t>((static_cast<__int128>(x) * y) >> w);
}
static int64_t highUnsigned(uint64_t x, uint64_t y, unsigned w) {
  return static_cast<int64_t>((static_cast<unsigned __int128>(x) * y) >> w);
}
static int64_t power(int64_t x, int64_t y) {
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
  uint64_t result = 1, base = bits(x);
  for (; y; y >>= 1, base *= base)
    if (y & 1)
      result *= base;
  return static_cast<int64_t>(result);
}

static bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y, unsigned w) {
  using P = arith::CmpIPredicate;
  uint64_t ux = zeroExtend(x, w), uy = zeroExtend(y, w);
  switch (predicate) {
  case P::eq:
    return x == y;
  case P::ne:
    return x != y;
  case P::slt:
    return x < y;
  case P::sle:
    return x <= y;
  case P::sgt:
    return x > y;
  case P::sge:
    return x >= y;
  case P::ult:
    return ux < uy;
  case P::ule:
    return ux <= uy;
  case P::ugt:
    return ux > uy;
  case P::uge:
    return ux >= uy;
  }
  return false;
}

#define U(V) zeroExtend(V, w)

/// Integers and floats alike.
static void copyLanes(const ScalarCode &, LaneArgs in, Scalar *out, size_t count, bool &) {
  std::copy_n(in[0], count, out);
}

static const ScalarEntry entries[] = {
    {"arith.addi", I2(bits(x) + bits(y))},
    {"arith.subi", I2(bits(x) - bits(y))},
    {"arith.muli", I2(bits(x) * bits(y))},
    {"arith.addui_extended", I2(bits(x) + bits(y))},
    {"arith.addui_extended#1", I2(zeroExtend(static_cast<int64_t>(bits(x) + bits(y)), w) < U(x) ? -1 : 0)},
    {"arith.mulsi_extended", I2(bits(x) * bits(y))},
    {"arith.mulsi_extended#1", I2(highSigned(x, y, w))},
    {"arith.mului_extended", I2(bits(x) * bits(y))},
    {"arith.mului_extended#1", I2(highUnsigned(U(x), U(y), w))},
    {"arith.divsi", I2(divide(x, y, undefined))},
    {"arith.divui", I2(divideUnsigned(U(x), U(y), undefined))},
    {"arith.remsi", I2(remainder(x, y, undefined))},
    {"arith.remui", I2(remainderUnsigned(U(x), U(y), undefined))},
    {"arith.floordivsi", I2(floorDivide(x, y, undefined))},
    {"arith.ceildivsi", I2(ceilDivide(x, y, undefined))},
    {"arith.ceildivui", I2(U(x) == 0 && y != 0 ? 0 : divideUnsigned(U(x) - 1, U(y), undefined) + 1)},
    {"sym.mod", I2(floorModulo(x, y, undefined))},
    {"sym.range_of", copyLanes},
    {"arith.andi", I2(x & y)},
    {"arith.ori", I2(x | y)},
    {"arith.xori", I2(x ^ y)},
    {"arith.shli", I2(U(y) >= w ? 0 : bits(x) << y)},
    {"arith.shrsi", I2(U(y) >= w ? (x < 0 ? -1 : 0) : x >> y)},
    {"arith.shrui", I2(U(y) >= w ? 0 : U(x) >> y)},
    {"arith.maxsi", I2(std::max(x, y))},
    {"arith.minsi", I2(std::min(x, y))},
    {"arith.maxui", I2(U(x) >= U(y) ? x : y)},
    {"arith.minui", I2(U(x) <= U(y) ? x : y)},
    {"arith.cmpi", I2(compare(static_cast<arith::CmpIPredicate>(code.parameter), x, y, w) ? -1 : 0)},
    {"arith.extsi", I1(x)},
    {"arith.extui", I1(U(x))},
    {"arith.trunci", I1(x)},
    {"arith.index_cast", I1(x)},
    {"arith.index_castui", I1(U(x))},
    {"math.absi", I1(x < 0 ? -bits(x) : bits(x))},
    {"math.ctpop", I1(llvm::popcount(U(x)))},
    {"math.ctlz", I1(llvm::countl_zero(U(x)) - (64 - static_cast<int>(w)))},
    {"math.cttz", I1(U(x) == 0 ? w : llvm::countr_zero(U(x)))},
    {"math.ipowi", I2(power(x, y))},
};

ArrayRef<ScalarEntry> getIntegerOps() { return entries; }

} // namespace tiny::reference
