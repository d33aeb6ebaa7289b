// Makes a program smaller as long as something holds of it.
#ifndef TINY_TESTING_REDUCE_H
#define TINY_TESTING_REDUCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tiny {

/// What is asked of each smaller program; it may not change it.
using Interestingness = llvm::function_ref<bool(mlir::ModuleOp)>;

/// The smallest program that was found, of those that verify and are interesting, the given one among them: a function
/// goes or returns a value from its middle; an operation becomes an argument, one of its operands or zero, or goes;
/// constants become splats; shapes shrink. Each step is tried on a copy, and steps are tried until none is left.
mlir::OwningOpRef<mlir::ModuleOp> reduceModule(mlir::ModuleOp module, Interestingness isInteresting);

} // namespace tiny

#endif // TINY_TESTING_REDUCE_H
