// Which axes may be lanes of vectors.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_LANES_H
#define TINY_LIB_TRANSFORMS_KERNEL_LANES_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// True when every access walks the axis with stride one or stands still, and some store walks it: lanes of a vector
/// then are neighbours in memory. Loads may also walk it in short strides.
bool isContiguousAxis(FuncOp kernel, RangeOp axis);

/// How many vectors of lanes are worth it: several where a pass strides, to use up cache lines that stand next to each
/// other.
int64_t countVectors(FuncOp kernel, RangeOp axis);

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_LANES_H
