// The default schedule of products of few rows whose factors both lie along the reduced axis.
#ifndef TINY_LIB_SCHEDULE_CPU_DOTSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_DOTSCHEDULE_H

#include "Products.h"
#include "Tiny/Algebra/Cost/Product.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Plans lanes along the reduced axis, with all rows side by side, or some rows and columns where these are many, so
/// that the other factor is read as it lies, from memory once, and nothing is packed. False, with no step taken, where
/// a factor does not lie so, or where that is predicted to take longer than `longest` picoseconds.
bool scheduleDots(SchedulePlan &plan, const Products &products, const cost::Product &product, int64_t longest,
                  const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_DOTSCHEDULE_H
