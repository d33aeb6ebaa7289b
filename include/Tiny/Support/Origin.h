// Which tensor operation a lower operation comes from. It travels in the location, so every rewrite keeps it.
#ifndef TINY_SUPPORT_ORIGIN_H
#define TINY_SUPPORT_ORIGIN_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

namespace tiny {

/// `loc` with the name of the tensor operation it came from, as metadata of a fused location; an origin that is
/// already there stays, since the outermost operation is what a person wrote.
mlir::Location withOrigin(mlir::Location loc, llvm::StringRef name);

/// The first origin, or an empty string.
llvm::StringRef getOrigin(mlir::Location loc);

/// All origins, each once, in the order of the locations that were fused.
llvm::SmallVector<llvm::StringRef, 2> getOrigins(mlir::Location loc);

} // namespace tiny

#endif // TINY_SUPPORT_ORIGIN_H
