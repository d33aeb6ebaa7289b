// GPUs by Vulkan as a target: kernels as SPIR-V.
#ifndef TINY_TARGET_VULKAN_VULKANTARGET_H
#define TINY_TARGET_VULKAN_VULKANTARGET_H

#include "Tiny/Target/Target.h"

namespace tiny::vulkan {

/// "vulkan", for `registerTarget`.
std::unique_ptr<Target> createVulkanTarget();

} // namespace tiny::vulkan

#endif // TINY_TARGET_VULKAN_VULKANTARGET_H
