// Which loops of a kernel become one.
#ifndef TINY_LIB_SCHEDULE_CPU_MERGELOOPS_H
#define TINY_LIB_SCHEDULE_CPU_MERGELOOPS_H

#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// The loads from which reductions compute their inputs.
llvm::SmallVector<LoadOp> findReducedLoads(FuncOp kernel);

/// Merges free loops that every access walks as one, so that more is contiguous. If a gate or a value depends on such
/// loops, it would have to divide; they are merged only in a reduction of products, whose operands are packed. With
/// `pack`, loads of such a reduction may also walk the loops apart, and must then be packed. Returns whether some must.
bool mergeLoops(SchedulePlan &plan, bool pack);

/// Splits free loops of which some access divides the points, by its divisor, where that is at most
/// `cost::kMostInterleaved`: each part moves the access by a distance of its own, and stores may interleave along them.
/// Returns whether there was one.
bool splitDivided(SchedulePlan &plan);

/// Merges reduced axes, and those that fill a tile, that every access walks as one, so that a row is one axis.
void mergeReduced(SchedulePlan &plan);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_MERGELOOPS_H
