// Runs kernels of a SPIR-V module on the first Vulkan device.
//
// usage: run-kernels KERNELS.spv < JOBS
//
// A job is a line "NAME X Y Z BUFFERS" and a line of hexadecimal digits for each buffer. For each job it prints the
// name, and the buffers afterwards in the same form.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>
#include <vulkan/vulkan.h>

static void check(VkResult result, const char *what) {
  if (result == VK_SUCCESS)
    return;
  std::cerr << what << " gave " << result << "\n";
  std::exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
  if (argc != 2)
    return std::cerr << "usage: run-kernels KERNELS.spv < JOBS\n", 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<char> code((std::istreambuf_iterator<char>(file)), {});

  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instanceInfo{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instanceInfo.pApplicationInfo = &application;
  VkInstance instance;
  CHECK(vkCreateInstance(&instanceInfo, nullptr, &instance));
  uint32_t count = 1;
  VkPhysicalDevice physical;
  VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (count == 0)
    return std::cerr << "no Vulkan device\n", 1;
  check(found == VK_INCOMPLETE ? VK_SUCCESS : found, "vkEnumeratePhysicalDevices");
  // All that it has: kernels use types of 8, 16 and 64 bits, and products of matrices, by an extension that headers
  // need not know.
  const char *extension = "VK_KHR_cooperative_matrix";
  struct {
    VkStructureType sType = VkStructureType(1000506000);
    void *pNext = nullptr;
    VkBool32 cooperativeMatrix, robustBufferAccess;
  } matrices;
  uint32_t nExtensions = 0;
  CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &nExtensions, nullptr));
  std::vector<VkExtensionProperties> extensions(nExtensions);
  CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &nExtensions, extensions.data()));
  bool hasMatrices = false;
  for (const VkExtensionProperties &each : extensions)
    hasMatrices |= !std::strcmp(each.extensionName, extension);
  VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                              hasMatrices ? &matrices : nullptr};
  VkPhysicalDeviceVulkan11Features features11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features11};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  features.features.robustBufferAccess = VK_FALSE;
  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  VkDeviceCreateInfo deviceInfo{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  deviceInfo.enabledExtensionCount = hasMatrices;
  deviceInfo.ppEnabledExtensionNames = &extension;
  deviceInfo.queueCreateInfoCount = 1;
  deviceInfo.pQueueCreateInfos = &queueInfo;
  VkDevice device;
  CHECK(vkCreateDevice(physical, &deviceInfo, nullptr, &device));
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkPhysicalDeviceMemoryProperties memories;
  vkGetPhysicalDeviceMemoryProperties(physical, &memories);
  uint32_t memoryType = 0;
  VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  while ((memories.memoryTypes[memoryType].propertyFlags & wanted) != wanted)
    ++memoryType;
  VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  moduleInfo.codeSize = code.size();
  moduleInfo.pCode = reinterpret_cast<const uint32_t *>(code.data());
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device, &moduleInfo, nullptr, &module));
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool pool;
  CHECK(vkCreateCommandPool(device, &poolInfo, nullptr, &pool));

  std::string name;
  uint32_t x, y, z, n;
  while (std::cin >> name >> x >> y >> z >> n) {
    std::vector<VkBuffer> buffers(n);
    std::vector<VkDeviceMemory> memory(n);
    std::vector<unsigned char *> mapped(n);
    std::vector<size_t> sizes(n);
    std::vector<VkDescriptorSetLayoutBinding> bindings(n);
    std::vector<VkDescriptorBufferInfo> infos(n);
    for (uint32_t k = 0; k < n; ++k) {
      std::string digits;
      std::cin >> digits; // At least one byte: "-" is none.
      sizes[k] = digits == "-" ? 0 : digits.size() / 2;
      VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
      info.size = (sizes[k] + 15) / 16 * 16 + 16;
      info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
      CHECK(vkCreateBuffer(device, &info, nullptr, &buffers[k]));
      VkMemoryRequirements needs;
      vkGetBufferMemoryRequirements(device, buffers[k], &needs);
      VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, memoryType};
      CHECK(vkAllocateMemory(device, &allocation, nullptr, &memory[k]));
      CHECK(vkBindBufferMemory(device, buffers[k], memory[k], 0));
      CHECK(vkMapMemory(device, memory[k], 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void **>(&mapped[k])));
      for (size_t at = 0; at < sizes[k]; ++at)
        mapped[k][at] = std::stoi(digits.substr(2 * at, 2), nullptr, 16);
      bindings[k] = {k, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
      infos[k] = {buffers[k], 0, VK_WHOLE_SIZE};
    }
    VkDescriptorSetLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    layoutInfo.bindingCount = n;
    layoutInfo.pBindings = bindings.data();
    VkDescriptorSetLayout layout;
    CHECK(vkCreateDescriptorSetLayout(device, &layoutInfo, nullptr, &layout));
    VkPipelineLayoutCreateInfo pipelineLayoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    pipelineLayoutInfo.setLayoutCount = 1;
    pipelineLayoutInfo.pSetLayouts = &layout;
    VkPipelineLayout pipelineLayout;
    CHECK(vkCreatePipelineLayout(device, &pipelineLayoutInfo, nullptr, &pipelineLayout));
    VkComputePipelineCreateInfo pipelineInfo{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipelineInfo.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipelineInfo.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipelineInfo.stage.module = module;
    pipelineInfo.stage.pName = name.c_str();
    pipelineInfo.layout = pipelineLayout;
    VkPipeline pipeline;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipelineInfo, nullptr, &pipeline));
    VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, n};
    VkDescriptorPoolCreateInfo setsInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    setsInfo.maxSets = 1;
    setsInfo.poolSizeCount = 1;
    setsInfo.pPoolSizes = &size;
    VkDescriptorPool sets;
    CHECK(vkCreateDescriptorPool(device, &setsInfo, nullptr, &sets));
    VkDescriptorSetAllocateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, sets, 1, &layout};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(device, &setInfo, &set));
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.descriptorCount = n;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = infos.data();
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);

    VkCommandBufferAllocateInfo commandsInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    commandsInfo.commandPool = pool;
    commandsInfo.commandBufferCount = 1;
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(device, &commandsInfo, &commands));
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelineLayout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(commands, x, y, z);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                            VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         nullptr, 0, nullptr);
    CHECK(vkEndCommandBuffer(commands));
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));

    std::cout << "job " << name << "\n";
    for (uint32_t k = 0; k < n; ++k) {
      for (size_t at = 0; at < sizes[k]; ++at) {
        char digits[3];
        std::snprintf(digits, sizeof(digits), "%02x", mapped[k][at]);
        std::cout << digits;
      }
      std::cout << (sizes[k] ? "\n" : "-\n");
      vkDestroyBuffer(device, buffers[k], nullptr);
      vkFreeMemory(device, memory[k], nullptr);
    }
    vkFreeCommandBuffers(device, pool, 1, &commands);
    vkDestroyDescriptorPool(device, sets, nullptr);
    vkDestroyPipeline(device, pipeline, nullptr);
    vkDestroyPipelineLayout(device, pipelineLayout, nullptr);
    vkDestroyDescriptorSetLayout(device, layout, nullptr);
  }
  vkDestroyCommandPool(device, pool, nullptr);
  vkDestroyShaderModule(device, module, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
}
