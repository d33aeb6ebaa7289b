// The host: memory is host memory, a kernel is a function called once for each index of its grid.
#include "Device.h"
#include "Error.h"

#include <cstdlib>
#include <cstring>
#include <vector>

using namespace tiny::runtime;

namespace {

struct CpuKernel final : Kernel {
  tiny_cpu_kernel function;
  int64_t grid[3];
};

char *hostAddress(const Region &region) { return static_cast<char *>(region.memory->handle) + region.offset; }

/// Repeats by doubling what is there already, so that the bulk is memcpy.
void repeat(char *target, uint64_t size, const void *pattern, uint32_t patternSize) {
  std::memcpy(target, pattern, patternSize);
  for (uint64_t done = patternSize; done < size;) {
    uint64_t step = done < size - done ? done : size - done;
    std::memcpy(target + done, target, step);
    done += step;
  }
}

struct CpuDevice final : tiny_device {
  CpuDevice() : tiny_device("cpu") {}

  tiny_status allocate(Memory &memory) override {
    // A buffer of no bytes still has an address of its own. Whole cache lines: no two buffers share one.
    uint64_t size = memory.size ? memory.size : 1;
    size = (size + TINY_BUFFER_ALIGNMENT - 1) / TINY_BUFFER_ALIGNMENT * TINY_BUFFER_ALIGNMENT;
    memory.handle = size > SIZE_MAX ? nullptr : std::aligned_alloc(TINY_BUFFER_ALIGNMENT, size);
    if (!memory.handle)
      return fail(TINY_OUT_OF_MEMORY, "cannot allocate %llu bytes on 'cpu'", (unsigned long long)memory.size);
    return TINY_OK;
  }
  tiny_status import(void *data, Memory &memory) override {
    memory.handle = data;
    return TINY_OK;
  }
  void free(Memory &memory) override {
    if (memory.owned)
      std::free(memory.handle);
  }

  tiny_status map(const Region &region, uint32_t, void **data) override {
    *data = hostAddress(region);
    return TINY_OK;
  }
  tiny_status unmap(const Region &region, void *data) override {
    char *begin = hostAddress(region), *address = static_cast<char *>(data);
    if (address < begin || address > begin + region.size)
      return fail(TINY_INVALID_ARGUMENT, "address %p is no mapping of this buffer", data);
    return TINY_OK;
  }
  tiny_status read(const Region &region, void *target) override {
    std::memcpy(target, hostAddress(region), region.size);
    return TINY_OK;
  }
  tiny_status write(const Region &region, const void *source) override {
    std::memcpy(hostAddress(region), source, region.size);
    return TINY_OK;
  }
  tiny_status copy(const Region &source, const Region &target) override {
    if (source.size)
      std::memmove(hostAddress(target), hostAddress(source), source.size);
    return TINY_OK;
  }
  tiny_status fill(const Region &region, const void *pattern, uint32_t patternSize) override {
    if (patternSize == 1)
      std::memset(hostAddress(region), *static_cast<const unsigned char *>(pattern), region.size);
    else if (region.size)
      repeat(hostAddress(region), region.size, pattern, patternSize);
    return TINY_OK;
  }

  uint64_t address(const Region &region) const override {
    return reinterpret_cast<uintptr_t>(region.memory->handle) + region.offset;
  }
  /// The same host memory may have been imported twice.
  bool overlap(const Region &a, const Region &b) const override {
    return rangesOverlap(address(a), a.size, address(b), b.size);
  }

  tiny_status prepare(const tiny_kernel &description, std::unique_ptr<Kernel> &kernel) override {
    if (!description.function)
      return fail(TINY_INVALID_ARGUMENT, "kernel '%.100s' has no function", description.name);
    auto result = std::make_unique<CpuKernel>();
    result->function = description.function;
    std::memcpy(result->grid, description.grid, sizeof(result->grid));
    kernel = std::move(result);
    return TINY_OK;
  }

  tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t count) override {
    auto &cpuKernel = static_cast<CpuKernel &>(kernel);
    // Most kernels have a handful of buffers; none of those allocates here.
    void *few[16];
    std::vector<void *> many;
    void **pointers = few;
    if (count > 16) {
      many.resize(count);
      pointers = many.data();
    }
    for (uint32_t i = 0; i < count; ++i)
      pointers[i] = hostAddress(buffers[i]);
    int64_t index[3];
    for (index[2] = 0; index[2] < cpuKernel.grid[2]; ++index[2])
      for (index[1] = 0; index[1] < cpuKernel.grid[1]; ++index[1])
        for (index[0] = 0; index[0] < cpuKernel.grid[0]; ++index[0])
          cpuKernel.function(pointers, index);
    return TINY_OK;
  }
};

} // namespace

tiny_device *tiny::runtime::createCpuDevice() { return new CpuDevice; }
