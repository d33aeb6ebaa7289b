// The default schedule on a GPU.
#ifndef TINY_LIB_SCHEDULE_GPU_GPUSCHEDULE_H
#define TINY_LIB_SCHEDULE_GPU_GPUSCHEDULE_H

#include "Prediction.h"

#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// What a schedule is about, for a remark, and what it is predicted to take.
struct GpuSchedule {
  llvm::StringRef rule;
  WorkgroupTimes times;
};

/// Plans the best predicted of lanes that each compute points of the output alone, of workgroups whose lanes reduce
/// rows or columns together, and of products of matrices by subgroups or lanes.
GpuSchedule scheduleGpu(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_GPU_GPUSCHEDULE_H
