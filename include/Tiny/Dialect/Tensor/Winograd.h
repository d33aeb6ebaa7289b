// What may be computed by Winograd's minimal filtering.
#ifndef TINY_DIALECT_TENSOR_WINOGRAD_H
#define TINY_DIALECT_TENSOR_WINOGRAD_H

#include "Tiny/Dialect/Tensor/Tensor.h"

namespace tiny::tensor {

/// `tile` outputs at a time along each spatial axis of the convolution for which that is legal and fewer, and 1 along
/// the others: what `winograd` may say. Empty where no axis is left.
llvm::SmallVector<int64_t> findWinogradTiles(ConvOp conv, int64_t tile);

} // namespace tiny::tensor

#endif // TINY_DIALECT_TENSOR_WINOGRAD_H
