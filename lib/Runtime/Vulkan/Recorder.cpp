// Batches, barriers between commands that touch the same bytes, and what is freed while the device still uses it.
#include "Recorder.h"
#include "Device.h"
#include "Error.h"

using namespace tiny::runtime;
using namespace tiny::runtime::vulkan;

namespace {

/// A batch is submitted when it has so many commands: the device begins while the host goes on.
constexpr uint32_t kMostCommands = 64;
/// The host waits where the device is so many batches behind.
constexpr size_t kMostInFlight = 16;
/// Accesses that are compared one by one; beyond them a barrier is cheaper.
constexpr size_t kMostAccesses = 64;
constexpr uint32_t kSetsPerPool = 64, kBuffersPerPool = 512;

void addBarrier(const Api &vk, VkCommandBuffer commands, VkPipelineStageFlags to, VkAccessFlags access) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = access;
  vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, to, 0, 1,
                        &barrier, 0, nullptr, 0, nullptr);
}

} // namespace

tiny_status Recorder::open() {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  return context.check(context.vk.CreateSemaphore(context.device, &info, nullptr, &timeline), "vkCreateSemaphore");
}

/// Makes a batch to record into, if there is none.
tiny_status Recorder::begin() {
  if (current)
    return TINY_OK;
  const Api &vk = context.vk;
  if (idle.empty()) {
    auto batch = std::make_unique<Batch>();
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = context.queueFamily;
    if (tiny_status status =
            context.check(vk.CreateCommandPool(context.device, &pool, nullptr, &batch->pool), "vkCreateCommandPool"))
      return status;
    VkCommandBufferAllocateInfo commands{};
    commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    commands.commandPool = batch->pool;
    commands.commandBufferCount = 1;
    if (tiny_status status = context.check(vk.AllocateCommandBuffers(context.device, &commands, &batch->commands),
                                           "vkAllocateCommandBuffers")) {
      vk.DestroyCommandPool(context.device, batch->pool, nullptr);
      return status;
    }
    idle.push_back(std::move(batch));
  }
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (tiny_status status = context.check(vk.BeginCommandBuffer(idle.back()->commands, &info), "vkBeginCommandBuffer"))
    return status;
  current = std::move(idle.back());
  idle.pop_back();
  current->value = ++lastValue;
  accesses.clear();
  // What an earlier batch wrote.
  addBarrier(vk, current->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                 VK_ACCESS_TRANSFER_WRITE_BIT);
  return TINY_OK;
}

void Recorder::orderAfterConflicts(const Use *uses, size_t count) {
  auto conflicts = [&](const Use &use) {
    uint64_t begin = use.storage->address + use.offset;
    for (const Access &access : accesses)
      if ((access.writes || use.writes) && rangesOverlap(access.begin, access.size, begin, use.size))
        return true;
    return false;
  };
  bool isNeeded = accesses.size() > kMostAccesses;
  for (size_t k = 0; k < count && !isNeeded; ++k)
    isNeeded = conflicts(uses[k]);
  if (!isNeeded)
    return;
  addBarrier(context.vk, current->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                 VK_ACCESS_TRANSFER_WRITE_BIT);
  accesses.clear();
}

tiny_status Recorder::record(const Use *uses, size_t count, const std::function<tiny_status(Batch &)> &command) {
  std::unique_lock<std::mutex> lock(mutex);
  if (tiny_status status = context.checkWell())
    return status;
  if (tiny_status status = begin())
    return status;
  orderAfterConflicts(uses, count);
  accesses.reserve(accesses.size() + count);
  if (tiny_status status = command(*current))
    return status;
  for (size_t k = 0; k < count; ++k) {
    accesses.push_back({uses[k].storage->address + uses[k].offset, uses[k].size, uses[k].writes});
    uses[k].storage->lastUse = current->value;
  }
  if (++current->nCommands < kMostCommands)
    return TINY_OK;
  if (tiny_status status = submit())
    return status;
  collect();
  return inFlight.size() < kMostInFlight ? TINY_OK : waitUnlocked(lock, inFlight.front()->value);
}

tiny_status Recorder::allocateSet(Batch &batch, VkDescriptorSetLayout layout, VkDescriptorSet &set) {
  const Api &vk = context.vk;
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  // Twice at most: a pool that is full, and a fresh one.
  while (true) {
    bool isFresh = batch.nSets == batch.sets.size();
    if (isFresh) {
      VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBuffersPerPool};
      VkDescriptorPoolCreateInfo pool{};
      pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
      pool.maxSets = kSetsPerPool;
      pool.poolSizeCount = 1;
      pool.pPoolSizes = &size;
      batch.sets.reserve(batch.sets.size() + 1);
      VkDescriptorPool made;
      if (tiny_status status =
              context.check(vk.CreateDescriptorPool(context.device, &pool, nullptr, &made), "vkCreateDescriptorPool"))
        return status;
      batch.sets.push_back(made);
    }
    info.descriptorPool = batch.sets[batch.nSets];
    VkResult result = vk.AllocateDescriptorSets(context.device, &info, &set);
    bool isFull = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
    if (!isFull || isFresh)
      return context.check(result, "vkAllocateDescriptorSets");
    ++batch.nSets;
  }
}

/// Hands the batch to the queue. What cannot be submitted is lost, and with it all that would have come of it.
tiny_status Recorder::submit() {
  const Api &vk = context.vk;
  addBarrier(vk, current->commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
  tiny_status status = context.check(vk.EndCommandBuffer(current->commands), "vkEndCommandBuffer");
  if (!status) {
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &current->value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &current->commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &timeline;
    status = context.check(vk.QueueSubmit(context.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  }
  if (status)
    context.lose();
  inFlight.push_back(std::move(current));
  return status ? context.checkWell() : TINY_OK;
}

/// Takes back the batches that are done. A lost device has no work left.
void Recorder::collect() {
  uint64_t value = 0;
  if (context.vk.GetSemaphoreCounterValue(context.device, timeline, &value) == VK_SUCCESS && value != UINT64_MAX)
    doneValue = value;
  while (!inFlight.empty() && (inFlight.front()->value <= doneValue || context.isLost())) {
    std::unique_ptr<Batch> batch = std::move(inFlight.front());
    inFlight.pop_front();
    for (const std::unique_ptr<Storage> &storage : batch->garbage)
      free(*storage);
    batch->garbage.clear();
    context.vk.ResetCommandPool(context.device, batch->pool, 0);
    for (VkDescriptorPool pool : batch->sets)
      context.vk.ResetDescriptorPool(context.device, pool, 0);
    batch->nSets = 0;
    batch->nCommands = 0;
    idle.push_back(std::move(batch));
  }
}

/// Waits without the lock, so that other threads record meanwhile.
tiny_status Recorder::waitUnlocked(std::unique_lock<std::mutex> &lock, uint64_t value) {
  lock.unlock();
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  // In steps: another thread may find the device lost.
  constexpr uint64_t kStep = 1000000000;
  VkResult result = VK_TIMEOUT;
  while (result == VK_TIMEOUT && !context.isLost())
    result = context.vk.WaitSemaphores(context.device, &info, kStep);
  tiny_status status = context.isLost() ? context.checkWell() : context.check(result, "vkWaitSemaphores");
  lock.lock();
  collect();
  return status ? status : context.checkWell();
}

tiny_status Recorder::wait(uint64_t value) {
  std::unique_lock<std::mutex> lock(mutex);
  if (tiny_status status = context.checkWell())
    return status;
  if (value <= doneValue)
    return TINY_OK;
  if (current && current->value <= value)
    if (tiny_status status = submit())
      return status;
  return waitUnlocked(lock, value);
}

tiny_status Recorder::flush() {
  std::lock_guard<std::mutex> lock(mutex);
  if (tiny_status status = context.checkWell())
    return status;
  return current && current->nCommands ? submit() : TINY_OK;
}

tiny_status Recorder::synchronize() {
  uint64_t value;
  {
    std::lock_guard<std::mutex> lock(mutex);
    // A batch without commands signals nothing that anyone waits for.
    value = current && !current->nCommands ? lastValue - 1 : lastValue;
  }
  return wait(value);
}

void Recorder::free(const Storage &storage) {
  if (storage.imported)
    freeImport(context, storage);
  else
    storage.pool->free(storage);
}

void Recorder::retire(std::unique_ptr<Storage> storage) {
  std::lock_guard<std::mutex> lock(mutex);
  if (storage->lastUse > doneValue && !context.isLost()) {
    collect();
    Batch *last = current ? current.get() : inFlight.empty() ? nullptr : inFlight.back().get();
    if (storage->lastUse > doneValue && last) {
      last->garbage.push_back(std::move(storage));
      return;
    }
  }
  free(*storage);
}
