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

/// A factor or a divisor of each element of a product.
struct Factor : TrackedValue {
  bool divides = false;
};

/// `value` seen through `tracker`, past the movements that make it. Stops at a movement that needs a mask or whose
/// positions would overflow.
TrackedValue skipMovements(mlir::Value value, ShapeTracker tracker);

/// A view of `value` as one of what `value` itself is a view of. Unlike with `skipMovements` masks stay: what is
/// computed is the same along an axis that neither moves the view nor masks it.
ShapeTracker viewThroughMovements(mlir::Value value, ShapeTracker view);

/// The sum of what a product multiplies, and how its input views the product.
struct SumOfProduct {
  ReduceOp sum;
  ShapeTracker view;
};

/// The sum of all results of `op`, behind views that drop axes of size one or exchange axes.
std::optional<SumOfProduct> getSumOfProduct(mlir::Operation *op);

/// The factors of the elements of `value`, through products, quotients and unmasked views. A very long product is split
/// in part only, into some 64 factors.
std::vector<Factor> splitProduct(mlir::Value value);

/// Whether the position that `tracker` reads depends on none of these axes.
bool isInvariant(const ShapeTracker &tracker, llvm::ArrayRef<int64_t> axes);

/// The tracker at index 0 along `axes`, and without them; invalid on overflow.
ShapeTracker dropAxes(const ShapeTracker &tracker, llvm::ArrayRef<int64_t> axes);

/// An operation that gives the value through the tracker: the value itself, a splat, or a `lazy.view`.
mlir::Value createView(mlir::OpBuilder &builder, mlir::Location loc, const TrackedValue &source);

} // namespace tiny::lazy

#endif // TINY_ANALYSIS_LAZY_ELEMENTPRODUCT_H
