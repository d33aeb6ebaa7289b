// What a device of Vulkan's has.
#ifndef TINY_LIB_RUNTIME_VULKAN_LIMITS_H
#define TINY_LIB_RUNTIME_VULKAN_LIMITS_H

#include "Tiny/Runtime/Abi.h"

#include <string>
#include <vector>

namespace tiny {
namespace runtime {
namespace vulkan {

/// What the device has, as far as the runtime asks, and the compiler.
struct Limits {
  std::string name;
  /// Bytes of a buffer that a kernel sees, and of one allocation.
  uint64_t bufferBytes = 0, allocationBytes = 0;
  /// What a buffer that a kernel sees begins at a multiple of.
  uint64_t bufferAlignment = 1;
  uint32_t buffers = 0, lanesTogether = 0, sharedBytes = 0;
  uint32_t groups[3] = {}, lanes[3] = {};
  /// Host memory is imported in multiples of this; 0 where it is not.
  uint64_t importAlignment = 0;
  /// Types of kernels' values, and in their buffers.
  bool hasInt8 = false, hasInt16 = false, hasInt64 = false, hasFloat16 = false, hasFloat64 = false;
  bool storesInt8 = false, storesInt16 = false;
  /// Vulkan's memory model, which code with products of matrices has.
  bool hasVulkanModel = false;
  /// Lanes of a subgroup, and what those of one can do together in kernels.
  uint32_t subgroupSize = 0;
  bool hasSubgroups = false, reducesSubgroups = false, shufflesSubgroups = false, shiftsSubgroups = false;
  /// Whether a pipeline may ask for subgroups of `subgroupSize`, and for whole ones. Without the first a driver may
  /// choose another size for each pipeline.
  bool choosesSubgroupSize = false, hasFullSubgroups = false;
  /// Multiprocessors, or cores of a processor; 0 where the device does not say.
  uint32_t cores = 0;
  /// Rounds of all loops of a lane after which the driver ends them in silence; 0 where it does not.
  uint32_t loopRounds = 0;
  /// Products of matrices that subgroups compute; the extension is used if there is one.
  std::vector<tiny_matrix_shape> matrices;
};

/// What of it the compiler is told. Points to the limits.
void describeLimits(const Limits &limits, tiny_device_facts &facts);

} // namespace vulkan
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_VULKAN_LIMITS_H
