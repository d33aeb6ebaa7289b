// Steps of one run on several devices: each device has a queue, which is a thread, and a timeline, which is a signal.
#ifndef TINY_LIB_RUNTIME_TIMELINES_H
#define TINY_LIB_RUNTIME_TIMELINES_H

#include "Device.h"
#include "Signal.h"

#include <deque>
#include <map>
#include <thread>

namespace tiny {
namespace runtime {

/// What a step does with a part of a device's memory. Two memories share no byte.
struct MemoryUse {
  Region region;
  bool isWritten = false;
};

/// A queue runs its steps in the order in which they came; the n-th raises the queue's signal to n. A step waits for
/// the steps of other queues that touched the same bytes before, where one of both writes, and for nothing else. What a
/// device does behind its call is ordered by the device itself. One thread pushes and waits.
class Timelines {
public:
  explicit Timelines(const std::vector<tiny_device *> &devices);
  ~Timelines();

  /// Has the queue of this number do the work. A failure may be that of a step before; later steps then do not run.
  tiny_status push(size_t queue, const std::vector<MemoryUse> &uses, std::function<tiny_status()> work);
  /// Waits for the steps that wrote to the region.
  tiny_status waitFor(const Region &region);
  /// Waits until no step runs, or will run; the first failure.
  tiny_status drain();
  /// After a failure steps end without being run.
  bool hasFailed() const { return failed; }

private:
  /// A step of a queue, by its number there.
  struct Point {
    size_t queue = 0;
    uint64_t number = 0;
  };
  struct Step {
    std::vector<Point> waits;
    std::function<tiny_status()> work;
  };
  struct Queue {
    tiny_device *device = nullptr;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Step> steps;
    bool isClosing = false;
    /// Of the last step that was pushed, and of the last one that ended, well or not.
    uint64_t last = 0, ended = 0;
    tiny_signal done;
    std::thread thread;
  };
  struct Access {
    uint64_t begin, end;
    bool isWritten;
    Point point;
  };

  void work(Queue &queue);
  tiny_status run(Queue &queue, Step &step);
  tiny_status wait(const Point &point);
  void setFailure(Queue &queue, tiny_status status);
  void remember(const MemoryUse &use, const Point &point, std::vector<Point> &waits);

  std::deque<Queue> queues;
  std::map<const Memory *, std::vector<Access>> accesses;
  std::mutex failureMutex;
  Failure failure;
  std::atomic<bool> failed{false};
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_TIMELINES_H
