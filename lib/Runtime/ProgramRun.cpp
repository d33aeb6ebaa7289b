// One run of a program: checks its buffers, resolves its slots, walks its steps.
#include "ArenaLease.h"
#include "Error.h"
#include "Handles.h"
#include "Tiny/Runtime/ItemKinds.h"
#include "LoadedProgram.h"
#include "Overlaps.h"
#include "Program.h"
#include "ProgramRanks.h"
#include "Signal.h"
#include "Sizes.h"
#include "Together.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

using namespace tiny::runtime;

namespace {

class Run {
public:
  Run(tiny_program &program, tiny_buffer *const *arguments, tiny_buffer **results, bool haveHandles,
      const tiny_run_options *options)
      : program(program), device(program.device), arguments(arguments), results(results), haveHandles(haveHandles),
        arena(program) {
    if (options)
      profile = *options;
  }
  ~Run() {
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
  tiny_status runSteps(uint32_t begin, uint32_t end);
  tiny_status runOneByOne(uint32_t begin, uint32_t end);
  tiny_status runStep(const Step &step, const std::vector<Region> &regions);
#define TINY_RUN(KIND, Name) tiny_status run##Name(const Step &step, const std::vector<Region> &regions);
  TINY_WORKING_ITEMS(TINY_RUN)
  TINY_NESTING_ITEMS(TINY_RUN)
#undef TINY_RUN
  tiny_status finishResults();
  tiny_status readSizes();
  Region region(uint32_t slot) const;
  /// The part of a caller's buffer that a slot is; in a program with sizes the buffer may end before the slot does.
  Region partOf(const tiny_buffer &buffer, const PlannedSlot &slot) const {
    if (!hasSizes())
      return buffer.region(slot.rootOffset, slot.size);
    uint64_t begin = std::min(slot.rootOffset, buffer.size);
    return buffer.region(begin, std::min(slot.size, buffer.size - begin));
  }

  template <typename Work> tiny_status timed(const char *name, Work &&work);

  tiny_program &program;
  tiny_device *device;
  tiny_buffer *const *arguments;
  tiny_buffer **results;
  const bool haveHandles;
  tiny_run_options profile = {};
  ArenaLease arena;
  std::vector<Target> targets;
  /// By slot: what steps look up, so that each finds its own in one place.
  std::vector<Region> resolved;
  /// By the slots of an async collective that runs, its number in the communicator's queue.
  std::map<std::vector<uint32_t>, uint64_t> pending;
  /// The rank's place on the axis of stages.
  uint64_t stage = 0;
  /// Of a program with sizes: what is live of arguments and results.
  std::vector<uint64_t> argumentBytes, resultBytes;
};

/// Copies as much as both have: in a program with sizes what is behind the live elements has no meaning.
tiny_status copyCommon(tiny_device *device, Region source, Region target) {
  source.size = target.size = std::min(source.size, target.size);
  return source.size ? device->copy(source, target) : TINY_OK;
}

} // namespace

tiny_status Run::findLiveSizes() {
  if (!hasSizes())
    return TINY_OK;
  if (tiny_status status = checkSizes(program, profile.sizes))
    return status;
  argumentBytes.resize(program.nArguments);
  for (uint32_t i = 0; i < program.nArguments; ++i)
    if (tiny_status status = findLiveBytes(program, false, i, profile.sizes, 0, argumentBytes[i]))
      return status;
  resultBytes.resize(program.results.size());
  for (uint32_t i = 0; i < resultBytes.size(); ++i)
    if (tiny_status status = findLiveBytes(program, true, i, profile.sizes, 0, resultBytes[i]))
      return status;
  return TINY_OK;
}

/// A kernel may read all of a part, wherever the sizes are.
tiny_status Run::checkParts() {
  for (uint32_t part : program.parts) {
    const PlannedSlot &slot = program.slots[part];
    uint64_t size = arguments[slot.root]->size, end = slot.rootOffset + slot.size;
    if (size < end)
      return fail(TINY_INVALID_ARGUMENT,
                  "program '%.100s': argument %u has %llu bytes, but slot %u is a part that ends at %llu",
                  program.name.c_str(), slot.root, (unsigned long long)size, part, (unsigned long long)end);
  }
  return TINY_OK;
}

tiny_status Run::checkBuffer(const char *what, uint32_t index, const tiny_buffer *buffer, const PlannedSlot &slot,
                             uint64_t least) {
  const char *name = program.name.c_str();
  if (haveHandles && !isLiveHandle(buffer, HandleKind::Buffer))
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s': %s %u is %s", name, what, index,
                buffer ? "no live buffer" : "null");
  if (buffer->device != device)
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s': %s %u lives on '%s', expected '%s'", name, what, index,
                buffer->device->name, device->name);
  if (hasSizes() && (buffer->size < least || buffer->size > slot.size))
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s': %s %u has %llu bytes, expected %llu to %llu", name, what,
                index, (unsigned long long)buffer->size, (unsigned long long)least, (unsigned long long)slot.size);
  if (!hasSizes() && buffer->size != slot.size)
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s': %s %u has %llu bytes, expected %llu", name, what, index,
                (unsigned long long)buffer->size, (unsigned long long)slot.size);
  if (device->address(buffer->region()) % slot.alignment)
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s': %s %u is not aligned to %u bytes", name, what, index,
                slot.alignment);
  return TINY_OK;
}

tiny_status Run::checkArguments() {
  for (uint32_t i = 0; i < program.nArguments; ++i)
    if (tiny_status status = checkBuffer("argument", i, arguments[i], program.slots[i], getLeastArgument(i)))
      return status;
  if (tiny_status status = checkParts())
    return status;
  for (uint32_t i = 0; i < program.nArguments; ++i)
    if (program.slots[i].writable && arguments[i]->readOnly)
      return fail(TINY_READ_ONLY, "program '%.100s': argument %u is written, but its buffer is read-only",
                  program.name.c_str(), i);
  return TINY_OK;
}

tiny_status Run::checkSupplied(uint32_t index) {
  Target &target = targets[index];
  const PlannedResult &result = program.results[index];
  const PlannedSlot &slot = program.slots[result.slot];
  target.inPlace = result.kind == ResultKind::Direct;
  // What is written directly is what every alias of the root sees, so the root's alignment counts.
  const PlannedSlot &expected = target.inPlace ? program.slots[slot.root] : slot;
  if (tiny_status status = checkBuffer("result", index, target.buffer, expected, getLeastResult(index)))
    return status;
  if (target.buffer->readOnly)
    return fail(TINY_READ_ONLY, "program '%.100s': result %u is a read-only buffer", program.name.c_str(), index);
  if (result.kind == ResultKind::View) {
    Region whole = target.buffer->region(), part = region(result.slot);
    target.isPart = device->address(whole) == device->address(part) && device->overlap(whole, part);
    target.inPlace = target.isPart;
  }
  return TINY_OK;
}

Overlaps Run::findOverlaps() const {
  Overlaps overlaps(*device, program.nArguments + targets.size());
  for (uint32_t i = 0; i < program.nArguments; ++i)
    overlaps.add(arguments[i]->region(), program.slots[i].writable ? BufferUse::Written : BufferUse::Read);
  for (const Target &target : targets)
    if (target.buffer)
      overlaps.add(target.buffer->region(), target.isPart ? BufferUse::InPlace : BufferUse::Result);
  overlaps.find();
  return overlaps;
}

/// Names what must not overlap, and gives results that overlap an argument a staging buffer.
tiny_status Run::checkOverlaps(const Overlaps &overlaps) {
  const char *name = program.name.c_str();
  for (uint32_t i = 0; i < program.nArguments && overlaps.writtenArgument; ++i)
    for (uint32_t j = 0; j < program.nArguments && program.slots[i].writable; ++j)
      if (i != j && device->overlap(arguments[i]->region(), arguments[j]->region()))
        return fail(TINY_INVALID_ARGUMENT, "program '%.100s': argument %u is written, and overlaps argument %u", name,
                    i, j);
  for (uint32_t i = 0; i < targets.size() && overlaps.twoResults; ++i)
    for (uint32_t j = 0; j < targets.size() && targets[i].buffer; ++j)
      if (i != j && targets[j].buffer && device->overlap(targets[i].buffer->region(), targets[j].buffer->region()))
        return fail(TINY_INVALID_ARGUMENT, "program '%.100s': result %u overlaps result %u", name, i, j);
  for (Target &target : targets) {
    if (!overlaps.argumentAndResult || !target.buffer || target.isPart)
      continue;
    bool meets = std::any_of(arguments, arguments + program.nArguments, [&](const tiny_buffer *argument) {
      return device->overlap(target.buffer->region(), argument->region());
    });
    if (meets)
      if (tiny_status status = tiny_buffer_allocate(device, target.buffer->size, &target.staging))
        return status;
  }
  return TINY_OK;
}

tiny_status Run::prepareResults() {
  targets.resize(program.results.size());
  for (uint32_t i = 0; i < targets.size(); ++i) {
    Target &target = targets[i];
    target.buffer = results[i];
    if (target.buffer)
      if (tiny_status status = checkSupplied(i))
        return status;
  }
  if (tiny_status status = checkOverlaps(findOverlaps()))
    return status;
  for (uint32_t i = 0; i < targets.size(); ++i) {
    Target &target = targets[i];
    if (target.buffer)
      continue;
    const PlannedResult &result = program.results[i];
    const PlannedSlot &slot = program.slots[result.slot];
    target.inPlace = result.kind != ResultKind::Copied;
    // A program that was not loaded does not know how much is live.
    uint64_t size = hasSizes() && program.loaded ? resultBytes[i] : slot.size;
    if (result.kind == ResultKind::View)
      size = std::min(size, region(result.slot).size);
    tiny_status status =
        result.kind == ResultKind::View
            ? tiny_buffer_view(arguments[program.slots[slot.root].storageIndex], slot.rootOffset, size, &target.created)
            : tiny_buffer_allocate(device, size, &target.created);
    if (status)
      return status;
    target.buffer = target.created;
  }
  return TINY_OK;
}

Region Run::region(uint32_t index) const {
  const PlannedSlot &slot = program.slots[index], &root = program.slots[slot.root];
  switch (root.storage) {
  case StorageKind::Argument:
    return partOf(*arguments[root.storageIndex], slot);
  case StorageKind::Constant:
    return {const_cast<Memory *>(&program.constants[root.storageIndex]), slot.rootOffset, slot.size};
  case StorageKind::Arena:
    return {const_cast<Memory *>(&arena.memory), root.arenaOffset + slot.rootOffset, slot.size};
  case StorageKind::Kept:
    return {const_cast<Memory *>(&program.kept), root.arenaOffset + slot.rootOffset, slot.size};
  case StorageKind::Result:
    return partOf(*targets[root.storageIndex].written(), slot);
  }
  return {};
}

template <typename Work> tiny_status Run::timed(const char *name, Work &&work) {
  if (!profile.profile)
    return work();
  uint64_t nanoseconds = 0;
  tiny_status status = device->measure(work, nanoseconds);
  if (!status)
    profile.profile(profile.profile_context, name, nanoseconds);
  return status;
}

tiny_status Run::runLaunch(const Step &step, const std::vector<Region> &regions) {
  PlannedKernel &kernel = program.kernels[step.kernel];
  if (kernel.empty)
    return TINY_OK;
  auto count = uint32_t(regions.size());
  if (!profile.parts)
    return timed(kernel.name.c_str(),
                 [&] { return device->launch(*kernel.kernel, regions.data(), step.nInputs, count); });
  std::vector<tiny_part> parts;
  tiny_status status = timed(kernel.name.c_str(), [&] {
    return device->launchTimed(*kernel.kernel, regions.data(), step.nInputs, count, parts);
  });
  if (!status)
    profile.parts(profile.profile_context, parts.data(), parts.size());
  return status;
}

tiny_status Run::runCopy(const Step &, const std::vector<Region> &regions) {
  return timed("copy", [&] { return copyCommon(device, regions[0], regions[1]); });
}

tiny_status Run::runCollective(const Step &step, const std::vector<Region> &regions) {
  // What is timed is done one after the other.
  uint64_t number = 0;
  return timed("collective", [&]() -> tiny_status {
    tiny_status status = runStepOfRanks(*device, program, *profile.communicator, step, regions[0], regions[1], number);
    if (status || !number)
      return status;
    if (profile.profile)
      return profile.communicator->beside.wait(number);
    pending[step.slots] = number;
    return TINY_OK;
  });
}

tiny_status Run::runWait(const Step &step, const std::vector<Region> &) {
  auto begun = pending.find(step.slots);
  if (begun == pending.end())
    return TINY_OK;
  uint64_t number = begun->second;
  pending.erase(begun);
  return profile.communicator->beside.wait(number);
}

tiny_status Run::runFill(const Step &step, const std::vector<Region> &regions) {
  Region target = regions[0];
  target.size -= target.size % step.patternSize;
  return timed("fill", [&] { return device->fill(target, step.pattern.data(), step.patternSize); });
}

tiny_status Run::runStep(const Step &step, const std::vector<Region> &regions) {
  switch (step.kind) {
#define TINY_RUN(KIND, Name)                                                                                           \
  case TINY_ITEM_##KIND:                                                                                               \
    return run##Name(step, regions);
    TINY_WORKING_ITEMS(TINY_RUN)
    TINY_NESTING_ITEMS(TINY_RUN)
#undef TINY_RUN
  default: // what defines a slot is no step
    return TINY_OK;
  }
}

/// Iterations are steps one after the other on the device; the host waits for it where it reads what goes on.
tiny_status Run::runLoop(const Step &step, const std::vector<Region> &regions) {
  auto next = regions.begin();
  auto count = int64_t(step.count);
  if (step.hasLimit) {
    int64_t limit;
    if (tiny_status status = device->read(*next++, &limit))
      return status;
    count = std::clamp<int64_t>(limit, 0, count);
  }
  const Region *counter = step.hasCounter ? &*next++ : nullptr, *condition = step.hasCondition ? &*next : nullptr;
  auto first = uint32_t(&step - program.steps.data()) + 1;
  for (int64_t iteration = 0;; ++iteration) {
    char goesOn = iteration < count;
    if (condition && goesOn)
      if (tiny_status status = device->read(*condition, &goesOn))
        return status;
    if (counter)
      if (tiny_status status = device->fill(*counter, &iteration, sizeof(iteration)))
        return status;
    if (!goesOn)
      return TINY_OK;
    if (tiny_status status = runSteps(first, step.end))
      return status;
  }
}

tiny_status Run::runIf(const Step &step, const std::vector<Region> &regions) {
  char holds;
  if (tiny_status status = device->read(regions.front(), &holds))
    return status;
  auto first = uint32_t(&step - program.steps.data()) + 1;
  return holds ? runSteps(first, step.otherwise) : runSteps(step.otherwise, step.end);
}

tiny_status Run::runSteps(uint32_t begin, uint32_t end) {
  for (uint32_t index = begin; index < end;) {
    // Where the device does not take the loops, what stands around them may still be done together. What is measured
    // stands alone.
    tiny_status status = TINY_UNSUPPORTED;
    uint32_t tried = index, behind = index + 1;
    for (bool withLoops : {true, false}) {
      uint32_t found = profile.profile ? index : findTogether(program, index, end, withLoops);
      behind = std::max(index + 1, found);
      if (found != tried && found - index > 1)
        status = runTogether(program, resolved, index, tried = found);
      if (status != TINY_UNSUPPORTED)
        break;
    }
    if (status == TINY_UNSUPPORTED) {
      behind = std::max(behind, program.steps[index].end);
      status = runOneByOne(index, behind);
    }
    if (status)
      return status;
    index = behind;
  }
  return TINY_OK;
}

tiny_status Run::runOneByOne(uint32_t begin, uint32_t end) {
  std::vector<Region> regions;
  for (uint32_t index = begin; index < end;) {
    const Step &step = program.steps[index];
    if (step.places && !(step.places >> stage & 1)) {
      // What other stages run. Ranks count the collectives that they pass over, too.
      for (uint32_t end = std::max(index + 1, step.end); index < end; ++index)
        if (program.steps[index].kind == TINY_ITEM_COLLECTIVE)
          passOver(*profile.communicator);
      continue;
    }
    regions.clear();
    for (uint32_t slot : step.slots)
      regions.push_back(resolved[slot]);
    if (tiny_status status = runStep(step, regions))
      return status;
    index = std::max(index + 1, step.end);
  }
  return TINY_OK;
}

/// The first run computes what depends on constants alone; others that come meanwhile wait for it.
tiny_status Run::prepare() {
  if (!program.nPreparation)
    return TINY_OK;
  std::lock_guard<std::mutex> lock(program.preparing);
  if (program.isPrepared)
    return TINY_OK;
  Memory &kept = program.kept;
  kept.size = program.keptSize;
  if (tiny_status status = device->allocateCounted(kept))
    return status;
  tiny_status status = runSteps(0, program.nPreparation);
  Failure failure = Failure::ofThisThread(status);
  tiny_status ended = device->synchronize();
  program.isPrepared = !status && !ended;
  if (!program.isPrepared)
    device->freeCounted(kept);
  return status ? failure.report() : ended;
}

tiny_status Run::execute() {
  resolved.reserve(program.slots.size());
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot)
    resolved.push_back(region(slot));
  if (program.stageAxis >= 0)
    stage = uint64_t(getPlace(program.grid, profile.communicator->rank)[size_t(program.stageAxis)]);
  if (program.readsPlace) {
    std::vector<int64_t> place = getPlace(program.grid, profile.communicator->rank);
    if (tiny_status status = device->write(region(program.nArguments), place.data()))
      return status;
  }
  if (hasSizes())
    if (tiny_status status = device->write(region(program.nArguments), profile.sizes))
      return status;
  if (tiny_status status = prepare())
    return status;
  return runSteps(program.nPreparation, uint32_t(program.steps.size()));
}

tiny_status Run::finishResults() {
  auto copy = [&](const Region &source, const Region &target) {
    return timed("copy", [&] { return copyCommon(device, source, target); });
  };
  // First everything that still reads arguments, then what overlaps them.
  for (uint32_t i = 0; i < targets.size(); ++i) {
    if (!targets[i].inPlace)
      if (tiny_status status = copy(region(program.results[i].slot), targets[i].written()->region()))
        return status;
  }
  for (Target &target : targets)
    if (target.staging)
      if (tiny_status status = copy(target.staging->region(), target.buffer->region()))
        return status;
  return TINY_OK;
}

/// The sizes, now that all of them are known.
tiny_status Run::readSizes() {
  std::vector<int64_t> found(profile.sizes, profile.sizes + program.sizes.size());
  if (program.hasComputedSizes())
    if (tiny_status status = device->read(region(program.nArguments), found.data()))
      return status;
  for (size_t k = 0; k < found.size(); ++k) {
    const ProgramSize &size = program.sizes[k];
    if (found[k] < size.least || found[k] > size.most)
      return fail(TINY_OUT_OF_RANGE, "program '%.100s' computed dimension '%.100s' as %lld, expected %lld to %lld",
                  program.name.c_str(), size.name.c_str(), (long long)found[k], (long long)size.least,
                  (long long)size.most);
  }
  if (profile.found_sizes)
    std::copy(found.begin(), found.end(), profile.found_sizes);
  return TINY_OK;
}

tiny_status Run::run() {
  if (tiny_status status = findLiveSizes())
    return status;
  if (tiny_status status = checkArguments())
    return status;
  if (tiny_status status = prepareResults())
    return status;
  if (tiny_status status = arena.acquire())
    return status;
  if (tiny_status status = checkRanks(program, profile.communicator))
    return status;
  tiny_status status = execute();
  if (!status)
    status = finishResults();
  if (status) {
    // What was launched before still uses this run's memory and the program's kernels.
    Failure failure = Failure::ofThisThread(status);
    (void)device->synchronize();
    if (!pending.empty())
      (void)profile.communicator->beside.drain();
    pending.clear();
    return failure.report();
  }
  if ((status = device->synchronize()) != TINY_OK || (status = readSizes()) != TINY_OK)
    return status;
  for (uint32_t i = 0; i < targets.size(); ++i)
    if (targets[i].created)
      results[i] = std::exchange(targets[i].created, nullptr);
  return TINY_OK;
}

tiny_status tiny::runtime::runProgram(tiny_program &program, tiny_buffer *const *arguments, tiny_buffer **results,
                                      bool haveHandles, const tiny_run_options *options) {
  return Run(program, arguments, results, haveHandles, options).run();
}
