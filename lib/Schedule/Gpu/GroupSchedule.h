// A schedule for GPUs in which the lanes of a workgroup reduce together.
#ifndef TINY_LIB_SCHEDULE_GPU_GROUPSCHEDULE_H
#define TINY_LIB_SCHEDULE_GPU_GROUPSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans a workgroup for each point of the axes that everything in the kernel has in common, with so many lanes along
/// one reduced axis of each reduction and one other axis of each store. Whether every step was taken; where not, the
/// plan is of no use.
bool scheduleGroups(SchedulePlan &plan, const cost::Machine &target, int64_t lanes);

/// Numbers of lanes of a workgroup to choose from, the fewest first: whole subgroups.
llvm::SmallVector<int64_t> listGroupLanes(const cost::Machine &target);

/// Picoseconds that a kernel with workgroups takes, so far as the record tells: the time of the longer of all lanes'
/// operations and all that they move. Lanes next to each other that read elements apart move more than they use.
int64_t predictWorkgroups(FuncOp kernel, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_GROUPSCHEDULE_H
