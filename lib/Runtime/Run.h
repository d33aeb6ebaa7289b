// One run of a program.
#ifndef TINY_LIB_RUNTIME_RUN_H
#define TINY_LIB_RUNTIME_RUN_H

#include "ArenaLease.h"
#include "Overlaps.h"
#include "Tiny/Runtime/ItemKinds.h"
#include "TimelinesLease.h"

#include <map>

namespace tiny {
namespace runtime {

/// Checks its buffers and finishes results in ProgramRun.cpp, walks the steps in RunSteps.cpp.
class Run {
public:
  Run(tiny_program &program, tiny_buffer *const *arguments, tiny_buffer **results, bool haveHandles,
      const tiny_run_options *options)
      : program(program), device(program.device), arguments(arguments), results(results), haveHandles(haveHandles),
        arena(program), timelines(program) {
    if (options)
      profile = *options;
  }
  ~Run() {
    timelines.giveBack();
    // What runs beside a run that failed still uses its memory. Its own failure comes too late to be told.
    if (!pending.empty())
      (void)profile.communicator->beside.drain();
    for (Target &target : targets) {
      if (target.created)
        tiny_buffer_release(target.created);
      if (target.staging)
        tiny_buffer_release(target.staging);
    }
  }

  tiny_status run();

private:
  /// Where one result goes. Both buffers are this run's to release.
  struct Target {
    tiny_buffer *buffer = nullptr;  ///< what the caller gets or gave
    tiny_buffer *created = nullptr; ///< set while the caller has not taken it over
    tiny_buffer *staging = nullptr; ///< written in its place where it overlaps an argument
    bool inPlace = false;           ///< nothing is left to copy at the end
    bool isPart = false;            ///< it is the part of an argument that the program says
    tiny_buffer *written() const { return staging ? staging : buffer; }
  };

  tiny_status findLiveSizes();
  tiny_status checkArguments();
  tiny_status checkParts();
  tiny_status checkBuffer(const char *what, uint32_t index, const tiny_buffer *buffer, const PlannedSlot &slot,
                          uint64_t least);
  bool hasSizes() const { return !program.sizes.empty(); }
  /// The fewest bytes of an argument's buffer, and of a result's.
  uint64_t getLeastArgument(uint32_t index) const {
    return hasSizes() ? argumentBytes[index] : program.slots[index].size;
  }
  uint64_t getLeastResult(uint32_t index) const {
    return hasSizes() ? resultBytes[index] : program.slots[program.results[index].slot].size;
  }
  tiny_status prepareResults();
  tiny_status checkSupplied(uint32_t index);
  Overlaps findOverlaps() const;
  tiny_status checkOverlaps(const Overlaps &overlaps);
  tiny_status prepare();
  tiny_status execute();
  tiny_status bindBuffers();
  tiny_status runSteps(uint32_t begin, uint32_t end);
  tiny_status runOneByOne(uint32_t begin, uint32_t end);
  tiny_status runStep(const Step &step, const std::vector<Region> &regions);
  tiny_status pushStep(const Step &step, const std::vector<Region> &regions);
  tiny_status readNow(uint32_t slot, void *target);
  /// The device that a slot lies on.
  tiny_device &deviceOf(uint32_t slot) const { return *program.devices[program.slots[slot].device].device; }
#define TINY_RUN(KIND, Name) tiny_status run##Name(const Step &step, const std::vector<Region> &regions);
  TINY_WORKING_ITEMS(TINY_RUN)
  TINY_NESTING_ITEMS(TINY_RUN)
#undef TINY_RUN
  tiny_status finishResults();
  tiny_status readSizes();
  Region region(uint32_t slot) const;
  /// The part of a caller's buffer that a slot is; in a program with sizes the buffer may end before the slot does.
  Region partOf(const Region &buffer, const PlannedSlot &slot) const {
    if (!hasSizes())
      return {buffer.memory, buffer.offset + slot.rootOffset, slot.size};
    uint64_t begin = std::min(slot.rootOffset, buffer.size);
    return {buffer.memory, buffer.offset + begin, std::min(slot.size, buffer.size - begin)};
  }

  template <typename Work> tiny_status timed(tiny_device &on, const char *name, Work &&work);

  tiny_program &program;
  tiny_device *device;
  tiny_buffer *const *arguments;
  tiny_buffer **results;
  const bool haveHandles;
  tiny_run_options profile = {};
  ArenaLease arena;
  /// Where the program runs on several devices.
  TimelinesLease timelines;
  std::vector<Target> targets;
  /// The buffers of arguments and results, from `bindBuffers` on where the program wants them.
  std::vector<Region> argumentRegions, resultRegions;
  /// By slot: what steps look up, so that each finds its own in one place.
  std::vector<Region> resolved;
  /// By the slots of an async collective that runs, its number in the communicator's queue.
  std::map<std::vector<uint32_t>, uint64_t> pending;
  /// The rank's place on the axis of stages.
  uint64_t stage = 0;
  /// Of a program with sizes: what is live of arguments and results.
  std::vector<uint64_t> argumentBytes, resultBytes;
};

template <typename Work> tiny_status Run::timed(tiny_device &on, const char *name, Work &&work) {
  if (!profile.profile)
    return work();
  uint64_t nanoseconds = 0;
  tiny_status status = on.measure(work, nanoseconds);
  if (!status)
    profile.profile(profile.profile_context, name, nanoseconds);
  return status;
}

/// Copies as much as both have: in a program with sizes what is behind the live elements has no meaning.
tiny_status copyCommon(tiny_device &from, Region source, tiny_device &to, Region target);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_RUN_H
