// A program after verification and planning: what a run walks over.
#ifndef TINY_LIB_RUNTIME_PROGRAM_H
#define TINY_LIB_RUNTIME_PROGRAM_H

#include "Buffer.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tiny {
namespace runtime {

struct LoadedProgram;

/// Where the bytes of a slot are during a run.
enum class StorageKind {
  Argument,
  Constant,
  Arena,
  Result,
  Kept ///< computed from constants by the first run, for all of them
};

/// In place of a step: none.
constexpr uint32_t kNoStep = UINT32_MAX;

/// A slot as a part of the storage that its root slot names.
struct PlannedSlot {
  uint64_t size = 0;
  uint32_t alignment = 1;
  /// On an argument.
  bool writable = false;
  /// The slot whose storage this is a part of: itself, unless it is an alias.
  uint32_t root = 0;
  /// Into the root's bytes.
  uint64_t rootOffset = 0;
  /// Of a root: what holds it, and which one; in the arena, or in what is kept, at `arenaOffset`.
  StorageKind storage = StorageKind::Arena;
  uint32_t storageIndex = 0;
  uint64_t arenaOffset = 0;
  /// Of a root: the innermost loop that defines it anew in each iteration.
  uint32_t loop = kNoStep;
  /// Which of the program's devices it lies on.
  uint32_t device = 0;
};

/// An item that does work.
struct Step {
  explicit Step(tiny_item_kind kind) : kind(kind) {}
  tiny_item_kind kind;
  uint32_t kernel = 0;
  /// Launch: its slots. Copy: source, target. Fill: target.
  std::vector<uint32_t> slots;
  uint32_t nInputs = 0;
  std::array<char, 8> pattern = {};
  uint32_t patternSize = 0;
  /// Loop and branch: its lists are the steps behind it up to `end`; of a branch, those from `otherwise` on are the
  /// second one.
  uint32_t end = 0, otherwise = 0;
  /// Loop: the most iterations. Its slots are none or one each, behind the other: limit, counter, condition.
  uint64_t count = 0;
  /// Collective: what is done, and the elements of what the group's calls count.
  tiny_collective_kind collective = TINY_ALL_REDUCE;
  tiny_reduction reduction = TINY_REDUCE_NONE;
  tiny_dtype dtype = TINY_DTYPE_I8;
  std::vector<uint32_t> axes;
  uint32_t peers[2] = {0, 0};
  /// Bits of the stages that run it; 0 where all do.
  uint64_t places = 0;
  bool isAsync = false;
  bool hasLimit = false, hasCounter = false, hasCondition = false;
};

/// How a result gets its bytes.
enum class ResultKind {
  Direct, ///< the items write straight into it
  View,   ///< it is a part of a writable argument
  Copied  ///< copied at the end: a second name for a buffer, or a part of an argument or a constant
};

struct PlannedResult {
  uint32_t slot;
  ResultKind kind = ResultKind::Copied;
};

struct PlannedKernel {
  std::string name;
  std::unique_ptr<Kernel> kernel;
  bool inPlace = false;
  bool empty = false;
  /// Which of the program's devices runs it.
  uint32_t device = 0;
};

/// A device that slots lie on, and what the program has there.
struct ProgramDevice {
  tiny_device *device = nullptr;
  /// Arenas of all devices lie behind each other, as far as offsets tell.
  uint64_t arenaBegin = 0, arenaSize = 0;
  /// What the preparation keeps.
  uint64_t keptSize = 0;
  Memory kept;
};

/// The bytes of a constant, on one of the program's devices.
struct PlacedConstant {
  Memory memory;
  uint32_t device = 0;
};

class Timelines;

/// A size that is known when the program runs; see tiny_size.
struct ProgramSize {
  std::string name;
  int64_t least, most;
  bool isComputed;
};

/// A temporary's place on the time line of steps, for the plan: it is needed from step `begin` to step `end`, both
/// included.
struct Lifetime {
  uint32_t slot;
  uint32_t begin, end;
};

} // namespace runtime
} // namespace tiny

struct tiny_program {
  tiny_program();
  /// Arguments and results are its buffers.
  tiny_device *device = nullptr;
  /// The device, or, where items say what is copied between its members, these.
  std::vector<tiny::runtime::ProgramDevice> devices;
  bool isOnSeveral() const { return devices.size() > 1; }
  /// The container that it was loaded from, or null. Its code outlives the kernels.
  std::unique_ptr<tiny::runtime::LoadedProgram> loaded;
  std::string name;
  uint32_t nArguments = 0;
  std::vector<tiny::runtime::PlannedSlot> slots;
  std::vector<tiny::runtime::PlacedConstant> constants;
  std::vector<tiny::runtime::PlannedKernel> kernels;
  std::vector<tiny::runtime::Step> steps;
  /// So many of the first steps depend on constants alone: the first run makes them, and later ones begin behind them.
  uint32_t nPreparation = 0;
  std::vector<tiny::runtime::PlannedResult> results;
  /// Where there are any, the slot behind the arguments holds them.
  std::vector<tiny::runtime::ProgramSize> sizes;
  /// Of the grid of ranks; empty where the program runs alone.
  std::vector<int64_t> grid;
  /// Whether the slot behind the arguments holds the rank's place in it.
  bool readsPlace = false;
  /// The grid's axis of stages, or -1.
  int64_t stageAxis = -1;
  /// Numbers of the communicators whose ranks were found to run this program, under the mutex of arenas.
  std::vector<uint64_t> agreed;
  bool hasComputedSizes() const {
    return std::any_of(sizes.begin(), sizes.end(), [](const auto &size) { return size.isComputed; });
  }
  /// Of a program with sizes: the slots that are a part of an argument, but not its beginning. A buffer for fewer than
  /// the most elements must still have them.
  std::vector<uint32_t> parts;
  uint64_t arenaSize = 0;
  tiny_memory_plan memory = {};
  /// What lies in the arena, in the order of time.
  std::vector<tiny::runtime::Lifetime> temporaries;

  /// Held while the preparation is made; what it keeps.
  std::mutex preparing;
  bool isPrepared = false;

  /// Arenas that no run uses at the moment, one on each device; there are as many as runs ever overlapped.
  std::mutex arenasMutex;
  std::vector<std::vector<tiny::runtime::Memory>> idleArenas;
  size_t nArenas = 0;
  /// Of a program on several devices: timelines that no run uses at the moment.
  std::vector<std::unique_ptr<tiny::runtime::Timelines>> idleTimelines;
  size_t nTimelines = 0;
  /// What the device keeps of steps that follow each other, by the first one's number and the number behind the last
  /// one; those that no run uses at the moment.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::unique_ptr<tiny::runtime::Replay>>> idleReplays;

  /// What the preparation keeps, on all devices.
  tiny_status allocateKept();
  void freeKept();

  ~tiny_program();
};

namespace tiny {
namespace runtime {

/// Checks the description and fills slots, steps and results of the program. Touches no device.
tiny_status verifyProgram(const tiny_program_desc &desc, tiny_program &program);

/// Verifies, plans and prepares a program; tiny_program_create without checks of its handles. `loaded` is what the
/// description points into, if the program is to keep it.
tiny_status createProgram(tiny_device *device, const tiny_program_desc &desc, std::unique_ptr<LoadedProgram> loaded,
                          tiny_program **program);

/// Puts the steps in front that depend on constants alone, and gives what later ones read of them a place in what is
/// kept.
void findPreparation(tiny_program &program);

/// Runs it on as many buffers as it takes, and waits for its end. Buffers that are the caller's have handles, which may
/// be dead.
tiny_status runProgram(tiny_program &program, tiny_buffer *const *arguments, tiny_buffer **results, bool haveHandles,
                       const tiny_run_options *options);

/// Decides which results are written directly, and gives every other temporary an offset in the arena such that
/// temporaries whose lifetimes meet do not overlap.
void planProgram(tiny_program &program);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_PROGRAM_H
