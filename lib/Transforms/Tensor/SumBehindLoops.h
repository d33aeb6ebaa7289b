// What a loop only adds up, computed behind it.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_SUMBEHINDLOOPS_H
#define TINY_LIB_TRANSFORMS_TENSOR_SUMBEHINDLOOPS_H

#include "Tiny/Dialect/Tensor/Tensor.h"

namespace tiny::tensor {

/// Where each iteration adds a product to a carried value that nothing else reads, gives the factors as rows, and
/// multiplies all of them behind the loop: one product, and no sum that is read and written in each iteration. The
/// order of the sum changes.
void sumBehind(LoopOp loop);

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_SUMBEHINDLOOPS_H
