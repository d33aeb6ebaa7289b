// The schedule of sums that read much and compute little: few rows by a matrix, sums of columns.
#ifndef TINY_LIB_SCHEDULE_CPU_STREAMEDSUMS_H
#define TINY_LIB_SCHEDULE_CPU_STREAMEDSUMS_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans a tile that accumulates what the kernel sums up, while the factor whose rows lie along the lanes is read as it
/// lies: long runs of some rows, then of the next ones. Register tiles would read a short run of each row, in another
/// page each. False, with no step taken, where the kernel is no such sum, computes for longer than it reads, or where
/// `ruled` is predicted to be as fast.
bool scheduleStreamedSums(SchedulePlan &plan, SchedulePlan &ruled, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_STREAMEDSUMS_H
