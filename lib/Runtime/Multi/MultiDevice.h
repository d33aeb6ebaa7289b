// Several devices as one: kernels run where they are compiled for, and bytes are copied to where they are needed.
#ifndef TINY_LIB_RUNTIME_MULTI_MULTIDEVICE_H
#define TINY_LIB_RUNTIME_MULTI_MULTIDEVICE_H

#include "Device.h"

namespace tiny {
namespace runtime {

/// A device of these, the first of which is the one that takes what may run anywhere. They outlive it; so does the
/// name.
std::unique_ptr<tiny_device> createMultiDevice(const char *name, std::vector<tiny_device *> members);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_MULTI_MULTIDEVICE_H
