// Steps of one run: on the device alone one after the other, on several each handed to the queue of its own.
#include "Error.h"
#include "Handles.h"
#include "ProgramRanks.h"
#include "Run.h"
#include "StepOrder.h"
#include "Together.h"

#include <algorithm>

using namespace tiny::runtime;

tiny_status tiny::runtime::copyCommon(tiny_device &from, Region source, tiny_device &to, Region target) {
  source.size = target.size = std::min(source.size, target.size);
  if (!source.size)
    return TINY_OK;
  return &from == &to ? to.copy(source, target) : copyBetween(from, source, to, target);
}

tiny_status Run::runLaunch(const Step &step, const std::vector<Region> &regions) {
  PlannedKernel &kernel = program.kernels[step.kernel];
  if (kernel.empty)
    return TINY_OK;
  auto count = uint32_t(regions.size());
  tiny_device &on = *program.devices[kernel.device].device;
  if (!profile.parts)
    return timed(on, kernel.name.c_str(),
                 [&] { return on.launch(*kernel.kernel, regions.data(), step.nInputs, count); });
  std::vector<tiny_part> parts;
  tiny_status status = timed(on, kernel.name.c_str(), [&] {
    return on.launchTimed(*kernel.kernel, regions.data(), step.nInputs, count, parts);
  });
  if (!status)
    profile.parts(profile.profile_context, parts.data(), parts.size());
  return status;
}

tiny_status Run::runCopy(const Step &step, const std::vector<Region> &regions) {
  tiny_device &from = deviceOf(step.slots[0]), &to = deviceOf(step.slots[1]);
  if (&from == &to)
    return timed(to, "copy", [&] { return copyCommon(from, regions[0], to, regions[1]); });
  std::string name = std::string("copy from ") + from.name + " to " + to.name;
  return timed(*device, name.c_str(), [&] { return copyCommon(from, regions[0], to, regions[1]); });
}

tiny_status Run::runCollective(const Step &step, const std::vector<Region> &regions) {
  // What is timed is done one after the other.
  uint64_t number = 0;
  tiny_device &on = deviceOf(step.slots[0]);
  return timed(on, "collective", [&]() -> tiny_status {
    tiny_status status = runStepOfRanks(on, program, *profile.communicator, step, regions[0], regions[1], number);
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
  tiny_device &on = deviceOf(step.slots[0]);
  return timed(on, "fill", [&] { return on.fill(target, step.pattern.data(), step.patternSize); });
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

tiny_status Run::pushStep(const Step &step, const std::vector<Region> &regions) {
  std::vector<MemoryUse> uses;
  uses.reserve(regions.size());
  for (uint32_t k = 0; k < regions.size(); ++k)
    uses.push_back({regions[k], k >= step.nInputs});
  return timelines->push(findQueue(program, step), uses, [this, &step, regions] { return runStep(step, regions); });
}

/// The bytes of a slot that decides what runs.
tiny_status Run::readNow(uint32_t slot, void *target) {
  if (timelines)
    if (tiny_status status = timelines->waitFor(resolved[slot]))
      return status;
  return deviceOf(slot).read(resolved[slot], target);
}

/// Iterations are steps one after the other on the device; the host waits for it where it reads what goes on.
tiny_status Run::runLoop(const Step &step, const std::vector<Region> &) {
  auto next = step.slots.begin();
  auto count = int64_t(step.count);
  if (step.hasLimit) {
    int64_t limit;
    if (tiny_status status = readNow(*next++, &limit))
      return status;
    count = std::clamp<int64_t>(limit, 0, count);
  }
  const uint32_t *counter = step.hasCounter ? &*next++ : nullptr, *condition = step.hasCondition ? &*next : nullptr;
  auto setCounter = [&](int64_t iteration) {
    Region target = resolved[*counter];
    auto fill = [on = &deviceOf(*counter), target, iteration] {
      return on->fill(target, &iteration, sizeof(iteration));
    };
    return timelines ? timelines->push(program.slots[*counter].device, {{target, true}}, fill) : fill();
  };
  auto first = uint32_t(&step - program.steps.data()) + 1;
  for (int64_t iteration = 0;; ++iteration) {
    char goesOn = iteration < count;
    if (condition && goesOn)
      if (tiny_status status = readNow(*condition, &goesOn))
        return status;
    if (counter)
      if (tiny_status status = setCounter(iteration))
        return status;
    if (!goesOn)
      return TINY_OK;
    if (tiny_status status = runSteps(first, step.end))
      return status;
  }
}

tiny_status Run::runIf(const Step &step, const std::vector<Region> &) {
  char holds;
  if (tiny_status status = readNow(step.slots.front(), &holds))
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
    bool isPushed =
        timelines && (step.kind == TINY_ITEM_LAUNCH || step.kind == TINY_ITEM_COPY || step.kind == TINY_ITEM_FILL);
    // What ranks do together the host does itself.
    if (timelines && (step.kind == TINY_ITEM_COLLECTIVE || step.kind == TINY_ITEM_WAIT))
      if (tiny_status status = timelines->drain())
        return status;
    if (tiny_status status = isPushed ? pushStep(step, regions) : runStep(step, regions))
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
  if (tiny_status status = program.allocateKept())
    return status;
  tiny_status status = runSteps(0, program.nPreparation);
  if (timelines)
    if (tiny_status drained = timelines->drain(); !status)
      status = drained;
  Failure failure = Failure::ofThisThread(status);
  tiny_status ended = device->synchronize();
  program.isPrepared = !status && !ended;
  if (!program.isPrepared)
    program.freeKept();
  return status ? failure.report() : ended;
}
