// The default schedule of reductions along rows that are shorter than a vector.
#ifndef TINY_LIB_SCHEDULE_CPU_SHORTROWS_H
#define TINY_LIB_SCHEDULE_CPU_SHORTROWS_H

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// How a kernel runs whose reductions are all along such rows.
struct ShortRows {
  enum class Way {
    None,   ///< not such a kernel
    Copies, ///< without loops along a row: neighbouring rows run side by side
    Lanes,  ///< a row is one vector, padded
  };
  Way way = Way::None;
  /// What is reduced, and the free axes that each row has of its own.
  llvm::SmallVector<int64_t> axes;
};

/// Chooses how they run. None if `hasLanes` finds a free axis that may be lanes: its rows need no sorting into lanes.
ShortRows findShortRows(FuncOp kernel, const cost::Machine &target, llvm::function_ref<bool(RangeOp)> hasLanes);

/// Plans copies along the axes, if that is the way.
bool scheduleShortRows(SchedulePlan &plan, const ShortRows &rows);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_SHORTROWS_H
