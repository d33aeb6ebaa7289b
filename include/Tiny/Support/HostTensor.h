// A tensor in host memory: what files, the interpreter and the driver hand to each other.
#ifndef TINY_SUPPORT_HOSTTENSOR_H
#define TINY_SUPPORT_HOSTTENSOR_H

#include "Tiny/Runtime/Abi.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include <new>
#include <optional>
#include <vector>

namespace tiny {

/// Allocates from the beginning of a cache line, as the runtime does for its own buffers: no vector of a kernel that
/// reads or writes the memory in place then lies across two lines.
template <typename T> struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename U> LineAllocator(const LineAllocator<U> &) {}
  T *allocate(size_t count) { return static_cast<T *>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T *memory, size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(LineAllocator, LineAllocator) { return true; }
  friend bool operator!=(LineAllocator, LineAllocator) { return false; }
};

/// Row-major elements of one type. A rank-0 tensor has one element.
struct HostTensor {
  using Bytes = std::vector<char, LineAllocator<char>>;

  tiny_dtype dtype = TINY_DTYPE_F32;
  llvm::SmallVector<int64_t> shape;
  Bytes bytes;

  /// A zero tensor; the shape's size must not overflow (see `countElements`).
  static HostTensor zeros(tiny_dtype dtype, llvm::ArrayRef<int64_t> shape);
  /// The elements of a constant; i1 is unpacked to bytes, a splat is repeated. Fails on types that have no dtype.
  static std::optional<HostTensor> fromAttr(mlir::ElementsAttr attr);

  int64_t size() const;
  /// An element as a number: exact, but integers of 64 bits are rounded.
  double getNumber(int64_t index) const;
  /// An element of integers or truth values; a ui64 above the largest int64_t wraps around.
  int64_t getInteger(int64_t index) const;
  template <typename T> T *data() { return reinterpret_cast<T *>(bytes.data()); }
  template <typename T> const T *data() const { return reinterpret_cast<const T *>(bytes.data()); }
};

/// The format of a float dtype; null for integers and truth values.
const llvm::fltSemantics *getFloatFormat(tiny_dtype dtype);
/// The dtype of a builtin element type, signed where it is signless (`i8`) and unsigned for `ui8`.
std::optional<tiny_dtype> getDtype(mlir::Type element);
/// The tensor-level element type of a dtype: `ui8` for TINY_DTYPE_U8.
mlir::Type getElementType(mlir::MLIRContext *context, tiny_dtype dtype);
/// Whether the elements are floats; the format is null where they are not.
inline bool isFloat(tiny_dtype dtype) { return getFloatFormat(dtype) != nullptr; }
/// The type's spelling in messages: `f32`, `ui8`.
llvm::StringRef getDtypeName(tiny_dtype dtype);
/// Product of the dimensions; none when one is negative or the byte size would pass 2^62.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape, uint64_t elementBytes = 1);

} // namespace tiny

#endif // TINY_SUPPORT_HOSTTENSOR_H
