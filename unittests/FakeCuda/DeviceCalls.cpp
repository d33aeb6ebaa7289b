// The driver, its devices, contexts, streams and events; and cuGetProcAddress, by which all calls are found.
#include "Calls.h"

#include <cstdio>

using namespace fake;

static thread_local std::vector<void *> contexts;

namespace fake {
void *getContext() { return contexts.empty() ? nullptr : contexts.back(); }
} // namespace fake

namespace {

int init(unsigned flags) {
  return call("cuInit", false, [&](Driver &driver) {
    if (flags)
      fail(kInvalidValue, "cuInit takes no flags");
    if (driver.devices.empty())
      fail(kNoDevice, "there is no GPU");
    driver.isInitialized = true;
  });
}

int driverGetVersion(int *version) {
  return call("cuDriverGetVersion", false, [&](Driver &driver) { *version = driver.version; });
}

/// A few of the names that the real driver has; it has null for what it does not know, too.
int getErrorName(int error, const char **name) {
  static const std::map<int, const char *> names = {{0, "CUDA_SUCCESS"},
                                                    {1, "CUDA_ERROR_INVALID_VALUE"},
                                                    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                    {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                                    {100, "CUDA_ERROR_NO_DEVICE"},
                                                    {101, "CUDA_ERROR_INVALID_DEVICE"},
                                                    {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                    {218, "CUDA_ERROR_INVALID_PTX"},
                                                    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                                                    {400, "CUDA_ERROR_INVALID_HANDLE"},
                                                    {500, "CUDA_ERROR_NOT_FOUND"},
                                                    {600, "CUDA_ERROR_NOT_READY"},
                                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                                                    {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                    {801, "CUDA_ERROR_NOT_SUPPORTED"},
                                                    {999, "CUDA_ERROR_UNKNOWN"}};
  auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return *name ? kSuccess : kInvalidValue;
}

int getErrorString(int error, const char **text) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  auto found = driver.words.find(error);
  *text = found == driver.words.end() ? nullptr : driver.keptWords.insert(found->second).first->c_str();
  return *text ? kSuccess : kInvalidValue;
}

void checkDevice(int device) {
  if (device < 0 || size_t(device) >= Driver::get().devices.size())
    fail(kInvalidDevice, "there is no device of this number");
}

int deviceGetCount(int *count) {
  return call("cuDeviceGetCount", false, [&](Driver &driver) { *count = int(driver.devices.size()); });
}
int deviceGet(int *device, int ordinal) {
  return call("cuDeviceGet", false, [&](Driver &) {
    checkDevice(ordinal);
    *device = ordinal;
  });
}
int deviceGetName(char *name, int length, int device) {
  return call("cuDeviceGetName", false, [&](Driver &) {
    checkDevice(device);
    std::snprintf(name, size_t(length), "fake GPU");
  });
}
int deviceTotalMem(size_t *bytes, int device) {
  return call("cuDeviceTotalMem", false, [&](Driver &driver) {
    checkDevice(device);
    *bytes = driver.memoryBytes;
  });
}

int deviceGetAttribute(int *value, int attribute, int device) {
  return call("cuDeviceGetAttribute", false, [&](Driver &driver) {
    checkDevice(device);
    const std::map<int, int> attributes = {{1, 1024},
                                           {2, 1024},
                                           {3, 1024},
                                           {4, 64},
                                           {5, 0x7FFFFFFF},
                                           {6, 65535},
                                           {7, 65535},
                                           {8, 48 << 10},
                                           {10, 32},
                                           {12, 65536},
                                           {16, 2},
                                           {75, driver.devices[size_t(device)].major},
                                           {76, driver.devices[size_t(device)].minor},
                                           {97, int(driver.getMostShared(size_t(device)))},
                                           {115, Driver::getVariable("POOLS", "1") == "1"}};
    auto found = attributes.find(attribute);
    if (found == attributes.end())
      fail(kInvalidValue, "unknown attribute " + std::to_string(attribute));
    *value = found->second;
  });
}

//===--- Contexts -------------------------------------------------------------------------------------------------===//

int primaryRetain(void **context, int device) {
  return call("cuDevicePrimaryCtxRetain", false, [&](Driver &driver) {
    checkDevice(device);
    ++driver.devices[size_t(device)].nRetained;
    *context = &driver.devices[size_t(device)];
  });
}
int primaryRelease(int device) {
  return call("cuDevicePrimaryCtxRelease", false, [&](Driver &driver) {
    checkDevice(device);
    Gpu &gpu = driver.devices[size_t(device)];
    if (!gpu.nRetained)
      fail(kInvalidContext, "the primary context is released more often than retained");
    if (--gpu.nRetained == 0 && gpu.usedBytes)
      fail(kInvalidContext, "memory is left in the primary context, which ends");
  });
}
int pushCurrent(void *context) {
  return call("cuCtxPushCurrent", false, [&](Driver &driver) {
    driver.findDevice(context);
    contexts.push_back(context);
  });
}
/// The real one pops from a dead context, too.
int popCurrent(void **context) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  driver.count("cuCtxPopCurrent");
  if (contexts.empty())
    return kInvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return driver.dead;
}

bool mayReach(size_t device, size_t peer) { return device != peer && Driver::getVariable("PEERS", "1") == "1"; }
int canAccessPeer(int *can, int device, int peer) {
  return call("cuDeviceCanAccessPeer", false, [&](Driver &) {
    checkDevice(device);
    checkDevice(peer);
    *can = mayReach(size_t(device), size_t(peer));
  });
}
/// The current context's device may use the peer's memory from now on.
int enablePeerAccess(void *context, unsigned flags) {
  return call("cuCtxEnablePeerAccess", true, [&](Driver &driver) {
    size_t peer = driver.findDevice(context), own = driver.getCurrent();
    if (flags || peer == own)
      fail(kInvalidValue, "unknown flags, or access of a device to itself");
    if (!mayReach(own, peer))
      fail(kPeerAccessUnsupported, "peer access is not supported between these two devices");
    if (!driver.devices[own].peers.insert(peer).second)
      fail(kPeerAccessEnabled, "peer access is already enabled");
  });
}

//===--- Streams and events ---------------------------------------------------------------------------------------===//

int streamCreate(void **stream, unsigned flags) {
  return call("cuStreamCreate", true, [&](Driver &driver) {
    if (flags > 1)
      fail(kInvalidValue, "unknown flags of a stream");
    auto made = std::make_unique<Stream>();
    made->number = driver.allStreams.size();
    made->device = driver.getCurrent();
    Stream *added = driver.streams.add(std::move(made));
    driver.allStreams.push_back(added);
    *stream = added;
  });
}
int streamDestroy(void *handle) {
  return call("cuStreamDestroy", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    driver.finish(stream);
    driver.streams.remove(stream);
  });
}
int streamSynchronize(void *handle) {
  return call("cuStreamSynchronize", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    driver.finish(stream);
    join(driver.known, stream->clock);
  });
}
int streamWaitEvent(void *handle, void *event, unsigned flags) {
  return call("cuStreamWaitEvent", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    Event *waits = driver.events.check(event, "event");
    if (flags)
      fail(kInvalidValue, "unknown flags of a wait");
    // One that recorded nothing is over.
    if (waits->last)
      driver.enqueue(stream, "a wait", nullptr, waits->last);
  });
}
int eventCreate(void **event, unsigned flags) {
  return call("cuEventCreate", true, [&](Driver &driver) {
    if (flags & ~3u)
      fail(kInvalidValue, "unknown flags of an event");
    auto made = std::make_unique<Event>();
    made->hasTimes = !(flags & 2);
    made->device = driver.getCurrent();
    *event = driver.events.add(std::move(made));
  });
}
int eventDestroy(void *handle) {
  return call("cuEventDestroy", true,
              [&](Driver &driver) { driver.events.remove(driver.events.check(handle, "event")); });
}
int eventRecord(void *handle, void *stream) {
  return call("cuEventRecord", true, [&](Driver &driver) {
    Event *event = driver.events.check(handle, "event");
    Stream *on = driver.checkStream(stream);
    if (on->device != event->device)
      fail(kInvalidHandle, "an event of another context than the stream's");
    event->last = driver.record(on);
  });
}
int eventSynchronize(void *handle) {
  return call("cuEventSynchronize", true, [&](Driver &driver) {
    Event *event = driver.events.check(handle, "event");
    if (!event->last)
      return;
    driver.finish(event->last);
    join(driver.known, event->last->clock);
  });
}
/// Everything takes a microsecond here.
int eventElapsedTime(float *milliseconds, void *begin, void *end) {
  return call("cuEventElapsedTime", true, [&](Driver &driver) {
    for (void *handle : {begin, end}) {
      Event *event = driver.events.check(handle, "event");
      if (!event->hasTimes || !event->last)
        fail(kInvalidHandle, "an event that has no time");
      if (!event->last->isDone)
        fail(kNotReady, "an event that is not over");
    }
    *milliseconds = 1e-3f;
  });
}

} // namespace

std::vector<Entry> fake::getDeviceCalls() {
  return {makeEntry("cuInit", 2000, init),
          makeEntry("cuDriverGetVersion", 2020, driverGetVersion),
          makeEntry("cuGetErrorName", 6000, getErrorName),
          makeEntry("cuGetErrorString", 6000, getErrorString),
          makeEntry("cuDeviceGetCount", 2000, deviceGetCount),
          makeEntry("cuDeviceGet", 2000, deviceGet),
          makeEntry("cuDeviceGetName", 2000, deviceGetName),
          makeEntry("cuDeviceTotalMem", 3020, deviceTotalMem),
          makeEntry("cuDeviceGetAttribute", 2000, deviceGetAttribute),
          makeEntry("cuDevicePrimaryCtxRetain", 7000, primaryRetain),
          makeEntry("cuDevicePrimaryCtxRelease", 11000, primaryRelease),
          makeEntry("cuCtxPushCurrent", 4000, pushCurrent),
          makeEntry("cuCtxPopCurrent", 4000, popCurrent),
          makeEntry("cuStreamCreate", 2000, streamCreate),
          makeEntry("cuStreamDestroy", 4000, streamDestroy),
          makeEntry("cuStreamSynchronize", 7000, streamSynchronize),
          makeEntry("cuStreamWaitEvent", 7000, streamWaitEvent),
          makeEntry("cuEventCreate", 2000, eventCreate),
          makeEntry("cuEventDestroy", 4000, eventDestroy),
          makeEntry("cuEventRecord", 7000, eventRecord),
          makeEntry("cuEventElapsedTime", 2000, eventElapsedTime),
          makeEntry("cuEventSynchronize", 2000, eventSynchronize),
          makeEntry("cuDeviceCanAccessPeer", 4000, canAccessPeer),
          makeEntry("cuCtxEnablePeerAccess", 4000, enablePeerAccess)};
}

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

/// Names without a suffix, by the version that the caller was written for. Later ones have other parameters.
FAKE_EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  enum { Found = 0, NotFound = 1, TooOld = 2 };
  *function = nullptr;
  if (flags > 2 || version < 11030)
    return kInvalidValue;
  std::string without = "," + Driver::getVariable("WITHOUT") + ",";
  int found = NotFound;
  if (without.find("," + std::string(name) + ",") == std::string::npos)
    for (const auto &list :
         {getDeviceCalls(), getMemoryCalls(), getLaunchCalls(), getGraphCalls(), getConditionalCalls(), getMapCalls()})
      for (const Entry &entry : list)
        if (std::string(entry.name) == name && entry.since <= Driver::get().version && found != Found) {
          // The newest one, as that version has it; the list has newer ones first.
          found = entry.since <= version && version <= 12999 ? Found : TooOld;
          *function = found == Found ? entry.function : nullptr;
        }
  if (status)
    *status = found;
  return found == Found ? kSuccess : kNotFound;
}

FAKE_EXPORT int cuInit(unsigned flags) { return init(flags); }
