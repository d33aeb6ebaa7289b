// One run of a program: checks its buffers, resolves its slots, and finishes results behind its steps.
#include "Error.h"
#include "Handles.h"
#include "LoadedProgram.h"
#include "ProgramRanks.h"
#include "Run.h"
#include "Signal.h"
#include "Sizes.h"

#include <algorithm>
#include <utility>

using namespace tiny::runtime;

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
  argumentRegions.reserve(program.nArguments);
  for (uint32_t i = 0; i < program.nArguments; ++i)
    argumentRegions.push_back(arguments[i]->region());
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
    return partOf(argumentRegions[root.storageIndex], slot);
  case StorageKind::Constant:
    return {&program.constants[root.storageIndex].memory, slot.rootOffset, slot.size};
  case StorageKind::Arena: {
    uint64_t begin = root.arenaOffset - program.devices[root.device].arenaBegin;
    return {const_cast<Memory *>(&arena.memories[root.device]), begin + slot.rootOffset, slot.size};
  }
  case StorageKind::Kept:
    return {&program.devices[root.device].kept, root.arenaOffset + slot.rootOffset, slot.size};
  case StorageKind::Result:
    return partOf(resultRegions[root.storageIndex], slot);
  }
  return {};
}

/// Arguments and results where the program has them. An argument comes from where its buffer was written last.
tiny_status Run::bindBuffers() {
  if (!program.isOnSeveral()) {
    for (const Target &target : targets)
      resultRegions.push_back(target.written()->region());
    return TINY_OK;
  }
  for (uint32_t i = 0; i < program.nArguments; ++i)
    if (tiny_status status = device->bind(program.slots[i].device, arguments[i]->region(), /*isRead=*/true,
                                          program.slots[i].writable, argumentRegions[i]))
      return status;
  for (uint32_t i = 0; i < targets.size(); ++i) {
    Region whole = targets[i].written()->region();
    resultRegions.push_back(whole);
    // One that is in an argument's buffer was bound with it.
    if (program.results[i].kind == ResultKind::View && targets[i].inPlace)
      continue;
    if (tiny_status status = device->bind(program.slots[program.results[i].slot].device, whole, /*isRead=*/false,
                                          /*isWritten=*/true, resultRegions[i]))
      return status;
  }
  return TINY_OK;
}

tiny_status Run::execute() {
  if (tiny_status status = bindBuffers())
    return status;
  if (program.isOnSeveral() && !profile.profile && !profile.parts)
    timelines.acquire();
  resolved.reserve(program.slots.size());
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot)
    resolved.push_back(region(slot));
  if (program.stageAxis >= 0)
    stage = uint64_t(getPlace(program.grid, profile.communicator->rank)[size_t(program.stageAxis)]);
  if (program.readsPlace) {
    std::vector<int64_t> place = getPlace(program.grid, profile.communicator->rank);
    if (tiny_status status = deviceOf(program.nArguments).write(region(program.nArguments), place.data()))
      return status;
  }
  if (hasSizes())
    if (tiny_status status = deviceOf(program.nArguments).write(region(program.nArguments), profile.sizes))
      return status;
  if (tiny_status status = prepare())
    return status;
  tiny_status status = runSteps(program.nPreparation, uint32_t(program.steps.size()));
  // Results are finished by the host.
  tiny_status ended = status || !timelines ? TINY_OK : timelines->drain();
  return status ? status : ended;
}

tiny_status Run::finishResults() {
  auto copy = [&](tiny_device &on, const Region &source, const Region &target) {
    return timed(on, "copy", [&] { return copyCommon(on, source, on, target); });
  };
  // First everything that still reads arguments, then what overlaps them.
  for (uint32_t i = 0; i < targets.size(); ++i) {
    if (!targets[i].inPlace)
      if (tiny_status status =
              copy(deviceOf(program.results[i].slot), region(program.results[i].slot), resultRegions[i]))
        return status;
  }
  for (Target &target : targets)
    if (target.staging)
      if (tiny_status status = copy(*device, target.staging->region(), target.buffer->region()))
        return status;
  return TINY_OK;
}

/// The sizes, now that all of them are known.
tiny_status Run::readSizes() {
  std::vector<int64_t> found(profile.sizes, profile.sizes + program.sizes.size());
  if (program.hasComputedSizes())
    if (tiny_status status = deviceOf(program.nArguments).read(region(program.nArguments), found.data()))
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
    timelines.giveBack();
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
