// The threads that share the grid of a kernel.
#ifndef TINY_LIB_RUNTIME_CPU_THREADPOOL_H
#define TINY_LIB_RUNTIME_CPU_THREADPOOL_H

#include "Tiny/Runtime/Runtime.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tiny {
namespace runtime {

/// Runs loops on the calling thread and others that wait for work, spinning for some microseconds before they sleep.
/// One loop at a time is shared; a second one, from another thread, runs on its caller alone. Threads are started with
/// the first loop that wants them and live as long as the process.
class ThreadPool {
public:
  /// `TINY_NUM_THREADS` where it is a positive number, else the machine's processors, shared
  /// among the processes that MPI started there.
  ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// On how many threads loops run from now on, the caller included; at least 1. Waits for the end of a running loop.
  void setThreads(unsigned count);
  unsigned getThreads() const { return nThreads.load(std::memory_order_relaxed); }

  /// Part of a loop: indices from `begin` to `end`.
  using Body = void (*)(void *context, int64_t begin, int64_t end);
  /// Calls `body` on parts that together are 0 to `count`, each index once, and returns after the last one's end. Where
  /// `times` are wanted, they are of the parts in the order of their indices.
  void run(int64_t count, Body body, void *context, std::vector<tiny_part> *times = nullptr);

private:
  void work(unsigned number);
  void takeParts(unsigned thread);
  void timePart(unsigned thread, int64_t begin);
  bool startThreads();

  std::atomic<unsigned> nThreads;
  unsigned nStarted = 0;
  /// Held by whoever's loop is shared.
  std::mutex loopMutex;

  /// The loop. Written while nobody can join.
  Body body = nullptr;
  void *context = nullptr;
  int64_t count = 0, part = 1;
  /// Where the times of the parts go, or null, and from when they count.
  tiny_part *times = nullptr;
  std::chrono::steady_clock::time_point start;
  alignas(64) std::atomic<int64_t> next{0};
  /// How many workers are in the loop; with `kClosed` none may join.
  static constexpr uint32_t kClosed = 1u << 31;
  alignas(64) std::atomic<uint32_t> joined{kClosed};
  /// Counts loops.
  alignas(64) std::atomic<uint64_t> epoch{0};
  std::atomic<unsigned> sleepers{0};
  std::mutex sleepMutex;
  std::condition_variable wake;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CPU_THREADPOOL_H
