// A loader of Vulkan's between the runtime and the real one, for tests of errors that no healthy driver has. It opens
// libvulkan.so.1 and passes everything on, but for one call that fails: FAIL_CALL names it ("vkQueueSubmit"), FAIL_AT
// is the number of the first call that fails, from 1 on, and FAIL_RESULT the VkResult that it gives. What FAIL_HIDE
// names is not there.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

PFN_vkGetInstanceProcAddr getNextInstance() {
  static auto next =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(dlopen("libvulkan.so.1", RTLD_NOW), "vkGetInstanceProcAddr"));
  return next;
}

PFN_vkGetDeviceProcAddr nextDevice;

/// VK_SUCCESS, or the result that this call of the function is to give.
VkResult fails(const char *name) {
  static std::atomic<long> calls{0};
  const char *chosen = std::getenv("FAIL_CALL"), *first = std::getenv("FAIL_AT"), *result = std::getenv("FAIL_RESULT");
  if (!chosen || !first || !result || std::strcmp(chosen, name) != 0)
    return VK_SUCCESS;
  return ++calls >= std::atol(first) ? VkResult(std::atol(result)) : VK_SUCCESS;
}

/// One wrapper for each function that may fail.
#define WRAP(Name, Parameters, Arguments)                                                                              \
  PFN_vk##Name next##Name;                                                                                             \
  VKAPI_ATTR VkResult VKAPI_CALL call##Name Parameters {                                                               \
    VkResult result = fails("vk" #Name);                                                                               \
    return result == VK_SUCCESS ? next##Name Arguments : result;                                                       \
  }
WRAP(QueueSubmit, (VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence),
     (queue, count, submits, fence))
WRAP(AllocateMemory,
     (VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *callbacks,
      VkDeviceMemory *memory),
     (device, info, callbacks, memory))
WRAP(CreateComputePipelines,
     (VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
      const VkAllocationCallbacks *callbacks, VkPipeline *pipelines),
     (device, cache, count, infos, callbacks, pipelines))
#undef WRAP

/// It waits before it fails: the driver, which is well, is still at work on what is freed once the device counts as
/// lost.
PFN_vkWaitSemaphores nextWaitSemaphores;
VKAPI_ATTR VkResult VKAPI_CALL callWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
  VkResult waited = nextWaitSemaphores(device, info, timeout), result = fails("vkWaitSemaphores");
  return result == VK_SUCCESS ? waited : result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDevice(VkDevice device, const char *name) {
  PFN_vkVoidFunction found = nextDevice(device, name);
#define WRAPPED(Name)                                                                                                  \
  if (!std::strcmp(name, "vk" #Name)) {                                                                                \
    next##Name = reinterpret_cast<PFN_vk##Name>(found);                                                                \
    return reinterpret_cast<PFN_vkVoidFunction>(call##Name);                                                           \
  }
  WRAPPED(QueueSubmit)
  WRAPPED(WaitSemaphores)
  WRAPPED(AllocateMemory)
  WRAPPED(CreateComputePipelines)
#undef WRAPPED
  return found;
}

} // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char *name) {
  if (const char *hidden = std::getenv("FAIL_HIDE"); hidden && !std::strcmp(hidden, name))
    return nullptr;
  PFN_vkVoidFunction found = getNextInstance()(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") != 0)
    return found;
  nextDevice = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(getDevice);
}
