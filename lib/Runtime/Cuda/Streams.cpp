// Streams by thread, their order by events, and memory that is allocated and freed in that order.
#include "Streams.h"
#include "Error.h"

#include <algorithm>

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

namespace tiny {
namespace runtime {
namespace cuda {

/// This thread's stream on each device, until the thread ends. The devices of a process outlive its threads; in tests
/// there may be another that does not, which is never asked for by a thread that lives longer.
class Leases {
public:
  ~Leases() {
    for (auto [owner, stream] : all) {
      std::lock_guard<std::mutex> lock(owner->mutex);
      // The room was reserved when the stream was made.
      owner->idle.push_back(stream);
    }
  }
  std::vector<std::pair<Streams *, Stream *>> all;
};

} // namespace cuda
} // namespace runtime
} // namespace tiny

static thread_local Leases leases;

Streams::~Streams() {
  for (std::unique_ptr<Stream> &stream : all)
    destroy(*stream);
  if (pool)
    (void)context.cu.MemPoolDestroy(pool);
}

tiny_status Streams::open() {
  if (!context.limits.hasPools)
    return TINY_OK;
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, context.device};
  Current current(context);
  if (current.status)
    return current.status;
  // Memory that is freed stays for the next allocation, and does not go back at each synchronisation.
  uint64_t threshold = UINT64_MAX;
  if (context.cu.MemPoolCreate(&pool, &properties) != CUDA_SUCCESS) {
    pool = nullptr;
    return TINY_OK;
  }
  return context.check(context.cu.MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                       "cuMemPoolSetAttribute");
}

std::mutex &Streams::getMutex() {
  static std::mutex mutex;
  return mutex;
}

bool Streams::allowAccess(Context &other) {
  if (context.device == other.device)
    return true;
  int can = 0;
  if (!context.limits.hasPeers || other.checkWell() ||
      context.cu.DeviceCanAccessPeer(&can, other.device, context.device) != CUDA_SUCCESS || !can)
    return false;
  if (pool) {
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, other.device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    Current current(context);
    return !current.status && context.cu.MemPoolSetAccess(pool, &access, 1) == CUDA_SUCCESS;
  }
  Current current(other);
  CUresult result =
      current.status ? CUDA_ERROR_NOT_SUPPORTED : context.cu.CtxEnablePeerAccess(context.context, /*flags=*/0);
  return result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

tiny_status Streams::create(std::unique_ptr<Stream> &stream) {
  auto made = std::make_unique<Stream>();
  made->context = &context;
  tiny_status status = context.check(context.cu.StreamCreate(&made->handle, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  for (CUevent *event : {&made->event, &made->pinnedEvents[0], &made->pinnedEvents[1]})
    if (!status)
      status = context.check(context.cu.EventCreate(event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  if (status) {
    Failure failure = Failure::ofThisThread(status);
    destroy(*made);
    return failure.report();
  }
  stream = std::move(made);
  return TINY_OK;
}

void Streams::destroy(Stream &stream) {
  if (context.isLost())
    return;
  for (CUevent event :
       {stream.event, stream.pinnedEvents[0], stream.pinnedEvents[1], stream.timers[0], stream.timers[1]})
    if (event)
      (void)context.cu.EventDestroy(event);
  if (stream.pinned)
    (void)context.cu.MemFreeHost(stream.pinned);
  if (stream.handle)
    (void)context.cu.StreamDestroy(stream.handle);
}

tiny_status Streams::getMine(Stream *&stream) {
  for (auto [owner, mine] : leases.all)
    if (owner == this) {
      stream = mine;
      return TINY_OK;
    }
  std::lock_guard<std::mutex> lock(mutex);
  if (idle.empty()) {
    all.reserve(all.size() + 1);
    idle.reserve(all.size() + 1);
    std::unique_ptr<Stream> made;
    if (tiny_status status = create(made))
      return status;
    idle.push_back(made.get());
    all.push_back(std::move(made));
  }
  leases.all.emplace_back(this, stream = idle.back());
  idle.pop_back();
  return TINY_OK;
}

tiny_status Streams::waitFor(Stream &stream, const Mark &mark) {
  Stream *other = mark.stream;
  if (!other || other == &stream || mark.number <= other->completed)
    return TINY_OK;
  uint64_t &seen = stream.seen[other];
  if (mark.number <= seen)
    return TINY_OK;
  if (other->recorded < mark.number) {
    // It may be another device's.
    Current current(*other->context);
    if (current.status)
      return current.status;
    if (tiny_status status =
            other->context->check(context.cu.EventRecord(other->event, other->handle), "cuEventRecord"))
      return status;
    other->recorded = other->issued;
  }
  if (tiny_status status =
          context.check(context.cu.StreamWaitEvent(stream.handle, other->event, 0), "cuStreamWaitEvent"))
    return status;
  seen = other->recorded;
  return TINY_OK;
}

/// A reader comes behind the last writer, a writer behind all readers, too.
tiny_status Streams::order(Stream &stream, const std::vector<Use> &uses) {
  for (const Use &use : uses) {
    if (tiny_status status = waitFor(stream, use.storage->lastWrite))
      return status;
    for (const Mark &read : use.storage->lastReads)
      if (use.writes)
        if (tiny_status status = waitFor(stream, read))
          return status;
  }
  return TINY_OK;
}

void Streams::remember(Stream &stream, const std::vector<Use> &uses) {
  uint64_t number = ++stream.issued;
  for (const Use &use : uses) {
    Storage &storage = *use.storage;
    if (use.writes) {
      storage.lastWrite = {&stream, number};
      storage.lastReads.clear();
      continue;
    }
    auto found = std::find_if(storage.lastReads.begin(), storage.lastReads.end(),
                              [&](const Mark &mark) { return mark.stream == &stream; });
    if (found == storage.lastReads.end())
      storage.lastReads.push_back({&stream, number});
    else
      found->number = number;
  }
}

tiny_status Streams::allocateOrdered(Stream &stream, uint64_t size, Storage &storage) {
  std::lock_guard<std::mutex> lock(mutex);
  if (tiny_status status = context.check(context.cu.MemAllocFromPoolAsync(&storage.pointer, size, pool, stream.handle),
                                         "cuMemAllocFromPoolAsync"))
    return status;
  storage.isOrdered = true;
  // Others use it behind this.
  remember(stream, {{&storage, true}});
  return TINY_OK;
}

/// Bytes of the widest load of a lane.
static constexpr uint64_t kWidestRead = 16;

tiny_status Streams::allocate(uint64_t size, std::unique_ptr<Storage> &storage) {
  auto made = std::make_unique<Storage>();
  // A kernel may read the whole of what a vector of loads begins in: LLVM reads three neighbours as four.
  uint64_t wanted = std::max<uint64_t>(size, 1), rest = wanted % kWidestRead;
  made->size = rest && wanted < ~kWidestRead ? wanted + kWidestRead - rest : wanted;
  tiny_status status;
  if (pool) {
    Stream *stream;
    status = getMine(stream);
    if (!status)
      status = allocateOrdered(*stream, made->size, *made);
    // What other streams have freed comes back when they are done.
    if (status == TINY_OUT_OF_MEMORY && !synchronize())
      status = allocateOrdered(*stream, made->size, *made);
  } else {
    status = context.check(context.cu.MemAlloc(&made->pointer, made->size), "cuMemAlloc");
  }
  if (status == TINY_OUT_OF_MEMORY) {
    std::string reason = tiny_last_error();
    return fail(status, "cannot allocate %llu bytes on '%s': %.300s", (unsigned long long)size, context.name,
                reason.c_str());
  }
  if (!status)
    storage = std::move(made);
  return status;
}

void Streams::retire(std::unique_ptr<Storage> storage) {
  if (!storage || context.isLost())
    return;
  Stream *stream;
  if (getMine(stream))
    return;
  if (storage->isOrdered) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!order(*stream, {{storage.get(), true}}) &&
        !context.check(context.cu.MemFreeAsync(storage->pointer, stream->handle), "cuMemFreeAsync"))
      ++stream->issued;
    return;
  }
  bool isReady;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isReady = !order(*stream, {{storage.get(), true}});
  }
  if (isReady && !synchronize())
    (void)context.check(context.cu.MemFree(storage->pointer), "cuMemFree");
}

tiny_status Streams::takePinned(uint64_t size, Pinned &pinned) {
  Stream *stream;
  if (tiny_status status = getMine(stream))
    return status;
  if (!stream->pinned) {
    void *host = nullptr;
    if (tiny_status status =
            context.check(context.cu.MemHostAlloc(&host, 2 * kMostPinned, /*flags=*/0), "cuMemHostAlloc"))
      return status;
    stream->pinned = static_cast<char *>(host);
  }
  if (stream->used + size > kMostPinned) {
    CUevent event = stream->pinnedEvents[stream->half];
    if (tiny_status status = context.check(context.cu.EventRecord(event, stream->handle), "cuEventRecord"))
      return status;
    stream->isPending[stream->half] = true;
    stream->half = !stream->half;
    stream->used = 0;
    if (stream->isPending[stream->half])
      if (tiny_status status =
              context.check(context.cu.EventSynchronize(stream->pinnedEvents[stream->half]), "cuEventSynchronize"))
        return status;
    stream->isPending[stream->half] = false;
  }
  pinned = {stream->pinned + stream->half * kMostPinned + stream->used, size};
  // The next one begins at a cache line.
  stream->used += (size + 63) / 64 * 64;
  return TINY_OK;
}

tiny_status Streams::synchronize() {
  Stream *stream;
  if (tiny_status status = getMine(stream))
    return status;
  uint64_t issued;
  {
    std::lock_guard<std::mutex> lock(mutex);
    issued = stream->issued;
  }
  if (tiny_status status = context.check(context.cu.StreamSynchronize(stream->handle), "cuStreamSynchronize"))
    return status;
  std::lock_guard<std::mutex> lock(mutex);
  stream->completed = std::max(stream->completed, issued);
  stream->used = 0;
  stream->isPending[0] = stream->isPending[1] = false;
  return TINY_OK;
}

tiny_status Streams::measure(const std::function<tiny_status()> &work, uint64_t &nanoseconds) {
  Stream *stream;
  if (tiny_status status = getMine(stream))
    return status;
  for (CUevent &timer : stream->timers)
    if (!timer)
      if (tiny_status status = context.check(context.cu.EventCreate(&timer, CU_EVENT_DEFAULT), "cuEventCreate"))
        return status;
  auto record = [&](CUevent timer) {
    return context.check(context.cu.EventRecord(timer, stream->handle), "cuEventRecord");
  };
  tiny_status status = record(stream->timers[0]);
  if (!status)
    status = work();
  if (!status)
    status = record(stream->timers[1]);
  if (!status)
    status = synchronize();
  float milliseconds = 0;
  if (!status)
    status = context.check(context.cu.EventElapsedTime(&milliseconds, stream->timers[0], stream->timers[1]),
                           "cuEventElapsedTime");
  nanoseconds = uint64_t(double(milliseconds) * 1e6);
  return status;
}
