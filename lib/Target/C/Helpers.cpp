// The functions that kernels call: what C leaves undefined or spells differently. Signed sums and products go through
// unsigned numbers, shifts by the width or more give 0 or the sign, NaN goes through maximum and minimum.
#include "WriteProgram.h"

namespace tiny::c {

static constexpr llvm::StringLiteral kHelpers = R"C(#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Products and sums are fused only where fmaf says so; gcc needs -ffp-contract=off for that. */
#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT OFF
#endif

#define TINY_INTEGERS(n, wide) \
  static inline int##n##_t tiny_add_i##n(int##n##_t x, int##n##_t y) { return (int##n##_t)((wide)x + (wide)y); } \
  static inline int##n##_t tiny_sub_i##n(int##n##_t x, int##n##_t y) { return (int##n##_t)((wide)x - (wide)y); } \
  static inline int##n##_t tiny_mul_i##n(int##n##_t x, int##n##_t y) { return (int##n##_t)((wide)x * (wide)y); } \
  static inline int##n##_t tiny_and_i##n(int##n##_t x, int##n##_t y) { return (int##n##_t)(x & y); } \
  static inline int##n##_t tiny_or_i##n(int##n##_t x, int##n##_t y) { return (int##n##_t)(x | y); } \
  static inline int##n##_t tiny_xor_i##n(int##n##_t x, int##n##_t y) { return (int##n##_t)(x ^ y); } \
  static inline int##n##_t tiny_shl_i##n(int##n##_t x, int##n##_t y) { \
    return (uint##n##_t)y < n ? (int##n##_t)((wide)x << y) : 0; \
  } \
  static inline int##n##_t tiny_shru_i##n(int##n##_t x, int##n##_t y) { \
    return (uint##n##_t)y < n ? (int##n##_t)((uint##n##_t)x >> y) : 0; \
  } \
  static inline int##n##_t tiny_shrs_i##n(int##n##_t x, int##n##_t y) { \
    return (int##n##_t)(x >> ((uint##n##_t)y < n ? y : n - 1)); \
  } \
  static inline int##n##_t tiny_divs_i##n(int##n##_t x, int##n##_t y) { \
    return y == 0 ? 0 : y == -1 ? tiny_sub_i##n(0, x) : (int##n##_t)(x / y); \
  } \
  static inline int##n##_t tiny_rems_i##n(int##n##_t x, int##n##_t y) { \
    return y == 0 || y == -1 ? 0 : (int##n##_t)(x % y); \
  } \
  static inline int##n##_t tiny_divu_i##n(int##n##_t x, int##n##_t y) { \
    return y == 0 ? 0 : (int##n##_t)((uint##n##_t)x / (uint##n##_t)y); \
  } \
  static inline int##n##_t tiny_remu_i##n(int##n##_t x, int##n##_t y) { \
    return y == 0 ? 0 : (int##n##_t)((uint##n##_t)x % (uint##n##_t)y); \
  } \
  static inline int##n##_t tiny_mod_i##n(int##n##_t x, int##n##_t y) { \
    int##n##_t r = tiny_rems_i##n(x, y); \
    return r != 0 && (r ^ y) < 0 ? (int##n##_t)(r + y) : r; \
  } \
  static inline int##n##_t tiny_floordiv_i##n(int##n##_t x, int##n##_t y) { \
    int##n##_t r = tiny_rems_i##n(x, y), q = tiny_divs_i##n(x, y); \
    return r != 0 && (r ^ y) < 0 ? (int##n##_t)(q - 1) : q; \
  } \
  static inline int##n##_t tiny_ceildiv_i##n(int##n##_t x, int##n##_t y) { \
    int##n##_t r = tiny_rems_i##n(x, y), q = tiny_divs_i##n(x, y); \
    return r != 0 && (r ^ y) >= 0 ? (int##n##_t)(q + 1) : q; \
  } \
  static inline int##n##_t tiny_ceildivu_i##n(int##n##_t x, int##n##_t y) { \
    return (int##n##_t)(tiny_divu_i##n(x, y) + (tiny_remu_i##n(x, y) != 0)); \
  } \
  static inline int##n##_t tiny_maxs_i##n(int##n##_t x, int##n##_t y) { return x > y ? x : y; } \
  static inline int##n##_t tiny_mins_i##n(int##n##_t x, int##n##_t y) { return x < y ? x : y; } \
  static inline bool tiny_ult_i##n(int##n##_t x, int##n##_t y) { return (uint##n##_t)x < (uint##n##_t)y; } \
  static inline bool tiny_ule_i##n(int##n##_t x, int##n##_t y) { return (uint##n##_t)x <= (uint##n##_t)y; } \
  static inline bool tiny_ugt_i##n(int##n##_t x, int##n##_t y) { return (uint##n##_t)x > (uint##n##_t)y; } \
  static inline bool tiny_uge_i##n(int##n##_t x, int##n##_t y) { return (uint##n##_t)x >= (uint##n##_t)y; } \
  static inline int##n##_t tiny_maxu_i##n(int##n##_t x, int##n##_t y) { return tiny_ugt_i##n(x, y) ? x : y; } \
  static inline int##n##_t tiny_minu_i##n(int##n##_t x, int##n##_t y) { return tiny_ult_i##n(x, y) ? x : y; } \
  static inline int##n##_t tiny_abs_i##n(int##n##_t x) { return x < 0 ? tiny_sub_i##n(0, x) : x; } \
  static inline bool tiny_odd_i##n(int##n##_t x) { return (x & 1) != 0; } \
  static inline int##n##_t tiny_ctpop_i##n(int##n##_t x) { \
    int##n##_t count = 0; \
    for (uint##n##_t rest = (uint##n##_t)x; rest != 0; rest &= (uint##n##_t)(rest - 1)) \
      ++count; \
    return count; \
  } \
  static inline int##n##_t tiny_ctlz_i##n(int##n##_t x) { \
    int##n##_t count = n; \
    for (uint##n##_t rest = (uint##n##_t)x; rest != 0; rest >>= 1) \
      --count; \
    return count; \
  } \
  static inline int##n##_t tiny_cttz_i##n(int##n##_t x) { \
    return x == 0 ? n : tiny_ctpop_i##n((int##n##_t)(((wide)x & (0 - (wide)x)) - 1)); \
  }

static inline bool tiny_and_i1(bool x, bool y) { return x && y; }
static inline bool tiny_or_i1(bool x, bool y) { return x || y; }
static inline bool tiny_xor_i1(bool x, bool y) { return x != y; }
static inline bool tiny_eq_i1(bool x, bool y) { return x == y; }
static inline bool tiny_ne_i1(bool x, bool y) { return x != y; }
static inline bool tiny_ult_i1(bool x, bool y) { return !x && y; }
static inline bool tiny_ule_i1(bool x, bool y) { return !x || y; }
static inline bool tiny_ugt_i1(bool x, bool y) { return x && !y; }
static inline bool tiny_uge_i1(bool x, bool y) { return x || !y; }
/* A signed bit that is set is -1. */
static inline bool tiny_slt_i1(bool x, bool y) { return x && !y; }
static inline bool tiny_sle_i1(bool x, bool y) { return x || !y; }
static inline bool tiny_sgt_i1(bool x, bool y) { return !x && y; }
static inline bool tiny_sge_i1(bool x, bool y) { return !x || y; }

TINY_INTEGERS(8, uint32_t)
TINY_INTEGERS(16, uint32_t)
TINY_INTEGERS(32, uint32_t)
TINY_INTEGERS(64, uint64_t)

#define TINY_HIGH_PRODUCT(n, twice) \
  static inline int##n##_t tiny_mulhu_i##n(int##n##_t x, int##n##_t y) { \
    return (int##n##_t)(((twice)(uint##n##_t)x * (uint##n##_t)y) >> n); \
  }

TINY_HIGH_PRODUCT(8, uint32_t)
TINY_HIGH_PRODUCT(16, uint32_t)
TINY_HIGH_PRODUCT(32, uint64_t)

static inline int64_t tiny_mulhu_i64(int64_t x, int64_t y) {
  uint64_t a = (uint64_t)x >> 32, b = (uint32_t)x, c = (uint64_t)y >> 32, d = (uint32_t)y;
  uint64_t middle = a * d + (b * d >> 32), low = b * c + (uint32_t)middle;
  return (int64_t)(a * c + (middle >> 32) + (low >> 32));
}

/* Casts to integers give the nearest one that the type has, and 0 for NaN. */
#define TINY_FLOATS(n, type, f) \
  static inline type tiny_maximum_f##n(type x, type y) { \
    return isnan(x) ? x : isnan(y) ? y : x == y ? (signbit(x) ? y : x) : x > y ? x : y; \
  } \
  static inline type tiny_minimum_f##n(type x, type y) { \
    return isnan(x) ? x : isnan(y) ? y : x == y ? (signbit(x) ? x : y) : x < y ? x : y; \
  } \
  static inline type tiny_maxnum_f##n(type x, type y) { return isnan(x) ? y : isnan(y) ? x : tiny_maximum_f##n(x, y); } \
  static inline type tiny_minnum_f##n(type x, type y) { return isnan(x) ? y : isnan(y) ? x : tiny_minimum_f##n(x, y); } \
  static inline type tiny_rsqrt_f##n(type x) { return 1 / sqrt##f(x); } \
  static inline bool tiny_isnan_f##n(type x) { return isnan(x); } \
  static inline bool tiny_isinf_f##n(type x) { return isinf(x); } \
  static inline bool tiny_isfinite_f##n(type x) { return isfinite(x); } \
  static inline bool tiny_isnormal_f##n(type x) { return isnormal(x); } \
  static inline bool tiny_ord_f##n(type x, type y) { return !isunordered(x, y); } \
  static inline bool tiny_uno_f##n(type x, type y) { return isunordered(x, y); } \
  static inline bool tiny_one_f##n(type x, type y) { return x < y || x > y; } \
  static inline bool tiny_ueq_f##n(type x, type y) { return !(x < y || x > y); } \
  static inline bool tiny_ult_f##n(type x, type y) { return !(x >= y); } \
  static inline bool tiny_ule_f##n(type x, type y) { return !(x > y); } \
  static inline bool tiny_ugt_f##n(type x, type y) { return !(x <= y); } \
  static inline bool tiny_uge_f##n(type x, type y) { return !(x < y); } \
  static inline bool tiny_to_u1_f##n(type x) { return x >= 1; } \
  static inline bool tiny_to_i1_f##n(type x) { return x <= -1; } \
  TINY_TO_INTEGER(n, type, 8) \
  TINY_TO_INTEGER(n, type, 16) \
  TINY_TO_INTEGER(n, type, 32) \
  TINY_TO_INTEGER(n, type, 64)

#define TINY_TO_INTEGER(n, type, m) \
  static inline int##m##_t tiny_to_i##m##_f##n(type x) { \
    type end = (type)(UINT64_C(1) << (m - 1)); \
    return isnan(x) ? 0 : x >= end ? INT##m##_MAX : x < -end ? INT##m##_MIN : (int##m##_t)x; \
  } \
  static inline int##m##_t tiny_to_u##m##_f##n(type x) { \
    type end = 2 * (type)(UINT64_C(1) << (m - 1)); \
    return (int##m##_t)(isnan(x) || x <= 0 ? 0 : x >= end ? UINT##m##_MAX : (uint##m##_t)x); \
  }

TINY_FLOATS(32, float, f)
TINY_FLOATS(64, double, )

#define TINY_BITS(from, source, to, target) \
  static inline target tiny_bits_##from##_##to(source x) { \
    target y; \
    memcpy(&y, &x, sizeof y); \
    return y; \
  }

TINY_BITS(f32, float, i32, int32_t)
TINY_BITS(i32, int32_t, f32, float)
TINY_BITS(f64, double, i64, int64_t)
TINY_BITS(i64, int64_t, f64, double)
)C";

llvm::StringRef getHelpers() { return kHelpers; }

} // namespace tiny::c
