// Parts of a kernel for threads.
#ifndef TINY_LIB_SCHEDULE_CPU_PARTS_H
#define TINY_LIB_SCHEDULE_CPU_PARTS_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// How many threads could share what takes so many picoseconds, each of them for twice the time that it takes to wake.
int64_t countParts(int64_t time, const cost::Machine &target);

/// Cuts the outermost free loop of a kernel that takes so many picoseconds into parts for threads, if that is long
/// enough. A part is a range of consecutive points.
void addParts(SchedulePlan &plan, std::optional<int64_t> time, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_PARTS_H
