// Runs parallel loops on worker threads, which spin a while before they sleep.
#include "ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tiny::runtime;

namespace {

/// More threads than this are a mistake, not a machine.
constexpr unsigned kMostThreads = 1024;
/// Parts for each thread: enough that one which is held up does not hold up the loop.
constexpr int64_t kPartsPerThread = 8;
/// Longer than the time between two launches of a program, shorter than what others on the machine would notice.
constexpr std::chrono::microseconds kSpinTime(30);
/// So long a worker that has nothing left to do waits for the others' last parts: to wake it for the next loop can take
/// longer than a part.
constexpr std::chrono::microseconds kLongestPart(1000);

unsigned countThreads() {
  if (const char *text = std::getenv("TINY_NUM_THREADS")) {
    char *end;
    long number = std::strtol(text, &end, 10);
    if (*text && !*end && number >= 1)
      return static_cast<unsigned>(std::min<long>(number, kMostThreads));
  }
  // Processes that MPI's launchers started on this machine share its processors.
  unsigned processes = 1;
  for (const char *name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"})
    if (const char *text = std::getenv(name))
      processes = static_cast<unsigned>(std::clamp<long>(std::strtol(text, nullptr, 10), 1, kMostThreads));
  return std::max(1u, std::min(kMostThreads, std::thread::hardware_concurrency() / processes));
}

inline void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Waits until the condition holds; false when it did not within the time to spin.
template <typename Condition> bool spin(Condition condition, std::chrono::microseconds time = kSpinTime) {
  auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    for (int i = 0; i < 64; ++i) {
      if (condition())
        return true;
      pause();
    }
    if (std::chrono::steady_clock::now() > end)
      return condition();
  }
}

} // namespace

ThreadPool::ThreadPool() : nThreads(countThreads()) {}

void ThreadPool::setThreads(unsigned count) {
  std::lock_guard<std::mutex> lock(loopMutex);
  nThreads.store(std::max(1u, std::min(count, kMostThreads)), std::memory_order_relaxed);
}

/// Where the system refuses a thread, the loop runs on those that there are.
bool ThreadPool::startThreads() {
  for (; nStarted + 1 < getThreads(); ++nStarted) {
    try {
      std::thread(&ThreadPool::work, this, nStarted).detach();
    } catch (const std::system_error &) {
      break;
    }
  }
  return nStarted > 0;
}

void ThreadPool::timePart(unsigned thread, int64_t begin) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point from = Clock::now();
  body(context, begin, std::min(count, begin + part));
  auto inNanoseconds = [](Clock::duration time) {
    return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  };
  times[begin / part] = {thread, inNanoseconds(from - start), inNanoseconds(Clock::now() - from)};
}

void ThreadPool::takeParts(unsigned thread) {
  for (;;) {
    int64_t begin = next.fetch_add(part, std::memory_order_relaxed);
    if (begin >= count)
      return;
    if (times)
      timePart(thread, begin);
    else
      body(context, begin, std::min(count, begin + part));
  }
}

void ThreadPool::run(int64_t total, Body loopBody, void *loopContext, std::vector<tiny_part> *wanted) {
  std::chrono::steady_clock::time_point begin;
  if (wanted)
    begin = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(loopMutex, std::defer_lock);
  if (total < 2 || getThreads() < 2 || !lock.try_lock() || !startThreads()) {
    loopBody(loopContext, 0, total);
    if (wanted)
      wanted->assign(1, {0, 0, uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count())});
    return;
  }
  body = loopBody;
  context = loopContext;
  count = total;
  part = std::max<int64_t>(1, total / (getThreads() * kPartsPerThread));
  if (wanted)
    wanted->resize(size_t((total + part - 1) / part));
  times = wanted ? wanted->data() : nullptr;
  start = begin;
  next.store(0, std::memory_order_relaxed);
  joined.store(0, std::memory_order_release);
  // Either a worker that goes to sleep sees the new epoch, or it is seen here as a sleeper.
  epoch.fetch_add(1);
  if (sleepers.load() != 0) {
    std::lock_guard<std::mutex> sleep(sleepMutex);
    wake.notify_all();
  }
  takeParts(0);
  // Workers that are late for the loop find it closed: nobody waits for them.
  joined.fetch_or(kClosed, std::memory_order_acq_rel);
  auto isDone = [&] { return joined.load(std::memory_order_acquire) == kClosed; };
  while (!spin(isDone))
    std::this_thread::yield();
}

void ThreadPool::work(unsigned number) {
  uint64_t seen = 0;
  for (;;) {
    auto isNew = [&] { return epoch.load() != seen; };
    if (!spin(isNew)) {
      std::unique_lock<std::mutex> sleep(sleepMutex);
      ++sleepers;
      wake.wait(sleep, isNew);
      --sleepers;
    }
    seen = epoch.load();
    if (number + 1 >= getThreads())
      continue;
    uint32_t others = joined.load(std::memory_order_relaxed);
    while (!(others & kClosed) && !joined.compare_exchange_weak(others, others + 1, std::memory_order_acq_rel)) {
    }
    if (others & kClosed)
      continue;
    takeParts(number + 1);
    joined.fetch_sub(1, std::memory_order_release);
    spin([&] { return (joined.load(std::memory_order_acquire) & kClosed) || isNew(); }, kLongestPart);
  }
}
