// A device of Vulkan's behind the runtime's interface. Calls record commands and return; reads, mappings and
// synchronize wait.
#include "Device.h"
#include "Error.h"
#include "Pipelines.h"
#include "Recorder.h"
#include "Storage.h"
#include "Tiny/Runtime/Format.h"

#include <algorithm>
#include <cstring>

using namespace tiny::runtime;
using namespace tiny::runtime::vulkan;

namespace {

Storage &storageOf(const Region &region) { return *static_cast<Storage *>(region.memory->handle); }

/// As much of the host's memory as copies to and from it take at a time.
constexpr uint64_t kStagingBytes = 8 << 20;
/// Smallest constant that is worth an allocation of Vulkan's, of which some drivers have 4096.
constexpr uint64_t kLeastImport = 64 << 10;
/// As much of a pattern as lies in memory to be copied.
constexpr uint64_t kPatternBytes = 64 << 10;

struct VulkanDevice final : tiny_device {
  VulkanDevice()
      : tiny_device("vulkan"), devicePool(context, context.deviceMemory), hostPool(context, context.hostMemory),
        recorder(context), pipelines(context) {}

  tiny_status open() {
    if (tiny_status status = context.open())
      return status;
    if (tiny_status status = recorder.open())
      return status;
    return pipelines.open();
  }

  tiny_status describe(tiny_device_facts &facts) const override {
    describeLimits(context.limits, facts);
    return TINY_OK;
  }

  tiny_status allocate(Memory &memory) override {
    std::unique_ptr<Storage> storage;
    if (tiny_status status = context.checkWell())
      return status;
    if (tiny_status status = devicePool.allocate(memory.size, storage))
      return status;
    memory.handle = storage.release();
    return TINY_OK;
  }
  tiny_status import(void *data, Memory &memory) override {
    std::unique_ptr<Storage> storage;
    if (tiny_status status = context.checkWell())
      return status;
    // No bytes lie on no page.
    tiny_status status =
        memory.size ? importStorage(context, data, memory.size, storage) : devicePool.allocate(0, storage);
    if (!status)
      memory.handle = storage.release();
    return status;
  }
  /// Small ones share a block, and what begins anywhere would be copied at each launch.
  bool usesInPlace(const void *data, uint64_t size) const override {
    return size >= kLeastImport && reinterpret_cast<uintptr_t>(data) % context.limits.bufferAlignment == 0;
  }
  void free(Memory &memory) override {
    std::unique_ptr<Storage> storage(static_cast<Storage *>(memory.handle));
    memory.handle = nullptr;
    if (!storage)
      return;
    // The host's memory goes back to its owner now.
    if (storage->imported)
      (void)recorder.waitFor(*storage);
    recorder.retire(std::move(storage));
  }

  tiny_status map(const Region &region, uint32_t, void **data) override {
    Storage &storage = storageOf(region);
    if (!storage.host)
      return fail(TINY_UNSUPPORTED, "device 'vulkan' has memory that the host does not see: read and write it");
    if (tiny_status status = recorder.waitFor(storage))
      return status;
    *data = storage.host + region.offset;
    return TINY_OK;
  }
  tiny_status unmap(const Region &region, void *data) override {
    char *begin = storageOf(region).host, *address = static_cast<char *>(data);
    if (!begin || address < begin + region.offset || address > begin + region.offset + region.size)
      return fail(TINY_INVALID_ARGUMENT, "address %p is no mapping of this buffer", data);
    return TINY_OK;
  }

  tiny_status read(const Region &region, void *target) override {
    Storage &storage = storageOf(region);
    if (storage.host) {
      if (tiny_status status = recorder.waitFor(storage))
        return status;
      std::memcpy(target, storage.host + region.offset, region.size);
      return TINY_OK;
    }
    return inParts(region, [&](Storage &staging, const Part &part, uint64_t done) {
      if (tiny_status status = recordCopy(part, {&staging, 0, part.size}))
        return status;
      if (tiny_status status = recorder.waitFor(staging))
        return status;
      std::memcpy(static_cast<char *>(target) + done, staging.host, part.size);
      return TINY_OK;
    });
  }
  tiny_status write(const Region &region, const void *source) override {
    Storage &storage = storageOf(region);
    if (storage.host) {
      if (tiny_status status = recorder.waitFor(storage))
        return status;
      std::memcpy(storage.host + region.offset, source, region.size);
      return TINY_OK;
    }
    return inParts(region, [&](Storage &staging, const Part &part, uint64_t done) {
      std::memcpy(staging.host, static_cast<const char *>(source) + done, part.size);
      return recordCopy({&staging, 0, part.size}, part);
    });
  }

  tiny_status copy(const Region &source, const Region &target) override {
    if (!source.size || address(source) == address(target))
      return TINY_OK;
    Part from = partOf(source), to = partOf(target);
    if (!overlap(source, target))
      return recordCopy(from, to);
    return withTemporary(devicePool, source.size, [&](Storage &between) {
      if (tiny_status status = recordCopy(from, {&between, 0, from.size}))
        return status;
      return recordCopy({&between, 0, from.size}, to);
    });
  }

  tiny_status fill(const Region &region, const void *pattern, uint32_t patternSize) override {
    Part part = partOf(region);
    if (!part.size)
      return TINY_OK;
    char repeated[8];
    for (uint32_t k = 0; k < sizeof(repeated); ++k)
      repeated[k] = static_cast<const char *>(pattern)[k % patternSize];
    uint32_t first, second;
    std::memcpy(&first, repeated, sizeof(first));
    std::memcpy(&second, repeated + sizeof(first), sizeof(second));
    if (first == second && (part.storage->offset + part.offset) % 4 == 0 && part.size % 4 == 0) {
      Use use = {part.storage, part.offset, part.size, true};
      return recorder.record(&use, 1, [&](Batch &batch) {
        context.vk.CmdFillBuffer(batch.commands, part.storage->buffer, part.storage->offset + part.offset, part.size,
                                 first);
        return TINY_OK;
      });
    }
    uint64_t most = std::min(part.size, kPatternBytes);
    return withTemporary(hostPool, most, [&](Storage &from) {
      for (uint64_t k = 0; k < most; ++k)
        from.host[k] = repeated[k % sizeof(repeated)];
      std::vector<VkBufferCopy> copies;
      for (uint64_t done = 0; done < part.size; done += most)
        copies.push_back({from.offset, part.storage->offset + part.offset + done, std::min(most, part.size - done)});
      return recordCopies({&from, 0, most}, part, copies);
    });
  }

  uint64_t address(const Region &region) const override { return storageOf(region).address + region.offset; }
  Place place(const Region &region) const override { return {nullptr, address(region)}; }
  uint64_t getMostBufferBytes() const override { return context.limits.bufferBytes; }

  bool canRun(const char *deviceName, uint32_t, uint64_t rounds, uint32_t format) const override {
    uint64_t most = context.limits.loopRounds;
    return std::strcmp(deviceName, name) == 0 && format == TINY_CODE_SPIRV &&
           (most == 0 || (rounds != 0 && rounds <= most));
  }
  tiny_status loadCode(const void *bytes, uint64_t size, std::unique_ptr<Code> &code) override {
    auto made = std::make_unique<VulkanCode>();
    if (tiny_status status = pipelines.load(bytes, size, *made))
      return status;
    code = std::move(made);
    return TINY_OK;
  }
  tiny_status prepare(const tiny_kernel &description, Code *code, const char *symbol,
                      std::unique_ptr<Kernel> &kernel) override {
    VulkanCode own;
    if (!code && !description.code)
      return fail(TINY_INVALID_ARGUMENT, "kernel '%.100s' has no code", description.name);
    if (!code)
      if (tiny_status status = pipelines.load(description.code, description.code_size, own))
        return status;
    if (tiny_status status = context.checkWell())
      return status;
    auto made = std::make_unique<VulkanKernel>(context);
    const VulkanCode &from = code ? *static_cast<VulkanCode *>(code) : own;
    if (tiny_status status = pipelines.prepare(description, from, symbol, *made))
      return status;
    kernel = std::move(made);
    return TINY_OK;
  }
  void keepCode() override { pipelines.save(); }

  tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t nInputs, uint32_t count) override {
    std::vector<Part> parts;
    std::vector<std::unique_ptr<Storage>> aligned(count);
    parts.reserve(count);
    for (uint32_t k = 0; k < count; ++k)
      parts.push_back(partOf(buffers[k]));
    tiny_status status = TINY_OK;
    // A kernel takes no buffer that begins anywhere: it gets a copy.
    for (uint32_t k = 0; k < count && !status; ++k) {
      if (!parts[k].size || (parts[k].storage->offset + parts[k].offset) % context.limits.bufferAlignment == 0)
        continue;
      status = devicePool.allocate(parts[k].size, aligned[k]);
      if (!status)
        status = recordCopy(parts[k], {aligned[k].get(), 0, parts[k].size});
      if (!status)
        parts[k] = {aligned[k].get(), 0, parts[k].size};
    }
    if (!status)
      status = recordLaunch(static_cast<VulkanKernel &>(kernel), parts, nInputs);
    for (uint32_t k = nInputs; k < count && !status; ++k)
      if (aligned[k])
        status = recordCopy(parts[k], partOf(buffers[k]));
    for (std::unique_ptr<Storage> &storage : aligned)
      if (storage)
        recorder.retire(std::move(storage));
    return status;
  }

  tiny_status flush() override { return recorder.flush(); }
  tiny_status synchronize() override { return recorder.synchronize(); }

private:
  /// A part of a storage.
  struct Part {
    Storage *storage;
    uint64_t offset, size;
  };
  static Part partOf(const Region &region) { return {&storageOf(region), region.offset, region.size}; }

  tiny_status recordCopies(const Part &source, const Part &target, const std::vector<VkBufferCopy> &copies) {
    Use uses[] = {{source.storage, source.offset, source.size, false},
                  {target.storage, target.offset, target.size, true}};
    return recorder.record(uses, 2, [&](Batch &batch) {
      context.vk.CmdCopyBuffer(batch.commands, source.storage->buffer, target.storage->buffer, uint32_t(copies.size()),
                               copies.data());
      return TINY_OK;
    });
  }
  tiny_status recordCopy(const Part &source, const Part &target) {
    return recordCopies(
        source, target,
        {{source.storage->offset + source.offset, target.storage->offset + target.offset, source.size}});
  }

  tiny_status recordLaunch(const VulkanKernel &kernel, const std::vector<Part> &parts, uint32_t nInputs) {
    std::vector<Use> uses;
    std::vector<VkDescriptorBufferInfo> infos;
    for (const Part &part : parts) {
      uses.push_back({part.storage, part.offset, part.size, uses.size() >= nInputs});
      // One without bytes still is a buffer.
      if (part.size)
        infos.push_back({part.storage->buffer, part.storage->offset + part.offset, part.size});
      else
        infos.push_back({part.storage->buffer,
                         part.storage->offset / context.limits.bufferAlignment * context.limits.bufferAlignment, 1});
    }
    return recorder.record(uses.data(), uses.size(), [&](Batch &batch) {
      const Api &vk = context.vk;
      if (!infos.empty()) {
        VkWriteDescriptorSet write{};
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write.descriptorCount = uint32_t(infos.size());
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = infos.data();
        if (tiny_status status = recorder.allocateSet(batch, kernel.setLayout, write.dstSet))
          return status;
        vk.UpdateDescriptorSets(context.device, 1, &write, 0, nullptr);
        vk.CmdBindDescriptorSets(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &write.dstSet, 0,
                                 nullptr);
      }
      vk.CmdBindPipeline(batch.commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
      vk.CmdDispatch(batch.commands, kernel.groups[0], kernel.groups[1], kernel.groups[2]);
      return TINY_OK;
    });
  }

  /// Memory of the pool for what `work` records.
  template <typename Work> tiny_status withTemporary(Pool &pool, uint64_t size, Work &&work) {
    std::unique_ptr<Storage> storage;
    if (tiny_status status = pool.allocate(size, storage))
      return status;
    tiny_status status = work(*storage);
    recorder.retire(std::move(storage));
    return status;
  }

  /// Calls `work(staging, part, bytes done before)` for parts of the region that staging memory holds.
  template <typename Work> tiny_status inParts(const Region &region, Work &&work) {
    for (uint64_t done = 0; done < region.size; done += kStagingBytes) {
      Part part = {&storageOf(region), region.offset + done, std::min(kStagingBytes, region.size - done)};
      if (tiny_status status =
              withTemporary(hostPool, part.size, [&](Storage &staging) { return work(staging, part, done); }))
        return status;
    }
    return TINY_OK;
  }

  Context context;
  Pool devicePool, hostPool;
  Recorder recorder;
  Pipelines pipelines;
};

} // namespace

tiny_status tiny::runtime::createVulkanDevice(tiny_device *&device) {
  auto made = std::make_unique<VulkanDevice>();
  if (tiny_status status = made->open())
    return status;
  device = made.release();
  return TINY_OK;
}
