// Integers and bits.
#include "Loops.h"

#include <type_traits>

namespace fake {
namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;
template <typename T> struct Wider;
template <> struct Wider<uint16_t> {
  using Type = uint32_t;
};
template <> struct Wider<int16_t> {
  using Type = int32_t;
};
template <> struct Wider<uint32_t> {
  using Type = uint64_t;
};
template <> struct Wider<int32_t> {
  using Type = int64_t;
};
template <> struct Wider<uint64_t> {
  using Type = unsigned __int128;
};
template <> struct Wider<int64_t> {
  using Type = __int128;
};

/// What wraps is computed without a sign, and in 32 bits at least.
struct Add {
  template <typename T> static T of(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
};
struct Subtract {
  template <typename T> static T of(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
};
struct MultiplyLow {
  template <typename T> static T of(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};
struct MultiplyHigh {
  template <typename T> static T of(T a, T b) {
    using W = typename Wider<T>::Type;
    return T((W(a) * W(b)) >> (8 * sizeof(T)));
  }
};
struct MultiplyWide {
  template <typename T> static typename Wider<T>::Type of(T a, T b) {
    using W = typename Wider<T>::Type;
    return W(W(a) * W(b));
  }
};
struct MultiplyAddLow {
  template <typename T> static T of(T a, T b, T c) { return T(uint64_t(a) * uint64_t(b) + uint64_t(c)); }
};
struct MultiplyAddHigh {
  template <typename T> static T of(T a, T b, T c) { return Add::of(MultiplyHigh::of(a, b), c); }
};
struct MultiplyAddWide {
  template <typename T> static typename Wider<T>::Type of(T a, T b, typename Wider<T>::Type c) {
    return Add::of(MultiplyWide::of(a, b), c);
  }
};
struct Minimum {
  template <typename T> static T of(T a, T b) { return b < a ? b : a; }
};
struct Maximum {
  template <typename T> static T of(T a, T b) { return a < b ? b : a; }
};
struct Negate {
  template <typename T> static T of(T a) { return T(0 - Unsigned<T>(a)); }
};
struct Absolute {
  template <typename T> static T of(T a) { return a < 0 ? Negate::of(a) : a; }
};
struct And {
  template <typename T> static T of(T a, T b) { return T(a & b); }
};
struct Or {
  template <typename T> static T of(T a, T b) { return T(a | b); }
};
struct Xor {
  template <typename T> static T of(T a, T b) { return T(a ^ b); }
};
struct Not {
  template <typename T> static T of(T a) { return T(~a); }
};
struct NotPredicate {
  static uint8_t of(uint8_t a) { return a ^ 1; }
};
/// As a constant every number but 0 is true.
struct CopyPredicate {
  static uint8_t of(uint8_t a) { return a != 0; }
};
struct Copy {
  template <typename T> static T of(T a) { return a; }
};
/// Distances beyond the width are the width.
struct ShiftLeft {
  template <typename T> static T of(T a, uint32_t b) { return b >= 8 * sizeof(T) ? T(0) : T(uint64_t(a) << b); }
};
struct ShiftRight {
  template <typename T> static T of(T a, uint32_t b) {
    if (b >= 8 * sizeof(T))
      return a < 0 ? T(-1) : T(0);
    return T(a >> b);
  }
};
struct FunnelLeftWrap {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return uint32_t(((uint64_t(b) << 32 | a) << (c & 31)) >> 32);
  }
};
struct FunnelLeftClamp {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return c >= 32 ? a : uint32_t(((uint64_t(b) << 32 | a) << c) >> 32);
  }
};
struct FunnelRightWrap {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) { return uint32_t((uint64_t(b) << 32 | a) >> (c & 31)); }
};
struct FunnelRightClamp {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return c >= 32 ? b : uint32_t((uint64_t(b) << 32 | a) >> c);
  }
};
struct Extract {
  template <typename T> static T of(T a, uint32_t position, uint32_t length) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    if (length == 0)
      return 0;
    // Behind the width there is the sign.
    uint32_t last = position + length - 1 < kBits - 1 ? position + length - 1 : kBits - 1;
    T sign = std::is_signed_v<T> ? T(Unsigned<T>(a) >> last & 1) : T(0);
    T field = position >= kBits ? T(0) : T(Unsigned<T>(a) >> position);
    uint32_t have = position >= kBits ? 0 : (length < kBits - position ? length : kBits - position);
    T mask = have >= kBits ? T(~T(0)) : T((Unsigned<T>(1) << have) - 1);
    return T((field & mask) | (sign ? T(~mask) : T(0)));
  }
};
template <typename T> void insertBits(Machine &machine, const Instruction &i, const Lanes &lanes) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  forEach(lanes, [&](unsigned lane) {
    T a = machine.at<T>(i.a)[lane], b = machine.at<T>(i.b)[lane];
    uint32_t position = machine.at<uint32_t>(i.c)[lane] & 255, length = machine.at<uint32_t>(i.list[0])[lane] & 255;
    for (uint32_t k = 0; k < length && position + k < kBits; ++k)
      b = k < kBits && (a >> k & 1) ? T(b | T(1) << (position + k)) : T(b & ~(T(1) << (position + k)));
    machine.at<T>(i.d)[lane] = b;
  });
}
void lookUpBits(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    uint32_t a = machine.at<uint32_t>(i.a)[lane], b = machine.at<uint32_t>(i.b)[lane],
             c = machine.at<uint32_t>(i.c)[lane], table = machine.at<uint32_t>(i.list[0])[lane], d = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
      d |= (table >> ((a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1)) & 1) << bit;
    machine.at<uint32_t>(i.d)[lane] = d;
  });
}
struct Permute {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t data = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned k = 0; k < 4; ++k) {
      uint32_t control = selector >> (4 * k) & 15, byte = uint32_t(data >> (8 * (control & 7))) & 255;
      if (control & 8)
        byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * k);
    }
    return result;
  }
};
struct LeadingZeros {
  template <typename T> static uint32_t of(T a) {
    uint32_t count = 0;
    while (count < 8 * sizeof(T) && !(a >> (8 * sizeof(T) - 1 - count) & 1))
      ++count;
    return count;
  }
};
struct CountOnes {
  template <typename T> static uint32_t of(T a) { return uint32_t(__builtin_popcountll(a)); }
};
struct Reverse {
  template <typename T> static T of(T a) {
    T result = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k)
      result |= T(a >> k & 1) << (8 * sizeof(T) - 1 - k);
    return result;
  }
};
struct Select {
  template <typename T> static T of(T a, T b, uint8_t p) { return p ? a : b; }
};
struct Equal {
  template <typename T> static bool of(T a, T b) { return a == b; }
};
struct NotEqual {
  template <typename T> static bool of(T a, T b) { return a != b; }
};
struct Less {
  template <typename T> static bool of(T a, T b) { return a < b; }
};
struct LessEqual {
  template <typename T> static bool of(T a, T b) { return a <= b; }
};
struct Greater {
  template <typename T> static bool of(T a, T b) { return a > b; }
};
struct GreaterEqual {
  template <typename T> static bool of(T a, T b) { return a >= b; }
};
/// Between kinds of addresses.
struct FromShared {
  static uint64_t of(uint64_t a) { return a + kSharedWindow; }
};
struct ToShared {
  static uint64_t of(uint64_t a) { return a - kSharedWindow; }
};
struct FromLocal {
  static uint64_t of(uint64_t a) { return a + kLocalWindow; }
};
struct ToLocal {
  static uint64_t of(uint64_t a) { return a - kLocalWindow; }
};

/// A quotient by zero has no value.
template <typename T, bool Remainder> void divide(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    T a = machine.at<T>(i.a)[lane], b = machine.at<T>(i.b)[lane];
    if (b == 0)
      machine.fail(kLaunchFailed, i, "lane " + std::to_string(lane) + " divides by zero, which has no value");
    T quotient = std::is_signed_v<T> && b == T(-1) ? Subtract::of(T(0), a) : T(a / b);
    machine.at<T>(i.d)[lane] = Remainder ? Subtract::of(a, MultiplyLow::of(quotient, b)) : quotient;
  });
}

template <typename T> void addTyped(std::map<std::string, Form> &forms, const std::string &type) {
  forms["add." + type] = makeBinary<Add, T, T, T>();
  forms["sub." + type] = makeBinary<Subtract, T, T, T>();
  forms["mul.lo." + type] = makeBinary<MultiplyLow, T, T, T>();
  forms["mul.hi." + type] = makeBinary<MultiplyHigh, T, T, T>();
  forms["mad.lo." + type] = makeTernary<MultiplyAddLow, T, T, T, T>();
  forms["mad.hi." + type] = makeTernary<MultiplyAddHigh, T, T, T, T>();
  if constexpr (sizeof(T) < 8) {
    using W = typename Wider<T>::Type;
    forms["mul.wide." + type] = makeBinary<MultiplyWide, W, T, T>();
    forms["mad.wide." + type] = makeTernary<MultiplyAddWide, W, T, T, W>();
  }
  forms["div." + type] = {divide<T, false>, sizeof(T), sizeof(T), sizeof(T), 0};
  forms["rem." + type] = {divide<T, true>, sizeof(T), sizeof(T), sizeof(T), 0};
  forms["min." + type] = makeBinary<Minimum, T, T, T>();
  forms["max." + type] = makeBinary<Maximum, T, T, T>();
  if constexpr (std::is_signed_v<T>) {
    forms["neg." + type] = makeUnary<Negate, T, T>();
    forms["abs." + type] = makeUnary<Absolute, T, T>();
  }
  forms["shr." + type] = makeBinary<ShiftRight, T, T, uint32_t>();
  if constexpr (sizeof(T) >= 4)
    forms["bfe." + type] = makeTernary<Extract, T, T, uint32_t, uint32_t>();
  forms["setp.lt." + type] = makeBinary<Less, uint8_t, T, T>();
  forms["setp.le." + type] = makeBinary<LessEqual, uint8_t, T, T>();
  forms["setp.gt." + type] = makeBinary<Greater, uint8_t, T, T>();
  forms["setp.ge." + type] = makeBinary<GreaterEqual, uint8_t, T, T>();
  if constexpr (!std::is_signed_v<T>) {
    forms["setp.lo." + type] = makeBinary<Less, uint8_t, T, T>();
    forms["setp.ls." + type] = makeBinary<LessEqual, uint8_t, T, T>();
    forms["setp.hi." + type] = makeBinary<Greater, uint8_t, T, T>();
    forms["setp.hs." + type] = makeBinary<GreaterEqual, uint8_t, T, T>();
  }
}

template <typename T> void addBits(std::map<std::string, Form> &forms, const std::string &bits) {
  forms["and.b" + bits] = makeBinary<And, T, T, T>();
  forms["or.b" + bits] = makeBinary<Or, T, T, T>();
  forms["xor.b" + bits] = makeBinary<Xor, T, T, T>();
  forms["not.b" + bits] = makeUnary<Not, T, T>();
  forms["shl.b" + bits] = makeBinary<ShiftLeft, T, T, uint32_t>();
  forms["shr.b" + bits] = makeBinary<ShiftRight, T, T, uint32_t>();
  for (const char *kind : {"b", "u", "s", "f"}) {
    std::string type = kind + bits;
    forms["mov." + type] = makeUnary<Copy, T, T>();
    forms["selp." + type] = makeTernary<Select, T, T, T, uint8_t>();
    if (*kind != 'f') {
      forms["setp.eq." + type] = makeBinary<Equal, uint8_t, T, T>();
      forms["setp.ne." + type] = makeBinary<NotEqual, uint8_t, T, T>();
    }
  }
}

} // namespace

void addIntegerForms(std::map<std::string, Form> &forms) {
  addTyped<uint16_t>(forms, "u16");
  addTyped<int16_t>(forms, "s16");
  addTyped<uint32_t>(forms, "u32");
  addTyped<int32_t>(forms, "s32");
  addTyped<uint64_t>(forms, "u64");
  addTyped<int64_t>(forms, "s64");
  addBits<uint16_t>(forms, "16");
  addBits<uint32_t>(forms, "32");
  addBits<uint64_t>(forms, "64");
  forms["and.pred"] = makeBinary<And, uint8_t, uint8_t, uint8_t>();
  forms["or.pred"] = makeBinary<Or, uint8_t, uint8_t, uint8_t>();
  forms["xor.pred"] = makeBinary<Xor, uint8_t, uint8_t, uint8_t>();
  forms["not.pred"] = makeUnary<NotPredicate, uint8_t, uint8_t>();
  forms["mov.pred"] = makeUnary<CopyPredicate, uint8_t, uint8_t>();
  forms["shf.l.wrap.b32"] = makeTernary<FunnelLeftWrap, uint32_t, uint32_t, uint32_t, uint32_t>();
  forms["shf.l.clamp.b32"] = makeTernary<FunnelLeftClamp, uint32_t, uint32_t, uint32_t, uint32_t>();
  forms["shf.r.wrap.b32"] = makeTernary<FunnelRightWrap, uint32_t, uint32_t, uint32_t, uint32_t>();
  forms["shf.r.clamp.b32"] = makeTernary<FunnelRightClamp, uint32_t, uint32_t, uint32_t, uint32_t>();
  forms["prmt.b32"] = makeTernary<Permute, uint32_t, uint32_t, uint32_t, uint32_t>();
  forms["bfi.b32"] = {insertBits<uint32_t>, 4, 4, 4, 4};
  forms["bfi.b64"] = {insertBits<uint64_t>, 8, 8, 8, 4};
  forms["lop3.b32"] = {lookUpBits, 4, 4, 4, 4};
  forms["clz.b32"] = makeUnary<LeadingZeros, uint32_t, uint32_t>();
  forms["clz.b64"] = makeUnary<LeadingZeros, uint32_t, uint64_t>();
  forms["popc.b32"] = makeUnary<CountOnes, uint32_t, uint32_t>();
  forms["popc.b64"] = makeUnary<CountOnes, uint32_t, uint64_t>();
  forms["brev.b32"] = makeUnary<Reverse, uint32_t, uint32_t>();
  forms["brev.b64"] = makeUnary<Reverse, uint64_t, uint64_t>();
  for (const char *direction : {"", "to."})
    forms[std::string("cvta.") + direction + "global.u64"] = makeUnary<Copy, uint64_t, uint64_t>();
  forms["cvta.param.u64"] = makeUnary<Copy, uint64_t, uint64_t>();
  forms["cvta.shared.u64"] = makeUnary<FromShared, uint64_t, uint64_t>();
  forms["cvta.to.shared.u64"] = makeUnary<ToShared, uint64_t, uint64_t>();
  forms["cvta.local.u64"] = makeUnary<FromLocal, uint64_t, uint64_t>();
  forms["cvta.to.local.u64"] = makeUnary<ToLocal, uint64_t, uint64_t>();
}

} // namespace fake
