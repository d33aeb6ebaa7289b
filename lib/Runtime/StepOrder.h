// Which steps of a program on several devices follow each other, whatever memory their temporaries get.
#ifndef TINY_LIB_RUNTIME_STEPORDER_H
#define TINY_LIB_RUNTIME_STEPORDER_H

#include "Program.h"

namespace tiny {
namespace runtime {

/// The queue of a launch, a copy or a fill: that of its device. A copy between two goes to that of the device with
/// memory of its own, so that processors compute meanwhile, or of the one that it goes to.
uint32_t findQueue(const tiny_program &program, const Step &step);

/// Steps of one queue follow each other, and a step follows those that wrote what it uses, or used what it writes. What
/// the host waits for stands in front of all that it hands out later. Memory that two temporaries share adds an order
/// of its own: the plan shares where there is one already, so that devices wait for data alone.
class StepOrder {
public:
  explicit StepOrder(const tiny_program &program);

  /// Whether every step that uses the root `before` has ended when one that uses the root `behind` begins.
  bool isOrdered(uint32_t before, uint32_t behind) const;

private:
  /// By queue, the number behind the last step that is known to have ended.
  using Clock = std::vector<uint32_t>;
  struct Access {
    uint64_t begin, end;
    bool isWritten;
    uint32_t step;
  };

  void enter(uint32_t index);
  Clock collect(const Step &step);

  const tiny_program &program;
  /// What the host has waited for, and the last step of each queue.
  Clock host, last;
  /// By step, when it begins; the queue that it is on, or none.
  std::vector<Clock> clocks;
  std::vector<uint32_t> queues;
  /// By root.
  std::vector<std::vector<Access>> accesses;
  std::vector<Clock> ends;
  std::vector<std::vector<uint32_t>> steps;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_STEPORDER_H
