// One element of any type, and how it is rounded and stored. Every level of the interpreter computes in these.
#ifndef TINY_REFERENCE_SCALAR_H
#define TINY_REFERENCE_SCALAR_H

#include "Tiny/Runtime/Abi.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/Support/raw_ostream.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace tiny::reference {

/// A number: floats as doubles that are already rounded to their type, integers sign-extended to 64 bits whatever
/// their sign means (so i1 true is -1).
union Scalar {
  int64_t i;
  double f;
};

inline Scalar makeInt(int64_t value) {
  Scalar scalar;
  scalar.i = value;
  return scalar;
}
inline Scalar makeFloat(double value) {
  Scalar scalar;
  scalar.f = value;
  return scalar;
}

enum class Format : uint8_t { Int, F64, F32, F16, BF16, F8E4M3FN, F8E5M2 };

/// What a scalar is: its format and its width in bits. `index` is a 64-bit integer.
struct ScalarType {
  Format format = Format::Int;
  uint8_t width = 64;

  bool isFloat() const { return format != Format::Int; }
  /// Bytes in memory; i1 takes one.
  unsigned bytes() const { return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8; }
  bool operator==(const ScalarType &other) const { return format == other.format && width == other.width; }
};

/// The scalar type of an element type or of a shaped type's elements; none for what the interpreter does not know,
/// such as integers wider than 64 bits.
std::optional<ScalarType> getScalarType(mlir::Type type);

/// The scalar type of a dtype, and whether it is unsigned.
std::pair<ScalarType, bool> getScalarTypeOf(tiny_dtype dtype);

/// Sign-extends the low `width` bits.
inline int64_t wrapInt(int64_t value, unsigned width) {
  return width >= 64 ? value : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - width)) >> (64 - width);
}
/// The low `width` bits as an unsigned number.
inline uint64_t zeroExtend(int64_t value, unsigned width) {
  return width >= 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}

/// `value` rounded once to the format, to nearest even.
double roundTo(Format format, double value);
/// Brings computed numbers into their type: floats are rounded, integers wrap.
void normalize(ScalarType type, Scalar *values, size_t count);

/// An integer rounded once to a format; by way of double, a wide one would be rounded twice.
double intToFloat(Format format, int64_t value, bool isSigned);
/// A float truncated to an integer of `width` bits. What does not fit saturates, NaN is 0; nobody promises more.
int64_t floatToInt(double value, unsigned width, bool isSigned);

/// The bits of a scalar in memory, and back.
uint64_t encode(ScalarType type, Scalar value);
Scalar decode(ScalarType type, uint64_t bits);
/// Reads and writes elements of packed memory.
void readElements(ScalarType type, const char *from, Scalar *to, size_t count);
void writeElements(ScalarType type, const Scalar *from, char *to, size_t count);

/// The value of a constant attribute of a scalar type.
std::optional<Scalar> fromAttribute(ScalarType type, mlir::Attribute attr);

/// The shortest decimal that reads back as the same number of the type.
void printScalar(llvm::raw_ostream &os, Scalar value, ScalarType type, bool isUnsigned);

/// What an unspecified element reads as: NaN, or a pattern of 0x5A bytes.
Scalar getJunk(ScalarType type);

} // namespace tiny::reference

#endif // TINY_REFERENCE_SCALAR_H
