// Parts of a kernel for threads.
#ifndef TINY_LIB_SCHEDULE_CPU_PARTS_H
#define TINY_LIB_SCHEDULE_CPU_PARTS_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Cuts the outermost free loop into parts for threads, if the kernel is large enough. A part is a range of consecutive
/// points.
void addParts(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_PARTS_H
