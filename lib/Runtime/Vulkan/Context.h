// The connection to one device of Vulkan's: the loader, the instance, the chosen device with its limits, and whether
// all is still well. It lives as long as the process.
#ifndef TINY_LIB_RUNTIME_VULKAN_CONTEXT_H
#define TINY_LIB_RUNTIME_VULKAN_CONTEXT_H

#include "Api.h"
#include "Limits.h"
#include "Signal.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace tiny {
namespace runtime {
namespace vulkan {

/// A kind of memory.
struct MemoryKind {
  uint32_t type = 0;
  uint64_t heapBytes = 0;
  bool isMapped = false;
};

class Context {
public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  /// Of one that was not opened. The device's own is kept.
  ~Context();
  /// Loads, chooses, connects. Reports why that is not possible.
  tiny_status open();

  /// TINY_OK for success, else an error with the call's name and Vulkan's word for it. A lost device stays lost.
  tiny_status check(VkResult result, const char *call);
  /// The error that the device is lost, or that the validation layer has spoken, if so.
  tiny_status checkWell();
  /// Nothing works from here on; the reason is this thread's last error.
  void lose();
  bool isLost() const { return lost; }

  Api vk;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t queueFamily = 0;
  Limits limits;
  VkPhysicalDeviceProperties properties = {};
  /// Of buffers, and of what is on its way between them and the host. The same where the host sees all memory.
  MemoryKind deviceMemory, hostMemory;

private:
  tiny_status openLibrary();
  tiny_status createInstance();
  tiny_status chooseDevice();
  tiny_status createDevice();
  void readLimits(VkPhysicalDeviceVulkan11Features &features11, VkPhysicalDeviceVulkan12Features &features12,
                  VkPhysicalDeviceFeatures &features, bool canImport);
  void readSubgroupSizes(const VkPhysicalDeviceSubgroupSizeControlFeaturesEXT &features);
  tiny_status readMatrices();
  tiny_status chooseMemory();
  bool findMemory(VkMemoryPropertyFlags flags, VkMemoryPropertyFlags without, MemoryKind &kind) const;
  bool hasExtension(VkPhysicalDevice candidate, const char *name) const;
  static VKAPI_ATTR VkBool32 VKAPI_CALL takeMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                    VkDebugUtilsMessageTypeFlagsEXT,
                                                    const VkDebugUtilsMessengerCallbackDataEXT *message, void *self);

  std::atomic<bool> lost{false}, warned{false};
  std::mutex failureMutex;
  /// Why it is lost; the first thing that the validation layer said.
  Failure loss, warning;
};

/// The loader to open, part of the name of the device to choose, Khronos's validation layer, treating the device as one
/// whose memory the host does not see: "1" is yes; products of matrices: "0" is no.
constexpr const char *kLibraryVariable = "TINY_VULKAN_LIBRARY";
constexpr const char *kDeviceVariable = "TINY_VULKAN_DEVICE";
constexpr const char *kValidationVariable = "TINY_VULKAN_VALIDATION";
constexpr const char *kStagingVariable = "TINY_VULKAN_STAGING";
constexpr const char *kMatricesVariable = "TINY_VULKAN_MATRICES";

/// The variable of the environment; null where it is empty.
const char *getVariable(const char *name);
bool isOn(const char *variable);
/// Whether it says "0".
bool isOff(const char *variable);

} // namespace vulkan
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_VULKAN_CONTEXT_H
