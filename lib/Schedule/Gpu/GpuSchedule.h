// The default schedule on a GPU.
#ifndef TINY_LIB_SCHEDULE_GPU_GPUSCHEDULE_H
#define TINY_LIB_SCHEDULE_GPU_GPUSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans the best predicted of lanes that each compute points of the output alone, of workgroups whose lanes reduce
/// together, and of subgroups that multiply matrices. Returns what the schedule is about, for a remark.
llvm::StringRef scheduleGpu(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_GPUSCHEDULE_H
