// Code of kernels as Vulkan's pipelines, with a cache on disk.
#ifndef TINY_LIB_RUNTIME_VULKAN_PIPELINES_H
#define TINY_LIB_RUNTIME_VULKAN_PIPELINES_H

#include "Context.h"
#include "Device.h"
#include "Spirv.h"

#include <map>

namespace tiny {
namespace runtime {
namespace vulkan {

/// SPIR-V modules, one after the other, each with entries of its own.
struct VulkanCode final : Code {
  struct Module {
    const uint32_t *words;
    uint64_t count;
    SpirvModule content;
  };
  std::vector<Module> modules;
  /// By the entry's name.
  std::map<std::string, const Module *> entries;
};

/// A kernel, ready to be bound.
struct VulkanKernel final : Kernel {
  explicit VulkanKernel(Context &context) : context(context) {}
  ~VulkanKernel() override;
  Context &context;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
  uint32_t groups[3] = {1, 1, 1};
};

/// Makes kernels. Thread-safe.
class Pipelines {
public:
  explicit Pipelines(Context &context) : context(context) {}

  /// Reads the cache, where there is one.
  tiny_status open();
  /// Splits a binary into modules. What the device lacks for them is TINY_UNSUPPORTED.
  tiny_status load(const void *bytes, uint64_t size, VulkanCode &code);
  tiny_status prepare(const tiny_kernel &description, const VulkanCode &code, const char *symbol, VulkanKernel &kernel);
  /// Writes the cache where pipelines were added since. What cannot be written is not kept.
  void save();

private:
  struct Layout {
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
  };

  tiny_status checkCapabilities(const SpirvModule &module) const;
  tiny_status checkLaunch(const tiny_kernel &description, const SpirvModule &module, const SpirvEntry &entry) const;
  tiny_status findLayout(uint32_t nBuffers, Layout &layout);

  Context &context;
  std::mutex mutex;
  std::map<uint32_t, Layout> layouts;
  VkPipelineCache cache = VK_NULL_HANDLE;
  std::string path;
  size_t savedBytes = 0;
};

} // namespace vulkan
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_VULKAN_PIPELINES_H
