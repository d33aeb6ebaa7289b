#ifndef TINY_LIB_RUNTIME_BUFFER_H
#define TINY_LIB_RUNTIME_BUFFER_H

#include "Device.h"

struct tiny_buffer {
  tiny_device *device = nullptr;
  /// The storage, for a buffer that is no view; views point to their root's.
  tiny::runtime::Memory storage;
  tiny::runtime::Memory *memory = nullptr;
  uint64_t offset = 0, size = 0;
  bool readOnly = false;
  /// The buffer that owns the storage of a view; never a view itself.
  tiny_buffer *root = nullptr;
  /// Of an import.
  void *hostData = nullptr;
  tiny_release_fn release = nullptr;
  void *releaseContext = nullptr;

  /// A part of the buffer that was checked to be inside.
  tiny::runtime::Region region(uint64_t begin, uint64_t bytes) const { return {memory, offset + begin, bytes}; }
  tiny::runtime::Region region() const { return region(0, size); }
};

namespace tiny {
namespace runtime {

/// Whether memory of the host's can be a buffer's.
tiny_status checkImport(const void *data, uint64_t size, bool isWritten);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_BUFFER_H
