// The list of drivers, the lifetime of devices, and the count of the memory that they hold.
#include "Device.h"
#include "Error.h"
#include "Handles.h"
#include "Multi/MultiDevice.h"
#include "Multi/SharedStorage.h"

#include <cstdio>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

using namespace tiny::runtime;

namespace {
/// Every driver, by the name that opens it.
struct Driver {
  const char *name;
  tiny_status (*create)(tiny_device *&);
  /// Where there may be several: the one of a number.
  tiny_status (*createNumbered)(const char *name, uint32_t number, tiny_device *&);
  tiny_device *device;
};
Driver drivers[] = {{"cpu", createCpuDevice, nullptr, nullptr},
                    {"null", createNullDevice, nullptr, nullptr},
                    {"vulkan", createVulkanDevice, nullptr, nullptr},
                    {"cuda", createCudaDevice, createNumberedCudaDevice, nullptr}};
std::mutex driversMutex;

/// "cuda:1". False where the name is none of this driver's.
bool readNumber(const std::string &name, const Driver &driver, uint32_t &number) {
  size_t length = std::strlen(driver.name);
  if (!driver.createNumbered || name.compare(0, length, driver.name) != 0 || name.size() < length + 2 ||
      name.size() > length + 4 || name[length] != ':' ||
      !std::all_of(name.begin() + ptrdiff_t(length) + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  number = uint32_t(std::stoul(name.substr(length + 1)));
  return true;
}

/// That of a driver by its number, opened.
tiny_status findNumbered(const std::string &name, const Driver &driver, uint32_t number, tiny_device *&device) {
  // Kept as the devices are: threads may use these while the process ends.
  static auto &known = *new std::map<std::string, tiny_device *>;
  auto place = known.try_emplace(name, nullptr).first;
  if (!place->second)
    if (tiny_status status = driver.createNumbered(place->first.c_str(), number, place->second))
      return status;
  device = place->second;
  return TINY_OK;
}

/// The driver of the name, opened. Device objects are kept for the life of the process; only the handle dies with its
/// last reference.
tiny_status findDevice(const std::string &name, tiny_device *&device) {
  for (Driver &driver : drivers) {
    uint32_t number;
    if (readNumber(name, driver, number))
      return findNumbered(name, driver, number, device);
    if (name != driver.name)
      continue;
    if (!driver.device)
      if (tiny_status status = driver.create(driver.device))
        return status;
    device = driver.device;
    return TINY_OK;
  }
  std::string known;
  for (const Driver &driver : drivers)
    known += std::string(known.empty() ? "" : ", ") + "'" + driver.name + "'";
  return fail(TINY_NOT_FOUND, "no device '%.100s', available: %s", name.c_str(), known.c_str());
}

/// "vulkan,cpu": these together.
tiny_status findDevices(const std::string &name, tiny_device *&device) {
  static std::map<std::string, std::unique_ptr<tiny_device>> known;
  auto [place, isNew] = known.try_emplace(name);
  if (place->second) {
    device = place->second.get();
    return TINY_OK;
  }
  std::vector<tiny_device *> members;
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = std::min(name.find(',', begin), name.size());
    tiny_device *member = nullptr;
    if (tiny_status status = findDevice(name.substr(begin, end - begin), member))
      return status;
    if (std::find(members.begin(), members.end(), member) != members.end() || members.size() == kMostMembers)
      return fail(TINY_INVALID_ARGUMENT, "device '%.100s' names '%s' twice", name.c_str(), member->name);
    members.push_back(member);
    begin = end + 1;
  }
  place->second = createMultiDevice(place->first.c_str(), std::move(members));
  device = place->second.get();
  return TINY_OK;
}

} // namespace

tiny_status tiny_device::allocateCounted(Memory &memory) {
  if (memory.size > kMaxSize)
    return fail(TINY_OUT_OF_MEMORY, "cannot allocate %llu bytes on '%s'", (unsigned long long)memory.size, name);
  if (tiny_status status = allocate(memory))
    return status;
  uint64_t now = bytesInUse += memory.size;
  uint64_t peak = peakBytes;
  while (now > peak && !peakBytes.compare_exchange_weak(peak, now)) {
  }
  ++allocations;
  return TINY_OK;
}

tiny_status tiny_device::measure(const std::function<tiny_status()> &work, uint64_t &nanoseconds) {
  auto begin = std::chrono::steady_clock::now();
  tiny_status status = work();
  if (!status)
    status = synchronize();
  auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin);
  nanoseconds = uint64_t(time.count());
  return status;
}

tiny_status tiny_device::setThreads(uint32_t) {
  return fail(TINY_UNSUPPORTED, "device '%s' has no threads to set", name);
}

/// As much as is on its way through the host's memory at a time.
static constexpr uint64_t kTransferBytes = 4 << 20;

tiny_status tiny::runtime::copyBetween(tiny_device &from, const Region &source, tiny_device &to, const Region &target) {
  tiny_status status =
      from.getFamily() == to.getFamily() ? to.copyFrom(from, source, target) : tiny_status(TINY_UNSUPPORTED);
  if (status != TINY_UNSUPPORTED)
    return status;
  std::vector<char> between(std::min(source.size, kTransferBytes));
  for (uint64_t done = 0; done < source.size; done += between.size()) {
    uint64_t part = std::min<uint64_t>(between.size(), source.size - done);
    if (tiny_status failed = from.read({source.memory, source.offset + done, part}, between.data()))
      return failed;
    if (tiny_status failed = to.write({target.memory, target.offset + done, part}, between.data()))
      return failed;
  }
  return TINY_OK;
}

void tiny_device::freeCounted(Memory &memory) {
  if (memory.owned) {
    bytesInUse -= memory.size;
    --allocations;
  }
  free(memory);
}

size_t tiny_device_count(void) { return sizeof(drivers) / sizeof(drivers[0]); }

const char *tiny_device_name_at(size_t index) { return index < tiny_device_count() ? drivers[index].name : nullptr; }

tiny_status tiny_device_open(const char *name, tiny_device **device) {
  return guarded([&]() -> tiny_status {
    if (!name || !device)
      return fail(TINY_INVALID_ARGUMENT, "device name or out parameter is null");
    std::lock_guard<std::mutex> lock(driversMutex);
    tiny_device *found = nullptr;
    if (tiny_status status = std::strchr(name, ',') ? findDevices(name, found) : findDevice(name, found))
      return status;
    if (!isLiveHandle(found, HandleKind::Device))
      enterHandle(found, HandleKind::Device);
    else if (tiny_status status = retainHandle(found, HandleKind::Device))
      return status;
    *device = found;
    return TINY_OK;
  });
}

tiny_status tiny_device_retain(tiny_device *device) { return retainHandle(device, HandleKind::Device); }

tiny_status tiny_device_release(tiny_device *device) {
  // Under the same lock as opening, which would otherwise see a handle alive that is about to die.
  std::lock_guard<std::mutex> lock(driversMutex);
  bool last;
  return releaseHandle(device, HandleKind::Device, last);
}

tiny_status tiny_device_set_threads(tiny_device *device, uint32_t threads) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(device, HandleKind::Device))
      return status;
    if (threads == 0)
      return fail(TINY_INVALID_ARGUMENT, "a device needs at least 1 thread, got 0");
    return device->setThreads(threads);
  });
}

uint32_t tiny_device_threads(const tiny_device *device) {
  return isLiveHandle(device, HandleKind::Device) ? device->getThreads() : 0;
}

const char *tiny_device_name(const tiny_device *device) {
  return isLiveHandle(device, HandleKind::Device) ? device->name : nullptr;
}

int tiny_device_computes_on_host(const tiny_device *device) {
  return isLiveHandle(device, HandleKind::Device) && device->computesInHostMemory();
}

const char *tiny_device_processor(const tiny_device *device) {
  return isLiveHandle(device, HandleKind::Device) ? device->getProcessor() : nullptr;
}

tiny_status tiny_device::describe(tiny_device_facts &) const {
  return fail(TINY_UNSUPPORTED, "device '%s' states no facts", name);
}

tiny_status tiny_device_describe(const tiny_device *device, tiny_device_facts *facts) {
  if (tiny_status status = checkHandle(device, HandleKind::Device))
    return status;
  if (!facts)
    return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
  *facts = {};
  return device->describe(*facts);
}

tiny_status tiny_device_memory(const tiny_device *device, tiny_memory_info *info) {
  if (tiny_status status = checkHandle(device, HandleKind::Device))
    return status;
  if (!info)
    return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
  *info = {device->bytesInUse, device->peakBytes, device->allocations};
  return TINY_OK;
}
