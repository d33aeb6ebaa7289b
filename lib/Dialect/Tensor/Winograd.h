// Convolution by Winograd's minimal filtering.
#ifndef TINY_LIB_DIALECT_TENSOR_WINOGRAD_H
#define TINY_LIB_DIALECT_TENSOR_WINOGRAD_H

#include "Window.h"

namespace tiny::tensor {

/// What is wrong with `tiles` for such windows of such elements; empty where nothing is.
std::string whyNotWinograd(const Window &window, llvm::ArrayRef<int64_t> tiles, mlir::Type element);

/// The convolution without its bias, in the type `compute`, by tiles of so many outputs as the operation says: input
/// and weights are transformed along each axis of which a tile has several outputs, tiles are multiplied and summed
/// over the channels by a convolution with as many groups as a tile has inputs, and the sums are transformed back.
mlir::FailureOr<mlir::Value> filterByTiles(TensorBuilder &build, ConvOp conv, const Window &window, mlir::Type compute);

} // namespace tiny::tensor

#endif // TINY_LIB_DIALECT_TENSOR_WINOGRAD_H
