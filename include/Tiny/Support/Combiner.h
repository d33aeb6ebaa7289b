// What the combiner of a reduction of several values depends on.
#ifndef TINY_SUPPORT_COMBINER_H
#define TINY_SUPPORT_COMBINER_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace tiny {

/// `combiner` goes from accumulators and then as many elements to new accumulators, which its terminator yields. By
/// result, the inputs of the reduction that it depends on, from however many steps before.
llvm::SmallVector<llvm::BitVector> getCombinedInputs(mlir::Block &combiner);

} // namespace tiny

#endif // TINY_SUPPORT_COMBINER_H
