// The elements of a tensor as products of others.
#ifndef TINY_ANALYSIS_LAZY_ELEMENTPRODUCT_H
#define TINY_ANALYSIS_LAZY_ELEMENTPRODUCT_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/Builders.h"
#include <vector>

namespace tiny::lazy {

/// A value seen through a tracker.
struct TrackedValue {
  mlir::Value value;
  ShapeTracker tracker;
};

/// One factor of each element, or what each element is divided by.
struct Factor : TrackedValue {
  bool divides = false;
};

/// `value` seen through `tracker`, with the movements that make it composed into the tracker as far as that needs no
/// mask and overflows nowhere.
TrackedValue skipMovements(mlir::Value value, ShapeTracker tracker);

/// The factors of the elements of `value`, through products, quotients and unmasked views; at most some 64.
std::vector<Factor> splitProduct(mlir::Value value);

/// Whether the position that `tracker` reads does not depend on any of these axes.
bool isInvariant(const ShapeTracker &tracker, llvm::ArrayRef<int64_t> axes);

/// The tracker at index 0 of `axes`, which it loses; invalid on overflow.
ShapeTracker dropAxes(const ShapeTracker &tracker, llvm::ArrayRef<int64_t> axes);

/// The value through the tracker as an operation: the value itself, a splat, or a `lazy.view`.
mlir::Value createView(mlir::OpBuilder &builder, mlir::Location loc, const TrackedValue &source);

} // namespace tiny::lazy

#endif // TINY_ANALYSIS_LAZY_ELEMENTPRODUCT_H
