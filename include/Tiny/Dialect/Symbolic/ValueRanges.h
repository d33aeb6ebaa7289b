// What is known of scalars that are no index: floats, and integers of other widths.
#ifndef TINY_DIALECT_SYMBOLIC_VALUERANGES_H
#define TINY_DIALECT_SYMBOLIC_VALUERANGES_H

#include "Tiny/Algebra/Symbolic/FloatRange.h"

#include "mlir/IR/Value.h"

namespace tiny::sym {

/// The bounds of scalar floats and integers: through casts, basic arithmetic, extrema, selects, and for integers what
/// InferIntRangeInterface says. Floats with reassoc, contract, arcp or afn flags may be computed in another way, so
/// nothing is said of them. What a value is where it is poison counts for nothing.
class ValueRanges {
public:
  using IndexBounds = llvm::function_ref<Bounds(mlir::Value)>;

  /// Bounds of a float or of an integer of up to 64 bits, as signed; none where nothing is known. `indexBounds` gives
  /// those of index values.
  std::optional<FloatRange> floatRange(mlir::Value value, IndexBounds indexBounds);
  std::optional<Bounds> integerRange(mlir::Value value, IndexBounds indexBounds);

private:
  void visit(mlir::Value root, IndexBounds indexBounds);
  std::optional<FloatRange> floatOf(mlir::Operation *op, IndexBounds indexBounds);
  std::optional<Bounds> integerOf(mlir::Operation *op, IndexBounds indexBounds);
  std::optional<Bounds> boundsOfOperand(mlir::Value value, IndexBounds indexBounds);

  llvm::DenseMap<mlir::Value, std::optional<FloatRange>> floats;
  llvm::DenseMap<mlir::Value, std::optional<Bounds>> integers;
  llvm::DenseSet<mlir::Value> visited;
};

} // namespace tiny::sym

#endif // TINY_DIALECT_SYMBOLIC_VALUERANGES_H
