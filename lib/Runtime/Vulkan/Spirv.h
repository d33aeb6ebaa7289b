// What a SPIR-V module says of itself, as far as the runtime has to know before it hands it to a driver.
#ifndef TINY_LIB_RUNTIME_VULKAN_SPIRV_H
#define TINY_LIB_RUNTIME_VULKAN_SPIRV_H

#include "Tiny/Runtime/Runtime.h"

#include <map>
#include <string>
#include <vector>

namespace tiny {
namespace runtime {
namespace vulkan {

/// A function that can be launched.
struct SpirvEntry {
  uint32_t lanes[3] = {0, 0, 0};
  /// The largest binding of a buffer, and one.
  uint64_t nBuffers = 0;
};

struct SpirvModule {
  std::vector<uint32_t> capabilities;
  std::map<std::string, SpirvEntry> entries;
  /// Bytes that a workgroup shares at most: of all variables of the module.
  uint64_t sharedBytes = 0;
  /// Lanes of a subgroup that the code counts on; 0 where it does not.
  uint32_t subgroupSize = 0;
};

/// Reads the words of a module. TINY_INVALID_ARGUMENT says what is wrong with them; what a driver checks is not
/// checked.
tiny_status readSpirv(const uint32_t *words, uint64_t count, SpirvModule &module);

/// "Float64"; "a capability" for those without a name here.
const char *nameCapability(uint32_t capability);

} // namespace vulkan
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_VULKAN_SPIRV_H
