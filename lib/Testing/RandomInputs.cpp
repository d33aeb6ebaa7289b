// Seeded inputs: the same elements for the same seed on every machine.
#include "Tiny/Testing/RandomInputs.h"

#include "Tiny/Reference/Scalar.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tiny::reference {

namespace {
/// SplitMix64 (Steele, Lea and Flood, 2014): the standard library's distributions differ between implementations.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// From `low` to `high`, both included; the bias of the modulo does not matter here.
  int64_t between(int64_t low, int64_t high) { return low + static_cast<int64_t>(next() % (high - low + 1)); }

private:
  uint64_t state;
};
} // namespace

/// The exponents of the largest number and of the least normal one; the least subnormal is 2^-`digits` of that.
struct FloatRange {
  int largest, least, digits;
};
static FloatRange getRange(Format format) {
  switch (format) {
  case Format::F64:
    return {1023, -1022, 52};
  case Format::F32:
    return {127, -126, 23};
  case Format::F16:
    return {15, -14, 10};
  case Format::BF16:
    return {127, -126, 7};
  case Format::F8E4M3FN:
    return {8, -6, 3};
  case Format::F8E5M2:
    return {15, -14, 2};
  case Format::Int:
    break;
  }
  return {0, 0, 0};
}

/// A power of two at an end of the range, or just beyond the root of one, where a square overflows or vanishes.
static double drawExtreme(Generator &generator, Format format) {
  FloatRange range = getRange(format);
  const int exponents[] = {range.largest,       range.largest - 1, range.largest / 2 + 2,
                           range.least / 2 - 2, range.least,       range.least - range.digits};
  double value = std::ldexp(1.0, exponents[generator.between(0, std::size(exponents) - 1)]);
  return generator.next() & 1 ? value : -value;
}

static Scalar draw(Generator &generator, ScalarType type, bool isUnsigned, const RandomOptions &options) {
  if (!type.isFloat()) {
    if (type.width == 1)
      return makeInt(generator.between(0, 1));
    if (options.extremes && generator.between(0, 1) == 0) {
      uint64_t bits = generator.next() >> (64 - type.width);
      return makeInt(int64_t(options.nonzeroIntegers ? bits | 1 : bits));
    }
    int64_t low = isUnsigned ? 0 : -8, value = generator.between(low, low + 16);
    return makeInt(options.nonzeroIntegers && value == 0 ? 3 : value);
  }
  if (options.specialFloats && generator.between(0, 5) == 0) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double specials[] = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -0.0};
    return makeFloat(specials[generator.between(0, std::size(specials) - 1)]);
  }
  if (options.extremes && generator.between(0, 1) == 0)
    return makeFloat(drawExtreme(generator, type.format));
  if (!options.wideFloats)
    return makeFloat(static_cast<double>(generator.between(-16, 16)) / 8.0);
  double mantissa = std::ldexp(static_cast<double>(generator.next() >> 11), -53) + 1.0;
  double value = std::ldexp(mantissa, static_cast<int>(generator.between(-4, 3)));
  return makeFloat(generator.next() & 1 ? value : -value);
}

HostTensor randomTensor(tiny_dtype dtype, ArrayRef<int64_t> shape, const RandomOptions &options, uint64_t stream) {
  HostTensor tensor = HostTensor::zeros(dtype, shape);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Type element = getElementType(&context, dtype);
  ScalarType type = *getScalarType(element);
  Generator generator(options.seed * 0xD1342543DE82EF95 + stream * 0x2545F4914F6CDD1D + 1);
  for (int64_t k = 0, size = tensor.size(); k < size; ++k) {
    Scalar value = draw(generator, type, element.isUnsignedInteger(), options);
    normalize(type, &value, 1);
    writeElements(type, &value, tensor.bytes.data() + k * type.bytes(), 1);
  }
  return tensor;
}

FailureOr<SmallVector<HostTensor>> randomInputs(const Signature &signature, const RandomOptions &options) {
  SmallVector<HostTensor> inputs;
  for (auto [stream, type] : llvm::enumerate(signature.inputs)) {
    std::optional<tiny_dtype> dtype = getDtype(type.getElementType());
    if (!dtype || !type.hasStaticShape() || !countElements(type.getShape(), tiny_dtype_size(*dtype)))
      return failure();
    // More than this would only fail later, in the allocator.
    if (*countElements(type.getShape()) > (int64_t(1) << 30))
      return failure();
    inputs.push_back(randomTensor(*dtype, type.getShape(), options, stream));
  }
  return inputs;
}

} // namespace tiny::reference
