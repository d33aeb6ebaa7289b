// The steps that make a program smaller, each one place at a time.
#ifndef TINY_LIB_TESTING_REDUCTIONS_H
#define TINY_LIB_TESTING_REDUCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tiny {

/// What a step did at a place.
enum class Tried { Changed, NotHere, NoMorePlaces };

/// A step at the n-th of its places. It changes what a program means; the result may not even verify.
using Reduction = Tried (*)(mlir::ModuleOp module, size_t place);

/// All steps on operations, those first that drop most.
llvm::ArrayRef<Reduction> getReductions();

/// How large a program is; the smaller of two has fewer operations, arguments and results.
uint64_t measureOperations(mlir::ModuleOp module);
/// Sum of the elements of all values.
double measureElements(mlir::ModuleOp module);

/// Writes another number where a dimension of tensors and buffers is `from`: in types alone, also in lists, or also for
/// its multiples there. Null where the text is no program any more. The copy has no locations.
mlir::OwningOpRef<mlir::ModuleOp> shrinkShapes(mlir::ModuleOp module, int64_t from, int64_t to, unsigned variant);
constexpr unsigned kShapeVariants = 3;

/// The dimensions that shapes of the program have, above one, largest first.
llvm::SmallVector<int64_t> getDimensions(mlir::ModuleOp module);

} // namespace tiny

#endif // TINY_LIB_TESTING_REDUCTIONS_H
