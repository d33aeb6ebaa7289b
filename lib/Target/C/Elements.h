// How C spells types, elements and names.
#ifndef TINY_LIB_TARGET_C_ELEMENTS_H
#define TINY_LIB_TARGET_C_ELEMENTS_H

#include "mlir/IR/BuiltinTypes.h"

namespace tiny::c {

/// Only what C allows in a name: every other character becomes an underscore.
std::string makeIdentifier(llvm::StringRef text);
/// The text in quotes, as it may stand in a comment: no line ends, and nothing that ends it.
std::string quote(llvm::StringRef text);
/// The C type of an element; a truth value is a byte, and floats of fewer than 32 bits are their bits.
llvm::StringRef getElementName(mlir::Type element);
/// Bytes of a buffer.
int64_t getBytes(mlir::MemRefType type);
/// The element at `bytes` as C writes it; the bits of floats decide, so NaN is written by its sign alone.
std::string writeElement(const char *bytes, mlir::Type type);

} // namespace tiny::c

#endif // TINY_LIB_TARGET_C_ELEMENTS_H
