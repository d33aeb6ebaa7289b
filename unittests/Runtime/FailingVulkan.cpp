// A loader of Vulkan's between the runtime and the real one, for tests of errors that no healthy driver has. It opens
// libvulkan.so.1 and passes everything on, but for one call that fails: FAIL_CALL names it ("vkQueueSubmit"), FAIL_AT
// is the number of the first call that fails, from 1 on, and FAIL_RESULT the VkResult that it gives. What FAIL_HIDE
// names is not there. With CLAIM_MATRICES the device has products of matrices, as far as asking goes.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

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

//===--- Products of matrices -------------------------------------------------------------------------------------===//

constexpr const char *kMatrixExtension = "VK_KHR_cooperative_matrix";
constexpr int kMatrixFeatures = 1000506000;
struct MatrixFeatures {
  VkBaseOutStructure head;
  VkBool32 cooperativeMatrix, robustBufferAccess;
};
struct MatrixProperties {
  VkBaseOutStructure head;
  uint32_t m, n, k;
  int32_t a, b, c, result;
  VkBool32 isSaturating;
  int32_t scope;
};
/// Of f16, summed up in f32 and in f16; of i8, one that saturates and one that does not; one that a workgroup computes;
/// one of f64.
constexpr MatrixProperties kMatrices[] = {
    {{}, 8, 8, 8, 0, 0, 1, 1, VK_FALSE, 3},    {{}, 8, 8, 8, 0, 0, 0, 0, VK_FALSE, 3},
    {{}, 8, 8, 16, 3, 3, 5, 5, VK_TRUE, 3},    {{}, 8, 8, 16, 3, 3, 5, 5, VK_FALSE, 3},
    {{}, 64, 64, 16, 0, 0, 1, 1, VK_FALSE, 2}, {{}, 8, 8, 4, 2, 2, 2, 2, VK_FALSE, 3},
};

VKAPI_ATTR VkResult VKAPI_CALL listMatrices(VkPhysicalDevice, uint32_t *count, MatrixProperties *list) {
  constexpr uint32_t known = sizeof(kMatrices) / sizeof(*kMatrices);
  *count = list ? std::min(*count, known) : known;
  for (uint32_t k = 0; list && k < *count; ++k) {
    VkBaseOutStructure head = list[k].head;
    list[k] = kMatrices[k];
    list[k].head = head;
  }
  return VK_SUCCESS;
}

PFN_vkEnumerateDeviceExtensionProperties nextExtensions;
VKAPI_ATTR VkResult VKAPI_CALL listExtensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
                                              VkExtensionProperties *list) {
  uint32_t room = *count;
  VkResult result = nextExtensions(device, layer, count, list);
  if (layer)
    return result;
  if (list && *count < room)
    std::strcpy(list[*count].extensionName, kMatrixExtension);
  ++*count;
  return result;
}

PFN_vkGetPhysicalDeviceFeatures2 nextFeatures;
VKAPI_ATTR void VKAPI_CALL listFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features) {
  nextFeatures(device, features);
  for (auto *each = static_cast<VkBaseOutStructure *>(features->pNext); each; each = each->pNext)
    if (each->sType == kMatrixFeatures)
      reinterpret_cast<MatrixFeatures *>(each)->cooperativeMatrix = VK_TRUE;
}

PFN_vkCreateDevice nextCreateDevice;
VKAPI_ATTR VkResult VKAPI_CALL createWithout(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                             const VkAllocationCallbacks *callbacks, VkDevice *device) {
  VkDeviceCreateInfo without = *info;
  std::vector<const char *> names;
  for (uint32_t k = 0; k < info->enabledExtensionCount; ++k)
    if (std::strcmp(info->ppEnabledExtensionNames[k], kMatrixExtension) != 0)
      names.push_back(info->ppEnabledExtensionNames[k]);
  without.enabledExtensionCount = uint32_t(names.size());
  without.ppEnabledExtensionNames = names.data();
  auto *before = reinterpret_cast<VkBaseOutStructure *>(&without);
  while (before->pNext) {
    if (before->pNext->sType == kMatrixFeatures)
      before->pNext = before->pNext->pNext;
    else
      before = before->pNext;
  }
  return nextCreateDevice(physical, &without, callbacks, device);
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
  if (std::getenv("CLAIM_MATRICES")) {
    auto replace = [&](const char *other, auto &next, auto *own) {
      if (std::strcmp(name, other) != 0)
        return false;
      next = reinterpret_cast<std::decay_t<decltype(next)>>(found);
      found = reinterpret_cast<PFN_vkVoidFunction>(own);
      return true;
    };
    PFN_vkVoidFunction none;
    if (replace("vkEnumerateDeviceExtensionProperties", nextExtensions, listExtensions) ||
        replace("vkGetPhysicalDeviceFeatures2", nextFeatures, listFeatures) ||
        replace("vkCreateDevice", nextCreateDevice, createWithout) ||
        replace("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", none, listMatrices))
      return found;
  }
  if (std::strcmp(name, "vkGetDeviceProcAddr") != 0)
    return found;
  nextDevice = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(getDevice);
}
