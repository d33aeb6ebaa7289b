// The memory of a program's temporaries during a run.
#ifndef TINY_LIB_RUNTIME_ARENALEASE_H
#define TINY_LIB_RUNTIME_ARENALEASE_H

#include "Program.h"

#include <mutex>

namespace tiny {
namespace runtime {

/// An arena on each of the program's devices for the time of one run.
class ArenaLease {
public:
  explicit ArenaLease(tiny_program &program) : program(program) {}
  ~ArenaLease() {
    if (!held)
      return;
    std::lock_guard<std::mutex> lock(program.arenasMutex);
    // The room was reserved when the arenas were made: giving them back cannot fail.
    program.idleArenas.push_back(std::move(memories));
  }

  tiny_status acquire() {
    if (!program.arenaSize)
      return TINY_OK;
    {
      std::lock_guard<std::mutex> lock(program.arenasMutex);
      if (!program.idleArenas.empty()) {
        memories = std::move(program.idleArenas.back());
        program.idleArenas.pop_back();
        held = true;
        return TINY_OK;
      }
      program.idleArenas.reserve(++program.nArenas);
    }
    memories.resize(program.devices.size());
    for (size_t k = 0; k < memories.size(); ++k) {
      memories[k].size = program.devices[k].arenaSize;
      tiny_status status = memories[k].size ? program.devices[k].device->allocateCounted(memories[k]) : TINY_OK;
      if (!status)
        continue;
      while (k--)
        if (memories[k].size)
          program.devices[k].device->freeCounted(memories[k]);
      return status;
    }
    held = true;
    return TINY_OK;
  }

  /// By device; empty where there are no temporaries.
  std::vector<Memory> memories;

private:
  tiny_program &program;
  bool held = false;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_ARENALEASE_H
