// The schedule of kernels that stream: the best predicted choice of lanes, vectors, rows and points written out.
#ifndef TINY_LIB_SCHEDULE_CPU_LOOPSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_LOOPSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans what is predicted to take least of some hundred choices:
///
/// - the kernel with its loops merged, with them apart, and with the tiles of rows taken back;
/// - lanes along one axis, and along others that no operation varies over together with it; or none;
/// - how many vectors of lanes, as far as an axis of a row is not whole already;
/// - copies of some points of another free axis, which share what they load;
/// - inner reduced axes written out.
///
/// A choice is numbers: nests are split and predicted without IR. Only the best become steps, and what these make of
/// the kernel is predicted again. What has lanes already, as a product's tile has, keeps them. Where a pass has too
/// many axes to be predicted, the axis that fits best is lanes. Returns the predicted picoseconds, if any.
std::optional<int64_t> scheduleLoops(SchedulePlan &plan, const cost::Machine &target);

/// Picoseconds of the kernel as its plan has it. None where a pass has too many axes.
std::optional<int64_t> predictPlan(SchedulePlan &plan, const cost::Machine &target);

/// Whether a kernel of so many picoseconds takes no longer than a few launches: choosing would take longer than it ever
/// saves.
bool isFewLaunches(int64_t time, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_LOOPSCHEDULE_H
