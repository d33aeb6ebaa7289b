// The default schedule of kernels that stream: elementwise chains, and reductions along what is contiguous.
#ifndef TINY_LIB_SCHEDULE_CPU_ROWSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_ROWSCHEDULE_H

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans lanes along each reduced axis that they fit, with several vectors of accumulators, and along each free axis
/// that is stored so, if they have `shortest` points; `scheduled` are left alone. `bare` is the plan without tiles of
/// rows; where a row stays in registers, it becomes the plan. False, with no step taken, where no reduced axis is.
bool scheduleRows(SchedulePlan &plan, SchedulePlan &bare, const cost::Machine &target, int64_t shortest,
                  llvm::ArrayRef<int64_t> scheduled = {});

/// Sorts reduced axes by the order in which their loops run. A value that an earlier pass keeps is not computed again
/// in later ones.
void sortByPasses(FuncOp kernel, llvm::SmallVectorImpl<int64_t> &axes);

/// The loads from which reductions compute their inputs.
llvm::SmallVector<LoadOp> findReducedLoads(FuncOp kernel);

/// Merges free loops that every access walks as one, so that more is contiguous. If a gate or a value depends on such
/// loops, it would have to divide; they are merged only in a reduction of products, whose operands are packed. With
/// `pack`, loads of such a reduction may also walk the loops apart, and must then be packed. Returns whether some must.
bool mergeLoops(SchedulePlan &plan, bool pack);

/// Merges reduced axes, and those that fill a tile, that every access walks as one, so that a row is one axis.
void mergeReduced(SchedulePlan &plan);

/// Cuts the outermost free loop into parts for threads, if the kernel is large enough. A part is a range of consecutive
/// points.
void addParts(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_ROWSCHEDULE_H
