// Vulkan's functions, found in the loader that this process opens. Nothing is linked.
#ifndef TINY_LIB_RUNTIME_VULKAN_API_H
#define TINY_LIB_RUNTIME_VULKAN_API_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

namespace tiny {
namespace runtime {
namespace vulkan {

/// VK_KHR_cooperative_matrix, which the headers of Debian 12 do not have.
constexpr const char *kMatrixExtension = "VK_KHR_cooperative_matrix";
struct MatrixFeatures {
  VkStructureType sType = VkStructureType(1000506000);
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE, robustBufferAccess = VK_FALSE;
};
/// Its numbers of element types.
enum class MatrixElement : int32_t { Float16 = 0, Float32 = 1, Sint8 = 3, Sint32 = 5 };
struct MatrixProperties {
  VkStructureType sType = VkStructureType(1000506001);
  void *pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  MatrixElement a = {}, b = {}, c = {}, result = {};
  VkBool32 isSaturating = VK_FALSE;
  /// Of SPIR-V: 3 for a subgroup.
  int32_t scope = 0;
};
using GetMatrixPropertiesFunction = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *, MatrixProperties *);

/// What is there before an instance is.
#define TINY_VULKAN_GLOBAL_FUNCTIONS(F)                                                                                \
  F(CreateInstance) F(EnumerateInstanceVersion) F(EnumerateInstanceLayerProperties)

#define TINY_VULKAN_INSTANCE_FUNCTIONS(F)                                                                              \
  F(CreateDevice)                                                                                                      \
  F(DestroyInstance)                                                                                                   \
  F(EnumerateDeviceExtensionProperties)                                                                                \
  F(EnumeratePhysicalDevices)                                                                                          \
  F(GetDeviceProcAddr)                                                                                                 \
  F(GetPhysicalDeviceFeatures2)                                                                                        \
  F(GetPhysicalDeviceMemoryProperties)                                                                                 \
  F(GetPhysicalDeviceProperties)                                                                                       \
  F(GetPhysicalDeviceProperties2)                                                                                      \
  F(GetPhysicalDeviceQueueFamilyProperties)

#define TINY_VULKAN_DEVICE_FUNCTIONS(F)                                                                                \
  F(AllocateCommandBuffers)                                                                                            \
  F(AllocateDescriptorSets)                                                                                            \
  F(AllocateMemory)                                                                                                    \
  F(BeginCommandBuffer)                                                                                                \
  F(BindBufferMemory)                                                                                                  \
  F(CmdBindDescriptorSets)                                                                                             \
  F(CmdBindPipeline)                                                                                                   \
  F(CmdCopyBuffer)                                                                                                     \
  F(CmdDispatch)                                                                                                       \
  F(CmdFillBuffer)                                                                                                     \
  F(CmdPipelineBarrier)                                                                                                \
  F(CreateBuffer)                                                                                                      \
  F(CreateCommandPool)                                                                                                 \
  F(CreateComputePipelines)                                                                                            \
  F(CreateDescriptorPool)                                                                                              \
  F(CreateDescriptorSetLayout)                                                                                         \
  F(CreatePipelineCache)                                                                                               \
  F(CreatePipelineLayout)                                                                                              \
  F(CreateSemaphore)                                                                                                   \
  F(CreateShaderModule)                                                                                                \
  F(DestroyBuffer)                                                                                                     \
  F(DestroyCommandPool)                                                                                                \
  F(DestroyDescriptorPool)                                                                                             \
  F(DestroyDevice)                                                                                                     \
  F(DestroyPipeline)                                                                                                   \
  F(DestroyShaderModule)                                                                                               \
  F(EndCommandBuffer)                                                                                                  \
  F(FreeMemory)                                                                                                        \
  F(GetBufferMemoryRequirements)                                                                                       \
  F(GetDeviceQueue)                                                                                                    \
  F(GetPipelineCacheData)                                                                                              \
  F(GetSemaphoreCounterValue)                                                                                          \
  F(MapMemory)                                                                                                         \
  F(QueueSubmit)                                                                                                       \
  F(ResetCommandPool)                                                                                                  \
  F(ResetDescriptorPool)                                                                                               \
  F(UpdateDescriptorSets)                                                                                              \
  F(WaitSemaphores)

/// One pointer for each function.
struct Api {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define TINY_VULKAN_DECLARE(Name) PFN_vk##Name Name = nullptr;
  TINY_VULKAN_GLOBAL_FUNCTIONS(TINY_VULKAN_DECLARE)
  TINY_VULKAN_INSTANCE_FUNCTIONS(TINY_VULKAN_DECLARE)
  TINY_VULKAN_DEVICE_FUNCTIONS(TINY_VULKAN_DECLARE)
#undef TINY_VULKAN_DECLARE
  /// Of extensions: null where there is none.
  PFN_vkCreateDebugUtilsMessengerEXT CreateDebugUtilsMessengerEXT = nullptr;
  PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT = nullptr;
  GetMatrixPropertiesFunction GetPhysicalDeviceCooperativeMatrixPropertiesKHR = nullptr;
};

/// "VK_ERROR_DEVICE_LOST"; "VkResult" for what has no name here.
const char *nameResult(VkResult result);

} // namespace vulkan
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_VULKAN_API_H
