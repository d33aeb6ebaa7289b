// Families: a module whose programs are given as instances at some sizes, each in a module of its own.
#ifndef TINY_SUPPORT_FAMILY_H
#define TINY_SUPPORT_FAMILY_H

#include "mlir/IR/BuiltinOps.h"

namespace tiny {

/// On a module of instances: a dictionary from the name of each size to its least and its greatest value. On an
/// instance: a dictionary from each name to the value that it has there.
constexpr llvm::StringLiteral kSizesAttr = "tiny.sizes";

/// On an argument or a result of a program with sizes: an affine map from the sizes to its shape.
constexpr llvm::StringLiteral kShapeAttr = "tiny.shape";

/// On a result of an instance: the name of a size that is data, which this i64 says when the program runs, and the
/// greatest value that it can have. The instance itself is made for some value of it, like that of any size.
constexpr llvm::StringLiteral kSizeAttr = "tiny.size", kBoundAttr = "tiny.bound";

/// What an error says of instances that can be joined, but to a program that is another one at some sizes.
constexpr llvm::StringLiteral kWrongProgram = "one program for all sizes would ";

/// Whether the module's programs are given as instances.
inline bool isFamily(mlir::ModuleOp module) { return module->hasAttr(kSizesAttr); }

} // namespace tiny

#endif // TINY_SUPPORT_FAMILY_H
