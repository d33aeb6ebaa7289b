// Accepts everything and computes nothing: every check and every plan of the runtime runs, with no memory behind it.
#include "Device.h"
#include "Error.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace tiny::runtime;

namespace {

struct NullDevice final : tiny_device {
  NullDevice() : tiny_device("null") {}

  tiny_status allocate(Memory &memory) override {
    memory.handle = nullptr;
    return TINY_OK;
  }
  tiny_status import(void *, Memory &memory) override {
    memory.handle = nullptr;
    return TINY_OK;
  }
  void free(Memory &memory) override { std::free(memory.handle); }

  /// Only a mapping needs bytes; they are made when the first one asks, as zeros.
  tiny_status map(const Region &region, uint32_t, void **data) override {
    std::lock_guard<std::mutex> lock(mapping);
    uint64_t size = region.memory->size ? region.memory->size : 1;
    if (!region.memory->handle)
      region.memory->handle = std::calloc(1, size);
    if (!region.memory->handle)
      return fail(TINY_OUT_OF_MEMORY, "cannot map %llu bytes on 'null'", (unsigned long long)size);
    *data = static_cast<char *>(region.memory->handle) + region.offset;
    return TINY_OK;
  }
  tiny_status unmap(const Region &region, void *data) override {
    std::lock_guard<std::mutex> lock(mapping);
    char *begin = static_cast<char *>(region.memory->handle), *address = static_cast<char *>(data);
    if (!begin || address < begin + region.offset || address > begin + region.offset + region.size)
      return fail(TINY_INVALID_ARGUMENT, "address %p is no mapping of this buffer", data);
    return TINY_OK;
  }
  tiny_status read(const Region &region, void *target) override {
    std::memset(target, 0, region.size);
    return TINY_OK;
  }
  tiny_status write(const Region &, const void *) override { return TINY_OK; }
  tiny_status copy(const Region &, const Region &) override { return TINY_OK; }
  tiny_status fill(const Region &, const void *, uint32_t) override { return TINY_OK; }

  bool canRun(const char *, uint32_t, uint64_t, uint32_t) const override { return true; }
  tiny_status loadCode(const void *, uint64_t, std::unique_ptr<Code> &) override { return TINY_OK; }

  tiny_status prepare(const tiny_kernel &, Code *, const char *, std::unique_ptr<Kernel> &kernel) override {
    kernel = std::make_unique<Kernel>();
    return TINY_OK;
  }
  tiny_status launch(Kernel &, const Region *, uint32_t, uint32_t) override { return TINY_OK; }

private:
  std::mutex mapping;
};

} // namespace

tiny_status tiny::runtime::createNullDevice(tiny_device *&device) {
  device = new NullDevice;
  return TINY_OK;
}
