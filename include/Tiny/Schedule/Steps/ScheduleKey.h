// What a schedule was made for: a kernel by its structure.
#ifndef TINY_SCHEDULE_STEPS_SCHEDULEKEY_H
#define TINY_SCHEDULE_STEPS_SCHEDULEKEY_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include <string>

namespace tiny::kernel {

/// A hash of the kernel as it is printed, without its name and its schedule: equal kernels of different programs have
/// one key, on every platform.
std::string getKernelKey(FuncOp kernel);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_SCHEDULEKEY_H
