// The default schedule of sliding windows: depthwise convolutions, pooling, stencils.
#ifndef TINY_LIB_SCHEDULE_CPU_WINDOWSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_WINDOWSCHEDULE_H

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Where reductions over few points read windows that overlap: plans lanes along what is stored, writes the points out,
/// and keeps several rows of results side by side, which share what they load. False, with no step taken, elsewhere.
bool scheduleWindows(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_WINDOWSCHEDULE_H
