// Stands in for the device where the build found no headers of Vulkan.
#include "Device.h"
#include "Error.h"

tiny_status tiny::runtime::createVulkanDevice(tiny_device *&) {
  return fail(TINY_UNSUPPORTED, "device 'vulkan' is left out of this build, which found no vulkan/vulkan.h (Debian: "
                                "libvulkan-dev)");
}
