// Floats. The host's arithmetic is IEEE 754's, rounded to nearest, and this file is compiled without contraction.
#include "Floats.h"
#include "Loops.h"

namespace fake {
namespace {

/// A result that is no number is always the same one.
inline float one(float x) { return x == x ? x : bitsOf<float>(uint32_t(0x7FFFFFFF)); }
inline double one(double x) { return x == x ? x : bitsOf<double>(uint64_t(0x7FFFFFFFFFFFFFFF)); }
template <int D, int L> inline double numberOf(Narrow<D, L> x) { return x.number(); }
inline float numberOf(float x) { return x; }
inline double numberOf(double x) { return x; }

#define FAKE_ARITHMETIC(Name, Operator)                                                                                \
  struct Name {                                                                                                        \
    static float of(float a, float b) { return one(a Operator b); }                                                    \
    static double of(double a, double b) { return one(a Operator b); }                                                 \
    template <int D, int L> static Narrow<D, L> of(Narrow<D, L> a, Narrow<D, L> b) {                                   \
      return Narrow<D, L>::of(a.number() Operator b.number());                                                         \
    }                                                                                                                  \
  };
FAKE_ARITHMETIC(Add, +)
FAKE_ARITHMETIC(Subtract, -)
FAKE_ARITHMETIC(Multiply, *)
FAKE_ARITHMETIC(Divide, /)
#undef FAKE_ARITHMETIC

struct Fuse {
  static float of(float a, float b, float c) { return one(std::fma(a, b, c)); }
  static double of(double a, double b, double c) { return one(std::fma(a, b, c)); }
  template <int D, int L> static Narrow<D, L> of(Narrow<D, L> a, Narrow<D, L> b, Narrow<D, L> c) {
    return Narrow<D, L>::of(fuseOdd(a.number() * b.number(), c.number()));
  }
};
struct Reciprocal {
  template <typename T> static T of(T a) { return one(T(1) / a); }
};
struct Root {
  template <typename T> static T of(T a) { return one(std::sqrt(a)); }
};
/// What hardware approximates is computed well here: its errors are not these.
struct ReciprocalRoot {
  template <typename T> static T of(T a) { return one(T(1 / std::sqrt(double(a)))); }
};
struct Exponential {
  static float of(float a) { return one(float(std::exp2(double(a)))); }
};
/// Subnormals count as zeros of their sign: an exponent of one is 0, and so is a result that is one.
struct FlushedExponential {
  static float of(float a) {
    float power = Exponential::of(std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a);
    return std::fpclassify(power) == FP_SUBNORMAL ? 0.0f : power;
  }
};
struct Logarithm {
  static float of(float a) { return one(float(std::log2(double(a)))); }
};
struct Sine {
  static float of(float a) { return one(float(std::sin(double(a)))); }
};
struct Cosine {
  static float of(float a) { return one(float(std::cos(double(a)))); }
};
struct Tangent {
  static float of(float a) { return one(float(std::tanh(double(a)))); }
};

/// Of types as bits: T's upper bit is the sign.
struct NegateBits {
  template <typename T> static T of(T a) { return T(a ^ (T(1) << (8 * sizeof(T) - 1))); }
};
struct AbsoluteBits {
  template <typename T> static T of(T a) { return T(a & ~(T(1) << (8 * sizeof(T) - 1))); }
};
/// The sign of the first, the rest of the second.
struct CopySign {
  template <typename T> static T of(T a, T b) {
    constexpr T kSign = T(T(1) << (8 * sizeof(T) - 1));
    return T((a & kSign) | (b & ~kSign));
  }
};

/// -0 is less than +0. What is no number gives way to what is one, unless it is kept.
template <bool Greater, bool Keeps> struct Extreme {
  template <typename T> static T of(T a, T b) {
    auto x = numberOf(a), y = numberOf(b);
    if (std::isnan(x) || std::isnan(y)) {
      if (Keeps || (std::isnan(x) && std::isnan(y)))
        return ofNaN(a);
      return std::isnan(x) ? b : a;
    }
    if (x == y)
      return (std::signbit(x) != 0) == Greater ? b : a;
    return (x > y) == Greater ? a : b;
  }
  static float ofNaN(float) { return one(NAN); }
  static double ofNaN(double) { return one(double(NAN)); }
  template <int D, int L> static Narrow<D, L> ofNaN(Narrow<D, L>) { return {Narrow<D, L>::kNaN}; }
};

/// A comparison, and what it says of what is no number.
#define FAKE_COMPARE(Name, Operator)                                                                                   \
  template <bool Unordered> struct Name {                                                                              \
    template <typename T> static bool of(T a, T b) {                                                                   \
      auto x = numberOf(a), y = numberOf(b);                                                                           \
      return (std::isnan(x) || std::isnan(y)) ? Unordered : x Operator y;                                              \
    }                                                                                                                  \
  };
FAKE_COMPARE(Equal, ==)
FAKE_COMPARE(NotEqual, !=)
FAKE_COMPARE(Less, <)
FAKE_COMPARE(LessEqual, <=)
FAKE_COMPARE(Greater, >)
FAKE_COMPARE(GreaterEqual, >=)
#undef FAKE_COMPARE
template <bool Wanted> struct IsUnordered {
  template <typename T> static bool of(T a, T b) {
    auto x = numberOf(a), y = numberOf(b);
    return (std::isnan(x) || std::isnan(y)) == Wanted;
  }
};
struct IsFinite {
  template <typename T> static bool of(T a) { return std::isfinite(numberOf(a)); }
};
struct IsInfinite {
  template <typename T> static bool of(T a) { return std::isinf(numberOf(a)); }
};
struct IsNumber {
  template <typename T> static bool of(T a) { return !std::isnan(numberOf(a)); }
};
struct IsNotANumber {
  template <typename T> static bool of(T a) { return std::isnan(numberOf(a)); }
};

/// Two halves of 32 bits.
template <typename Op, typename T> struct Both {
  static uint32_t join(T low, T high) { return uint32_t(high.bits) << 16 | low.bits; }
  static T low(uint32_t x) { return {uint16_t(x)}; }
  static T high(uint32_t x) { return {uint16_t(x >> 16)}; }
  static uint32_t of(uint32_t a, uint32_t b) { return join(Op::of(low(a), low(b)), Op::of(high(a), high(b))); }
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return join(Op::of(low(a), low(b), low(c)), Op::of(high(a), high(b), high(c)));
  }
};
struct NegateBoth {
  static uint32_t of(uint32_t a) { return a ^ 0x80008000u; }
};
struct AbsoluteBoth {
  static uint32_t of(uint32_t a) { return a & 0x7FFF7FFFu; }
};

template <typename T> void addTyped(std::map<std::string, Form> &forms, const std::string &type) {
  for (const char *rounding : {"", "rn."}) {
    std::string end = rounding + type;
    forms["add." + end] = makeBinary<Add, T, T, T>();
    forms["sub." + end] = makeBinary<Subtract, T, T, T>();
    forms["mul." + end] = makeBinary<Multiply, T, T, T>();
    forms["fma." + end] = makeTernary<Fuse, T, T, T, T>();
  }
  forms["min." + type] = makeBinary<Extreme<false, false>, T, T, T>();
  forms["max." + type] = makeBinary<Extreme<true, false>, T, T, T>();
  forms["min.NaN." + type] = makeBinary<Extreme<false, true>, T, T, T>();
  forms["max.NaN." + type] = makeBinary<Extreme<true, true>, T, T, T>();
  auto compare = [&](const char *name, Form ordered, Form unordered) {
    forms[std::string("setp.") + name + "." + type] = ordered;
    forms[std::string("setp.") + name + "u." + type] = unordered;
  };
  compare("eq", makeBinary<Equal<false>, uint8_t, T, T>(), makeBinary<Equal<true>, uint8_t, T, T>());
  compare("ne", makeBinary<NotEqual<false>, uint8_t, T, T>(), makeBinary<NotEqual<true>, uint8_t, T, T>());
  compare("lt", makeBinary<Less<false>, uint8_t, T, T>(), makeBinary<Less<true>, uint8_t, T, T>());
  compare("le", makeBinary<LessEqual<false>, uint8_t, T, T>(), makeBinary<LessEqual<true>, uint8_t, T, T>());
  compare("gt", makeBinary<Greater<false>, uint8_t, T, T>(), makeBinary<Greater<true>, uint8_t, T, T>());
  compare("ge", makeBinary<GreaterEqual<false>, uint8_t, T, T>(), makeBinary<GreaterEqual<true>, uint8_t, T, T>());
  forms["setp.nan." + type] = makeBinary<IsUnordered<true>, uint8_t, T, T>();
  forms["setp.num." + type] = makeBinary<IsUnordered<false>, uint8_t, T, T>();
}

template <typename T, typename Bits> void addWide(std::map<std::string, Form> &forms, const std::string &type) {
  addTyped<T>(forms, type);
  forms["div.rn." + type] = makeBinary<Divide, T, T, T>();
  forms["rcp.rn." + type] = makeUnary<Reciprocal, T, T>();
  forms["sqrt.rn." + type] = makeUnary<Root, T, T>();
  forms["rsqrt.approx." + type] = makeUnary<ReciprocalRoot, T, T>();
  forms["copysign." + type] = makeBinary<CopySign, Bits, Bits, Bits>();
  forms["testp.finite." + type] = makeUnary<IsFinite, uint8_t, T>();
  forms["testp.infinite." + type] = makeUnary<IsInfinite, uint8_t, T>();
  forms["testp.number." + type] = makeUnary<IsNumber, uint8_t, T>();
  forms["testp.notanumber." + type] = makeUnary<IsNotANumber, uint8_t, T>();
}

template <typename Bits> void addSigns(std::map<std::string, Form> &forms, const std::string &type) {
  forms["neg." + type] = makeUnary<NegateBits, Bits, Bits>();
  forms["abs." + type] = makeUnary<AbsoluteBits, Bits, Bits>();
}

template <typename T> void addPairs(std::map<std::string, Form> &forms, const std::string &type) {
  using Word = uint32_t;
  for (const char *rounding : {"", "rn."}) {
    std::string end = rounding + type;
    forms["add." + end] = makeBinary<Both<Add, T>, Word, Word, Word>();
    forms["sub." + end] = makeBinary<Both<Subtract, T>, Word, Word, Word>();
    forms["mul." + end] = makeBinary<Both<Multiply, T>, Word, Word, Word>();
    forms["fma." + end] = makeTernary<Both<Fuse, T>, Word, Word, Word, Word>();
  }
  forms["min." + type] = makeBinary<Both<Extreme<false, false>, T>, Word, Word, Word>();
  forms["max." + type] = makeBinary<Both<Extreme<true, false>, T>, Word, Word, Word>();
  forms["min.NaN." + type] = makeBinary<Both<Extreme<false, true>, T>, Word, Word, Word>();
  forms["max.NaN." + type] = makeBinary<Both<Extreme<true, true>, T>, Word, Word, Word>();
  forms["neg." + type] = makeUnary<NegateBoth, Word, Word>();
  forms["abs." + type] = makeUnary<AbsoluteBoth, Word, Word>();
}

} // namespace

void addFloatForms(std::map<std::string, Form> &forms) {
  addWide<float, uint32_t>(forms, "f32");
  addWide<double, uint64_t>(forms, "f64");
  addSigns<uint32_t>(forms, "f32");
  addSigns<uint64_t>(forms, "f64");
  addTyped<Half>(forms, "f16");
  addSigns<uint16_t>(forms, "f16");
  addTyped<Bfloat>(forms, "bf16");
  addSigns<uint16_t>(forms, "bf16");
  addPairs<Half>(forms, "f16x2");
  addPairs<Bfloat>(forms, "bf16x2");
  forms["div.full.f32"] = forms["div.approx.f32"] = forms["div.rn.f32"];
  forms["rcp.approx.f32"] = forms["rcp.rn.f32"];
  forms["sqrt.approx.f32"] = forms["sqrt.rn.f32"];
  forms["ex2.approx.f32"] = makeUnary<Exponential, float, float>();
  forms["ex2.approx.ftz.f32"] = makeUnary<FlushedExponential, float, float>();
  forms["lg2.approx.f32"] = makeUnary<Logarithm, float, float>();
  forms["sin.approx.f32"] = makeUnary<Sine, float, float>();
  forms["cos.approx.f32"] = makeUnary<Cosine, float, float>();
  forms["tanh.approx.f32"] = makeUnary<Tangent, float, float>();
}

} // namespace fake
