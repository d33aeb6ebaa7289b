// The reduction of a maximum and of sums relative to it.
#ifndef TINY_LIB_TRANSFORMS_LAZY_ONLINECOMBINER_H
#define TINY_LIB_TRANSFORMS_LAZY_ONLINECOMBINER_H

#include "ShiftedElement.h"

namespace tiny::lazy {

/// Creates the reduction of `inputs` = (x, w...) along `axes` to (m, s...), with `m = max x` and
/// `s = sum of f(x, m) * w`, in one pass: partial results combine as
///   M = max(m1, m2),  S = s1 * f(m1, M) + s2 * f(m2, M),
/// which is associative and commutative up to rounding, has the neutral element (-inf, 0...), and an element is the
/// partial result of itself alone. Both corrections take one evaluation of g, since that for the larger maximum is 1.
/// That also holds for two maxima of -inf or of +inf, whose difference is no number, and where one is NaN: s is a
/// number as long as each w is (and no sum overflows), also where some f(x, m) is none because the maximum is not
/// finite. It is not, if a w is not. With `maxnumf` for the maximum an x that is NaN makes s NaN.
ReduceOp createOnlineReduce(mlir::OpBuilder &builder, mlir::Location loc, const ShiftedElement &element,
                            mlir::ValueRange inputs, llvm::ArrayRef<int64_t> axes, mlir::arith::FastMathFlags fastmath);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_ONLINECOMBINER_H
