// The functions that uop-expand-math knows, each on f32 and f64. docs/Numerics.md states the errors.
#ifndef TINY_LIB_TRANSFORMS_UOP_MATH_FUNCTIONS_H
#define TINY_LIB_TRANSFORMS_UOP_MATH_FUNCTIONS_H

#include "MathBuilder.h"

namespace tiny::uop {

// Exponential.cpp
Num expandExp(MathBuilder &b, Num x);
Num expandExp2(MathBuilder &b, Num x);
Num expandExpM1(MathBuilder &b, Num x);
/// e^x / 2, which is finite a little longer than e^x.
Num halfExp(MathBuilder &b, Num x);

// Logarithm.cpp
Num expandLog(MathBuilder &b, Num x);
Num expandLog2(MathBuilder &b, Num x);
Num expandLog10(MathBuilder &b, Num x);
Num expandLog1p(MathBuilder &b, Num x);
/// A positive finite number as m 2^k with m in [sqrt(1/2), sqrt(2)).
struct Decomposed {
  Num mantissa, exponent;
};
Decomposed decompose(MathBuilder &b, Num x);

// Trigonometric.cpp, RangeReduction.cpp
Num expandSin(MathBuilder &b, Num x);
Num expandCos(MathBuilder &b, Num x);
Num expandTan(MathBuilder &b, Num x);
std::pair<Num, Num> expandSinCos(MathBuilder &b, Num x);
/// x = quadrant pi/2 + high + low with |high| up to pi/4; the quadrant counts modulo 4.
struct Reduced {
  Num quadrant, high, low;
};
Reduced reduceHalfPi(MathBuilder &b, Num x);

// InverseTrigonometric.cpp
Num expandAsin(MathBuilder &b, Num x);
Num expandAcos(MathBuilder &b, Num x);
Num expandAtan(MathBuilder &b, Num x);
Num expandAtan2(MathBuilder &b, Num y, Num x);

// Hyperbolic.cpp
Num expandSinh(MathBuilder &b, Num x);
Num expandCosh(MathBuilder &b, Num x);
Num expandTanh(MathBuilder &b, Num x);
Num expandAsinh(MathBuilder &b, Num x);
Num expandAcosh(MathBuilder &b, Num x);
Num expandAtanh(MathBuilder &b, Num x);

// Erf.cpp
Num expandErf(MathBuilder &b, Num x);
Num expandErfc(MathBuilder &b, Num x);

// Power.cpp
Num expandPow(MathBuilder &b, Num x, Num y);
/// x^n for an integer n given as a float, and whether it is odd, which a float may no longer know.
Num expandPowInteger(MathBuilder &b, Num x, Num n, Num isOdd);
Num expandCbrt(MathBuilder &b, Num x);
Num expandRsqrt(MathBuilder &b, Num x);

// Remainder.cpp
/// x - y trunc(x / y), exactly: C's fmod.
Num expandRemainder(MathBuilder &b, Num x, Num y);
/// x^n on integers or vectors of them.
mlir::Value expandIPowI(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value n);

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_MATH_FUNCTIONS_H
