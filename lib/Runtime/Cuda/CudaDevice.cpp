// A device of CUDA's behind the runtime's interface. Calls hand work to this thread's stream and return; reads and
// synchronize wait.
#include "Device.h"
#include "Error.h"
#include "Graphs.h"
#include "Streams.h"
#include "Tiny/Runtime/Format.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

namespace {

Storage &storageOf(const Region &region) { return *static_cast<Storage *>(region.memory->handle); }
CUdeviceptr pointerTo(const Region &region) { return storageOf(region).pointer + region.offset; }

/// What a kernel's buffer begins at a multiple of: the widest access that there is.
constexpr uint64_t kKernelAlignment = 16;

struct CudaDevice final : tiny_device {
  explicit CudaDevice(const char *name) : tiny_device(name), context(name), streams(context), loopKernel(context) {}

  tiny_status open(const uint32_t *number) {
    if (tiny_status status = context.open(number))
      return status;
    architecture = "sm_" + std::to_string(context.limits.major) + std::to_string(context.limits.minor);
    const char *graphs = std::getenv(kGraphsVariable);
    usesGraphs = context.limits.hasGraphs && !(graphs && std::strcmp(graphs, "0") == 0);
    usesLoops = usesGraphs && context.limits.hasLoops;
    const char *peers = std::getenv(kPeersVariable);
    usesPeers = !(peers && std::strcmp(peers, "0") == 0);
    return streams.open();
  }

  tiny_status allocate(Memory &memory) override {
    Current current(context);
    if (current.status)
      return current.status;
    std::unique_ptr<Storage> storage;
    if (tiny_status status = streams.allocate(memory.size, storage))
      return status;
    memory.handle = storage.release();
    return TINY_OK;
  }
  tiny_status import(void *, Memory &memory) override {
    // No bytes lie nowhere.
    if (!memory.size)
      return allocate(memory);
    return fail(TINY_UNSUPPORTED, "device '%s' cannot compute on the host's memory: it has its own", name);
  }
  bool usesInPlace(const void *, uint64_t) const override { return false; }
  void free(Memory &memory) override {
    std::unique_ptr<Storage> storage(static_cast<Storage *>(memory.handle));
    memory.handle = nullptr;
    Current current(context);
    if (!current.status)
      streams.retire(std::move(storage));
  }

  tiny_status map(const Region &, uint32_t, void **) override {
    return fail(TINY_UNSUPPORTED, "device '%s' has memory that the host does not see: read and write it", name);
  }
  tiny_status unmap(const Region &, void *data) override {
    return fail(TINY_INVALID_ARGUMENT, "address %p is no mapping of this buffer", data);
  }

  tiny_status read(const Region &region, void *target) override {
    return inParts(region, [&](const Region &part, const Pinned &pinned, uint64_t done) {
      if (tiny_status status = enqueue({{&storageOf(part), false}}, "cuMemcpyDtoHAsync", [&](CUstream stream) {
            return context.cu.MemcpyDtoHAsync(pinned.host, pointerTo(part), part.size, stream);
          }))
        return status;
      if (tiny_status status = streams.synchronize())
        return status;
      std::memcpy(static_cast<char *>(target) + done, pinned.host, part.size);
      return TINY_OK;
    });
  }
  tiny_status write(const Region &region, const void *source) override {
    return inParts(region, [&](const Region &part, const Pinned &pinned, uint64_t done) {
      std::memcpy(pinned.host, static_cast<const char *>(source) + done, part.size);
      return enqueue({{&storageOf(part), true}}, "cuMemcpyHtoDAsync", [&](CUstream stream) {
        return context.cu.MemcpyHtoDAsync(pointerTo(part), pinned.host, part.size, stream);
      });
    });
  }

  tiny_status copy(const Region &source, const Region &target) override {
    if (!source.size || pointerTo(source) == pointerTo(target))
      return TINY_OK;
    Current current(context);
    if (current.status)
      return current.status;
    if (!overlap(source, target))
      return copyApart(source, target);
    std::unique_ptr<Storage> between;
    if (tiny_status status = streams.allocate(source.size, between))
      return status;
    Memory memory;
    memory.handle = between.get();
    Region middle = {&memory, 0, source.size};
    tiny_status status = copyApart(source, middle);
    if (!status)
      status = copyApart(middle, target);
    streams.retire(std::move(between));
    return status;
  }

  const void *getFamily() const override {
    static const char family = 0;
    return &family;
  }
  tiny_status copyFrom(tiny_device &from, const Region &source, const Region &target) override {
    auto &other = static_cast<CudaDevice &>(from);
    if (!source.size)
      return TINY_OK;
    if (!mayCopyFrom(other))
      return TINY_UNSUPPORTED;
    Current current(context);
    if (current.status)
      return current.status;
    return enqueue({{&storageOf(source), false}, {&storageOf(target), true}}, "cuMemcpyPeerAsync",
                   [&](CUstream stream) {
                     return context.cu.MemcpyPeerAsync(pointerTo(target), context.context, pointerTo(source),
                                                       other.context.context, source.size, stream);
                   });
  }

  tiny_status fill(const Region &region, const void *pattern, uint32_t patternSize) override {
    if (!region.size)
      return TINY_OK;
    Current current(context);
    if (current.status)
      return current.status;
    auto bytes = static_cast<const unsigned char *>(pattern);
    CUdeviceptr target = pointerTo(region);
    const Api &cu = context.cu;
    std::vector<Use> uses = {{&storageOf(region), true}};
    patternSize = shorten(bytes, patternSize);
    uint64_t count = region.size / patternSize;
    if (patternSize == 1)
      return enqueue(uses, "cuMemsetD8Async",
                     [&](CUstream stream) { return cu.MemsetD8Async(target, bytes[0], count, stream); });
    if (patternSize == 2 && target % 2 == 0) {
      unsigned short value;
      std::memcpy(&value, bytes, sizeof(value));
      return enqueue(uses, "cuMemsetD16Async",
                     [&](CUstream stream) { return cu.MemsetD16Async(target, value, count, stream); });
    }
    if (patternSize == 4 && target % 4 == 0) {
      unsigned value;
      std::memcpy(&value, bytes, sizeof(value));
      return enqueue(uses, "cuMemsetD32Async",
                     [&](CUstream stream) { return cu.MemsetD32Async(target, value, count, stream); });
    }
    // Byte by byte of the pattern, as columns of a matrix whose rows are patterns.
    for (uint32_t k = 0; k < patternSize; ++k)
      if (tiny_status status = enqueue(uses, "cuMemsetD2D8Async", [&](CUstream stream) {
            return cu.MemsetD2D8Async(target + k, patternSize, bytes[k], 1, count, stream);
          }))
        return status;
    return TINY_OK;
  }

  uint64_t address(const Region &region) const override { return pointerTo(region); }
  Place place(const Region &region) const override { return {nullptr, pointerTo(region)}; }

  const char *getProcessor() const override { return architecture.c_str(); }
  /// Code for an architecture runs on those of its major number and later ones; some is for that one alone.
  bool canRun(const char *deviceName, uint32_t, uint64_t features, uint32_t format) const override {
    uint64_t own = uint64_t(context.limits.major) * 10 + uint64_t(context.limits.minor);
    uint64_t needed = features & ~uint64_t(TINY_CUDA_EXACT);
    // What is for any GPU, or for the one of this number.
    return (std::strcmp(deviceName, "cuda") == 0 || std::strcmp(deviceName, name) == 0) && format == TINY_CODE_PTX &&
           (features & TINY_CUDA_EXACT ? needed == own : needed <= own);
  }
  tiny_status loadCode(const void *bytes, uint64_t size, std::unique_ptr<Code> &code) override {
    if (!size)
      return TINY_OK;
    Current current(context);
    if (current.status)
      return current.status;
    auto made = std::make_unique<CudaCode>();
    if (tiny_status status = loadModule(context, bytes, size, made->module))
      return status;
    code = std::move(made);
    return TINY_OK;
  }
  tiny_status prepare(const tiny_kernel &description, Code *code, const char *symbol,
                      std::unique_ptr<Kernel> &kernel) override {
    if (!code && !description.code)
      return fail(TINY_INVALID_ARGUMENT, "kernel '%.100s' has no code", description.name);
    Current current(context);
    if (current.status)
      return current.status;
    std::shared_ptr<Module> module;
    if (code)
      module = static_cast<CudaCode *>(code)->module;
    else if (tiny_status status = loadModule(context, description.code, description.code_size, module))
      return status;
    auto made = std::make_unique<CudaKernel>();
    if (tiny_status status = prepareKernel(context, description, module, symbol, *made))
      return status;
    kernel = std::move(made);
    return TINY_OK;
  }

  tiny_status launch(Kernel &kernel, const Region *buffers, uint32_t nInputs, uint32_t count) override {
    Current current(context);
    if (current.status)
      return current.status;
    std::vector<Region> regions(buffers, buffers + count);
    std::vector<Memory> memories(count);
    std::vector<std::unique_ptr<Storage>> aligned(count);
    tiny_status status = TINY_OK;
    // A kernel takes no buffer that begins anywhere: it gets a copy.
    for (uint32_t k = 0; k < count && !status; ++k) {
      if (!regions[k].size || pointerTo(regions[k]) % kKernelAlignment == 0)
        continue;
      status = streams.allocate(regions[k].size, aligned[k]);
      memories[k].handle = aligned[k].get();
      if (!status)
        status = copyApart(regions[k], {&memories[k], 0, regions[k].size});
      regions[k] = {&memories[k], 0, regions[k].size};
    }
    if (!status)
      status = launchAligned(static_cast<CudaKernel &>(kernel), regions, nInputs);
    for (uint32_t k = nInputs; k < count && !status; ++k)
      if (aligned[k])
        status = copyApart(regions[k], buffers[k]);
    for (std::unique_ptr<Storage> &storage : aligned)
      streams.retire(std::move(storage));
    return status;
  }

  bool takesSteps() const override { return usesGraphs; }
  bool takesLoops() const override { return usesLoops; }
  tiny_status runSteps(const std::vector<DeviceStep> &steps, std::unique_ptr<Replay> &replay) override {
    Current current(context);
    if (current.status)
      return current.status;
    if (!replay)
      replay = std::make_unique<CudaReplay>(context, streams);
    auto &own = static_cast<CudaReplay &>(*replay);
    bool hasLoops = false, repeats = false;
    for (const DeviceStep &step : steps) {
      hasLoops |= step.kind == TINY_ITEM_LOOP;
      repeats |= step.kind == TINY_ITEM_LOOP && step.count > 1;
    }
    // A graph does not pay for a part that runs once.
    if (++own.runs < 2 && !repeats)
      return TINY_UNSUPPORTED;
    std::vector<GraphStep> nodes;
    std::vector<Use> uses;
    if (!addNodes(steps, nodes, uses))
      return TINY_UNSUPPORTED;
    if (nodes.empty())
      return TINY_OK;
    const CudaKernel *kernel = hasLoops ? loopKernel.get() : nullptr;
    tiny_status status = hasLoops && !kernel ? TINY_UNSUPPORTED : own.prepare(std::move(nodes), kernel);
    // From now on the host decides.
    if (hasLoops && status == TINY_UNSUPPORTED)
      usesLoops = false;
    if (status)
      return status;
    if (own.getState())
      uses.push_back({own.getState(), true});
    return enqueue(uses, "cuGraphLaunch",
                   [&](CUstream stream) { return context.cu.GraphLaunch(own.getExecutable(), stream); });
  }

  tiny_status
  enqueueCall(const Region &source, const Region &target,
              const std::function<tiny_status(uint64_t source, uint64_t target, void *stream)> &call) override {
    Current current(context);
    if (current.status)
      return current.status;
    return streams.enqueueApart({{&storageOf(source), false}, {&storageOf(target), true}},
                                [&](CUstream stream) { return call(pointerTo(source), pointerTo(target), stream); });
  }

  tiny_status synchronize() override {
    Current current(context);
    return current.status ? current.status : streams.synchronize();
  }
  tiny_status measure(const std::function<tiny_status()> &work, uint64_t &nanoseconds) override {
    Current current(context);
    return current.status ? current.status : streams.measure(work, nanoseconds);
  }

private:
  /// The steps as nodes; false where no node can be one of them.
  static bool addNodes(const std::vector<DeviceStep> &steps, std::vector<GraphStep> &nodes, std::vector<Use> &uses) {
    return std::all_of(steps.begin(), steps.end(), [&](const DeviceStep &step) {
      return step.kind == TINY_ITEM_LOOP ? addLoop(step, nodes, uses) : addNode(step, nodes, uses);
    });
  }
  static bool addLoop(const DeviceStep &step, std::vector<GraphStep> &nodes, std::vector<Use> &uses) {
    GraphStep node = {};
    node.kind = GraphStep::Kind::Loop;
    node.count = int64_t(step.count);
    for (const Region &region : step.regions) {
      // The counter is the second one.
      if (region.memory)
        uses.push_back({&storageOf(region), node.pointers.size() == 1});
      node.pointers.push_back(region.memory ? pointerTo(region) : 0);
      node.sizes.push_back(region.size);
      // Counts are read as words.
      if (region.size % sizeof(int64_t) == 0 && node.pointers.back() % sizeof(int64_t))
        return false;
    }
    if (!addNodes(step.body, node.body, uses))
      return false;
    nodes.push_back(std::move(node));
    return true;
  }
  static bool addNode(const DeviceStep &step, std::vector<GraphStep> &nodes, std::vector<Use> &uses) {
    GraphStep node = {};
    node.kind = step.kind == TINY_ITEM_LAUNCH ? GraphStep::Kind::Launch
                : step.kind == TINY_ITEM_COPY ? GraphStep::Kind::Copy
                                              : GraphStep::Kind::Fill;
    bool isLaunch = step.kind == TINY_ITEM_LAUNCH;
    for (const Region &region : step.regions) {
      bool isWritten = isLaunch ? node.pointers.size() >= step.nInputs : &region == &step.regions.back();
      node.pointers.push_back(pointerTo(region));
      node.sizes.push_back(region.size);
      uses.push_back({&storageOf(region), isWritten});
      if (isLaunch && region.size && node.pointers.back() % kKernelAlignment)
        return false;
    }
    node.nInputs = step.nInputs;
    if (isLaunch) {
      node.kernel = static_cast<CudaKernel *>(step.kernel);
    } else if (!node.sizes[0] || (step.kind == TINY_ITEM_COPY && node.pointers[0] == node.pointers[1])) {
      return true;
    } else if (step.kind == TINY_ITEM_COPY) {
      if (rangesOverlap(node.pointers[0], node.sizes[0], node.pointers[1], node.sizes[1]))
        return false;
    } else {
      auto bytes = static_cast<const unsigned char *>(step.pattern);
      node.valueBytes = shorten(bytes, step.patternSize);
      if (node.valueBytes > sizeof(node.value) || node.pointers[0] % node.valueBytes)
        return false;
      std::memcpy(&node.value, bytes, node.valueBytes);
    }
    nodes.push_back(std::move(node));
    return true;
  }

  /// Whether this device may read the other one's memory: asked once.
  bool mayCopyFrom(CudaDevice &other) {
    std::lock_guard<std::mutex> lock(peersMutex);
    auto [peer, isNew] = peers.try_emplace(&other, false);
    if (isNew)
      peer->second = usesPeers && other.streams.allowAccess(context);
    return peer->second;
  }

  /// The length of the shortest pattern that repeats to this one.
  static uint32_t shorten(const unsigned char *bytes, uint32_t size) {
    while (size > 1 && std::memcmp(bytes, bytes + size / 2, size / 2) == 0)
      size /= 2;
    return size;
  }

  template <typename Command> tiny_status enqueue(const std::vector<Use> &uses, const char *call, Command &&command) {
    return streams.enqueue(uses, [&](CUstream stream) { return context.check(command(stream), call); });
  }

  tiny_status copyApart(const Region &source, const Region &target) {
    return enqueue({{&storageOf(source), false}, {&storageOf(target), true}}, "cuMemcpyDtoDAsync",
                   [&](CUstream stream) {
                     return context.cu.MemcpyDtoDAsync(pointerTo(target), pointerTo(source), source.size, stream);
                   });
  }

  tiny_status launchAligned(CudaKernel &kernel, const std::vector<Region> &regions, uint32_t nInputs) {
    std::vector<Use> uses;
    std::vector<CUdeviceptr> pointers;
    std::vector<void *> parameters;
    pointers.reserve(regions.size());
    for (const Region &region : regions) {
      uses.push_back({&storageOf(region), uses.size() >= nInputs});
      pointers.push_back(pointerTo(region));
      parameters.push_back(&pointers.back());
    }
    std::vector<CUtensorMap> maps;
    if (tiny_status status = encodeMaps(context, kernel, pointers, maps))
      return status;
    for (CUtensorMap &map : maps)
      parameters.push_back(&map);
    tiny_status status = enqueue(uses, "cuLaunchKernel", [&](CUstream stream) {
      return context.cu.LaunchKernel(kernel.function, kernel.groups[0], kernel.groups[1], kernel.groups[2],
                                     kernel.lanes[0], kernel.lanes[1], kernel.lanes[2], kernel.launchBytes, stream,
                                     parameters.data(), nullptr);
    });
    return status;
  }

  /// Calls `work(part, pinned, bytes done before)` for parts of the region that pinned memory holds.
  template <typename Work> tiny_status inParts(const Region &region, Work &&work) {
    Current current(context);
    if (current.status)
      return current.status;
    for (uint64_t done = 0; done < region.size; done += Streams::kMostPinned) {
      Region part = {region.memory, region.offset + done, std::min(Streams::kMostPinned, region.size - done)};
      Pinned pinned;
      if (tiny_status status = streams.takePinned(part.size, pinned))
        return status;
      if (tiny_status status = work(part, pinned, done))
        return status;
    }
    return TINY_OK;
  }

  Context context;
  Streams streams;
  LoopKernel loopKernel;
  std::string architecture;
  bool usesGraphs = false, usesPeers = false;
  std::atomic<bool> usesLoops{false};
  std::mutex peersMutex;
  std::map<const CudaDevice *, bool> peers;
};

} // namespace

static tiny_status create(const char *name, const uint32_t *number, tiny_device *&device) {
  auto made = std::make_unique<CudaDevice>(name);
  if (tiny_status status = made->open(number))
    return status;
  device = made.release();
  return TINY_OK;
}
tiny_status tiny::runtime::createCudaDevice(tiny_device *&device) { return create("cuda", nullptr, device); }
tiny_status tiny::runtime::createNumberedCudaDevice(const char *name, uint32_t number, tiny_device *&device) {
  return create(name, &number, device);
}
