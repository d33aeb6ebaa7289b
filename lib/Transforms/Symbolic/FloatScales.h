// Multiplications of floats by powers of two that meet a quotient.
#ifndef TINY_LIB_TRANSFORMS_SYMBOLIC_FLOATSCALES_H
#define TINY_LIB_TRANSFORMS_SYMBOLIC_FLOATSCALES_H

#include "mlir/IR/Block.h"

namespace tiny::sym {

/// Folds them into the quotient's constant dividend, wherever ranges prove that no bit of any result changes. Returns
/// how many it folded.
int64_t foldScales(mlir::Block &block);

} // namespace tiny::sym

#endif // TINY_LIB_TRANSFORMS_SYMBOLIC_FLOATSCALES_H
