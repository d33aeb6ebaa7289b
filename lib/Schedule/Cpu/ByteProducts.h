// The default schedule of sums of products of bytes, where the machine has instructions for four of them.
#ifndef TINY_LIB_SCHEDULE_CPU_BYTEPRODUCTS_H
#define TINY_LIB_SCHEDULE_CPU_BYTEPRODUCTS_H

#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Four points of such a sum become one operation of a lane, and a part of what is left of the reduced axes lanes. Free
/// points are computed one by one: what is read once, as weights are, is read in the order of memory, as prefetching
/// wants it. False, with no step taken, where there are no such sums, or where no reduced axis may be lanes.
bool scheduleByteProducts(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_BYTEPRODUCTS_H
