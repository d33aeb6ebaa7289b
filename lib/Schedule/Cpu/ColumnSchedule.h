// The default schedule of passes over columns: reductions along another axis than the contiguous one.
#ifndef TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// If passes over a column compute a function again, plans lanes across columns and a tile in which the first pass
/// keeps it for the others. False, with no step taken, if there is nothing to keep or the tile would be too large.
bool scheduleColumns(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H
