// Casts between integers and floats by steps that any target has.
#ifndef TINY_LIB_TRANSFORMS_UOP_MATH_INTEGERCASTS_H
#define TINY_LIB_TRANSFORMS_UOP_MATH_INTEGERCASTS_H

#include "MathBuilder.h"

namespace tiny::uop {

/// An integer of 32 or 64 bits as f32, rounded once: to nearest, ties to even, or, with `toOdd`, so that rounding the
/// result to a format of 11 bits and less is rounding the integer once. `whole` builds integers of its width, `single`
/// f32.
Num integerToSingle(MathBuilder &whole, MathBuilder &single, Num x, bool isSigned, bool toOdd);

/// The same of 64 bits as f64.
Num integerToDouble(MathBuilder &whole, MathBuilder &twice, Num x, bool isSigned);

/// A float that is in the range of an integer of 64 bits as one, cut off; of any other, any number. `real` builds its
/// type.
Num integerOfFloat(MathBuilder &whole, MathBuilder &real, Num x, bool isSigned);

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_MATH_INTEGERCASTS_H
