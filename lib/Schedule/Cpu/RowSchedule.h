// The default schedule of kernels that stream: elementwise chains, and reductions along what is contiguous.
#ifndef TINY_LIB_SCHEDULE_CPU_ROWSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_ROWSCHEDULE_H

#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans lanes along each reduced axis that they fit, with several vectors of accumulators, and along each free axis
/// that is stored so, if they have `shortest` points; `scheduled` are left alone. False, with no step taken, where no
/// reduced axis is.
bool scheduleRows(SchedulePlan &plan, const ScheduleTarget &target, int64_t shortest,
                  llvm::ArrayRef<int64_t> scheduled = {});

/// Puts reduced axes in the order in which their loops run: what an earlier pass keeps is no longer computed in the
/// later ones.
void sortByPasses(FuncOp kernel, llvm::SmallVectorImpl<int64_t> &axes);

/// The loads that reductions read, however far up.
llvm::SmallVector<LoadOp> findReducedLoads(FuncOp kernel);

/// Merges free loops that every access walks as one, so that more is contiguous. Where a gate or a value depends on
/// them, which then divides, only in a reduction of products, whose operands are packed. With `pack` what such a
/// reduction reads may also walk them apart, and must be packed; returns whether it does.
bool mergeLoops(SchedulePlan &plan, bool pack);

/// Merges reduced axes that every access walks as one, so that a row is one axis.
void mergeReduced(SchedulePlan &plan);

/// Adds parts for threads along the outermost free loop, where the kernel is worth it. A part is a stretch of the loop.
void addParts(SchedulePlan &plan, const ScheduleTarget &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_ROWSCHEDULE_H
