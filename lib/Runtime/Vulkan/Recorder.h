// Work of the device in its order: commands are recorded into batches, batches are submitted to the one queue, and a
// timeline semaphore counts those that are done.
#ifndef TINY_LIB_RUNTIME_VULKAN_RECORDER_H
#define TINY_LIB_RUNTIME_VULKAN_RECORDER_H

#include "Storage.h"

#include <deque>
#include <functional>

namespace tiny {
namespace runtime {
namespace vulkan {

/// A part of a storage that a command reads, or writes too.
struct Use {
  Storage *storage = nullptr;
  uint64_t offset = 0, size = 0;
  bool writes = false;
};

/// Commands that are submitted together.
struct Batch {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  /// Of which the first `nSets` are full.
  std::vector<VkDescriptorPool> sets;
  size_t nSets = 0;
  uint64_t value = 0;
  uint32_t nCommands = 0;
  /// What is freed when it is done.
  std::vector<std::unique_ptr<Storage>> garbage;
};

/// Records commands in the order of its calls, from any thread. A command sees what those before it wrote where it uses
/// the same bytes. A command that cannot be recorded is none.
class Recorder {
public:
  explicit Recorder(Context &context) : context(context) {}

  tiny_status open();

  /// One command on these parts. `command` adds it to the batch.
  tiny_status record(const Use *uses, size_t count, const std::function<tiny_status(Batch &)> &command);
  /// A descriptor set of the layout that lives as long as the batch.
  tiny_status allocateSet(Batch &batch, VkDescriptorSetLayout layout, VkDescriptorSet &set);
  /// Waits until nothing uses the storage any more.
  tiny_status waitFor(const Storage &storage) { return wait(storage.lastUse); }
  /// Submits what is recorded.
  tiny_status flush();
  /// Waits for everything.
  tiny_status synchronize();
  /// Frees a storage once nothing uses it.
  void retire(std::unique_ptr<Storage> storage);
  void free(const Storage &storage);

private:
  tiny_status begin();
  tiny_status submit();
  tiny_status wait(uint64_t value);
  tiny_status waitUnlocked(std::unique_lock<std::mutex> &lock, uint64_t value);
  void collect();
  void orderAfterConflicts(const Use *uses, size_t count);

  Context &context;
  std::mutex mutex;
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::unique_ptr<Batch> current;
  std::deque<std::unique_ptr<Batch>> inFlight;
  std::vector<std::unique_ptr<Batch>> idle;
  /// Of the last batch that was begun, and of the last one that is known to be done.
  uint64_t lastValue = 0, doneValue = 0;
  struct Access {
    uint64_t begin, size;
    bool writes;
  };
  /// By commands since the last barrier.
  std::vector<Access> accesses;
};

} // namespace vulkan
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_VULKAN_RECORDER_H
