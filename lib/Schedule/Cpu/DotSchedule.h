// The default schedule of products of few rows whose factors both lie along the reduced axis.
#ifndef TINY_LIB_SCHEDULE_CPU_DOTSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_DOTSCHEDULE_H

#include "Products.h"
#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// Whether packing the other factor, element by element, costs more than it saves for so few rows.
bool prefersDots(const Products &products, const cost::Machine &target);

/// Plans lanes along the reduced axis, with all rows side by side, or some rows and columns where these are many, so
/// that the other factor is read as it lies, from memory once, and nothing is packed. False, with no step taken, where
/// a factor does not lie so.
bool scheduleDots(SchedulePlan &plan, const Products &products, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_DOTSCHEDULE_H
