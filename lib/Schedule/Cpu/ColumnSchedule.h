// The default schedule of passes over columns: reductions along another axis than the contiguous one.
#ifndef TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Where passes over a column share a tile: plans lanes across columns, which the tile is then over too. `bare` is the
/// plan without these tiles. False, with no step taken, where there is no such tile or it would be too large.
bool scheduleColumns(SchedulePlan &plan, SchedulePlan &bare, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_COLUMNSCHEDULE_H
