// Queues of several devices, and which step waits for which.
#include "Timelines.h"
#include "Error.h"

#include <algorithm>

using namespace tiny::runtime;

/// Steps that a queue holds at most; who pushes more waits.
static constexpr uint64_t kMostWaiting = 256;
/// Accesses of one memory that are compared before those of steps that ended are dropped.
static constexpr size_t kMostAccesses = 64;

Timelines::Timelines(const std::vector<tiny_device *> &devices) {
  for (tiny_device *device : devices)
    queues.emplace_back().device = device;
}

Timelines::~Timelines() {
  for (Queue &queue : queues) {
    {
      std::lock_guard<std::mutex> lock(queue.mutex);
      queue.isClosing = true;
    }
    queue.changed.notify_all();
    if (queue.thread.joinable())
      queue.thread.join();
  }
}

static bool isReached(tiny_signal &signal, uint64_t number) {
  std::lock_guard<std::mutex> lock(signal.mutex);
  return signal.value >= number;
}

tiny_status Timelines::wait(const Point &point) { return queues[point.queue].done.wait(point.number, TINY_FOREVER); }

tiny_status Timelines::run(Queue &queue, Step &step) {
  for (const Point &point : step.waits) {
    // What the device has not begun must not wait for the others.
    if (!isReached(queues[point.queue].done, point.number))
      if (tiny_status status = queue.device->flush())
        return status;
    if (tiny_status status = wait(point))
      return status;
  }
  if (!failed)
    return guarded(step.work);
  std::lock_guard<std::mutex> lock(failureMutex);
  return failure.report();
}

/// Whoever waits for the queue gets what it failed with; the run, the failure that came first.
void Timelines::setFailure(Queue &queue, tiny_status status) {
  Failure own = Failure::ofThisThread(status);
  {
    std::lock_guard<std::mutex> lock(failureMutex);
    if (!failure)
      failure = own;
    failed = true;
  }
  queue.done.fail(own);
}

void Timelines::work(Queue &queue) {
  std::unique_lock<std::mutex> lock(queue.mutex);
  for (uint64_t number = 1;; ++number) {
    if (queue.steps.empty() && !queue.isClosing) {
      lock.unlock();
      if (tiny_status status = queue.device->flush())
        setFailure(queue, status);
      lock.lock();
      queue.changed.wait(lock, [&] { return !queue.steps.empty() || queue.isClosing; });
    }
    if (queue.steps.empty())
      return;
    Step step = std::move(queue.steps.front());
    queue.steps.pop_front();
    lock.unlock();
    if (tiny_status status = run(queue, step))
      setFailure(queue, status);
    else
      (void)queue.done.raise(number);
    step = Step();
    lock.lock();
    ++queue.ended;
    queue.changed.notify_all();
  }
}

/// Finds what the use waits for, and enters it. What a write covers is behind it from now on.
void Timelines::remember(const MemoryUse &use, const Point &point, std::vector<Point> &waits) {
  const Region &region = use.region;
  if (!region.size)
    return;
  std::vector<Access> &known = accesses[region.memory];
  uint64_t begin = region.offset, end = region.offset + region.size;
  auto isBehind = [&](const Access &access) {
    bool meets = access.begin < end && begin < access.end && (use.isWritten || access.isWritten);
    if (meets && access.point.queue != point.queue)
      waits.push_back(access.point);
    return use.isWritten && begin <= access.begin && access.end <= end;
  };
  known.erase(std::remove_if(known.begin(), known.end(), isBehind), known.end());
  if (known.size() >= kMostAccesses)
    known.erase(std::remove_if(known.begin(), known.end(),
                               [&](const Access &access) {
                                 return isReached(queues[access.point.queue].done, access.point.number);
                               }),
                known.end());
  auto same = std::find_if(known.begin(), known.end(), [&](const Access &access) {
    return access.begin == begin && access.end == end && access.isWritten == use.isWritten &&
           access.point.queue == point.queue;
  });
  if (same != known.end())
    same->point = point;
  else
    known.push_back({begin, end, use.isWritten, point});
}

tiny_status Timelines::push(size_t number, const std::vector<MemoryUse> &uses, std::function<tiny_status()> work) {
  if (failed)
    return drain();
  Queue &queue = queues[number];
  if (!queue.thread.joinable())
    queue.thread = std::thread([this, &queue] { this->work(queue); });
  if (queue.last >= kMostWaiting)
    if (tiny_status status = wait({number, queue.last + 1 - kMostWaiting}))
      return status;
  Step step;
  step.work = std::move(work);
  for (const MemoryUse &use : uses)
    remember(use, {number, queue.last + 1}, step.waits);
  // The last step of a queue ends behind those before it.
  std::vector<uint64_t> last(queues.size());
  for (const Point &point : step.waits)
    last[point.queue] = std::max(last[point.queue], point.number);
  step.waits.clear();
  for (size_t other = 0; other < last.size(); ++other)
    if (last[other])
      step.waits.push_back({other, last[other]});
  {
    std::lock_guard<std::mutex> lock(queue.mutex);
    queue.steps.push_back(std::move(step));
    ++queue.last;
  }
  queue.changed.notify_all();
  return TINY_OK;
}

tiny_status Timelines::waitFor(const Region &region) {
  auto known = accesses.find(region.memory);
  if (known == accesses.end())
    return TINY_OK;
  for (const Access &access : known->second)
    if (access.isWritten && access.begin < region.offset + region.size && region.offset < access.end)
      if (tiny_status status = wait(access.point))
        return status;
  return TINY_OK;
}

tiny_status Timelines::drain() {
  // The signal of a queue that failed says nothing of the steps behind.
  for (Queue &queue : queues) {
    std::unique_lock<std::mutex> lock(queue.mutex);
    queue.changed.wait(lock, [&] { return queue.ended == queue.last; });
  }
  accesses.clear();
  std::lock_guard<std::mutex> lock(failureMutex);
  return failure.report();
}
