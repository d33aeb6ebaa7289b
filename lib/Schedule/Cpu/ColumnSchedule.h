// The default schedule of passes over columns: reductions along another axis than the contiguous one.
#ifndef TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H

#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Where passes over a column compute a function again: plans lanes across columns, and a tile in which the first pass
/// keeps what the others want. False, with no step taken, where nothing is to keep or the tile would be too large.
bool scheduleColumns(SchedulePlan &plan, const ScheduleTarget &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H
