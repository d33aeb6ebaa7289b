// What a device must do. A new device implements this interface in a folder of its own and is listed in Device.cpp;
// everything above (buffers, programs, planning, verification) is shared.
#ifndef TINY_LIB_RUNTIME_DEVICE_H
#define TINY_LIB_RUNTIME_DEVICE_H

#include "Tiny/Runtime/Runtime.h"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace tiny {
namespace runtime {

/// Storage on a device. `handle` is the device's own: a host address on the CPU, a tracked part of a block on a GPU.
struct Memory {
  void *handle = nullptr;
  uint64_t size = 0;
  /// False for imported memory, which somebody else frees.
  bool owned = true;
};

/// A part of a storage.
struct Region {
  Memory *memory = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// Where a region begins: regions may share bytes only within one space.
struct Place {
  const void *space;
  uint64_t begin;
  bool operator<(const Place &other) const {
    return space != other.space ? std::less<const void *>()(space, other.space) : begin < other.begin;
  }
};

/// What a device made of a kernel when its program was created.
struct Kernel {
  virtual ~Kernel() = default;
};

/// What a device made of a binary of a container, in a form of its own.
struct Code {
  virtual ~Code() = default;
};

/// That of one of several devices that are opened as one.
struct MemberCode final : Code {
  uint32_t member = 0;
  std::unique_ptr<Code> code;
};

/// A step of a run, for devices that take several at a time.
struct DeviceStep {
  /// Launch, copy, fill or, where the device takes loops, loop.
  tiny_item_kind kind;
  Kernel *kernel = nullptr;
  /// Launch: its buffers. Copy: source and target, of equal sizes. Fill: target. Loop: limit, counter, condition; one
  /// that it does not have is a region of no memory.
  std::vector<Region> regions;
  uint32_t nInputs = 0;
  const void *pattern = nullptr;
  uint32_t patternSize = 0;
  /// Loop: the most iterations, and what one does.
  uint64_t count = 0;
  std::vector<DeviceStep> body;
};

/// What a device keeps of steps that it took together, for the next time.
struct Replay {
  virtual ~Replay() = default;
};

/// Both sizes at most 2^62, so the sums cannot overflow.
inline bool rangesOverlap(uint64_t beginA, uint64_t sizeA, uint64_t beginB, uint64_t sizeB) {
  return sizeA && sizeB && beginA < beginB + sizeB && beginB < beginA + sizeA;
}

} // namespace runtime
} // namespace tiny

/// The interface. Ranges are checked before they get here. Implementations are thread-safe and report through
/// tiny::runtime::fail.
struct tiny_device {
  using Memory = tiny::runtime::Memory;
  using Region = tiny::runtime::Region;
  using Place = tiny::runtime::Place;
  using Kernel = tiny::runtime::Kernel;
  using Code = tiny::runtime::Code;
  using DeviceStep = tiny::runtime::DeviceStep;
  using Replay = tiny::runtime::Replay;

  explicit tiny_device(const char *name) : name(name) {}
  virtual ~tiny_device() = default;

  const char *const name;

  /// Sets `memory.handle` to `memory.size` fresh bytes, aligned to TINY_BUFFER_ALIGNMENT.
  virtual tiny_status allocate(Memory &memory) = 0;
  /// Makes `memory.size` bytes of host memory the device's; `memory.owned` is false. TINY_UNSUPPORTED on a device that
  /// does not compute there.
  virtual tiny_status import(void *data, Memory &memory) = 0;
  /// Whether a constant is better imported than copied.
  virtual bool usesInPlace(const void *, uint64_t) const { return true; }
  /// Frees what `allocate` or `import` made.
  virtual void free(Memory &memory) = 0;

  /// Whether `map` gives the memory that kernels compute in, for as long as it is there.
  virtual bool computesInHostMemory() const { return false; }
  virtual tiny_status map(const Region &region, uint32_t access, void **data) = 0;
  virtual tiny_status unmap(const Region &region, void *data) = 0;
  virtual tiny_status read(const Region &region, void *target) = 0;
  virtual tiny_status write(const Region &region, const void *source) = 0;
  /// Equal sizes; the two may overlap.
  virtual tiny_status copy(const Region &source, const Region &target) = 0;
  virtual tiny_status fill(const Region &region, const void *pattern, uint32_t patternSize) = 0;
  /// Devices of one family may copy from each other's memory.
  virtual const void *getFamily() const { return this; }
  /// Copies from another one of its family, behind what was done to both regions before. TINY_UNSUPPORTED where there
  /// is no way but through the host.
  virtual tiny_status copyFrom(tiny_device &, const Region &, const Region &) { return TINY_UNSUPPORTED; }

  /// What a kernel sees as the region's address, as far as its alignment goes.
  virtual uint64_t address(const Region &region) const { return region.offset; }
  /// Each storage is a space of its own. A device whose storages may overlap, through imports, has one space, of
  /// addresses.
  virtual Place place(const Region &region) const { return {region.memory, region.offset}; }
  /// Do they share a byte?
  bool overlap(const Region &a, const Region &b) const {
    Place first = place(a), second = place(b);
    return first.space == second.space && tiny::runtime::rangesOverlap(first.begin, a.size, second.begin, b.size);
  }

  /// See tiny_device_processor.
  virtual const char *getProcessor() const { return ""; }
  /// See tiny_device_describe.
  virtual tiny_status describe(tiny_device_facts &facts) const;
  /// Of several devices that are opened as one: these. Each has code of its own.
  virtual std::vector<tiny_device *> getMembers() const { return {}; }
  /// A part of a buffer as memory of one of these, by its number, for a program whose items say all that is copied
  /// behind: its bytes are brought there if they are read; what is written makes copies elsewhere stale.
  virtual tiny_status bind(uint32_t, const Region &, bool /*isRead*/, bool /*isWritten*/, Region &) {
    return TINY_UNSUPPORTED;
  }
  /// Whether code for a device of this name, for a machine (TINY_MACHINE_*) with these features (`tiny_format_record`),
  /// in this form (TINY_CODE_*), runs here.
  virtual bool canRun(const char *deviceName, uint32_t machine, uint64_t features, uint32_t format) const = 0;
  /// Makes a binary that it can run ready; the bytes stay where they are as long as the code lives. No code for no
  /// bytes.
  virtual tiny_status loadCode(const void *bytes, uint64_t size, std::unique_ptr<Code> &code) = 0;

  /// Makes a kernel ready: the function `symbol` of the code, which outlives it, or, where there is no code, what the
  /// description brings.
  virtual tiny_status prepare(const tiny_kernel &description, Code *code, const char *symbol,
                              std::unique_ptr<Kernel> &kernel) = 0;
  /// Called when all kernels of a program are ready: for caches.
  virtual void keepCode() {}
  /// Most bytes of one buffer of a kernel.
  virtual uint64_t getMostBufferBytes() const { return UINT64_MAX; }
  /// Runs a kernel after what was launched, copied and filled before it. The first `nInputs` buffers are read, the
  /// others written, and read where the kernel does so.
  virtual tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t nInputs, uint32_t count) = 0;
  /// The same, and fills `parts` where threads of this process share it.
  virtual tiny_status launchTimed(Kernel &kernel, const Region *buffers, uint32_t nInputs, uint32_t count,
                                  std::vector<tiny_part> &) {
    return launch(kernel, buffers, nInputs, count);
  }
  /// Whether steps that follow each other are better done together.
  virtual bool takesSteps() const { return false; }
  /// Whether loops may be among them.
  virtual bool takesLoops() const { return false; }
  /// Does them in this order, or as if. `replay` is null at first, then what was left there the last time that this
  /// part of the program ran; no two calls at a time have the same. TINY_UNSUPPORTED: none of them is done, and they
  /// are to be called one by one.
  virtual tiny_status runSteps(const std::vector<DeviceStep> &, std::unique_ptr<Replay> &) { return TINY_UNSUPPORTED; }
  /// See tiny_device_set_threads.
  virtual tiny_status setThreads(uint32_t threads);
  virtual uint32_t getThreads() const { return 1; }
  /// Has a library hand work to this thread's stream, behind what was launched, copied and filled on the same memory
  /// before: `call` gets the addresses of what it reads and writes, and the stream. TINY_UNSUPPORTED without streams.
  virtual tiny_status enqueueCall(const Region &, const Region &,
                                  const std::function<tiny_status(uint64_t source, uint64_t target, void *stream)> &) {
    return TINY_UNSUPPORTED;
  }
  /// Has the device begin what was launched, copied and filled, without waiting for it.
  virtual tiny_status flush() { return TINY_OK; }
  /// Waits for everything that was launched, copied and filled.
  virtual tiny_status synchronize() { return TINY_OK; }
  /// Does the work, waits for it, and says how long the device took: by the device's own clock where it has one, else
  /// by the host's, with the way there and back.
  virtual tiny_status measure(const std::function<tiny_status()> &work, uint64_t &nanoseconds);

  /// `allocate` and `free` with the accounting that tiny_device_memory reports.
  tiny_status allocateCounted(Memory &memory);
  void freeCounted(Memory &memory);

  std::atomic<uint64_t> bytesInUse{0}, peakBytes{0}, allocations{0};
};

namespace tiny {
namespace runtime {

tiny_status createCpuDevice(tiny_device *&device);
tiny_status createNullDevice(tiny_device *&device);
tiny_status createVulkanDevice(tiny_device *&device);
tiny_status createCudaDevice(tiny_device *&device);
/// One of several, by its number; the name outlives it.
tiny_status createNumberedCudaDevice(const char *name, uint32_t number, tiny_device *&device);

/// Copies between regions of equal size of two devices: the short way where they know one, else through the host's
/// memory.
tiny_status copyBetween(tiny_device &from, const Region &source, tiny_device &to, const Region &target);

/// Sizes and offsets stay below this, so that sums of two never overflow.
constexpr uint64_t kMaxSize = uint64_t(1) << 62;
/// Most points of a kernel's grid.
constexpr uint64_t kMaxGrid = uint64_t(1) << 26;

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_DEVICE_H
