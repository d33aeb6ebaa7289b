// Schedules near a given one.
#ifndef TINY_SCHEDULE_VARIANTS_H
#define TINY_SCHEDULE_VARIANTS_H

#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// A schedule that differs from another in one decision.
struct ScheduleVariant {
  llvm::SmallVector<ScheduleStep> steps;
  /// All of the steps, by which two schedules are the same.
  std::string text;
  /// Picoseconds that cost prediction gives it; the largest number where it gives none.
  int64_t predicted = 0;
};

struct ScheduleVariants {
  /// The best predicted first.
  llvm::SmallVector<ScheduleVariant> variants;
  /// Variants that some step refused, or that repeat too much code.
  unsigned refused = 0;
};

/// All schedules that differ from `steps`, which the kernel must take, in one decision: another factor of a split, a
/// step less, two loops exchanged, a loop that becomes copies or parts. An axis that a new factor does not divide is
/// padded. Each is legal: it has been taken on a copy of the kernel.
ScheduleVariants findVariants(FuncOp kernel, llvm::ArrayRef<ScheduleStep> steps);

/// The steps of the kernel's schedule, none where it has no schedule; nothing where its script names axes by handles.
std::optional<llvm::SmallVector<ScheduleStep>> findSteps(FuncOp kernel);

/// The steps taken on a copy of the kernel.
SchedulePlan makePlan(FuncOp kernel, llvm::ArrayRef<ScheduleStep> steps);

/// Picoseconds that cost prediction gives the plan's kernel; the largest number where it gives none.
int64_t predict(SchedulePlan &plan);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_VARIANTS_H
