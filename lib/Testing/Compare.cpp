// Comparing results: integers exactly, floats within epsilons of their type.
#include "Compare.h"

#include "Tiny/Reference/Scalar.h"
#include <cmath>

using namespace mlir;

namespace tiny::reference {

/// The distance from 1 to the next number.
static double getEpsilon(Format format) {
  switch (format) {
  case Format::F64:
    return std::ldexp(1.0, -52);
  case Format::F32:
    return std::ldexp(1.0, -23);
  case Format::F16:
    return std::ldexp(1.0, -10);
  case Format::BF16:
    return std::ldexp(1.0, -7);
  case Format::F8E4M3FN:
    return std::ldexp(1.0, -3);
  case Format::F8E5M2:
    return std::ldexp(1.0, -2);
  case Format::Int:
    break;
  }
  return 0;
}

/// Inputs are numbers around 1: where all results are smaller than this something was cancelled, and the error is
/// that of what was there before.
static constexpr double kLeastScale = 1.0 / 16;

std::optional<Difference> findDifference(const HostTensor &before, const HostTensor &after, double tolerance,
                                         bool zerosHaveSigns, bool alone) {
  auto [type, isUnsigned] = getScalarTypeOf(before.dtype);
  int64_t size = before.size();
  auto get = [type = type](const HostTensor &tensor, int64_t at) {
    Scalar value;
    readElements(type, tensor.bytes.data() + at * type.bytes(), &value, 1);
    return value;
  };
  double scale = kLeastScale;
  if (type.isFloat() && !alone)
    for (int64_t at = 0; at < size; ++at)
      if (double value = std::fabs(get(before, at).f); std::isfinite(value))
        scale = std::max(scale, value);
  double allowed = tolerance * (type.width > 16 ? 1.0 : 0.125) * getEpsilon(type.format);
  for (int64_t at = 0; at < size; ++at) {
    Scalar a = get(before, at), b = get(after, at);
    bool same = !type.isFloat() ? a.i == b.i
                                : a.f == b.f || (std::isnan(a.f) && std::isnan(b.f)) ||
                                      std::fabs(a.f - b.f) <= allowed * std::max({scale, std::fabs(b.f)});
    // An infinity is near nothing.
    if (type.isFloat() && a.f != b.f && (std::isinf(a.f) || std::isinf(b.f)))
      same = false;
    // Zeros must agree in sign.
    if (type.isFloat() && zerosHaveSigns && a.f == 0 && b.f == 0 && std::signbit(a.f) != std::signbit(b.f))
      same = false;
    if (same)
      continue;
    Difference difference{at, "", ""};
    llvm::raw_string_ostream beforeText(difference.before), afterText(difference.after);
    printScalar(beforeText, a, type, isUnsigned);
    printScalar(afterText, b, type, isUnsigned);
    return difference;
  }
  return std::nullopt;
}

} // namespace tiny::reference
