// The default schedule of reductions of products: matrix products, batched or not, and convolutions.
#ifndef TINY_LIB_SCHEDULE_CPU_PRODUCTSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_PRODUCTSCHEDULE_H

#include "Products.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans a register tile of rows and lanes, both operands packed into tiles, and parts for threads. Several products in
/// the same loops share them: each has its part of the register tile. Products that fill a tile of the kernel fill it
/// for a block of rows at once; parts and what reads the tile are left to the caller. False, with an empty plan, where
/// the products are too small to gain. `products` are those of the plan's kernel.
///
/// The source of the structure is Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008),
/// without blocks of the reduced axis: accumulators stay in registers over all of it.
bool scheduleProduct(SchedulePlan &plan, Products &products, const ScheduleTarget &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_PRODUCTSCHEDULE_H
