// The default schedule on a processor.
#ifndef TINY_LIB_SCHEDULE_CPU_CPUSCHEDULE_H
#define TINY_LIB_SCHEDULE_CPU_CPUSCHEDULE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tiny::kernel {

/// Plans the first rule that fits: a tile of accumulators, a product, windows, rows or columns, else lanes along an
/// axis. At most `tile` accumulators stand beside each other. Returns what the rule is about, a literal.
/// What is packed of `constants`, a bit for each argument, is packed once and costs a run nothing.
llvm::StringRef scheduleCpu(SchedulePlan &plan, const cost::Machine &target, int64_t tile,
                            const llvm::SmallBitVector &constants = {});

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_CPUSCHEDULE_H
