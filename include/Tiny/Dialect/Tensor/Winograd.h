// What may be computed by Winograd's minimal filtering.
#ifndef TINY_DIALECT_TENSOR_WINOGRAD_H
#define TINY_DIALECT_TENSOR_WINOGRAD_H

#include "Tiny/Dialect/Tensor/Tensor.h"
#include <string>

namespace tiny::tensor {

/// Why the convolution may not say `winograd` with these tiles; empty where it may.
std::string whyNotWinograd(ConvOp conv, llvm::ArrayRef<int64_t> tiles);

/// `tile` outputs at a time along each spatial axis of the convolution for which that is legal, or as many as are, and
/// 1 along the others: what `winograd` may say. Empty where no axis is left, and where a sum is of one channel, whose
/// transforms would take more than it saves.
llvm::SmallVector<int64_t> findWinogradTiles(ConvOp conv, int64_t tile);

/// Whether constants alone decide the value.
bool isKnownValue(mlir::Value value);

/// What convolutions have in common that take the same time: types, windows, groups, and whether the weight is known
/// when the program is compiled.
std::string getConvKey(ConvOp conv);

} // namespace tiny::tensor

#endif // TINY_DIALECT_TENSOR_WINOGRAD_H
