// Narrow float formats by integer arithmetic: how a target computes in types that it does not have.
#ifndef TINY_LIB_TRANSFORMS_UOP_MATH_FLOATFORMATS_H
#define TINY_LIB_TRANSFORMS_UOP_MATH_FLOATFORMATS_H

#include "MathBuilder.h"

namespace tiny::uop {

/// `x`, of a narrow float type or a vector of it, as f32: exact. `math` is over f32 of the same shape. A NaN keeps its
/// sign.
Num widenFloat(MathBuilder &math, mlir::Value x);

/// `x` rounded once to `type`, a narrow float type or a vector of it: to nearest, ties to even. What is too large
/// becomes infinity, or NaN where the format has no infinity. A NaN keeps its sign and loses its payload.
mlir::Value narrowFloat(Num x, mlir::Type type);

/// `x`, f64 or a vector of it, as f32 rounded to odd: of the two f32 around a value between them the one whose last bit
/// is set. To round that to any format of 22 bits and less is to round `x` once (Boldo and Melquiond, "Emulation of
/// FMA and correctly rounded sums", 2008). `math` is over f32 of the same shape.
Num roundToOdd(MathBuilder &math, mlir::Value x);

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_MATH_FLOATFORMATS_H
