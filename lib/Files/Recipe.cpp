// Makes tensors from recipes: random numbers, zeros, counts.
#include "Tiny/Files/Recipe.h"

#include "Text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <unistd.h>

namespace tiny::files {
namespace {

/// The bits of a float type's exponent and of its mantissa; no exponent for integers.
struct Layout {
  int exponentBits, mantissaBits;
};

Layout getLayout(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_F64:
    return {11, 52};
  case TINY_DTYPE_F32:
    return {8, 23};
  case TINY_DTYPE_F16:
    return {5, 10};
  case TINY_DTYPE_BF16:
    return {8, 7};
  case TINY_DTYPE_F8E4M3FN:
    return {4, 3};
  case TINY_DTYPE_F8E5M2:
    return {5, 2};
  default:
    return {0, 8 * int(tiny_dtype_size(dtype)) - !isUnsigned(dtype)};
  }
}

/// The bits of a normal number or zero that the type has exactly.
uint64_t encode(double value, Layout layout) {
  if (value == 0)
    return 0;
  int exponent = std::ilogb(value);
  uint64_t mantissa = uint64_t(std::ldexp(std::fabs(value), layout.mantissaBits - exponent));
  int bias = (1 << (layout.exponentBits - 1)) - 1;
  uint64_t sign = uint64_t(value < 0) << (layout.exponentBits + layout.mantissaBits);
  // The mantissa's leading one adds one to the exponent.
  return sign + (uint64_t(exponent + bias - 1) << layout.mantissaBits) + mantissa;
}

/// Splitmix64 (Steele, Lea and Flood, 2014): the number at a place of a sequence.
uint64_t mix(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

/// Writes the low bytes of an element.
void setBits(HostTensor &tensor, int64_t index, uint64_t bits) {
  auto write = [&](auto element) {
    std::memcpy(tensor.bytes.data() + index * sizeof(element), &element, sizeof(element));
  };
  switch (tiny_dtype_size(tensor.dtype)) {
  case 1:
    return write(uint8_t(bits));
  case 2:
    return write(uint16_t(bits));
  case 4:
    return write(uint32_t(bits));
  default:
    return write(bits);
  }
}

/// The `k`-th element of a recipe other than zeros.
uint64_t getElement(const Recipe &recipe, tiny_dtype dtype, Layout layout, uint64_t sequence, uint64_t k) {
  bool isCount = recipe.kind == Recipe::Kind::Arange;
  uint64_t number = isCount ? k : mix(sequence + (k + 1) * 0x9E3779B97F4A7C15);
  if (dtype == TINY_DTYPE_I1)
    return number & 1;
  if (!layout.exponentBits)
    return !isCount                   ? number % 16
           : layout.mantissaBits < 64 ? number & ((uint64_t(1) << layout.mantissaBits) - 1)
                                      : number;
  // Every whole number below this is one of the type.
  uint64_t limit = uint64_t(1) << (layout.mantissaBits + 1);
  double whole = double(number & (limit - 1));
  return encode(isCount ? whole : std::ldexp(whole, -layout.mantissaBits) - 1, layout);
}

} // namespace

Result<std::optional<Recipe>> parseRecipe(std::string_view text) {
  if (text == "zeros")
    return std::optional(Recipe{Recipe::Kind::Zeros, 0});
  if (text == "arange")
    return std::optional(Recipe{Recipe::Kind::Arange, 0});
  Recipe recipe;
  if (text == "random")
    return std::optional(recipe);
  std::string_view seed = text;
  if (!consumeFront(seed, "random:"))
    return std::optional<Recipe>();
  auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), recipe.seed);
  if (error != std::errc() || end != seed.data() + seed.size())
    return failed("got '" + std::string(text) + "', expected random:SEED with a whole number");
  return std::optional(recipe);
}

Result<HostTensor> makeTensor(const Recipe &recipe, tiny_dtype dtype, const std::vector<int64_t> &shape,
                              uint64_t stream) {
  std::optional<int64_t> count = countElements(shape.data(), shape.size(), tiny_dtype_size(dtype));
  double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  if (!count || double(*count) * double(tiny_dtype_size(dtype)) > memory)
    return failed(formatType(dtype, shape.data(), shape.size()) + " is larger than this machine's memory");
  HostTensor tensor = HostTensor::zeros(dtype, shape);
  if (recipe.kind == Recipe::Kind::Zeros)
    return tensor;
  Layout layout = getLayout(dtype);
  uint64_t sequence = mix(recipe.seed * 0xD1342543DE82EF95 + stream + 1);
  for (int64_t k = 0; k < *count; ++k)
    setBits(tensor, k, getElement(recipe, dtype, layout, sequence, uint64_t(k)));
  return tensor;
}

} // namespace tiny::files
