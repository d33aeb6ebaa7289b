// Memory of the device: blocks from Vulkan, parts of blocks for buffers, and host memory that is imported.
#ifndef TINY_LIB_RUNTIME_VULKAN_STORAGE_H
#define TINY_LIB_RUNTIME_VULKAN_STORAGE_H

#include "Context.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tiny {
namespace runtime {
namespace vulkan {

/// One allocation of Vulkan's under one buffer.
struct Block {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t size = 0;
  /// Where the host sees it; null where it does not.
  char *host = nullptr;
  /// Of its first byte: the host's, or one that no other block has.
  uint64_t address = 0;
  /// Free parts by offset.
  std::map<uint64_t, uint64_t> holes;
};

class Pool;

/// What a Memory's handle is: bytes of a block, or of host memory that was imported.
struct Storage {
  VkBuffer buffer = VK_NULL_HANDLE;
  /// In the buffer. `size` is at least 1 and what was asked for at least.
  uint64_t offset = 0, size = 0;
  char *host = nullptr;
  uint64_t address = 0;
  /// Where it is a part of a block.
  Pool *pool = nullptr;
  Block *block = nullptr;
  /// Of an import.
  VkDeviceMemory imported = VK_NULL_HANDLE;
  /// The last submission that touches it; see Recorder.
  std::atomic<uint64_t> lastUse{0};
};

/// Hands out parts of one kind of memory. Small ones share blocks. Thread-safe.
class Pool {
public:
  /// The kind is read when memory is allocated first.
  Pool(Context &context, const MemoryKind &kind) : context(context), kind(kind) {}

  tiny_status allocate(uint64_t size, std::unique_ptr<Storage> &storage);
  void free(const Storage &storage);

private:
  tiny_status makeBlock(uint64_t size, std::unique_ptr<Block> &block);
  void destroyBlock(Block &block);
  bool take(Block &block, uint64_t size, Storage &storage);

  Context &context;
  const MemoryKind &kind;
  std::mutex mutex;
  std::vector<std::unique_ptr<Block>> blocks;
  uint64_t reserved = 0;
};

/// Host memory as a buffer, without a copy. TINY_UNSUPPORTED where the device cannot compute on it.
tiny_status importStorage(Context &context, void *data, uint64_t size, std::unique_ptr<Storage> &storage);
void freeImport(Context &context, const Storage &storage);

} // namespace vulkan
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_VULKAN_STORAGE_H
