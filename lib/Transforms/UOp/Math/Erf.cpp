// erf and erfc.
#include "Functions.h"

using namespace mlir;

namespace tiny::uop {

// N. Juffa's erff: an odd polynomial below 0.93, beyond it 1 - e^p(|x|).
static Num erfSingle(MathBuilder &b, Num x) {
  Num a = b.abs(x), s = x * x;
  Num ratio = b.poly(s, {1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4});
  Num near = b.fma(x, ratio, x);
  // From 4 on the result is 1.
  Num t = b.select(a > 4.0, b.c(4.0), a);
  Num p = b.poly(t, {-1.28717512e-1, -6.34846687e-1, -1.06777877e-1, 2.42546219e-2, -3.88396438e-3, 3.83197126e-4,
                     -1.72853470e-5});
  Num far = 1.0 - expandExp(b, b.fma(p, t, -t));
  return b.select(a > 0.927734375, b.copySign(far, x), near);
}

// fdlibm's four rational functions.

/// erf(x) / x - 1 below 0.84375, by x^2.
static Num nearPart(MathBuilder &b, Num z) {
  return b.poly(z, {1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
                    -5.77027029648944159157e-03, -2.37630166566501626084e-05}) /
         b.poly(z, {1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
                    1.32494738004321644526e-04, -3.96022827877536812320e-06});
}

/// erf(1 + s) - kMiddle between 0.84375 and 1.25.
constexpr double kMiddle = 8.45062911510467529297e-01;
static Num middlePart(MathBuilder &b, Num s) {
  return b.poly(s, {-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
                    3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
                    -2.16637559486879084300e-03}) /
         b.poly(s, {1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
                    1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02});
}

/// erfc(t) between 1.25 and 28.
static Num tailPart(MathBuilder &b, Num t) {
  Num w = 1.0 / (t * t);
  Num below = b.poly(w, {-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
                         -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
                         -8.12874355063065934246e+01, -9.81432934416914548592e+00}) /
              b.poly(w, {1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
                         6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
                         6.57024977031928170135e+00, -6.04244152148580987438e-02});
  Num beyond = b.poly(w, {-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
                          -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
                          -4.83519191608651397019e+02}) /
               b.poly(w, {1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
                          3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
                          -2.24409524465858183362e+01});
  Num q = b.select(t < 1.0 / 0.35, below, beyond);
  // e^(-t^2) with the square split, so that its error does not count.
  // One bit less than `high` leaves in f32: 0.5625 may carry.
  Num h = b.real(b.bits(t) & b.i(0xfffffffff8000000ull, 0xffffe000u));
  return expandExp(b, -(h * h) - 0.5625) * expandExp(b, b.fma(h - t, h + t, q)) / t;
}

static Num erfDouble(MathBuilder &b, Num x) {
  Num a = b.abs(x);
  Num near = b.fma(x, nearPart(b, x * x), x), middle = middlePart(b, a - 1.0) + kMiddle;
  // From 6 on the result is 1; NaN is kept.
  Num far = 1.0 - tailPart(b, b.select(a > 6.0, b.c(6.0), a));
  Num result = b.select(a < 1.25, middle, far);
  return b.select(a < 0.84375, near, b.copySign(result, x));
}

Num expandErf(MathBuilder &b, Num x) {
  Num result = b.isDouble() ? erfDouble(b, x) : erfSingle(b, x);
  return b.select(b.isNan(x), x, result);
}

Num expandErfc(MathBuilder &b, Num x) {
  Num a = b.abs(x), isNegative = x < 0.0;
  Num delta = x * nearPart(b, x * x);
  Num near = b.select(x < 0.25, 1.0 - (x + delta), 0.5 - ((x - 0.5) + delta));
  Num part = middlePart(b, a - 1.0);
  Num middle = b.select(isNegative, 1.0 + (part + kMiddle), (1.0 - kMiddle) - part);
  // From 28 on the tail is 0 in either type.
  Num tail = tailPart(b, b.select(a > 28.0, b.c(28.0), a));
  Num far = b.select(isNegative, 2.0 - tail, tail);
  Num result = b.select(a < 0.84375, near, b.select(a < 1.25, middle, far));
  return b.select(b.isNan(x), x, result);
}

} // namespace tiny::uop
