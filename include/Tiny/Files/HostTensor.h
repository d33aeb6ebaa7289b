// A tensor in host memory: what files, the interpreter, the driver and tiny-exec hand to each other.
#ifndef TINY_FILES_HOSTTENSOR_H
#define TINY_FILES_HOSTTENSOR_H

#include "Tiny/Files/HostBytes.h"
#include "Tiny/Runtime/Abi.h"

#include <optional>
#include <string>
#include <vector>

namespace tiny {

/// Row-major elements of one type, at any address where they lie in a file. A rank-0 tensor has one element.
struct HostTensor {
  using Bytes = HostBytes;

  tiny_dtype dtype = TINY_DTYPE_F32;
  std::vector<int64_t> shape;
  Bytes bytes;

  /// A zero tensor; the shape's size must not overflow (see `countElements`).
  static HostTensor zeros(tiny_dtype dtype, std::vector<int64_t> shape);

  int64_t size() const;
  /// An element as a number: exact, but integers of 64 bits are rounded.
  double getNumber(int64_t index) const;
  /// An element of integers or truth values; a ui64 above the largest int64_t wraps around.
  int64_t getInteger(int64_t index) const;
  /// For elements that are aligned, as `zeros` makes them; those of a file may not be: `getNumber` reads them anywhere.
  template <typename T> T *data() { return reinterpret_cast<T *>(bytes.data()); }
  template <typename T> const T *data() const { return reinterpret_cast<const T *>(bytes.data()); }
};

/// A tensor and what its file or its program calls it.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// Whether the elements are floats.
bool isFloat(tiny_dtype dtype);
/// Whether the elements are unsigned integers or truth values.
bool isUnsigned(tiny_dtype dtype);
/// The type's spelling in messages: "f32", "ui8"; "unknown" for a number that names none.
const char *getDtypeName(tiny_dtype dtype);
/// "tensor<2x3xf32>", as a program would write it.
std::string formatType(tiny_dtype dtype, const int64_t *shape, size_t rank);
std::string formatType(const HostTensor &tensor);
/// Product of the dimensions; none when one is negative or the byte size would pass 2^62.
std::optional<int64_t> countElements(const int64_t *shape, size_t rank, uint64_t elementBytes);

} // namespace tiny

#endif // TINY_FILES_HOSTTENSOR_H
