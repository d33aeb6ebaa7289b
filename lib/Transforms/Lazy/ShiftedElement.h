// Elements that are computed relative to a value of their row, and can be corrected to another.
#ifndef TINY_LIB_TRANSFORMS_LAZY_SHIFTEDELEMENT_H
#define TINY_LIB_TRANSFORMS_LAZY_SHIFTEDELEMENT_H

#include "Tiny/Analysis/Lazy/ElementProduct.h"

namespace tiny::lazy {

/// An element `f(x, s) = g(c * (x - s))`, where g turns sums into products: `g(a + b) = g(a) * g(b)`, `g(0) = 1`. So
/// `f(x, s) = f(x, m) * g(c * (m - s))`, and what was computed relative to one m can be corrected to another. s is
/// - the maximum of the row, m;
/// - at least that: `max(m, a)` with an a that the row shares;
/// - the maximum of a row with one element more than x, as behind a concatenation;
/// - zero, if nothing is subtracted.
struct ShiftedElement {
  mlir::Operation *function; ///< g: math.exp or math.exp2
  mlir::TypedAttr scale;     ///< c, positive and finite; null for 1
  mlir::Value x;
  ShapeTracker toX; ///< from the element's indices to those of x; masked at the last element of a row that has one more
  ReduceOp maximum; ///< before it was repeated along the axes; null where nothing is subtracted
  TrackedValue shift; ///< s over the element's indices, where it is max(m, a)
  TrackedValue last;  ///< the last element over the maximum's indices, where a row has one more than x

  /// Whether s is the maximum of the row's x.
  bool isPlain() const { return maximum && !shift.value && !last.value; }
};

/// `op` as such an element, if it is one.
std::optional<ShiftedElement> matchShiftedElement(mlir::Operation *op);

/// The tracker that repeats a result of `reduce` along the axes that it lost.
ShapeTracker repeatResult(ReduceOp reduce);

/// Creates `g(c * difference)` of scalars or of tensors.
mlir::Value createFunction(mlir::OpBuilder &builder, mlir::Location loc, const ShiftedElement &element,
                           mlir::Value difference);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_SHIFTEDELEMENT_H
