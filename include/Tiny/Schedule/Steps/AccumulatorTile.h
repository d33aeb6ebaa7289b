// Axes along which one reduction keeps several accumulators.
#ifndef TINY_SCHEDULE_STEPS_ACCUMULATORTILE_H
#define TINY_SCHEDULE_STEPS_ACCUMULATORTILE_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// The loop axes that some results of a reduce with a combiner region vary along and others do not. As copies they make
/// a tile of accumulators, and values that the accumulators share are evaluated once; as loops around the reduce they
/// would evaluate them once for each. None if there would be more than `maxPoints` accumulators.
llvm::SmallVector<RangeOp> findAccumulatorTile(FuncOp kernel, int64_t maxPoints);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_ACCUMULATORTILE_H
