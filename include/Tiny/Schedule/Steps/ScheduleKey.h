// What a schedule was made for: a kernel by its structure, and a device.
#ifndef TINY_SCHEDULE_STEPS_SCHEDULEKEY_H
#define TINY_SCHEDULE_STEPS_SCHEDULEKEY_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include <string>

namespace tiny::kernel {

/// Attributes of a script that search found. A script without the first belongs to the kernel of its name.
constexpr llvm::StringLiteral kKernelKeyAttr = "kernel_key";
constexpr llvm::StringLiteral kRecordKeyAttr = "record_key";

/// A hash of the kernel as it is printed, without its name and its schedule: equal kernels of different programs have
/// one key, on every platform.
std::string getKernelKey(FuncOp kernel);

/// A hash of the record that the kernel is compiled for.
std::string getRecordKey(FuncOp kernel);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_SCHEDULEKEY_H
