// The CPU as a target: machine code in an ELF file that refers to nothing outside itself.
#ifndef TINY_TARGET_CPU_CPUTARGET_H
#define TINY_TARGET_CPU_CPUTARGET_H

#include "Tiny/Target/Target.h"

namespace tiny::cpu {

/// "cpu", for `registerTarget`.
std::unique_ptr<Target> createCpuTarget();

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_CPUTARGET_H
