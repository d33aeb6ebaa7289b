// Work of the device in streams: each thread that calls the runtime has one of its own, so that queues run side by
// side. What one stream does for another is ordered by events.
#ifndef TINY_LIB_RUNTIME_CUDA_STREAMS_H
#define TINY_LIB_RUNTIME_CUDA_STREAMS_H

#include "Context.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace tiny {
namespace runtime {
namespace cuda {

class Stream;

/// A place in a stream's work: all up to its command of this number. The stream may be another device's.
struct Mark {
  Stream *stream = nullptr;
  uint64_t number = 0;
};

/// Memory of the device, and what used it last.
struct Storage {
  CUdeviceptr pointer = 0;
  uint64_t size = 0;
  /// It is the pool's, and freed in a stream's order.
  bool isOrdered = false;
  Mark lastWrite;
  /// The last read on each stream since then.
  std::vector<Mark> lastReads;
};

/// A part of a storage that a command reads, or writes too.
struct Use {
  Storage *storage = nullptr;
  bool writes = false;
};

/// Memory of the host's that the device copies from and to.
struct Pinned {
  char *host = nullptr;
  uint64_t size = 0;
};

/// A stream, for one thread at a time.
class Stream {
public:
  CUstream handle = nullptr;

private:
  friend class Streams;
  /// Of its device.
  Context *context = nullptr;
  /// How many commands it got, and how many of them are known to be done.
  uint64_t issued = 0, completed = 0;
  /// Recorded behind so many.
  CUevent event = nullptr;
  uint64_t recorded = 0;
  /// In front of and behind what is measured; made when something is.
  CUevent timers[2] = {};
  /// How far it has waited for others.
  std::map<const Stream *, uint64_t> seen;
  /// Two halves of pinned memory, filled one after the other; each is free again behind its event.
  char *pinned = nullptr;
  CUevent pinnedEvents[2] = {};
  bool isPending[2] = {};
  int half = 0;
  uint64_t used = 0;
};

/// All streams of a device. Every function may be called from any thread; `Current` is on the stack of whoever calls.
class Streams {
public:
  explicit Streams(Context &context) : context(context), mutex(getMutex()) {}
  /// Of a device that could not be opened.
  ~Streams();
  tiny_status open();

  /// This thread's stream: made when it is first asked for, and given to another thread when this one ends.
  tiny_status getMine(Stream *&stream);

  /// One command on this thread's stream, behind what others did to the same memory. `command` hands it to the driver.
  template <typename Command> tiny_status enqueue(const std::vector<Use> &uses, Command &&command) {
    Stream *stream;
    if (tiny_status status = getMine(stream))
      return status;
    std::lock_guard<std::mutex> lock(mutex);
    if (tiny_status status = order(*stream, uses))
      return status;
    if (tiny_status status = command(stream->handle))
      return status;
    remember(*stream, uses);
    return TINY_OK;
  }

  /// The same, where the command may wait for other threads: they can hand over commands meanwhile.
  template <typename Command> tiny_status enqueueApart(const std::vector<Use> &uses, Command &&command) {
    Stream *stream;
    if (tiny_status status = getMine(stream))
      return status;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (tiny_status status = order(*stream, uses))
        return status;
    }
    if (tiny_status status = command(stream->handle))
      return status;
    std::lock_guard<std::mutex> lock(mutex);
    remember(*stream, uses);
    return TINY_OK;
  }

  /// Fresh memory, at a multiple of 256. From the pool where there is one.
  tiny_status allocate(uint64_t size, std::unique_ptr<Storage> &storage);
  /// Frees it when everything that uses it is done.
  void retire(std::unique_ptr<Storage> storage);

  /// As much pinned memory as a copy to the device, or from it, takes at a time; `size` is at most `kMostPinned`. What
  /// was taken before is used by commands up to now.
  tiny_status takePinned(uint64_t size, Pinned &pinned);
  static constexpr uint64_t kMostPinned = 4 << 20;

  /// Lets another device copy from its memory. False where it may not.
  bool allowAccess(Context &other);

  /// Waits for all of this thread's commands.
  tiny_status synchronize();
  /// Waits for those that `work` hands to this thread's stream, and says how long they took.
  tiny_status measure(const std::function<tiny_status()> &work, uint64_t &nanoseconds);

private:
  static std::mutex &getMutex();
  tiny_status create(std::unique_ptr<Stream> &stream);
  void destroy(Stream &stream);
  tiny_status order(Stream &stream, const std::vector<Use> &uses);
  tiny_status waitFor(Stream &stream, const Mark &mark);
  void remember(Stream &stream, const std::vector<Use> &uses);
  tiny_status allocateOrdered(Stream &stream, uint64_t size, Storage &storage);

  Context &context;
  CUmemoryPool pool = nullptr;
  /// Of all that follows, of the streams' counts, and of the marks of storages. Devices have one together: what one of
  /// them copies is marked in the other's storage.
  std::mutex &mutex;
  std::vector<std::unique_ptr<Stream>> all;
  std::vector<Stream *> idle;
  friend class Leases;
};

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_STREAMS_H
