// What this machine's processor can do.
#ifndef TINY_LIB_RUNTIME_CPU_FEATURES_H
#define TINY_LIB_RUNTIME_CPU_FEATURES_H

#include <cstdint>

namespace tiny {
namespace runtime {

/// Whether this machine is of that kind (TINY_MACHINE_*) and has all of these features (TINY_X86_*).
bool machineHas(uint32_t machine, uint64_t features);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CPU_FEATURES_H
