// The tiles that fusion keeps rows in, as a schedule finds them in a kernel.
#ifndef TINY_LIB_SCHEDULE_CPU_KEPTROWS_H
#define TINY_LIB_SCHEDULE_CPU_KEPTROWS_H

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"

namespace tiny::kernel {

/// A tile of a row: each of its readers passes over the whole row once.
struct KeptRow {
  StageOp stage;
  llvm::SmallVector<int64_t, 1> filling; ///< ids of the axes that fill it
  int64_t bytes = 0;
};

/// The rows that the kernel keeps, each behind those that it is computed from. Not those that are filled with
/// reductions, as of a product.
llvm::SmallVector<KeptRow> findKeptRows(FuncOp kernel, const cost::Machine &target);

/// Takes the tiles of all rows back, so that each pass computes what it reads: in registers, where passes are copies.
void unstageRows(SchedulePlan &plan, const cost::Machine &target);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_KEPTROWS_H
