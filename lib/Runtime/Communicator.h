// One rank's end of what connects the ranks of a program.
#ifndef TINY_LIB_RUNTIME_COMMUNICATOR_H
#define TINY_LIB_RUNTIME_COMMUNICATOR_H

#include "Tiny/Runtime/Communicator.h"

#include "Signal.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tiny {
namespace runtime {

/// Runs calls of one rank beside its kernels, one after the other in the order in which they come. Its thread begins
/// with the first one.
class CallQueue {
public:
  ~CallQueue();
  /// Gives the call's number. The call reports through tiny::runtime::fail.
  uint64_t push(std::function<tiny_status()> call);
  /// Waits for the call of this number and those before it, and reports the first of them that failed; none behind it
  /// is made. What was reported is not reported again.
  tiny_status wait(uint64_t number);
  /// The same, for all of them.
  tiny_status drain();
  bool isIdle();

private:
  void work();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<tiny_status()>> calls;
  uint64_t pushed = 0, done = 0;
  Failure failure;
  bool isClosing = false;
  std::thread thread;
};

} // namespace runtime
} // namespace tiny

/// Implementations report through tiny::runtime::fail. One call at a time.
struct tiny_communicator {
  tiny_communicator(uint32_t rank, uint32_t size) : rank(rank), size(size) {
    static std::atomic<uint64_t> last{0};
    number = ++last;
  }
  virtual ~tiny_communicator() = default;
  virtual tiny_status call(const tiny_group_call &call) = 0;
  virtual void abort(const char *message) = 0;
  /// A collective of other ranks in the program's order.
  virtual void passOver() {}

  /// Whether a call is made on the device's own memory. The call has neither source nor target.
  virtual bool runsOn(const tiny_device &, const tiny_group_call &) const { return false; }
  /// Waits until all ranks come to a call on a device's memory.
  virtual tiny_status meet(const tiny_group_call &) { return TINY_OK; }
  /// Hands the call to a stream of the device. Source and target are addresses there.
  virtual tiny_status callOnDevice(const tiny_group_call &, void *) { return TINY_UNSUPPORTED; }

  const uint32_t rank, size;
  /// Calls that run beside kernels. Whoever calls directly drains it first: ranks keep the program's order.
  tiny::runtime::CallQueue beside;
  /// No other one's of this process, also when this one is gone and its address is another's.
  uint64_t number;
  std::atomic<double> timeout{120};
};

namespace tiny {
namespace runtime {

/// The place of a rank on each axis of the grid.
std::vector<int64_t> getPlace(const std::vector<int64_t> &grid, uint32_t rank);
/// The ranks that differ from this one along `axes` alone, in row-major order of these; gives its number among them.
uint32_t findGroup(const std::vector<int64_t> &grid, const std::vector<uint32_t> &axes, uint32_t rank,
                   std::vector<uint32_t> &group);
/// Checks the call and makes it.
tiny_status callCollective(tiny_communicator &communicator, tiny_group_call call);
/// All ranks have the same number; otherwise the message says "rank 2 `differs` than rank 0".
tiny_status agree(tiny_communicator &communicator, uint64_t number, const char *differs);
/// The seconds that this variable of the environment says, or 120.
tiny_status readTimeout(const char *variable, double &seconds);
/// The name of a kind, "all-reduce".
const char *getCollectiveName(tiny_collective_kind kind);
/// "all-reduce of 48 bytes".
void describeCollective(const tiny_group_call *call, char *text, uint64_t room);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_COMMUNICATOR_H
