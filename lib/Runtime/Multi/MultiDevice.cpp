// The device of several. A launch waits for nothing but the bytes that it needs from elsewhere, so devices that hand
// work over and return run beside each other.
#include "MultiDevice.h"
#include "Error.h"
#include "SharedStorage.h"

#include <atomic>

using namespace tiny::runtime;

namespace {

SharedStorage &storageOf(const Region &region) { return *static_cast<SharedStorage *>(region.memory->handle); }

struct MultiKernel final : Kernel {
  uint32_t member = 0;
  std::unique_ptr<Kernel> kernel;
};

struct MultiDevice final : tiny_device {
  MultiDevice(const char *name, std::vector<tiny_device *> members) : tiny_device(name), members(std::move(members)) {}

  std::vector<tiny_device *> getMembers() const override { return members; }

  /// The first device has a copy at once, so that a lack of memory shows here; others where they need one.
  tiny_status allocate(Memory &memory) override {
    uint64_t room = (memory.size + 255) / 256 * 256 + 256;
    auto storage = std::make_unique<SharedStorage>(members, memory.size, nextAddress.fetch_add(room));
    Region whole;
    if (tiny_status status = storage->getForReading(0, 0, 0, whole))
      return status;
    memory.handle = storage.release();
    return TINY_OK;
  }
  tiny_status import(void *, Memory &memory) override {
    if (!memory.size)
      return allocate(memory);
    return fail(TINY_UNSUPPORTED, "device '%.100s' cannot compute on the host's memory: each of its devices has a copy",
                name);
  }
  bool usesInPlace(const void *, uint64_t) const override { return false; }
  void free(Memory &memory) override {
    delete static_cast<SharedStorage *>(memory.handle);
    memory.handle = nullptr;
  }
  tiny_status map(const Region &, uint32_t, void **) override {
    return fail(TINY_UNSUPPORTED, "device '%.100s' has memory on several devices: read and write it", name);
  }
  tiny_status unmap(const Region &, void *data) override {
    return fail(TINY_INVALID_ARGUMENT, "address %p is no mapping of this buffer", data);
  }

  tiny_status read(const Region &region, void *target) override {
    uint32_t member = storageOf(region).findOwner(region.offset, region.size);
    Region own;
    if (tiny_status status = storageOf(region).getForReading(member, region.offset, region.size, own))
      return status;
    return members[member]->read(own, target);
  }
  tiny_status write(const Region &region, const void *source) override {
    Region own;
    if (tiny_status status = storageOf(region).getForWriting(0, region.offset, region.size, /*keeps=*/false, own))
      return status;
    return members[0]->write(own, source);
  }
  tiny_status copy(const Region &source, const Region &target) override {
    uint32_t member = storageOf(source).findOwner(source.offset, source.size);
    Region from, to;
    if (tiny_status status = storageOf(source).getForReading(member, source.offset, source.size, from))
      return status;
    if (tiny_status status = storageOf(target).getForWriting(member, target.offset, target.size, /*keeps=*/false, to))
      return status;
    return members[member]->copy(from, to);
  }
  tiny_status fill(const Region &region, const void *pattern, uint32_t patternSize) override {
    uint32_t member = storageOf(region).findOwner(region.offset, region.size);
    Region own;
    if (tiny_status status = storageOf(region).getForWriting(member, region.offset, region.size, /*keeps=*/false, own))
      return status;
    return members[member]->fill(own, pattern, patternSize);
  }

  tiny_status bind(uint32_t member, const Region &region, bool isRead, bool isWritten, Region &bound) override {
    SharedStorage &storage = storageOf(region);
    return isWritten ? storage.getForWriting(member, region.offset, region.size, /*keeps=*/isRead, bound)
                     : storage.getForReading(member, region.offset, region.size, bound);
  }

  uint64_t address(const Region &region) const override { return storageOf(region).address + region.offset; }

  const char *getProcessor() const override { return members[0]->getProcessor(); }
  /// A container's binaries are chosen by the members.
  bool canRun(const char *, uint32_t, uint64_t, uint32_t) const override { return false; }
  tiny_status loadCode(const void *, uint64_t, std::unique_ptr<Code> &) override { return TINY_OK; }

  /// On the member whose code it is. One without a container's code runs on the first member that takes it.
  tiny_status prepare(const tiny_kernel &description, Code *code, const char *symbol,
                      std::unique_ptr<Kernel> &kernel) override {
    auto made = std::make_unique<MultiKernel>();
    auto on = [&](uint32_t member, Code *inner) {
      made->member = member;
      return members[member]->prepare(description, inner, symbol, made->kernel);
    };
    tiny_status status;
    if (code) {
      auto &own = *static_cast<MemberCode *>(code);
      status = on(own.member, own.code.get());
    } else {
      status = on(0, nullptr);
      for (uint32_t member = 1; member < members.size() && status; ++member)
        status = on(member, nullptr);
    }
    if (!status)
      kernel = std::move(made);
    return status;
  }
  void keepCode() override {
    for (tiny_device *member : members)
      member->keepCode();
  }

  tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t nInputs, uint32_t count) override {
    auto &own = static_cast<MultiKernel &>(kernel);
    tiny_device &device = *members[own.member];
    std::vector<Region> regions(count);
    for (uint32_t k = 0; k < count; ++k) {
      const Region &buffer = buffers[k];
      if (buffer.size > device.getMostBufferBytes())
        return fail(TINY_UNSUPPORTED, "a buffer of a kernel has %llu bytes, device '%.100s' takes %llu",
                    (unsigned long long)buffer.size, device.name, (unsigned long long)device.getMostBufferBytes());
      // A kernel need not write all of a buffer.
      SharedStorage &storage = storageOf(buffer);
      tiny_status status =
          k < nInputs ? storage.getForReading(own.member, buffer.offset, buffer.size, regions[k])
                      : storage.getForWriting(own.member, buffer.offset, buffer.size, /*keeps=*/true, regions[k]);
      if (status)
        return status;
    }
    return device.launch(*own.kernel, regions.data(), nInputs, count);
  }

  tiny_status setThreads(uint32_t threads) override {
    tiny_status status = TINY_UNSUPPORTED;
    for (tiny_device *member : members)
      if (status)
        status = member->setThreads(threads);
    return status;
  }
  uint32_t getThreads() const override {
    uint32_t most = 1;
    for (tiny_device *member : members)
      most = std::max(most, member->getThreads());
    return most;
  }
  tiny_status synchronize() override {
    tiny_status status = TINY_OK;
    for (tiny_device *member : members)
      if (tiny_status other = member->synchronize(); !status)
        status = other;
    return status;
  }

private:
  const std::vector<tiny_device *> members;
  /// Storages have places of their own, to be told apart and for alignment.
  std::atomic<uint64_t> nextAddress{4096};
};

} // namespace

std::unique_ptr<tiny_device> tiny::runtime::createMultiDevice(const char *name, std::vector<tiny_device *> members) {
  return std::make_unique<MultiDevice>(name, std::move(members));
}
