// What a grid says of microbatches.
#ifndef TINY_SUPPORT_MICROBATCHES_H
#define TINY_SUPPORT_MICROBATCHES_H

#include "llvm/ADT/StringRef.h"

namespace tiny {

/// On a `shard.grid`: the number of its last axis, an i64, along which there are no ranks but microbatches, which each
/// rank computes one after the other.
constexpr llvm::StringLiteral kMicrobatchesAttr = "tiny.microbatches";

} // namespace tiny

#endif // TINY_SUPPORT_MICROBATCHES_H
