// Asks a device what it has.
#include "Context.h"
#include "Error.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace tiny::runtime;
using namespace tiny::runtime::vulkan;

/// Mesa's driver for processors ends all loops of a lane after so many rounds.
static constexpr uint32_t kRoundsOfLlvmpipe = 65535;

void Context::readLimits(VkPhysicalDeviceVulkan11Features &features11, VkPhysicalDeviceVulkan12Features &features12,
                         VkPhysicalDeviceFeatures &features, bool canImport) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT import{};
  import.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{};
  nvidia.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
  VkPhysicalDeviceShaderCorePropertiesAMD amd{};
  amd.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD;
  VkPhysicalDeviceVulkan12Properties driver;
  std::memset(&driver, 0, sizeof(driver));
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceVulkan11Properties more{};
  more.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &more;
  more.pNext = &driver;
  void **last = &driver.pNext;
  auto ask = [&](bool isKnown, auto &part) {
    if (!isKnown)
      return;
    *last = &part;
    last = &part.pNext;
  };
  ask(canImport, import);
  ask(hasExtension(physical, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME), nvidia);
  ask(hasExtension(physical, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME), amd);
  vk.GetPhysicalDeviceProperties2(physical, &all);
  properties = all.properties;
  const VkPhysicalDeviceLimits &known = properties.limits;
  limits.name = properties.deviceName;
  limits.bufferBytes = known.maxStorageBufferRange;
  limits.allocationBytes = more.maxMemoryAllocationSize;
  limits.bufferAlignment = std::max<uint64_t>(known.minStorageBufferOffsetAlignment, 1);
  limits.buffers = std::min(
      {known.maxPerStageDescriptorStorageBuffers, known.maxDescriptorSetStorageBuffers, known.maxPerStageResources});
  limits.lanesTogether = known.maxComputeWorkGroupInvocations;
  limits.sharedBytes = known.maxComputeSharedMemorySize;
  for (int axis = 0; axis < 3; ++axis) {
    limits.groups[axis] = known.maxComputeWorkGroupCount[axis];
    limits.lanes[axis] = known.maxComputeWorkGroupSize[axis];
  }
  limits.importAlignment = canImport ? import.minImportedHostPointerAlignment : 0;
  limits.hasInt8 = features12.shaderInt8;
  limits.hasInt16 = features.shaderInt16;
  limits.hasInt64 = features.shaderInt64;
  limits.hasFloat16 = features12.shaderFloat16;
  limits.hasFloat64 = features.shaderFloat64;
  limits.storesInt8 = features12.storageBuffer8BitAccess;
  limits.storesInt16 = features11.storageBuffer16BitAccess;
  limits.hasVulkanModel = features12.vulkanMemoryModel;
  limits.subgroupSize = more.subgroupSize;
  auto hasTogether = [&](VkSubgroupFeatureFlags operations) {
    return (more.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (more.subgroupSupportedOperations & operations) == operations;
  };
  limits.hasSubgroups = hasTogether(VK_SUBGROUP_FEATURE_BASIC_BIT);
  limits.reducesSubgroups = hasTogether(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
  limits.shufflesSubgroups = hasTogether(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
  limits.shiftsSubgroups = hasTogether(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT);
  if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
    limits.cores = std::thread::hardware_concurrency();
  else
    limits.cores = std::max(nvidia.shaderSMCount,
                            amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray);
  limits.loopRounds = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE ? kRoundsOfLlvmpipe : 0;
}

void Context::readSubgroupSizes(const VkPhysicalDeviceSubgroupSizeControlFeaturesEXT &features) {
  VkPhysicalDeviceSubgroupSizeControlPropertiesEXT sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &sizes;
  vk.GetPhysicalDeviceProperties2(physical, &all);
  limits.hasFullSubgroups = features.computeFullSubgroups;
  limits.choosesSubgroupSize =
      features.subgroupSizeControl && (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
      sizes.minSubgroupSize <= limits.subgroupSize && limits.subgroupSize <= sizes.maxSubgroupSize;
}

tiny_status Context::readMatrices() {
  vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR = reinterpret_cast<GetMatrixPropertiesFunction>(
      vk.GetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (!vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
    return TINY_OK;
  const char *call = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
  uint32_t count = 0;
  if (tiny_status status = check(vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, nullptr), call))
    return status;
  std::vector<MatrixProperties> known(count);
  if (tiny_status status =
          check(vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, known.data()), call))
    return status;
  constexpr int32_t kSubgroup = 3;
  for (const MatrixProperties &each : known) {
    if (each.scope != kSubgroup || each.isSaturating || each.a != each.b || each.c != each.result)
      continue;
    if (each.a == MatrixElement::Float16 && each.c == MatrixElement::Float32)
      limits.matrices.push_back({each.m, each.n, each.k, TINY_DTYPE_F16, TINY_DTYPE_F32});
    if (each.a == MatrixElement::Sint8 && each.c == MatrixElement::Sint32)
      limits.matrices.push_back({each.m, each.n, each.k, TINY_DTYPE_I8, TINY_DTYPE_I32});
  }
  return TINY_OK;
}

void vulkan::describeLimits(const Limits &limits, tiny_device_facts &facts) {
  facts.name = limits.name.c_str();
  facts.cores = limits.cores;
  auto add = [&](bool has, std::initializer_list<tiny_dtype> types) {
    for (tiny_dtype type : types)
      facts.dtypes |= uint32_t(has) << type;
  };
  add(true, {TINY_DTYPE_I32, TINY_DTYPE_U32, TINY_DTYPE_F32});
  add(limits.hasInt8 && limits.storesInt8, {TINY_DTYPE_I1, TINY_DTYPE_I8, TINY_DTYPE_U8});
  add(limits.hasInt16 && limits.storesInt16, {TINY_DTYPE_I16, TINY_DTYPE_U16});
  add(limits.hasInt64, {TINY_DTYPE_I64, TINY_DTYPE_U64});
  add(limits.hasFloat16 && limits.storesInt16, {TINY_DTYPE_F16});
  add(limits.hasFloat64, {TINY_DTYPE_F64});
  bool actTogether =
      limits.hasSubgroups && limits.reducesSubgroups && limits.shufflesSubgroups && limits.shiftsSubgroups;
  facts.subgroup_lanes = actTogether ? limits.subgroupSize : 1;
  facts.workgroup_lanes = limits.lanesTogether;
  facts.workgroup_bytes = limits.sharedBytes;
  for (int axis = 0; axis < 3; ++axis) {
    facts.workgroup_extents[axis] = limits.lanes[axis];
    facts.grid[axis] = limits.groups[axis];
  }
  facts.buffers = limits.buffers;
  facts.buffer_bytes = limits.bufferBytes;
  facts.loop_rounds = limits.loopRounds;
  facts.n_matrices = uint32_t(limits.matrices.size());
  facts.matrices = limits.matrices.data();
}
