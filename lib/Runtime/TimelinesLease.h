// The queues of a run on several devices.
#ifndef TINY_LIB_RUNTIME_TIMELINESLEASE_H
#define TINY_LIB_RUNTIME_TIMELINESLEASE_H

#include "Program.h"
#include "Timelines.h"

namespace tiny {
namespace runtime {

/// Timelines of the program's for the time of one run: their threads stay for the next one.
class TimelinesLease {
public:
  explicit TimelinesLease(tiny_program &program) : program(program) {}
  ~TimelinesLease() { giveBack(); }

  void acquire() {
    std::lock_guard<std::mutex> lock(program.arenasMutex);
    if (!program.idleTimelines.empty()) {
      held = std::move(program.idleTimelines.back());
      program.idleTimelines.pop_back();
      return;
    }
    std::vector<tiny_device *> devices;
    devices.reserve(program.devices.size());
    for (const ProgramDevice &own : program.devices)
      devices.push_back(own.device);
    held = std::make_unique<Timelines>(devices);
    program.idleTimelines.reserve(++program.nTimelines);
  }

  /// Waits until no step runs. What failed is not used again.
  void giveBack() {
    if (!held)
      return;
    if (held->drain()) {
      held.reset();
      return;
    }
    std::lock_guard<std::mutex> lock(program.arenasMutex);
    // The room was reserved when they were made: giving them back cannot fail.
    program.idleTimelines.push_back(std::move(held));
  }

  explicit operator bool() const { return held != nullptr; }
  Timelines *operator->() const { return held.get(); }

private:
  tiny_program &program;
  std::unique_ptr<Timelines> held;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_TIMELINESLEASE_H
