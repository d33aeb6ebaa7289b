// Predicts softmax(q k^T) v, as attention has it, as one kernel relative to a running maximum and as two.
#ifndef TINY_ALGEBRA_COST_SOFTMAXPRODUCT_H
#define TINY_ALGEBRA_COST_SOFTMAXPRODUCT_H

#include "Tiny/Algebra/Cost/Machine.h"

namespace tiny::cost {

/// For each of `others`: the product of rows x depth by depth x keys, its softmax along the keys, and the product of
/// that by keys x width. All elements have 32 bits.
struct SoftmaxProduct {
  int64_t others = 1, rows = 1, keys = 1, depth = 1, width = 1;
};

/// Most vectors of a block of keys: their functions hide each other's latency.
inline constexpr int64_t kMostBlockVectors = 4;

/// How many rows of so many share what is loaded in one kernel: as many as have registers for their sums, at most
/// `most`, and with few rows behind the end.
int64_t chooseSharedRows(int64_t extent, int64_t most);

/// Picoseconds of one kernel. A block of rows goes through blocks of keys: it has the sums of all the width in
/// registers, as many rows as find room there.
int64_t predictOneKernel(const SoftmaxProduct &of, const Machine &machine);

/// Picoseconds of two kernels. The first one keeps blocks of rows of the first product for the passes of the softmax
/// and stores them; the second one is a product. Each has the best tile of registers. The second launch costs what one
/// more kernel does where values are fused.
int64_t predictTwoKernels(const SoftmaxProduct &of, const Machine &machine);

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_SOFTMAXPRODUCT_H
