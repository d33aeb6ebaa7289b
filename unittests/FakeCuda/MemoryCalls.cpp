// Memory of the device and of the host, copies and fills.
#include "Calls.h"

#include <cstdlib>
#include <tuple>

using namespace fake;

namespace {

/// Of the bytes of host memory that a copy reads, to see whether somebody wrote there meanwhile.
uint64_t sumBytes(const char *bytes, size_t size) {
  uint64_t sum = size;
  size_t k = 0;
  for (; k + 8 <= size; k += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + k, 8);
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    sum ^= sum >> 29;
  }
  for (; k < size; ++k)
    sum = (sum ^ uint64_t(uint8_t(bytes[k]))) * UINT64_C(0x9E3779B97F4A7C15);
  return sum;
}

bool isPinned(Driver &driver, const void *host, size_t bytes) {
  auto *begin = static_cast<const char *>(host);
  auto behind = driver.pinned.upper_bound(begin);
  if (behind == driver.pinned.begin())
    return false;
  auto &[first, size] = *std::prev(behind);
  return begin + bytes <= first + size;
}

Block::Range rangeOf(const Allocation &allocation, uint64_t pointer, size_t bytes) {
  Block::Range range;
  range.add(pointer - allocation.begin, pointer - allocation.begin + bytes);
  return range;
}

/// The allocation of a command that was checked when it was asked for. It may be gone when it runs.
Allocation &findNow(Driver &driver, uint64_t pointer, const Work &work) {
  auto *allocation = static_cast<Allocation *>(driver.find(pointer));
  if (!allocation)
    fail(kIllegalAddress, work.what + " runs when its memory is freed already");
  return *allocation;
}

int memAlloc(uint64_t *pointer, size_t bytes) {
  return call("cuMemAlloc", true, [&](Driver &driver) { *pointer = driver.allocate(bytes, driver.getCurrent()); });
}
/// It waits for everything, as the real one does.
int memFree(uint64_t pointer) {
  return call("cuMemFree", true, [&](Driver &driver) {
    Allocation *allocation = driver.check(pointer, 0, "what is freed");
    if (pointer != allocation->begin)
      fail(kInvalidValue, "what is freed is no begin of an allocation");
    driver.finishAll();
    driver.release(*allocation);
  });
}

int hostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc", true, [&](Driver &driver) {
    if (!bytes || flags & ~7u)
      fail(kInvalidValue, "0 bytes, or unknown flags");
    void *made = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!made)
      fail(kOutOfMemory, "out of memory");
    driver.pinned[static_cast<const char *>(made)] = bytes;
    *pointer = made;
  });
}
int freeHost(void *pointer) {
  return call("cuMemFreeHost", true, [&](Driver &driver) {
    if (!driver.pinned.count(static_cast<const char *>(pointer)))
      fail(kInvalidValue, "what is freed is no memory of cuMemHostAlloc");
    driver.finishAll();
    driver.pinned.erase(static_cast<const char *>(pointer));
    std::free(pointer);
  });
}

int copyIn(uint64_t target, const void *source, size_t bytes, void *handle) {
  return call("cuMemcpyHtoDAsync", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    driver.check(target, bytes, "the target of a copy");
    auto *from = static_cast<const char *>(source);
    bool isFast = isPinned(driver, source, bytes);
    // What is not pinned is copied away at once.
    std::vector<char> staged;
    if (!isFast) {
      ++driver.nPageable;
      staged.assign(from, from + bytes);
    }
    uint64_t sum = isFast ? sumBytes(from, bytes) : 0;
    driver.enqueue(stream, "a copy from the host",
                   [&driver, target, from, bytes, isFast, sum, staged = std::move(staged)](const Work &work) {
                     Allocation &allocation = findNow(driver, target, work);
                     driver.touch(allocation, rangeOf(allocation, target, bytes), true, work);
                     if (isFast && sumBytes(from, bytes) != sum)
                       fail(kLaunchFailed, "the host wrote to memory that a copy has not read yet");
                     std::memcpy(allocation.bytes + (target - allocation.begin), isFast ? from : staged.data(), bytes);
                   });
  });
}

int copyOut(void *target, uint64_t source, size_t bytes, void *handle) {
  return call("cuMemcpyDtoHAsync", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    driver.check(source, bytes, "the source of a copy");
    bool isFast = isPinned(driver, target, bytes);
    // Whoever reads before it has waited reads this.
    std::memset(target, 0xCD, bytes);
    driver.enqueue(stream, "a copy to the host", [&driver, target, source, bytes](const Work &work) {
      Allocation &allocation = findNow(driver, source, work);
      driver.touch(allocation, rangeOf(allocation, source, bytes), false, work);
      std::memcpy(target, allocation.bytes + (source - allocation.begin), bytes);
    });
    if (!isFast) {
      ++driver.nPageable;
      driver.finish(stream);
      join(driver.known, stream->clock);
    }
  });
}

int copyOn(uint64_t target, uint64_t source, size_t bytes, void *handle) {
  return call("cuMemcpyDtoDAsync", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    makeCopy(driver, target, source, bytes)(stream);
  });
}

int copyPeer(uint64_t target, void *targetContext, uint64_t source, void *sourceContext, size_t bytes, void *handle) {
  return call("cuMemcpyPeerAsync", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    size_t to = driver.findDevice(targetContext), from = driver.findDevice(sourceContext);
    if (stream->device != to && stream->device != from)
      fail(kInvalidContext, "a copy between devices on a stream of a third one");
    if (!bytes)
      fail(kInvalidValue, "a copy of nothing");
    Allocation *given = driver.check(source, bytes, "the source of a copy"),
               *taken = driver.check(target, bytes, "the target of a copy");
    if (given->device != from || taken->device != to)
      fail(kInvalidValue, "a copy between devices, and memory of another one");
    if (!driver.mayUse(to, *given) && !driver.mayUse(from, *taken))
      ++driver.nDetours;
    driver.enqueue(stream, "a copy between devices", [&driver, target, source, bytes](const Work &work) {
      Allocation &from = findNow(driver, source, work), &to = findNow(driver, target, work);
      driver.touch(from, rangeOf(from, source, bytes), false, work, /*byPeer=*/true);
      driver.touch(to, rangeOf(to, target, bytes), true, work, /*byPeer=*/true);
      std::memcpy(to.bytes + (target - to.begin), from.bytes + (source - from.begin), bytes);
    });
  });
}

template <typename T, int Width> int fill(const char *name, uint64_t target, T value, size_t count, void *handle) {
  return call(name, true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    makeMemset(driver, target, count * Width, uint32_t(value), Width, count, 1)(stream);
  });
}
int fill8(uint64_t target, unsigned char value, size_t count, void *stream) {
  return fill<unsigned char, 1>("cuMemsetD8Async", target, value, count, stream);
}
int fill16(uint64_t target, unsigned short value, size_t count, void *stream) {
  return fill<unsigned short, 2>("cuMemsetD16Async", target, value, count, stream);
}
int fill32(uint64_t target, unsigned value, size_t count, void *stream) {
  return fill<unsigned, 4>("cuMemsetD32Async", target, value, count, stream);
}
int fillRows(uint64_t target, size_t pitch, unsigned char value, size_t width, size_t height, void *handle) {
  return call("cuMemsetD2D8Async", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    makeMemset(driver, target, pitch, value, 1, width, height)(stream);
  });
}

//===--- Memory in a stream's order -------------------------------------------------------------------------------===//

int poolCreate(void **pool, const void *properties) {
  return call("cuMemPoolCreate", true, [&](Driver &driver) {
    // Pinned memory of the current device, and zeros behind.
    size_t device = driver.getCurrent();
    const int expected[] = {1, 0, 1, int(device)};
    std::vector<char> zeros(88 - sizeof(expected));
    if (std::memcmp(properties, expected, sizeof(expected)) != 0 ||
        std::memcmp(static_cast<const char *>(properties) + sizeof(expected), zeros.data(), zeros.size()) != 0)
      fail(kInvalidValue, "properties of a pool that are not those of the device's memory");
    *pool = std::malloc(1);
    driver.pools[*pool].device = device;
  });
}
int poolDestroy(void *pool) {
  return call("cuMemPoolDestroy", true, [&](Driver &driver) {
    if (!driver.pools.erase(pool))
      fail(kInvalidValue, "no pool");
  });
}
int poolSetAttribute(void *pool, int attribute, void *) {
  return call("cuMemPoolSetAttribute", true, [&](Driver &driver) {
    if (!driver.pools.count(pool) || attribute != 4)
      fail(kInvalidValue, "no pool, or an unknown attribute");
  });
}
int poolSetAccess(void *pool, const int (*list)[3], size_t count) {
  return call("cuMemPoolSetAccess", true, [&](Driver &driver) {
    auto found = driver.pools.find(pool);
    for (size_t k = 0; k < count; ++k) {
      auto [type, device, flags] = std::make_tuple(list[k][0], size_t(list[k][1]), list[k][2]);
      if (found == driver.pools.end() || type != 1 || device >= driver.devices.size() || flags != 3)
        fail(kInvalidValue, "no pool, no device, or other access than to read and write");
      if (device != found->second.device && Driver::getVariable("PEERS", "1") != "1")
        fail(kInvalidDevice, "a device that cannot use this one's memory");
      found->second.users.insert(device);
    }
  });
}
int allocateAsync(uint64_t *pointer, size_t bytes, void *pool, void *handle) {
  return call("cuMemAllocFromPoolAsync", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    if (!driver.pools.count(pool))
      fail(kInvalidValue, "no pool");
    if (driver.pools[pool].device != stream->device)
      fail(kInvalidValue, "a pool of another device than the stream's");
    uint64_t begin = driver.allocate(bytes, stream->device);
    auto *made = static_cast<Allocation *>(driver.find(begin));
    made->pool = pool;
    // Others come behind it.
    driver.enqueue(stream, "an allocation", [&driver, begin, bytes](const Work &work) {
      Allocation &allocation = findNow(driver, begin, work);
      driver.touch(allocation, rangeOf(allocation, begin, bytes), true, work);
    });
    *pointer = begin;
  });
}
int freeAsync(uint64_t pointer, void *handle) {
  return call("cuMemFreeAsync", true, [&](Driver &driver) {
    Stream *stream = driver.checkStream(handle);
    Allocation *allocation = driver.check(pointer, 0, "what is freed");
    if (pointer != allocation->begin)
      fail(kInvalidValue, "what is freed is no begin of an allocation");
    allocation->isFreed = true;
    driver.enqueue(stream, "a free", [&driver, pointer](const Work &work) {
      Allocation &dying = findNow(driver, pointer, work);
      driver.touch(dying, rangeOf(dying, pointer, dying.size), true, work);
      driver.release(dying);
    });
  });
}

} // namespace

Command fake::makeMemset(Driver &driver, uint64_t target, size_t pitch, uint32_t value, unsigned width, size_t columns,
                         size_t rows) {
  if (width != 1 && width != 2 && width != 4)
    fail(kInvalidValue, "elements of " + std::to_string(width) + " bytes");
  if (!columns || !rows || (rows > 1 && pitch < columns * width))
    fail(kInvalidValue, "a fill of nothing, or of rows that overlap");
  if (target % width || (rows > 1 && pitch % width))
    fail(kInvalidValue, "a fill at no multiple of its element");
  size_t bytes = (rows - 1) * pitch + columns * width;
  driver.check(target, bytes, "the target of a fill");
  return [&driver, target, pitch, value, width, columns, rows, bytes](Stream *stream) {
    driver.check(target, bytes, "the target of a fill");
    driver.enqueue(stream, "a fill", [=, &driver](const Work &work) {
      Allocation &allocation = findNow(driver, target, work);
      driver.touch(allocation, rangeOf(allocation, target, bytes), true, work);
      for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column)
          std::memcpy(allocation.bytes + (target - allocation.begin) + row * pitch + column * width, &value, width);
    });
  };
}

Command fake::makeCopy(Driver &driver, uint64_t target, uint64_t source, size_t bytes) {
  auto check = [&driver, target, source, bytes] {
    driver.check(target, bytes, "the target of a copy");
    driver.check(source, bytes, "the source of a copy");
    if (!bytes || (source < target + bytes && target < source + bytes))
      fail(kInvalidValue, "a copy of nothing, or between parts that overlap");
  };
  check();
  return [&driver, target, source, bytes, check](Stream *stream) {
    check();
    driver.enqueue(stream, "a copy", [&driver, target, source, bytes](const Work &work) {
      Allocation &from = findNow(driver, source, work), &to = findNow(driver, target, work);
      driver.touch(from, rangeOf(from, source, bytes), false, work);
      driver.touch(to, rangeOf(to, target, bytes), true, work);
      std::memcpy(to.bytes + (target - to.begin), from.bytes + (source - from.begin), bytes);
    });
  };
}

std::vector<Entry> fake::getMemoryCalls() {
  return {makeEntry("cuMemAlloc", 3020, memAlloc),
          makeEntry("cuMemFree", 3020, memFree),
          makeEntry("cuMemHostAlloc", 2020, hostAlloc),
          makeEntry("cuMemFreeHost", 2000, freeHost),
          makeEntry("cuMemcpyHtoDAsync", 7000, copyIn),
          makeEntry("cuMemcpyDtoHAsync", 7000, copyOut),
          makeEntry("cuMemcpyDtoDAsync", 7000, copyOn),
          makeEntry("cuMemsetD8Async", 7000, fill8),
          makeEntry("cuMemsetD16Async", 7000, fill16),
          makeEntry("cuMemsetD32Async", 7000, fill32),
          makeEntry("cuMemsetD2D8Async", 7000, fillRows),
          makeEntry("cuMemPoolCreate", 11020, poolCreate),
          makeEntry("cuMemPoolDestroy", 11020, poolDestroy),
          makeEntry("cuMemPoolSetAttribute", 11020, poolSetAttribute),
          makeEntry("cuMemAllocFromPoolAsync", 11020, allocateAsync),
          makeEntry("cuMemPoolSetAccess", 11020, poolSetAccess),
          makeEntry("cuMemcpyPeerAsync", 7000, copyPeer),
          makeEntry("cuMemFreeAsync", 11020, freeAsync)};
}
