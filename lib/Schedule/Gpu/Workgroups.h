// What schedules for GPUs share: the axes of workgroups.
#ifndef TINY_LIB_SCHEDULE_GPU_WORKGROUPS_H
#define TINY_LIB_SCHEDULE_GPU_WORKGROUPS_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Bytes that a lane loads or stores at once with `wide_access`.
inline constexpr int64_t kWideBytes = 16;

/// Takes back tiles that are cheap to compute again. Those that others are computed from come first.
void unstageCheapTiles(SchedulePlan &plan);

/// The free loops that every store, reduction and tile varies along, the outermost first. With `repeats` those that
/// every store and tile does: what a reduction gives is computed again at each point of the others.
llvm::SmallVector<int64_t> findSharedAxes(FuncOp kernel, bool repeats = false);

/// Where stores have no axis in common, lets their axes of one extent run as one.
void fuseSiblings(SchedulePlan &plan);

/// Merges neighbours that every access walks as one.
void mergeWalkedTogether(SchedulePlan &plan, llvm::SmallVectorImpl<int64_t> &axes);

/// The same of reduced axes.
void mergeReducedTogether(SchedulePlan &plan);

/// The greatest divisor of the extent that is not more than `most`.
int64_t findDivisor(int64_t extent, int64_t most);

/// Elements of the widest type in the kernel's buffers that a wide access moves, eight at most.
int64_t countNeighbours(FuncOp kernel);

/// Elements along the axis that a lane can load and store at once; 1 where the device, an access or the extent allows
/// no more.
int64_t findVector(FuncOp kernel, RangeOp axis, const cost::Machine &target);

/// Makes workgroups of the axes, the last ones of as many as a grid has. What is more than an axis of a grid loops
/// inside. Axes beyond those of a grid are merged or stay loops.
void planWorkgroups(SchedulePlan &plan, llvm::SmallVectorImpl<int64_t> &axes, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_WORKGROUPS_H
