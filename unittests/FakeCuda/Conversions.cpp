// Conversions between types. A register may be wider than the type in it.
#include "Floats.h"
#include "Loops.h"

#include <limits>
#include <type_traits>

namespace fake {
namespace {

/// Names of types, and what holds a value of each.
template <typename T> constexpr bool kIsNarrow = false;
template <int D, int L> constexpr bool kIsNarrow<Narrow<D, L>> = true;
template <typename T> constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsNarrow<T>;

template <typename T> double numberOf(T x) {
  if constexpr (kIsNarrow<T>)
    return x.number();
  else
    return double(x);
}

enum class Rounding { None, Nearest, Zero, Down, Up };

inline double roundWhole(double x, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(x);
  case Rounding::Zero:
    return std::trunc(x);
  case Rounding::Down:
    return std::floor(x);
  case Rounding::Up:
    return std::ceil(x);
  case Rounding::None:
    break;
  }
  return x;
}

/// A float as an integer: what does not fit is the nearest that does, no number is 0.
template <typename To> To toInteger(double x, Rounding rounding) {
  x = roundWhole(x, rounding);
  if (std::isnan(x))
    return 0;
  if (x <= double(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (x >= double(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return To(x);
}

template <typename To, typename From, Rounding R, bool Saturates> struct Convert {
  static To of(From from) {
    if constexpr (kIsNarrow<To>) {
      if constexpr (kIsFloat<From>)
        return To::of(roundWhole(numberOf(from), R));
      else
        return To::of(double(from));
    } else if constexpr (std::is_floating_point_v<To>) {
      if constexpr (kIsFloat<From>) {
        auto x = roundWhole(numberOf(from), R);
        if (Saturates)
          x = x > 0 ? (x < 1 ? x : 1) : 0;
        // The same bits for every one that is no number.
        if (std::isnan(x))
          return To(std::is_same_v<To, float> ? bitsOf<float>(uint32_t(0x7FFFFFFF))
                                              : bitsOf<double>(uint64_t(0x7FFFFFFFFFFFFFFF)));
        return To(x);
      } else {
        return To(from);
      }
    } else if constexpr (kIsFloat<From>) {
      return toInteger<To>(numberOf(from), R);
    } else if constexpr (Saturates) {
      using Wide = __int128;
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): numbers
      Wide x = Wide(from), least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
      return To(x < least ? least : x > most ? most : x);
    } else {
      return To(from);
    }
  }
};

/// Registers of any width. An integer of 8 bits has its sign in all of its register.
template <typename C, typename To, typename From>
void convertAny(Machine &machine, const Instruction &i, const Lanes &lanes) {
  forEach(lanes, [&](unsigned lane) {
    uint64_t bits = machine.get(i.a, i.aBytes, lane);
    From from;
    std::memcpy(&from, &bits, sizeof(from));
    To to = C::of(from);
    bits = 0;
    std::memcpy(&bits, &to, sizeof(to));
    if constexpr (std::is_integral_v<To>)
      bits = uint64_t(int64_t(to));
    machine.set(i.d, i.dBytes, lane, bits);
  });
}
template <typename C, typename To, typename From>
void convert(Machine &machine, const Instruction &i, const Lanes &lanes) {
  if (i.dBytes == sizeof(To) && i.aBytes == sizeof(From))
    unary<C, To, From>(machine, i, lanes);
  else
    convertAny<C, To, From>(machine, i, lanes);
}

template <typename To, typename From, Rounding R = Rounding::None, bool Saturates = false> Form make() {
  return {convert<Convert<To, From, R, Saturates>, To, From>, sizeof(To), sizeof(From), 0, 0};
}

using Forms = std::map<std::string, Form>;

template <typename To, typename From> void addPair(Forms &forms, const std::string &to, const std::string &from) {
  std::string end = to + "." + from;
  if constexpr (!kIsFloat<To> && !kIsFloat<From>) {
    forms["cvt." + end] = make<To, From>();
    forms["cvt.sat." + end] = make<To, From, Rounding::None, true>();
  } else if constexpr (kIsFloat<To> && !kIsFloat<From>) {
    forms["cvt.rn." + end] = make<To, From>();
  } else {
    if constexpr (kIsFloat<To>) {
      forms["cvt." + end] = forms["cvt.rn." + end] = make<To, From>();
      forms["cvt.sat." + end] = make<To, From, Rounding::None, true>();
    }
    forms["cvt.rni." + end] = make<To, From, Rounding::Nearest>();
    forms["cvt.rzi." + end] = make<To, From, Rounding::Zero>();
    forms["cvt.rmi." + end] = make<To, From, Rounding::Down>();
    forms["cvt.rpi." + end] = make<To, From, Rounding::Up>();
  }
}

template <typename To> void addTo(Forms &forms, const std::string &to) {
  addPair<To, uint8_t>(forms, to, "u8");
  addPair<To, int8_t>(forms, to, "s8");
  addPair<To, uint16_t>(forms, to, "u16");
  addPair<To, int16_t>(forms, to, "s16");
  addPair<To, uint32_t>(forms, to, "u32");
  addPair<To, int32_t>(forms, to, "s32");
  addPair<To, uint64_t>(forms, to, "u64");
  addPair<To, int64_t>(forms, to, "s64");
  addPair<To, Half>(forms, to, "f16");
  addPair<To, Bfloat>(forms, to, "bf16");
  addPair<To, float>(forms, to, "f32");
  addPair<To, double>(forms, to, "f64");
}

/// The first operand is the upper half.
template <typename T> struct Pack {
  static uint32_t of(float a, float b) { return uint32_t(T::of(a).bits) << 16 | T::of(b).bits; }
};

} // namespace

void addConversions(Forms &forms) {
  addTo<uint8_t>(forms, "u8");
  addTo<int8_t>(forms, "s8");
  addTo<uint16_t>(forms, "u16");
  addTo<int16_t>(forms, "s16");
  addTo<uint32_t>(forms, "u32");
  addTo<int32_t>(forms, "s32");
  addTo<uint64_t>(forms, "u64");
  addTo<int64_t>(forms, "s64");
  addTo<Half>(forms, "f16");
  addTo<Bfloat>(forms, "bf16");
  addTo<float>(forms, "f32");
  addTo<double>(forms, "f64");
  forms["cvt.rn.f16x2.f32"] = makeBinary<Pack<Half>, uint32_t, float, float>();
  forms["cvt.rn.bf16x2.f32"] = makeBinary<Pack<Bfloat>, uint32_t, float, float>();
}

const Forms &getForms() {
  static const Forms forms = [] {
    Forms made;
    addIntegerForms(made);
    addFloatForms(made);
    addConversions(made);
    return made;
  }();
  return forms;
}

} // namespace fake
