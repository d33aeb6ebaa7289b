// Tensors in host memory: element types, and elements as numbers.
#include "Tiny/Files/HostTensor.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tiny {

HostTensor HostTensor::zeros(tiny_dtype dtype, std::vector<int64_t> shape) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.bytes.resize(size_t(tensor.size()) * tiny_dtype_size(dtype));
  return tensor;
}

int64_t HostTensor::size() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// An element, which may lie at an odd address.
template <typename T> static T read(const HostTensor &tensor, int64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + size_t(index) * sizeof(T), sizeof(T));
  return value;
}

/// The bits of an element, in the low end; shorter ones by their own type, so that either byte order will do.
static uint64_t getBits(const HostTensor &tensor, int64_t index) {
  switch (tiny_dtype_size(tensor.dtype)) {
  case 1:
    return read<uint8_t>(tensor, index);
  case 2:
    return read<uint16_t>(tensor, index);
  case 4:
    return read<uint32_t>(tensor, index);
  default:
    return read<uint64_t>(tensor, index);
  }
}

int64_t HostTensor::getInteger(int64_t index) const {
  uint64_t bits = getBits(*this, index);
  if (isUnsigned(dtype))
    return int64_t(bits);
  unsigned unused = 64 - 8 * unsigned(tiny_dtype_size(dtype));
  return int64_t(bits << unused) >> unused;
}

/// A short float: its sign, then so many bits of exponent, then those of its mantissa. The last exponent is for
/// infinities and NaN, but for f8E4M3FN, which has one NaN of all ones instead.
static double decode(uint64_t bits, int exponentBits, int mantissaBits, bool hasInfinity) {
  double sign = bits >> (exponentBits + mantissaBits) & 1 ? -1 : 1;
  int last = (1 << exponentBits) - 1, bias = last >> 1;
  int exponent = int(bits >> mantissaBits) & last;
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  if (exponent == last && hasInfinity)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == last && mantissa == (uint64_t(1) << mantissaBits) - 1)
    return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0)
    return sign * std::ldexp(double(mantissa), 1 - bias - mantissaBits);
  return sign * std::ldexp(double(mantissa + (uint64_t(1) << mantissaBits)), exponent - bias - mantissaBits);
}

double HostTensor::getNumber(int64_t index) const {
  switch (dtype) {
  case TINY_DTYPE_F32:
    return read<float>(*this, index);
  case TINY_DTYPE_F64:
    return read<double>(*this, index);
  case TINY_DTYPE_F16:
    return decode(getBits(*this, index), 5, 10, true);
  case TINY_DTYPE_BF16:
    return decode(getBits(*this, index), 8, 7, true);
  case TINY_DTYPE_F8E4M3FN:
    return decode(getBits(*this, index), 4, 3, false);
  case TINY_DTYPE_F8E5M2:
    return decode(getBits(*this, index), 5, 2, true);
  case TINY_DTYPE_U64:
    return double(getBits(*this, index));
  default:
    return double(getInteger(index));
  }
}

bool isFloat(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_F16:
  case TINY_DTYPE_BF16:
  case TINY_DTYPE_F32:
  case TINY_DTYPE_F64:
  case TINY_DTYPE_F8E4M3FN:
  case TINY_DTYPE_F8E5M2:
    return true;
  default:
    return false;
  }
}

bool isUnsigned(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_I1:
  case TINY_DTYPE_U8:
  case TINY_DTYPE_U16:
  case TINY_DTYPE_U32:
  case TINY_DTYPE_U64:
    return true;
  default:
    return false;
  }
}

const char *getDtypeName(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_I1:
    return "i1";
  case TINY_DTYPE_I8:
    return "i8";
  case TINY_DTYPE_I16:
    return "i16";
  case TINY_DTYPE_I32:
    return "i32";
  case TINY_DTYPE_I64:
    return "i64";
  case TINY_DTYPE_U8:
    return "ui8";
  case TINY_DTYPE_U16:
    return "ui16";
  case TINY_DTYPE_U32:
    return "ui32";
  case TINY_DTYPE_U64:
    return "ui64";
  case TINY_DTYPE_F16:
    return "f16";
  case TINY_DTYPE_BF16:
    return "bf16";
  case TINY_DTYPE_F32:
    return "f32";
  case TINY_DTYPE_F64:
    return "f64";
  case TINY_DTYPE_F8E4M3FN:
    return "f8E4M3FN";
  case TINY_DTYPE_F8E5M2:
    return "f8E5M2";
  }
  return "unknown";
}

std::string formatType(tiny_dtype dtype, const int64_t *shape, size_t rank) {
  std::string text = "tensor<";
  for (size_t axis = 0; axis < rank; ++axis)
    text += std::to_string(shape[axis]) + "x";
  return text + getDtypeName(dtype) + ">";
}

std::string formatType(const HostTensor &tensor) {
  return formatType(tensor.dtype, tensor.shape.data(), tensor.shape.size());
}

std::optional<int64_t> countElements(const int64_t *shape, size_t rank, uint64_t elementBytes) {
  constexpr uint64_t limit = uint64_t(1) << 62;
  // A zero extent does not excuse the others: a shape whose strides overflow is refused too.
  uint64_t width = elementBytes ? elementBytes : 1, total = width;
  bool empty = false;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 0)
      return std::nullopt;
    if (shape[axis] == 0) {
      empty = true;
      continue;
    }
    if (uint64_t(shape[axis]) > limit / total)
      return std::nullopt;
    total *= uint64_t(shape[axis]);
  }
  return empty ? 0 : int64_t(total / width);
}

} // namespace tiny
