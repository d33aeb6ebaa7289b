// Which axes may be lanes of vectors.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_LANES_H
#define TINY_LIB_TRANSFORMS_KERNEL_LANES_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// Vectors of lanes where a pass strides: they use up cache lines that stand next to each other.
inline constexpr int64_t kVectorsAcross = 8;

/// True when every store walks the axis with stride one, and every load too or stands still: lanes of a vector then are
/// neighbours in memory. Loads may also walk it in short strides.
bool isContiguousAxis(FuncOp kernel, RangeOp axis);

/// Lanes of `most` or less, by half, as long as they make the axis at most a third longer.
int64_t findMultiple(int64_t extent, int64_t most, int64_t least);

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_LANES_H
