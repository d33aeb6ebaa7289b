// What a group keeps row by row.
#ifndef TINY_DIALECT_LAZY_KEPTROWS_H
#define TINY_DIALECT_LAZY_KEPTROWS_H

#include "llvm/ADT/StringRef.h"

namespace tiny::lazy {

/// A unit attribute of a `lazy.contiguous` in a group: its kernel keeps a row of the value, for passes over that, where
/// all that reads it does so in the same loops over the other axes; the whole value elsewhere.
inline constexpr llvm::StringLiteral kKeptRowsAttr = "lazy.rows";

} // namespace tiny::lazy

#endif // TINY_DIALECT_LAZY_KEPTROWS_H
