// The default schedule of reductions of products: matrix products, batched or not, and convolutions.
#ifndef TINY_LIB_SCHEDULE_CPU_PRODUCTSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_PRODUCTSCHEDULE_H

#include "Products.h"
#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tiny::kernel {

/// Plans a register tile of rows and lanes, both operands packed into tiles, and parts for threads. Several products in
/// the same loops divide the register tile among them. Products that fill a tile of the kernel fill it for a block of
/// rows at once; the caller then plans the parts and the readers of the tile. False, with an empty plan, if the
/// products are too small to gain. `products` are those of the plan's kernel.
///
/// The structure is that of Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008), without
/// blocks of the reduced axis: accumulators stay in registers over all of it.
/// What is packed of `constants` is packed once, and costs a run nothing.
bool scheduleProduct(SchedulePlan &plan, Products &products, const cost::Machine &target,
                     const llvm::SmallBitVector &constants);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_PRODUCTSCHEDULE_H
