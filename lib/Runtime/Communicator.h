// One rank's end of what connects the ranks of a program.
#ifndef TINY_LIB_RUNTIME_COMMUNICATOR_H
#define TINY_LIB_RUNTIME_COMMUNICATOR_H

#include "Tiny/Runtime/Communicator.h"

#include <atomic>
#include <vector>

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

  const uint32_t rank, size;
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
/// All ranks have the same number, which stands for what they run; otherwise the message names a rank that has another.
tiny_status agree(tiny_communicator &communicator, uint64_t identity, const char *program);
/// TINY_COLLECTIVE_TIMEOUT of the environment, or 120 seconds.
double getDefaultTimeout();
/// The name of a kind, "all-reduce".
const char *getCollectiveName(tiny_collective_kind kind);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_COMMUNICATOR_H
