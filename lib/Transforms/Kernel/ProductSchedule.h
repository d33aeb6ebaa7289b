// The default schedule of a reduction of products: matrix products, batched or not, and convolutions.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_PRODUCTSCHEDULE_H
#define TINY_LIB_TRANSFORMS_KERNEL_PRODUCTSCHEDULE_H

#include "SchedulePlan.h"

namespace tiny::kernel {

/// What a schedule is made for.
struct ScheduleTarget {
  /// Elements of 32 bits in a vector register, and how many such registers there are.
  int64_t lanes = 16, registers = 32;
  /// Into how many parts a kernel that is worth it is cut for threads.
  int64_t parts = 4;
};

/// Plans a register tile of rows and lanes, both operands packed into tiles, and parts for threads. False, with an
/// empty plan, where the kernel is no such reduction or too small to gain.
///
/// The source of the structure is Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008),
/// without blocks of the reduced axis: accumulators stay in registers over all of it.
bool scheduleProduct(SchedulePlan &plan, const ScheduleTarget &target);

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_PRODUCTSCHEDULE_H
