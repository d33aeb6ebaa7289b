// The default schedule on a processor.
#ifndef TINY_LIB_SCHEDULE_CPU_CPUSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_CPUSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tiny::kernel {

/// Plans products of bytes, a tile of accumulators or one of products, where the kernel has such, else the best
/// predicted loops. At most `tile` accumulators stand beside each other. Returns what was planned, a literal. What is
/// packed of `constants`, a bit for each argument, is packed once and costs a run nothing.
llvm::StringRef scheduleCpu(SchedulePlan &plan, const cost::Machine &target, int64_t tile,
                            const llvm::SmallBitVector &constants = {});

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_CPUSCHEDULE_H
