// Checks kernels against the device's limits, before a driver sees them that need not check; makes pipelines of them.
#include "Pipelines.h"
#include "Error.h"
#include "Tiny/Runtime/Format.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace tiny::runtime;
using namespace tiny::runtime::vulkan;

namespace {

/// What stands before the driver's own bytes in the file of the cache.
struct CacheHeader {
  char magic[8];
  uint64_t size, checksum;
};
constexpr char kCacheMagic[] = "TinyVkPC";

/// The folder where tiny-run keeps compiled programs, too; "" for none.
std::string getCacheFolder() {
  if (const char *folder = std::getenv("TINY_CACHE_DIR"))
    return folder;
  if (const char *folder = getVariable("XDG_CACHE_HOME"))
    return std::string(folder) + "/tiny";
  const char *home = getVariable("HOME");
  return home ? std::string(home) + "/.cache/tiny" : "";
}

/// Makes the folder and the one that it is in.
void makeFolder(const std::string &folder) {
  size_t slash = folder.rfind('/');
  if (slash != std::string::npos && slash > 0)
    mkdir(folder.substr(0, slash).c_str(), 0777);
  mkdir(folder.c_str(), 0777);
}

/// The cache of this device and driver; "" for none.
std::string getCachePath(const VkPhysicalDeviceProperties &properties) {
  std::string folder = getCacheFolder();
  if (folder.empty())
    return "";
  std::string name = folder + "/vulkan-";
  char digits[3];
  for (uint8_t byte : properties.pipelineCacheUUID) {
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    name += digits;
  }
  return name + ".cache";
}

/// The driver's bytes; none where the file is missing or damaged.
std::string readCache(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  std::string bytes = text.str();
  CacheHeader header;
  if (bytes.size() < sizeof(header))
    return "";
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::string rest = bytes.substr(sizeof(header));
  bool isWhole = !std::memcmp(header.magic, kCacheMagic, sizeof(header.magic)) && header.size == rest.size() &&
                 header.checksum == tiny_format_checksum(rest.data(), rest.size());
  return isWhole ? rest : "";
}

} // namespace

VulkanKernel::~VulkanKernel() { context.vk.DestroyPipeline(context.device, pipeline, nullptr); }

tiny_status Pipelines::open() {
  path = getCachePath(context.properties);
  std::string bytes = path.empty() ? "" : readCache(path);
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = bytes.size();
  info.pInitialData = bytes.data();
  savedBytes = bytes.size();
  return context.check(context.vk.CreatePipelineCache(context.device, &info, nullptr, &cache), "vkCreatePipelineCache");
}

void Pipelines::save() {
  if (path.empty() || context.isLost())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  size_t size = 0;
  if (context.vk.GetPipelineCacheData(context.device, cache, &size, nullptr) != VK_SUCCESS || size == savedBytes)
    return;
  std::string bytes(size, 0);
  if (context.vk.GetPipelineCacheData(context.device, cache, &size, bytes.data()) != VK_SUCCESS)
    return;
  bytes.resize(size);
  CacheHeader header;
  std::memcpy(header.magic, kCacheMagic, sizeof(header.magic));
  header.size = size;
  header.checksum = tiny_format_checksum(bytes.data(), size);
  makeFolder(path.substr(0, path.rfind('/')));
  std::string other = path + "." + std::to_string(getpid());
  std::ofstream file(other, std::ios::binary);
  file.write(reinterpret_cast<const char *>(&header), sizeof(header)).write(bytes.data(), std::streamsize(size));
  file.close();
  if (file && std::rename(other.c_str(), path.c_str()) == 0)
    savedBytes = size;
  else
    std::remove(other.c_str());
}

tiny_status Pipelines::checkCapabilities(const SpirvModule &module) const {
  const Limits &limits = context.limits;
  for (uint32_t capability : module.capabilities) {
    bool has = false;
    switch (capability) {
    case 0: // Matrix and Shader
    case 1:
      has = true;
      break;
    case 9:
      has = limits.hasFloat16;
      break;
    case 10:
      has = limits.hasFloat64;
      break;
    case 11:
      has = limits.hasInt64;
      break;
    case 22:
      has = limits.hasInt16;
      break;
    case 39:
      has = limits.hasInt8;
      break;
    case 61:
      has = limits.hasSubgroups;
      break;
    case 63:
      has = limits.reducesSubgroups;
      break;
    case 65:
      has = limits.shufflesSubgroups;
      break;
    case 66:
      has = limits.shiftsSubgroups;
      break;
    case 4433:
      has = limits.storesInt16;
      break;
    case 4448:
      has = limits.storesInt8;
      break;
    case 5345:
      has = limits.hasVulkanModel;
      break;
    case 6022:
      has = !limits.matrices.empty();
      break;
    default:
      break;
    }
    if (!has)
      return fail(TINY_UNSUPPORTED, "the program's code needs %s (%u) of SPIR-V, which '%.200s' does not have",
                  nameCapability(capability), capability, limits.name.c_str());
  }
  if (module.subgroupSize != 0 && module.subgroupSize != limits.subgroupSize)
    return fail(TINY_UNSUPPORTED, "the program's code needs subgroups of %u lanes, those of '%.200s' have %u",
                module.subgroupSize, limits.name.c_str(), limits.subgroupSize);
  return TINY_OK;
}

tiny_status Pipelines::load(const void *bytes, uint64_t size, VulkanCode &code) {
  const char *at = static_cast<const char *>(bytes), *end = at + size;
  // Each module behind its size in bytes.
  while (at != end) {
    uint32_t length = 0;
    if (end - at >= ptrdiff_t(sizeof(length)))
      std::memcpy(&length, at, sizeof(length));
    at += sizeof(length);
    if (length == 0 || length % sizeof(uint32_t) || end < at || length > uint64_t(end - at))
      return fail(TINY_INVALID_ARGUMENT, "the program's code has a SPIR-V module of %u bytes, which is not all there",
                  length);
    VulkanCode::Module module = {reinterpret_cast<const uint32_t *>(at), length / sizeof(uint32_t), {}};
    if (tiny_status status = readSpirv(module.words, module.count, module.content))
      return status;
    if (tiny_status status = checkCapabilities(module.content))
      return status;
    code.modules.push_back(std::move(module));
    at += length;
  }
  for (const VulkanCode::Module &module : code.modules)
    for (const auto &entry : module.content.entries)
      code.entries[entry.first] = &module;
  return TINY_OK;
}

tiny_status Pipelines::findLayout(uint32_t nBuffers, Layout &layout) {
  std::lock_guard<std::mutex> lock(mutex);
  Layout &known = layouts[nBuffers];
  std::vector<VkDescriptorSetLayoutBinding> bindings(nBuffers);
  for (uint32_t k = 0; k < nBuffers; ++k)
    bindings[k] = {k, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = nBuffers;
  set.pBindings = bindings.data();
  if (!known.set)
    if (tiny_status status =
            context.check(context.vk.CreateDescriptorSetLayout(context.device, &set, nullptr, &known.set),
                          "vkCreateDescriptorSetLayout"))
      return status;
  VkPipelineLayoutCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  pipeline.setLayoutCount = 1;
  pipeline.pSetLayouts = &known.set;
  if (!known.pipeline)
    if (tiny_status status =
            context.check(context.vk.CreatePipelineLayout(context.device, &pipeline, nullptr, &known.pipeline),
                          "vkCreatePipelineLayout"))
      return status;
  layout = known;
  return TINY_OK;
}

tiny_status Pipelines::checkLaunch(const tiny_kernel &description, const SpirvModule &module,
                                   const SpirvEntry &entry) const {
  const Limits &limits = context.limits;
  auto check = [&](uint64_t count, const char *what, uint64_t most) {
    return count <= most ? TINY_OK
                         : fail(TINY_UNSUPPORTED, "kernel '%.100s' has %llu %s, '%.100s' takes %llu", description.name,
                                (unsigned long long)count, what, limits.name.c_str(), (unsigned long long)most);
  };
  uint64_t together = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const char *groups[] = {"workgroups along x", "workgroups along y", "workgroups along z"};
    const char *lanes[] = {"lanes along x", "lanes along y", "lanes along z"};
    if (tiny_status status = check(uint64_t(description.grid[axis]), groups[axis], limits.groups[axis]))
      return status;
    if (tiny_status status = check(entry.lanes[axis], lanes[axis], limits.lanes[axis]))
      return status;
    together *= entry.lanes[axis];
  }
  if (together == 0)
    return fail(TINY_INVALID_ARGUMENT, "kernel '%.100s' does not state its lanes", description.name);
  if (tiny_status status = check(together, "lanes in a workgroup", limits.lanesTogether))
    return status;
  if (tiny_status status = check(module.sharedBytes, "bytes of workgroup memory", limits.sharedBytes))
    return status;
  if (entry.nBuffers > description.n_buffers)
    return fail(TINY_INVALID_ARGUMENT, "kernel '%.100s' is launched with %u buffers, and has %llu", description.name,
                description.n_buffers, (unsigned long long)entry.nBuffers);
  return check(description.n_buffers, "buffers", limits.buffers);
}

tiny_status Pipelines::prepare(const tiny_kernel &description, const VulkanCode &code, const char *symbol,
                               VulkanKernel &kernel) {
  auto found = code.entries.find(symbol);
  if (found == code.entries.end())
    return fail(TINY_INVALID_ARGUMENT, "the program's code has no function '%.100s'", symbol);
  const VulkanCode::Module &module = *found->second;
  if (tiny_status status = checkLaunch(description, module.content, module.content.entries.at(symbol)))
    return status;
  Layout layout;
  if (tiny_status status = findLayout(description.n_buffers, layout))
    return status;
  const Api &vk = context.vk;
  VkShaderModuleCreateInfo moduleInfo{};
  moduleInfo.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  moduleInfo.codeSize = module.count * sizeof(uint32_t);
  moduleInfo.pCode = module.words;
  VkShaderModule shader;
  if (tiny_status status =
          context.check(vk.CreateShaderModule(context.device, &moduleInfo, nullptr, &shader), "vkCreateShaderModule"))
    return status;
  // What counts on subgroups counts on their size, and on whole ones.
  const Limits &limits = context.limits;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT size{};
  size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT;
  size.requiredSubgroupSize = limits.subgroupSize;
  bool choosesSize = module.content.subgroupSize != 0 && limits.choosesSubgroupSize;
  bool areFull =
      choosesSize && limits.hasFullSubgroups && module.content.entries.at(symbol).lanes[0] % limits.subgroupSize == 0;
  VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                           choosesSize ? &size : nullptr,
                                           areFull ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT
                                                   : 0u,
                                           VK_SHADER_STAGE_COMPUTE_BIT,
                                           shader,
                                           symbol,
                                           nullptr};
  VkComputePipelineCreateInfo info = {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr, 0, stage, layout.pipeline, VK_NULL_HANDLE, 0};
  tiny_status status =
      context.check(vk.CreateComputePipelines(context.device, cache, 1, &info, nullptr, &kernel.pipeline),
                    "vkCreateComputePipelines");
  vk.DestroyShaderModule(context.device, shader, nullptr);
  kernel.layout = layout.pipeline;
  kernel.setLayout = layout.set;
  for (int axis = 0; axis < 3; ++axis)
    kernel.groups[axis] = uint32_t(description.grid[axis]);
  return status ? status : context.checkWell();
}
