// Scalars of every type: rounding, conversion, and their bits in memory.
#include "Tiny/Reference/Scalar.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using llvm::APFloat;

namespace tiny::reference {

std::optional<ScalarType> getScalarType(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<IndexType>(type))
    return ScalarType{Format::Int, 64};
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 0 || integer.getWidth() > 64)
      return std::nullopt;
    return ScalarType{Format::Int, static_cast<uint8_t>(integer.getWidth())};
  }
  if (type.isF64())
    return ScalarType{Format::F64, 64};
  if (type.isF32())
    return ScalarType{Format::F32, 32};
  if (type.isF16())
    return ScalarType{Format::F16, 16};
  if (type.isBF16())
    return ScalarType{Format::BF16, 16};
  if (isa<Float8E4M3FNType>(type))
    return ScalarType{Format::F8E4M3FN, 8};
  if (isa<Float8E5M2Type>(type))
    return ScalarType{Format::F8E5M2, 8};
  return std::nullopt;
}

std::pair<ScalarType, bool> getScalarTypeOf(tiny_dtype dtype) {
  uint8_t width = static_cast<uint8_t>(8 * tiny_dtype_size(dtype));
  switch (dtype) {
  case TINY_DTYPE_I1:
    return {{Format::Int, 1}, false};
  case TINY_DTYPE_U8:
  case TINY_DTYPE_U16:
  case TINY_DTYPE_U32:
  case TINY_DTYPE_U64:
    return {{Format::Int, width}, true};
  case TINY_DTYPE_F16:
    return {{Format::F16, width}, false};
  case TINY_DTYPE_BF16:
    return {{Format::BF16, width}, false};
  case TINY_DTYPE_F32:
    return {{Format::F32, width}, false};
  case TINY_DTYPE_F64:
    return {{Format::F64, width}, false};
  case TINY_DTYPE_F8E4M3FN:
    return {{Format::F8E4M3FN, width}, false};
  case TINY_DTYPE_F8E5M2:
    return {{Format::F8E5M2, width}, false};
  default:
    return {{Format::Int, width}, false};
  }
}

static const llvm::fltSemantics &getSemantics(Format format) {
  switch (format) {
  case Format::F32:
    return APFloat::IEEEsingle();
  case Format::F16:
    return APFloat::IEEEhalf();
  case Format::BF16:
    return APFloat::BFloat();
  case Format::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case Format::F8E5M2:
    return APFloat::Float8E5M2();
  case Format::Int:
  case Format::F64:
    break;
  }
  return APFloat::IEEEdouble();
}

static APFloat toAPFloat(Format format, double value) {
  APFloat number(value);
  bool losesInfo = false;
  number.convert(getSemantics(format), APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

static double toDouble(APFloat number) {
  bool losesInfo = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

double roundTo(Format format, double value) {
  if (format == Format::F64 || format == Format::Int)
    return value;
  if (format == Format::F32)
    return static_cast<double>(static_cast<float>(value));
  return toDouble(toAPFloat(format, value));
}

void normalize(ScalarType type, Scalar *values, size_t count) {
  switch (type.format) {
  case Format::F64:
    return;
  case Format::F32:
    for (size_t k = 0; k < count; ++k)
      values[k].f = static_cast<double>(static_cast<float>(values[k].f));
    return;
  case Format::Int:
    if (type.width < 64)
      for (size_t k = 0; k < count; ++k)
        values[k].i = wrapInt(values[k].i, type.width);
    return;
  default:
    for (size_t k = 0; k < count; ++k)
      values[k].f = roundTo(type.format, values[k].f);
  }
}

double intToFloat(Format format, int64_t value, bool isSigned) {
  auto bits = static_cast<uint64_t>(value);
  if (format == Format::F32)
    return isSigned ? static_cast<float>(value) : static_cast<float>(bits);
  if (format == Format::BF16) {
    APFloat number(APFloat::BFloat());
    number.convertFromAPInt(llvm::APInt(64, bits), isSigned, APFloat::rmNearestTiesToEven);
    return toDouble(number);
  }
  // The narrower formats end far below 2^53.
  return roundTo(format, isSigned ? static_cast<double>(value) : static_cast<double>(bits));
}

int64_t floatToInt(double value, unsigned width, bool isSigned) {
  if (std::isnan(value))
    return 0;
  if (!isSigned) {
    if (value >= std::ldexp(1.0, static_cast<int>(width)))
      return -1;
    return value <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
  }
  double limit = std::ldexp(1.0, static_cast<int>(width) - 1);
  auto largest = static_cast<int64_t>((uint64_t(1) << (width - 1)) - 1);
  return value >= limit ? largest : value < -limit ? -largest - 1 : static_cast<int64_t>(value);
}

// A conversion of a NaN by the processor or by APFloat makes it a quiet one, but what only moves elements keeps all
// bits: a NaN is held as the double whose upper bits are those of the type.

static unsigned getMantissaBits(Format format) { return APFloat::semanticsPrecision(getSemantics(format)) - 1; }

static uint64_t encodeNaN(ScalarType type, double value) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  unsigned mantissa = getMantissaBits(type.format);
  uint64_t sign = bits >> 63 << (type.width - 1),
           exponent = (uint64_t(1) << (type.width - 1)) - (uint64_t(1) << mantissa);
  uint64_t payload = (bits & ((uint64_t(1) << 52) - 1)) >> (52 - mantissa);
  if (type.format == Format::F8E4M3FN)
    payload = 7; // the only one
  return sign | exponent | (payload ? payload : uint64_t(1) << (mantissa - 1));
}

static double decodeNaN(ScalarType type, uint64_t bits) {
  unsigned mantissa = getMantissaBits(type.format);
  uint64_t sign = bits >> (type.width - 1) << 63, payload = bits & ((uint64_t(1) << mantissa) - 1);
  return llvm::bit_cast<double>(sign | uint64_t(0x7FF) << 52 | payload << (52 - mantissa));
}

uint64_t encode(ScalarType type, Scalar value) {
  if (type.isFloat() && std::isnan(value.f))
    return encodeNaN(type, value.f);
  switch (type.format) {
  case Format::Int:
    return zeroExtend(value.i, type.width);
  case Format::F64: {
    uint64_t bits;
    std::memcpy(&bits, &value.f, sizeof(bits));
    return bits;
  }
  case Format::F32: {
    float narrow = static_cast<float>(value.f);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof(bits));
    return bits;
  }
  default:
    return toAPFloat(type.format, value.f).bitcastToAPInt().getZExtValue();
  }
}

Scalar decode(ScalarType type, uint64_t bits) {
  Scalar value;
  switch (type.format) {
  case Format::Int:
    value.i = wrapInt(static_cast<int64_t>(bits), type.width);
    return value;
  case Format::F64:
    std::memcpy(&value.f, &bits, sizeof(bits));
    return value;
  case Format::F32: {
    uint32_t narrow = static_cast<uint32_t>(bits);
    float number;
    std::memcpy(&number, &narrow, sizeof(number));
    value.f = std::isnan(number) ? decodeNaN(type, bits) : number;
    return value;
  }
  default:
    APFloat number(getSemantics(type.format), llvm::APInt(type.width, bits));
    value.f = number.isNaN() ? decodeNaN(type, bits) : toDouble(number);
    return value;
  }
}

template <typename T, typename Decode> static void readAs(const char *from, Scalar *to, size_t count, Decode &&decode) {
  for (size_t k = 0; k < count; ++k) {
    T element;
    std::memcpy(&element, from + k * sizeof(T), sizeof(T));
    to[k] = decode(element);
  }
}

void readElements(ScalarType type, const char *from, Scalar *to, size_t count) {
  if (type.format == Format::F64)
    return readAs<double>(from, to, count, [](double x) { return makeFloat(x); });
  auto bits = [&](uint64_t x) { return decode(type, x); };
  switch (type.bytes()) {
  case 1:
    return readAs<uint8_t>(from, to, count, bits);
  case 2:
    return readAs<uint16_t>(from, to, count, bits);
  case 4:
    return readAs<uint32_t>(from, to, count, bits);
  default:
    return readAs<uint64_t>(from, to, count, bits);
  }
}

void writeElements(ScalarType type, const Scalar *from, char *to, size_t count) {
  unsigned width = type.bytes();
  for (size_t k = 0; k < count; ++k) {
    uint64_t bits = encode(type, from[k]);
    std::memcpy(to + k * width, &bits, width); // little endian, like every target
  }
}

std::optional<Scalar> fromAttribute(ScalarType type, Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr); integer && !type.isFloat())
    return makeInt(wrapInt(static_cast<int64_t>(integer.getValue().getZExtValue()), type.width));
  if (auto number = dyn_cast<FloatAttr>(attr); number && type.isFloat())
    return makeFloat(toDouble(number.getValue()));
  return std::nullopt;
}

Scalar getJunk(ScalarType type) {
  if (type.isFloat())
    return makeFloat(std::numeric_limits<double>::quiet_NaN());
  return makeInt(wrapInt(0x5A5A5A5A5A5A5A5A, type.width));
}

} // namespace tiny::reference
