// The host: memory is host memory, a kernel is a function called once for each index of its grid, by several threads.
#include "Device.h"
#include "ElfImage.h"
#include "Error.h"
#include "Features.h"
#include "ThreadPool.h"
#include "Tiny/Runtime/Format.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <vector>

using namespace tiny::runtime;

namespace {

struct CpuKernel final : Kernel {
  tiny_cpu_kernel function;
  int64_t grid[3];
  uint64_t scratchBytes;
};

/// A binary in memory.
struct CpuCode final : Code {
  ElfImage image;
};

constexpr uint64_t kHugePage = 2 << 20;

/// Bytes of the widest vector of elements that a kernel reads at once.
constexpr uint64_t kVectorBytes = 4096;

/// Memory for std::free, or null. What spans huge pages asks for them: with small ones, which lie anywhere, a panel
/// that should stay in a cache pushes itself out of it in some processes and not in others.
void *allocateMemory(uint64_t alignment, uint64_t size) {
  bool isLarge = size >= kHugePage;
  void *memory = nullptr;
  // std::aligned_alloc would want a multiple of the alignment.
  if (posix_memalign(&memory, isLarge ? std::max(alignment, kHugePage) : alignment, size))
    return nullptr;
  if (isLarge)
    madvise(memory, size, MADV_HUGEPAGE); // A system without them goes on with small ones.
  return memory;
}

/// Scratch memory of a thread, as large as any of its kernels wanted.
class Scratch {
public:
  ~Scratch() { std::free(memory); }
  /// Null where there is no memory.
  void *get(uint64_t bytes) {
    if (bytes <= size)
      return memory;
    std::free(memory);
    // A tile that fills much of a second-level cache is worth a huge page.
    uint64_t page = bytes < kHugePage / 8 ? kPage : kHugePage;
    size = (bytes + page - 1) / page * page;
    memory = size < bytes ? nullptr : allocateMemory(kPage, size);
    size = memory ? size : 0;
    return memory;
  }

private:
  static constexpr uint64_t kPage = 4096;
  void *memory = nullptr;
  uint64_t size = 0;
};

thread_local Scratch scratch;

/// One launch, as the threads that share it see it.
struct Launch {
  const CpuKernel &kernel;
  void *const *pointers;
  uint32_t count;
  std::atomic<bool> outOfMemory{false};

  /// The points of the grid from `begin` to `end`, x fastest.
  void run(int64_t begin, int64_t end) {
    void *few[kFewBuffers + 1];
    std::unique_ptr<void *[]> many;
    void *const *list = pointers;
    if (kernel.scratchBytes) {
      void *memory = scratch.get(kernel.scratchBytes);
      // This may be a thread that nobody catches an exception on.
      if (count > kFewBuffers)
        many.reset(new (std::nothrow) void *[count + 1]);
      void **own = count > kFewBuffers ? many.get() : few;
      if (!memory || !own) {
        outOfMemory = true;
        return;
      }
      std::copy_n(pointers, count, own);
      own[count] = memory;
      list = own;
    }
    const int64_t *grid = kernel.grid;
    int64_t index[3] = {begin % grid[0], begin / grid[0] % grid[1], begin / grid[0] / grid[1]};
    for (int64_t point = begin; point < end; ++point) {
      kernel.function(list, index);
      if (++index[0] < grid[0])
        continue;
      index[0] = 0;
      if (++index[1] < grid[1])
        continue;
      index[1] = 0;
      ++index[2];
    }
  }

  /// Most kernels have a handful of buffers; none of those allocates.
  static constexpr uint32_t kFewBuffers = 16;
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
    memory.handle = size > SIZE_MAX ? nullptr : allocateMemory(TINY_BUFFER_ALIGNMENT, size);
    if (!memory.handle)
      return fail(TINY_OUT_OF_MEMORY, "cannot allocate %llu bytes on 'cpu'", (unsigned long long)memory.size);
    return TINY_OK;
  }
  tiny_status import(void *data, Memory &memory) override {
    // Where a gate is off a kernel reads near the first element: that of nothing stands here, which nobody writes.
    alignas(TINY_BUFFER_ALIGNMENT) static char nothing[kVectorBytes];
    memory.handle = memory.size ? data : nothing;
    return TINY_OK;
  }
  void free(Memory &memory) override {
    if (memory.owned)
      std::free(memory.handle);
  }

  bool computesInHostMemory() const override { return true; }
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
  Place place(const Region &region) const override { return {nullptr, address(region)}; }

  bool canRun(const char *deviceName, uint32_t machine, uint64_t features, uint32_t format) const override {
    return std::strcmp(deviceName, name) == 0 && format == TINY_CODE_ELF && machineHas(machine, features);
  }

  tiny_status loadCode(const void *bytes, uint64_t size, std::unique_ptr<Code> &code) override {
    if (!size)
      return TINY_OK;
    auto result = std::make_unique<CpuCode>();
    if (tiny_status status = result->image.load(bytes, size))
      return status;
    if (const char *wanted = std::getenv("TINY_PERF_MAP"); wanted && *wanted && std::strcmp(wanted, "0") != 0)
      result->image.writePerfMap();
    code = std::move(result);
    return TINY_OK;
  }

  tiny_status prepare(const tiny_kernel &description, Code *code, const char *symbol,
                      std::unique_ptr<Kernel> &kernel) override {
    tiny_cpu_kernel function = description.function;
    if (code)
      function = reinterpret_cast<tiny_cpu_kernel>(static_cast<CpuCode *>(code)->image.find(symbol));
    if (!function && code)
      return fail(TINY_INVALID_ARGUMENT, "the program's code has no function '%.100s'", symbol);
    if (!function)
      return fail(TINY_INVALID_ARGUMENT, "kernel '%.100s' has no function", description.name);
    auto result = std::make_unique<CpuKernel>();
    result->function = function;
    std::memcpy(result->grid, description.grid, sizeof(result->grid));
    result->scratchBytes = description.scratch_bytes;
    kernel = std::move(result);
    return TINY_OK;
  }

  tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t, uint32_t count) override {
    return launch(kernel, buffers, count, nullptr);
  }
  tiny_status launchTimed(Kernel &kernel, const Region *buffers, uint32_t, uint32_t count,
                          std::vector<tiny_part> &parts) override {
    return launch(kernel, buffers, count, &parts);
  }

  tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t count, std::vector<tiny_part> *parts) {
    auto &cpuKernel = static_cast<CpuKernel &>(kernel);
    void *few[Launch::kFewBuffers];
    std::vector<void *> many;
    void **pointers = few;
    if (count > Launch::kFewBuffers) {
      many.resize(count);
      pointers = many.data();
    }
    for (uint32_t i = 0; i < count; ++i)
      pointers[i] = hostAddress(buffers[i]);
    Launch launch{cpuKernel, pointers, count};
    // Verified programs have grids whose product does not overflow.
    int64_t points = cpuKernel.grid[0] * cpuKernel.grid[1] * cpuKernel.grid[2];
    if (points == 1 && !parts)
      launch.run(0, 1);
    else
      pool.run(
          points, [](void *context, int64_t begin, int64_t end) { static_cast<Launch *>(context)->run(begin, end); },
          &launch, parts);
    if (launch.outOfMemory)
      return fail(TINY_OUT_OF_MEMORY, "cannot allocate %llu bytes of scratch memory on 'cpu'",
                  (unsigned long long)cpuKernel.scratchBytes);
    return TINY_OK;
  }

  tiny_status setThreads(uint32_t threads) override {
    pool.setThreads(threads);
    return TINY_OK;
  }
  uint32_t getThreads() const override { return pool.getThreads(); }

private:
  ThreadPool pool;
};

} // namespace

tiny_status tiny::runtime::createCpuDevice(tiny_device *&device) {
  device = new CpuDevice;
  return TINY_OK;
}
