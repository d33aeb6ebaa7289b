// Reductions whose elements depend on another reduction's result, and how partial results of them are combined.
#ifndef TINY_LIB_TRANSFORMS_LAZY_ONLINECOMBINER_H
#define TINY_LIB_TRANSFORMS_LAZY_ONLINECOMBINER_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/Builders.h"

namespace tiny::lazy {

/// An element `f(x, m) = g(c * (x - m))`, where m is the maximum of x along some axes, and g turns sums into products:
/// `g(a + b) = g(a) * g(b)`, `g(0) = 1`. So `f(x, m') = f(x, m) * g(c * (m - m'))`: what was computed relative to one
/// maximum can be corrected to another.
struct ShiftedElement {
  mlir::Operation *function; ///< g: math.exp or math.exp2
  mlir::TypedAttr scale;     ///< c, positive and finite; null for 1
  mlir::Value x;
  ReduceOp maximum; ///< m, before it was repeated along the axes
};

/// `op` as such an element, if it is one.
std::optional<ShiftedElement> matchShiftedElement(mlir::Operation *op);

/// The tracker that repeats a result of `reduce` along the axes that it lost.
ShapeTracker repeatResult(ReduceOp reduce);

/// Creates the reduction of `inputs` = (x, w...) along `axes` to (m, s...), with `m = max x` and
/// `s = sum of f(x, m) * w`, in one pass: partial results combine as
///   M = max(m1, m2),  S = s1 * f(m1, M) + s2 * f(m2, M),
/// which is associative and commutative up to rounding, has the neutral element (-inf, 0...), and an element is the
/// partial result of itself alone. Both corrections take one evaluation of g, since that for the larger maximum is 1.
/// That also holds for two maxima of -inf or of +inf, whose difference is no number: the sums stay numbers where the
/// sums of f(x, m) are none, because the maximum is not finite.
ReduceOp createOnlineReduce(mlir::OpBuilder &builder, mlir::Location loc, const ShiftedElement &element,
                            mlir::ValueRange inputs, llvm::ArrayRef<int64_t> axes, mlir::arith::FastMathFlags fastmath);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_ONLINECOMBINER_H
