// Opens the loader, chooses a device and a queue of it, and keeps what went wrong.
#include "Context.h"
#include "Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace tiny::runtime;
using namespace tiny::runtime::vulkan;

const char *vulkan::getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}

bool vulkan::isOn(const char *variable) {
  const char *value = getVariable(variable);
  return value && std::strcmp(value, "0") != 0;
}

bool vulkan::isOff(const char *variable) {
  const char *value = getVariable(variable);
  return value && std::strcmp(value, "0") == 0;
}

const char *vulkan::nameResult(VkResult result) {
  switch (result) {
#define TINY_VULKAN_NAME(Result)                                                                                       \
  case Result:                                                                                                         \
    return #Result;
    TINY_VULKAN_NAME(VK_SUCCESS)
    TINY_VULKAN_NAME(VK_TIMEOUT)
    TINY_VULKAN_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    TINY_VULKAN_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    TINY_VULKAN_NAME(VK_ERROR_INITIALIZATION_FAILED)
    TINY_VULKAN_NAME(VK_ERROR_DEVICE_LOST)
    TINY_VULKAN_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    TINY_VULKAN_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    TINY_VULKAN_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    TINY_VULKAN_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    TINY_VULKAN_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    TINY_VULKAN_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    TINY_VULKAN_NAME(VK_ERROR_FRAGMENTED_POOL)
    TINY_VULKAN_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    TINY_VULKAN_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    TINY_VULKAN_NAME(VK_ERROR_INVALID_SHADER_NV)
#undef TINY_VULKAN_NAME
  default:
    return "VkResult";
  }
}

Context::~Context() {
  if (device)
    vk.DestroyDevice(device, nullptr);
  if (instance)
    vk.DestroyInstance(instance, nullptr);
}

tiny_status Context::check(VkResult result, const char *call) {
  if (result == VK_SUCCESS)
    return TINY_OK;
  bool isShort = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  tiny_status status = fail(isShort ? TINY_OUT_OF_MEMORY : TINY_DEVICE_ERROR, "device 'vulkan': %s gave %s (%d)", call,
                            nameResult(result), int(result));
  if (result == VK_ERROR_DEVICE_LOST)
    lose();
  return status;
}

void Context::lose() {
  std::lock_guard<std::mutex> lock(failureMutex);
  if (lost)
    return;
  std::string reason = tiny_last_error();
  fail(TINY_DEVICE_ERROR, "device 'vulkan' is lost: %.400s", reason.c_str());
  loss = Failure::ofThisThread(TINY_DEVICE_ERROR);
  lost = true;
}

tiny_status Context::checkWell() {
  if (!lost && !warned)
    return TINY_OK;
  std::lock_guard<std::mutex> lock(failureMutex);
  return lost ? loss.report() : warning.report();
}

VkBool32 Context::takeMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                              const VkDebugUtilsMessengerCallbackDataEXT *message, void *self) {
  auto &context = *static_cast<Context *>(self);
  std::lock_guard<std::mutex> lock(context.failureMutex);
  if (!context.warned)
    context.warning =
        Failure(TINY_DEVICE_ERROR, ("Vulkan's validation layer: " + std::string(message->pMessage)).c_str());
  context.warned = true;
  return VK_FALSE;
}

/// What Vulkan 1.2 has and this one does not.
static tiny_status failForWant(const char *of, const char *what) {
  return fail(TINY_UNSUPPORTED, "device 'vulkan': '%.200s' has no %s, expected Vulkan 1.2", of, what);
}

tiny_status Context::openLibrary() {
  const char *chosen = getVariable(kLibraryVariable);
  // Never closed: its drivers have threads.
  void *library = dlopen(chosen ? chosen : "libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(TINY_UNSUPPORTED, "device 'vulkan' needs Vulkan's loader: %.300s", dlerror());
  vk.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!vk.GetInstanceProcAddr)
    return fail(TINY_UNSUPPORTED, "device 'vulkan': '%.200s' is no Vulkan loader", chosen ? chosen : "libvulkan.so.1");
#define TINY_VULKAN_FIND(Name)                                                                                         \
  vk.Name = reinterpret_cast<PFN_vk##Name>(vk.GetInstanceProcAddr(VK_NULL_HANDLE, "vk" #Name));                        \
  if (!vk.Name)                                                                                                        \
    return failForWant("libvulkan", "vk" #Name);
  TINY_VULKAN_GLOBAL_FUNCTIONS(TINY_VULKAN_FIND)
#undef TINY_VULKAN_FIND
  return TINY_OK;
}

tiny_status Context::createInstance() {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "Tiny";
  // 1.2 is enough, but a later version is used only where it was asked for.
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const char *layer = "VK_LAYER_KHRONOS_validation", *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  bool validates = isOn(kValidationVariable);
  if (validates) {
    info.enabledLayerCount = info.enabledExtensionCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.ppEnabledExtensionNames = &extension;
  }
  VkResult result = vk.CreateInstance(&info, nullptr, &instance);
  if (result == VK_ERROR_LAYER_NOT_PRESENT)
    return fail(TINY_UNSUPPORTED, "device 'vulkan': %s is set, and there is no layer '%s'", kValidationVariable, layer);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return fail(TINY_UNSUPPORTED, "device 'vulkan': Vulkan's loader found no driver");
  if (tiny_status status = check(result, "vkCreateInstance"))
    return status;
#define TINY_VULKAN_FIND(Name)                                                                                         \
  vk.Name = reinterpret_cast<PFN_vk##Name>(vk.GetInstanceProcAddr(instance, "vk" #Name));                              \
  if (!vk.Name)                                                                                                        \
    return failForWant("libvulkan", "vk" #Name);
  TINY_VULKAN_INSTANCE_FUNCTIONS(TINY_VULKAN_FIND)
#undef TINY_VULKAN_FIND
  if (!validates)
    return TINY_OK;
  vk.CreateDebugUtilsMessengerEXT = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vk.GetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
  VkDebugUtilsMessengerCreateInfoEXT messages{};
  messages.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messages.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messages.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messages.pfnUserCallback = takeMessage;
  messages.pUserData = this;
  VkDebugUtilsMessengerEXT messenger;
  return check(vk.CreateDebugUtilsMessengerEXT(instance, &messages, nullptr, &messenger),
               "vkCreateDebugUtilsMessengerEXT");
}

/// The better the higher.
static int rank(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 4;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 3;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  default:
    return 1;
  }
}

tiny_status Context::chooseDevice() {
  uint32_t count = 0;
  if (tiny_status status = check(vk.EnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices"))
    return status;
  std::vector<VkPhysicalDevice> candidates(count);
  VkResult result = vk.EnumeratePhysicalDevices(instance, &count, candidates.data());
  if (tiny_status status = check(result == VK_INCOMPLETE ? VK_SUCCESS : result, "vkEnumeratePhysicalDevices"))
    return status;
  candidates.resize(count);
  const char *wanted = getVariable(kDeviceVariable);
  std::string names;
  for (VkPhysicalDevice candidate : candidates) {
    VkPhysicalDeviceProperties known;
    vk.GetPhysicalDeviceProperties(candidate, &known);
    names += (names.empty() ? "'" : ", '") + std::string(known.deviceName) + "'";
    if ((wanted && !std::strstr(known.deviceName, wanted)) || known.apiVersion < VK_API_VERSION_1_2)
      continue;
    uint32_t nFamilies = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(candidate, &nFamilies, nullptr);
    std::vector<VkQueueFamilyProperties> families(nFamilies);
    vk.GetPhysicalDeviceQueueFamilyProperties(candidate, &nFamilies, families.data());
    auto family = std::find_if(families.begin(), families.end(), [](const VkQueueFamilyProperties &each) {
      return each.queueCount && (each.queueFlags & VK_QUEUE_COMPUTE_BIT);
    });
    if (family == families.end() || (physical && rank(known.deviceType) <= rank(properties.deviceType)))
      continue;
    physical = candidate;
    properties = known;
    queueFamily = uint32_t(family - families.begin());
  }
  if (physical)
    return TINY_OK;
  return fail(TINY_UNSUPPORTED,
              "device 'vulkan': of this machine's devices (%.300s) none computes by Vulkan 1.2%s%.60s",
              candidates.empty() ? "there is none" : names.c_str(), wanted ? " and has a name with " : "",
              wanted ? wanted : "");
}

bool Context::hasExtension(VkPhysicalDevice candidate, const char *name) const {
  uint32_t count = 0;
  if (vk.EnumerateDeviceExtensionProperties(candidate, nullptr, &count, nullptr) != VK_SUCCESS)
    return false;
  std::vector<VkExtensionProperties> known(count);
  if (vk.EnumerateDeviceExtensionProperties(candidate, nullptr, &count, known.data()) != VK_SUCCESS)
    return false;
  return std::any_of(known.begin(), known.end(),
                     [&](const VkExtensionProperties &each) { return !std::strcmp(each.extensionName, name); });
}

tiny_status Context::createDevice() {
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT hasSizes{}, wantsSizes{};
  MatrixFeatures hasMatrices, wantsMatrices;
  VkPhysicalDeviceVulkan12Features has12{}, wants12{};
  VkPhysicalDeviceVulkan11Features has11{}, wants11{};
  VkPhysicalDeviceFeatures2 has{}, wants{};
  hasSizes.sType = wantsSizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT;
  has12.sType = wants12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  has11.sType = wants11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  has.sType = wants.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  has11.pNext = &has12;
  has.pNext = &has11;
  wants11.pNext = &wants12;
  wants.pNext = &wants11;
  std::vector<const char *> extensions;
  // Adds to both chains, and to the extensions, what the device knows of.
  void **lastHas = &has12.pNext, **lastWants = &wants12.pNext;
  auto ask = [&](const char *extension, auto &known, auto &wanted) {
    if (!hasExtension(physical, extension))
      return false;
    extensions.push_back(extension);
    *lastHas = &known;
    *lastWants = &wanted;
    lastHas = &known.pNext;
    lastWants = &wanted.pNext;
    return true;
  };
  // The code of matrices is of a version of SPIR-V that came with Vulkan 1.3.
  bool knowsMatrices = !isOff(kMatricesVariable) && properties.apiVersion >= VK_API_VERSION_1_3 &&
                       ask(kMatrixExtension, hasMatrices, wantsMatrices);
  bool knowsSizes = ask(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, hasSizes, wantsSizes);
  vk.GetPhysicalDeviceFeatures2(physical, &has);
  if (!has12.timelineSemaphore)
    return failForWant(properties.deviceName, "timeline semaphores");
  wants12.timelineSemaphore = VK_TRUE;
  wants12.shaderInt8 = has12.shaderInt8;
  wants12.shaderFloat16 = has12.shaderFloat16;
  wants12.storageBuffer8BitAccess = has12.storageBuffer8BitAccess;
  wants11.storageBuffer16BitAccess = has11.storageBuffer16BitAccess;
  wants.features.shaderInt16 = has.features.shaderInt16;
  wants.features.shaderInt64 = has.features.shaderInt64;
  wants.features.shaderFloat64 = has.features.shaderFloat64;
  wants12.vulkanMemoryModel = has12.vulkanMemoryModel;
  wantsMatrices.cooperativeMatrix = has12.vulkanMemoryModel && hasMatrices.cooperativeMatrix;
  wantsSizes.subgroupSizeControl = hasSizes.subgroupSizeControl;
  wantsSizes.computeFullSubgroups = hasSizes.computeFullSubgroups;

  // Where memory is the device's own it would compute on the host's through a bus.
  bool isShared = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ||
                  properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  const char *import = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
  bool canImport = isShared && !isOn(kStagingVariable) && hasExtension(physical, import);
  if (canImport)
    extensions.push_back(import);
  readLimits(wants11, wants12, wants.features, canImport);
  if (knowsSizes)
    readSubgroupSizes(wantsSizes);
  if (knowsMatrices && wantsMatrices.cooperativeMatrix)
    if (tiny_status status = readMatrices())
      return status;

  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo{};
  queueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queueInfo.queueFamilyIndex = queueFamily;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &wants;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (tiny_status status = check(vk.CreateDevice(physical, &info, nullptr, &device), "vkCreateDevice"))
    return status;
#define TINY_VULKAN_FIND(Name)                                                                                         \
  vk.Name = reinterpret_cast<PFN_vk##Name>(vk.GetDeviceProcAddr(device, "vk" #Name));                                  \
  if (!vk.Name)                                                                                                        \
    return failForWant(properties.deviceName, "vk" #Name);
  TINY_VULKAN_DEVICE_FUNCTIONS(TINY_VULKAN_FIND)
#undef TINY_VULKAN_FIND
  vk.GetMemoryHostPointerPropertiesEXT = reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(
      vk.GetDeviceProcAddr(device, "vkGetMemoryHostPointerPropertiesEXT"));
  if (!vk.GetMemoryHostPointerPropertiesEXT)
    limits.importAlignment = 0;
  vk.GetDeviceQueue(device, queueFamily, 0, &queue);
  return chooseMemory();
}

bool Context::findMemory(VkMemoryPropertyFlags flags, VkMemoryPropertyFlags without, MemoryKind &kind) const {
  VkPhysicalDeviceMemoryProperties known;
  vk.GetPhysicalDeviceMemoryProperties(physical, &known);
  for (uint32_t type = 0; type < known.memoryTypeCount; ++type) {
    VkMemoryPropertyFlags has = known.memoryTypes[type].propertyFlags;
    if ((has & flags) != flags || (has & without))
      continue;
    constexpr VkMemoryPropertyFlags kMapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    kind = {type, known.memoryHeaps[known.memoryTypes[type].heapIndex].size, (has & kMapped) == kMapped};
    return true;
  }
  return false;
}

tiny_status Context::chooseMemory() {
  constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  if (!findMemory(kMapped | kCached, 0, hostMemory) && !findMemory(kMapped, 0, hostMemory))
    return failForWant(properties.deviceName, "memory that the host sees");
  // What the host sees beside its device's own memory it reads slowly, unless it is cached.
  bool isFound = findMemory(kLocal | kMapped | kCached, 0, deviceMemory) ||
                 findMemory(kLocal, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, deviceMemory) ||
                 findMemory(kLocal, 0, deviceMemory) || findMemory(0, 0, deviceMemory);
  if (!isFound)
    return failForWant(properties.deviceName, "memory");
  if (isOn(kStagingVariable))
    deviceMemory.isMapped = false;
  return TINY_OK;
}

tiny_status Context::open() {
  for (auto step : {&Context::openLibrary, &Context::createInstance, &Context::chooseDevice, &Context::createDevice})
    if (tiny_status status = (this->*step)())
      return status;
  return checkWell();
}
