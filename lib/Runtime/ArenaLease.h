// The memory of a program's temporaries during a run.
#ifndef TINY_LIB_RUNTIME_ARENALEASE_H
#define TINY_LIB_RUNTIME_ARENALEASE_H

#include "Program.h"

#include <mutex>

namespace tiny {
namespace runtime {

/// An arena of the program's for the time of one run.
class ArenaLease {
public:
  explicit ArenaLease(tiny_program &program) : program(program) {}
  ~ArenaLease() {
    if (!held)
      return;
    std::lock_guard<std::mutex> lock(program.arenasMutex);
    // The room was reserved when the arena was made: giving it back cannot fail.
    program.idleArenas.push_back(memory);
  }

  tiny_status acquire() {
    if (!program.arenaSize)
      return TINY_OK;
    {
      std::lock_guard<std::mutex> lock(program.arenasMutex);
      if (!program.idleArenas.empty()) {
        memory = program.idleArenas.back();
        program.idleArenas.pop_back();
        held = true;
        return TINY_OK;
      }
      program.idleArenas.reserve(++program.nArenas);
    }
    memory.size = program.arenaSize;
    tiny_status status = program.device->allocateCounted(memory);
    held = status == TINY_OK;
    return status;
  }

  Memory memory;

private:
  tiny_program &program;
  bool held = false;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_ARENALEASE_H
