// sin, cos, tan.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

// sin(x + y) on |x| up to pi/4, y below the last place of x: fdlibm's kernel in
// f64, Cephes' in f32.
static Num sinKernel(MathBuilder &b, Num x, Num y) {
  Num z = x * x, v = z * x;
  Num r = b.poly(z,
                 {8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                  -2.50507602534068634195e-08, 1.58969099521155010221e-10},
                 {8.3321608736E-3, -1.9515295891E-4});
  Num tail = b.fma(z, b.fma(-v, r, y * 0.5), -y);
  return x - b.fma(v, b.c(1.66666666666666324348e-01, 1.6666654611E-1), tail);
}

static Num cosKernel(MathBuilder &b, Num x, Num y) {
  Num z = x * x;
  Num r = b.poly(z,
                 {4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                  -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11},
                 {4.166664568298827E-002, -1.388731625493765E-003, 2.443315711809948E-005}) *
          z;
  Num hz = z * 0.5, w = 1.0 - hz;
  return w + (((1.0 - w) - hz) + b.fma(z, r, -(x * y)));
}

/// NaN at the infinities.
static Num finish(MathBuilder &b, Num x, Num result) { return b.select(b.abs(x) < b.infinity(), result, b.nan()); }

/// The sine (and the cosine) of a reduced argument, moved on by `quadrants`.
static Num sinAt(MathBuilder &b, Num sine, Num cosine, Num quadrant) {
  Num magnitude = b.select((quadrant & b.i(1)) == 0.0, sine, cosine);
  return b.select((quadrant & b.i(2)) == 0.0, magnitude, -magnitude);
}

std::pair<Num, Num> expandSinCos(MathBuilder &b, Num x) {
  auto [quadrant, high, low] = reduceHalfPi(b, x);
  Num inSine = sinKernel(b, high, low), inCosine = cosKernel(b, high, low);
  Num sine = finish(b, x, sinAt(b, inSine, inCosine, quadrant));
  Num cosine = finish(b, x, sinAt(b, inSine, inCosine, quadrant + 1.0));
  // The sign of zero and the smallest numbers.
  return {b.select(b.abs(x) < b.c(0x1p-27, 0x1p-12), x, sine), cosine};
}

Num expandSin(MathBuilder &b, Num x) {
  auto [quadrant, high, low] = reduceHalfPi(b, x);
  Num result = sinAt(b, sinKernel(b, high, low), cosKernel(b, high, low), quadrant);
  return b.select(b.abs(x) < b.c(0x1p-27, 0x1p-12), x, finish(b, x, result));
}

Num expandCos(MathBuilder &b, Num x) {
  auto [quadrant, high, low] = reduceHalfPi(b, x);
  return finish(b, x, sinAt(b, sinKernel(b, high, low), cosKernel(b, high, low), quadrant + 1.0));
}

Num expandTan(MathBuilder &b, Num x) {
  auto [quadrant, high, low] = reduceHalfPi(b, x);
  Num sine = sinKernel(b, high, low), cosine = cosKernel(b, high, low);
  Num isOdd = (quadrant & b.i(1)) != 0.0;
  Num result = b.select(isOdd, -cosine, sine) / b.select(isOdd, sine, cosine);
  return b.select(b.abs(x) < b.c(0x1p-27, 0x1p-12), x, finish(b, x, result));
}

} // namespace tiny::uop
