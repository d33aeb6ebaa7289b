// Streams that run as late as allowed, or in any allowed order, and the order that must hold between their commands.
#include "Driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace fake {

void join(Clock &clock, const Clock &other) {
  if (clock.size() < other.size())
    clock.resize(other.size());
  for (size_t k = 0; k < other.size(); ++k)
    clock[k] = std::max(clock[k], other[k]);
}

std::string Driver::getVariable(const char *name, const std::string &otherwise) {
  const char *value = std::getenv((std::string("TINY_FAKE_CUDA_") + name).c_str());
  return value && *value ? value : otherwise;
}

Driver &Driver::get() {
  // It lives to the end of the process: threads may call until then.
  static Driver *driver = [] {
    auto *made = new Driver;
    std::atexit([] { Driver::get().report(); });
    return made;
  }();
  return *driver;
}

size_t Driver::findDevice(void *context) const {
  for (size_t device = 0; device < devices.size(); ++device)
    if (context == &devices[device] && devices[device].nRetained)
      return device;
  fail(kInvalidContext, "a context that is not retained");
}

size_t Driver::getCurrent() const { return findDevice(getContext()); }

void Driver::checkContext(void *context) const {
  if (findDevice(context) != getCurrent())
    fail(kInvalidContext, "what is of another context");
}

Stream *Driver::checkStream(void *handle) const {
  Stream *stream = streams.check(handle, "stream");
  if (stream->device != getCurrent())
    fail(kInvalidContext, "a stream of another context");
  return stream;
}

uint32_t Driver::getMostShared(size_t device) const {
  int major = devices[device].major, own = major * 10 + devices[device].minor;
  if (own < 80)
    return 64 << 10;
  if (major == 9 || major == 10)
    return 227 << 10;
  return own == 80 || own == 87 ? 163 << 10 : 99 << 10;
}

Driver::Driver() {
  // One for each device, by commas; the last one is that of all others.
  std::string capabilities = getVariable("CAPABILITY", "8.0"), wanted = getVariable("ORDER", "late");
  devices.resize(std::strtoul(getVariable("DEVICES", "1").c_str(), nullptr, 10));
  const char *capability = capabilities.c_str();
  for (Gpu &gpu : devices) {
    char *end;
    gpu.major = int(std::strtol(capability, &end, 10));
    gpu.minor = *end == '.' ? int(std::strtol(end + 1, &end, 10)) : 0;
    capability = *end == ',' ? end + 1 : capability;
  }
  version = int(std::strtol(getVariable("VERSION", "12040").c_str(), nullptr, 10));
  memoryBytes = std::strtoull(getVariable("MEMORY", std::to_string(uint64_t(4) << 30)).c_str(), nullptr, 10);
  if (wanted.rfind("random", 0) == 0) {
    order = Random;
    size_t colon = wanted.find(':');
    random.seed(colon == std::string::npos ? 0 : std::strtoull(wanted.c_str() + colon + 1, nullptr, 10));
  } else if (wanted == "eager") {
    order = Eager;
  }
}

//===--- What tests ask for ---------------------------------------------------------------------------------------===//

void Driver::count(const char *name) { ++counts[name]; }

/// "cuLaunchKernel:3:719": the third call gives 719; "cuLaunchKernel:3+:719": that one and all behind it. Several by
/// commas.
int Driver::getInjected(const char *name) {
  std::string list = getVariable("FAIL");
  for (size_t begin = 0; begin < list.size();) {
    size_t end = std::min(list.find(',', begin), list.size());
    std::string entry = list.substr(begin, end - begin);
    begin = end + 1;
    size_t first = entry.find(':'), second = first == std::string::npos ? first : entry.find(':', first + 1);
    if (second == std::string::npos || entry.compare(0, first, name) != 0)
      continue;
    char *behind;
    uint64_t number = std::strtoull(entry.c_str() + first + 1, &behind, 10);
    if (counts[name] == number || (*behind == '+' && counts[name] > number))
      return int(std::strtol(entry.c_str() + second + 1, nullptr, 10));
  }
  return 0;
}

void Driver::trace(const std::string &line) {
  static std::string path = getVariable("TRACE");
  if (path.empty())
    return;
  static FILE *file = path == "-" ? stderr : std::fopen(path.c_str(), "w");
  if (file) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fflush(file);
  }
}

void Driver::report() {
  std::string path = getVariable("REPORT");
  if (path.empty())
    return;
  FILE *file = path == "-" ? stderr : std::fopen(path.c_str(), "w");
  if (!file)
    return;
  for (auto &[name, number] : counts)
    std::fprintf(file, "%s: %llu\n", name.c_str(), (unsigned long long)number);
  std::fprintf(file, "pageable copies: %llu\n", (unsigned long long)nPageable);
  if (devices.size() > 1)
    std::fprintf(file, "copies between devices by the host: %llu\n", (unsigned long long)nDetours);
  size_t left = 0;
  for (auto &[begin, allocation] : allocations)
    left += !allocation->isFreed;
  std::fprintf(file, "allocations left: %zu\n", left);
  std::fprintf(file, "modules left: %zu\n", modules.size());
  if (dead)
    std::fprintf(file, "dead: %d: %s\n", dead, deadWhat.c_str());
  if (file != stderr)
    std::fclose(file);
}

//===--- Memory ---------------------------------------------------------------------------------------------------===//

Block *Driver::find(uint64_t address) {
  if (lastFound && address - lastFound->begin < lastFound->size)
    return lastFound;
  auto behind = allocations.upper_bound(address);
  if (behind == allocations.begin())
    return nullptr;
  Allocation &found = *std::prev(behind)->second;
  if (address - found.begin >= found.size)
    return nullptr;
  return lastFound = &found;
}

Allocation *Driver::check(uint64_t pointer, uint64_t bytes, const char *what) {
  auto *allocation = static_cast<Allocation *>(find(pointer));
  if (!allocation || allocation->isFreed)
    fail(kInvalidValue, std::string(what) + " is in no live allocation");
  if (bytes > allocation->size - (pointer - allocation->begin))
    fail(kInvalidValue, std::string(what) + " leaves its allocation of " + std::to_string(allocation->size) + " bytes");
  return allocation;
}

uint64_t Driver::allocate(uint64_t bytes, size_t device) {
  if (!bytes)
    fail(kInvalidValue, "an allocation of 0 bytes");
  if (bytes > memoryBytes - devices[device].usedBytes)
    fail(kOutOfMemory, "out of memory");
  auto made = std::make_unique<Allocation>();
  made->device = device;
  made->begin = nextAddress;
  made->size = bytes;
  made->storage.reset(new (std::nothrow) char[bytes]);
  if (!made->storage)
    fail(kOutOfMemory, "out of memory");
  made->bytes = made->storage.get();
  std::memset(made->bytes, 0xA5, bytes);
  // No address is given twice, and there is room between any two.
  nextAddress += (bytes + 511) / 512 * 512 + 512;
  devices[device].usedBytes += bytes;
  uint64_t begin = made->begin;
  allocations[begin] = std::move(made);
  return begin;
}

void Driver::release(Allocation &allocation) {
  devices[allocation.device].usedBytes -= allocation.size;
  lastFound = nullptr;
  allocations.erase(allocation.begin);
}

bool Driver::mayUse(size_t device, const Allocation &allocation) const {
  if (device == allocation.device)
    return true;
  if (allocation.pool) {
    auto pool = pools.find(allocation.pool);
    return pool != pools.end() && pool->second.users.count(device);
  }
  return devices[device].peers.count(allocation.device);
}

void Driver::touch(Allocation &allocation, const Block::Range &range, bool writes, const Work &work, bool byPeer) {
  if (range.isEmpty())
    return;
  if (!byPeer && !mayUse(work.stream->device, allocation))
    fail(kIllegalAddress, work.what + " on device " + std::to_string(work.stream->device) + " uses memory of device " +
                              std::to_string(allocation.device) + ", which it may not");
  for (const Allocation::Access &other : allocation.accesses) {
    if (other.stream == work.stream->number || !(writes || other.writes) || !range.meets(other.range))
      continue;
    if (at(*work.clock, other.stream) >= other.number || at(*other.clock, work.stream->number) >= work.number)
      continue;
    fail(kLaunchFailed, "a race: " + work.what + " on stream " + std::to_string(work.stream->number) +
                            (writes ? " writes" : " reads") + " bytes " + std::to_string(range.begin) + " to " +
                            std::to_string(range.end) + " of an allocation that " + other.what + " on stream " +
                            std::to_string(other.stream) + (other.writes ? " writes" : " reads") +
                            ", and no event orders them");
  }
  auto &list = allocation.accesses;
  // One that covers what the same stream did before stands for it.
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const Allocation::Access &old) {
                              return old.stream == work.stream->number && (writes || !old.writes) &&
                                     range.begin <= old.range.begin && old.range.end <= range.end;
                            }),
             list.end());
  if (list.size() > 64)
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const Allocation::Access &old) { return at(known, old.stream) >= old.number; }),
               list.end());
  list.push_back({range, writes, work.stream->number, work.number, work.clock, work.what});
}

//===--- Order ----------------------------------------------------------------------------------------------------===//

void Driver::enqueue(Stream *stream, const std::string &what, std::function<void(const Work &)> run,
                     std::shared_ptr<Recording> waits) {
  join(stream->clock, known);
  if (waits)
    join(stream->clock, waits->clock);
  if (stream->clock.size() <= stream->number)
    stream->clock.resize(stream->number + 1);
  Work work;
  work.what = what;
  work.stream = stream;
  work.number = ++stream->clock[stream->number];
  work.clock = std::make_shared<Clock>(stream->clock);
  work.run = std::move(run);
  work.waits = std::move(waits);
  stream->queue.push_back(std::move(work));
  if (order == Eager && !stream->isScratch)
    finish(stream);
}

void Driver::runNow(const Work &work, const std::function<void(Stream *)> &enqueueParts) {
  Stream scratch;
  scratch.number = work.stream->number;
  scratch.clock = *work.clock;
  scratch.isScratch = true;
  enqueueParts(&scratch);
  for (Work &part : scratch.queue) {
    part.stream = work.stream;
    part.number = work.number;
    part.clock = work.clock;
  }
  auto &queue = work.stream->queue;
  queue.insert(queue.begin(), std::make_move_iterator(scratch.queue.begin()),
               std::make_move_iterator(scratch.queue.end()));
}

std::shared_ptr<Recording> Driver::record(Stream *stream) {
  auto recording = std::make_shared<Recording>();
  recording->stream = stream;
  enqueue(stream, "an event", [recording](const Work &) { recording->isDone = true; });
  recording->clock = stream->clock;
  recording->number = stream->clock[stream->number];
  return recording;
}

bool Driver::isReady(const Stream *stream) const {
  return !stream->queue.empty() && (!stream->queue.front().waits || stream->queue.front().waits->isDone);
}

void Driver::step(Stream *stream) {
  Work work = std::move(stream->queue.front());
  stream->queue.pop_front();
  if (work.run)
    work.run(work);
}

void Driver::stepAtRandom() {
  if (order != Random)
    return;
  for (unsigned count = unsigned(random() % 4); count > 0 && !allStreams.empty(); --count) {
    Stream *stream = allStreams[random() % allStreams.size()];
    if (isReady(stream))
      step(stream);
  }
}

// A copy: what holds the caller's may be done, and gone, meanwhile. NOLINTNEXTLINE(performance-unnecessary-value-param)
void Driver::finish(std::shared_ptr<Recording> recording) {
  while (!recording->isDone) {
    Stream *stream = recording->stream;
    // Others may run meanwhile.
    stepAtRandom();
    if (recording->isDone)
      break;
    if (isReady(stream))
      step(stream);
    else
      finish(stream->queue.front().waits);
  }
}

void Driver::finish(Stream *stream) {
  while (!stream->queue.empty()) {
    stepAtRandom();
    if (stream->queue.empty())
      break;
    if (isReady(stream))
      step(stream);
    else
      finish(stream->queue.front().waits);
  }
}

void Driver::finishAll() {
  for (Stream *stream : allStreams) {
    finish(stream);
    join(known, stream->clock);
  }
}

} // namespace fake
