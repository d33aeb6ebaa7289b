// How tiny-reduce makes programs smaller inside functions.
#ifndef TINY_PIPELINES_REDUCTION_H
#define TINY_PIPELINES_REDUCTION_H

#include "mlir/IR/DialectRegistry.h"

namespace tiny {

/// Adds the patterns that `--reduction-tree` tries, for programs of every level: an operation becomes one of its
/// operands or zero, a function loses results that nothing computes and arguments that nothing uses. They change what a
/// program means; whether it is still interesting is for the user's script to say.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace tiny

#endif // TINY_PIPELINES_REDUCTION_H
