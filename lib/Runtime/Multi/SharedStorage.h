// A storage with a copy on each of several devices, and which bytes of which copy are up to date.
#ifndef TINY_LIB_RUNTIME_MULTI_SHAREDSTORAGE_H
#define TINY_LIB_RUNTIME_MULTI_SHAREDSTORAGE_H

#include "Device.h"

#include <map>
#include <mutex>

namespace tiny {
namespace runtime {

/// Thread-safe: two runs may read one buffer on different devices.
class SharedStorage {
public:
  SharedStorage(const std::vector<tiny_device *> &members, uint64_t size, uint64_t address);
  SharedStorage(const SharedStorage &) = delete;
  SharedStorage &operator=(const SharedStorage &) = delete;
  ~SharedStorage();

  /// The part on a device, up to date: bytes that another one wrote are copied there first. What nobody wrote is
  /// unspecified everywhere.
  tiny_status getForReading(uint32_t member, uint64_t offset, uint64_t size, Region &region);
  /// The part on a device that is about to write all of it, or of which `keeps` says that it may not.
  tiny_status getForWriting(uint32_t member, uint64_t offset, uint64_t size, bool keeps, Region &region);
  /// A device that has these bytes, the first one where several do or none.
  uint32_t findOwner(uint64_t offset, uint64_t size);

  const uint64_t size, address;

private:
  tiny_status allocate(uint32_t member);
  tiny_status update(uint32_t member, uint64_t offset, uint64_t size);
  tiny_status transfer(uint32_t from, uint32_t to, uint64_t offset, uint64_t size);
  /// A part begins here.
  std::map<uint64_t, uint32_t>::iterator split(uint64_t offset);
  void mark(uint64_t offset, uint64_t size, uint32_t mask);

  const std::vector<tiny_device *> &members;
  std::mutex mutex;
  std::vector<Memory> copies;
  std::vector<bool> exists;
  /// Devices that have the bytes from here to the next part, as bits; the last part ends at `size`.
  std::map<uint64_t, uint32_t> parts;
};

/// Devices of one program at most: each is a bit.
constexpr size_t kMostMembers = 32;

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_MULTI_SHAREDSTORAGE_H
