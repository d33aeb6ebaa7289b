// What parameters of layers begin with.
#ifndef TINY_LIB_FRONTEND_DRAWING_H
#define TINY_LIB_FRONTEND_DRAWING_H

#include "Tiny/Frontend/Tensor.h"

namespace tiny::nn {

/// Uniform within a bound, known: what is trained must be. Zeros while an `Undrawn` lives.
Tensor draw(const Shape &shape, double bound);

} // namespace tiny::nn

#endif // TINY_LIB_FRONTEND_DRAWING_H
