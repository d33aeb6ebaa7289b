// Shapes of values.
#ifndef TINY_DIALECT_LAZY_SHAPES_H
#define TINY_DIALECT_LAZY_SHAPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace tiny::lazy {

/// The shape of a ranked tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// The sizes of the axes of more or less than one element, which alone become loops.
inline llvm::SmallVector<int64_t> withoutUnits(llvm::ArrayRef<int64_t> shape) {
  return llvm::filter_to_vector(shape, [](int64_t size) { return size != 1; });
}

} // namespace tiny::lazy

#endif // TINY_DIALECT_LAZY_SHAPES_H
