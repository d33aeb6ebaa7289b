// Finds steps that follow each other and that a device may do together, and hands them over.
#include "Together.h"

#include <algorithm>

using namespace tiny::runtime;

/// Steps of one graph, or what a device makes of them, at most.
static constexpr uint32_t kMostTogether = 128;

static uint32_t findNext(const tiny_program &program, uint32_t index) {
  return std::max(index + 1, program.steps[index].end);
}

uint32_t tiny::runtime::findTogether(const tiny_program &program, uint32_t begin, uint32_t end, bool withLoops) {
  if (!program.device->takesSteps() || (withLoops && !program.device->takesLoops()))
    return begin;
  // What the host decides or does stands alone, and so does what depends on the rank: ranks share what is kept.
  auto isStraight = [&](const Step &step) {
    return !step.places && step.kind != TINY_ITEM_IF && step.kind != TINY_ITEM_COLLECTIVE &&
           step.kind != TINY_ITEM_WAIT && (withLoops || step.kind != TINY_ITEM_LOOP);
  };
  uint32_t index = begin;
  while (index < end) {
    uint32_t behind = findNext(program, index);
    const Step *steps = program.steps.data();
    if (behind - begin > kMostTogether || !std::all_of(steps + index, steps + behind, isStraight))
      break;
    index = behind;
  }
  return index;
}

static std::vector<DeviceStep> gather(const tiny_program &program, const std::vector<Region> &regions, uint32_t begin,
                                      uint32_t end) {
  std::vector<DeviceStep> together;
  for (uint32_t index = begin; index < end; index = findNext(program, index)) {
    const Step &step = program.steps[index];
    if (step.kind == TINY_ITEM_LAUNCH && program.kernels[step.kernel].empty)
      continue;
    DeviceStep made;
    made.kind = step.kind;
    made.nInputs = step.nInputs;
    for (uint32_t slot : step.slots)
      made.regions.push_back(regions[slot]);
    if (step.kind == TINY_ITEM_LOOP) {
      const bool has[] = {step.hasLimit, step.hasCounter, step.hasCondition};
      for (ptrdiff_t k = 0; k < 3; ++k)
        if (!has[k])
          made.regions.insert(made.regions.begin() + k, Region());
      made.count = step.count;
      made.body = gather(program, regions, index + 1, step.end);
    } else if (step.kind == TINY_ITEM_LAUNCH) {
      made.kernel = program.kernels[step.kernel].kernel.get();
    } else if (step.kind == TINY_ITEM_COPY) {
      made.regions[0].size = made.regions[1].size = std::min(made.regions[0].size, made.regions[1].size);
    } else {
      made.regions[0].size -= made.regions[0].size % step.patternSize;
      made.pattern = step.pattern.data();
      made.patternSize = step.patternSize;
    }
    together.push_back(std::move(made));
  }
  return together;
}

tiny_status tiny::runtime::runTogether(tiny_program &program, const std::vector<Region> &regions, uint32_t begin,
                                       uint32_t end) {
  std::unique_ptr<Replay> replay;
  {
    std::lock_guard<std::mutex> lock(program.arenasMutex);
    auto &idle = program.idleReplays[{begin, end}];
    if (!idle.empty()) {
      replay = std::move(idle.back());
      idle.pop_back();
    }
  }
  tiny_status status = program.device->runSteps(gather(program, regions, begin, end), replay);
  if (replay) {
    std::lock_guard<std::mutex> lock(program.arenasMutex);
    program.idleReplays[{begin, end}].push_back(std::move(replay));
  }
  return status;
}
