// Host tensors where MLIR's types and attributes meet them.
#ifndef TINY_SUPPORT_HOSTTENSOR_H
#define TINY_SUPPORT_HOSTTENSOR_H

#include "Tiny/Files/HostTensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include <optional>

namespace tiny {

/// The elements of a constant; i1 is unpacked to bytes, a splat is repeated. Fails on types that have no dtype.
std::optional<HostTensor> readConstant(mlir::ElementsAttr attr);
/// The elements as a constant that is part of the program.
mlir::DenseElementsAttr makeConstant(mlir::MLIRContext *context, const HostTensor &tensor);

/// The format of a float dtype; null for integers and truth values.
const llvm::fltSemantics *getFloatFormat(tiny_dtype dtype);
/// The dtype of a builtin element type, signed where it is signless (`i8`) and unsigned for `ui8`.
std::optional<tiny_dtype> getDtype(mlir::Type element);
/// The tensor-level element type of a dtype: `ui8` for TINY_DTYPE_U8.
mlir::Type getElementType(mlir::MLIRContext *context, tiny_dtype dtype);
/// Product of the dimensions; none when one is negative or the byte size would pass 2^62.
inline std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape, uint64_t elementBytes = 1) {
  return countElements(shape.data(), shape.size(), elementBytes);
}

} // namespace tiny

#endif // TINY_SUPPORT_HOSTTENSOR_H
