// Vector clocks of steps: a queue is a process, and a step that waits for another queue gets its message.
#include "StepOrder.h"

#include <algorithm>

using namespace tiny::runtime;

uint32_t tiny::runtime::findQueue(const tiny_program &program, const Step &step) {
  auto deviceOf = [&](uint32_t slot) { return program.slots[slot].device; };
  if (step.kind == TINY_ITEM_LAUNCH)
    return program.kernels[step.kernel].device;
  bool isToHost =
      step.kind == TINY_ITEM_COPY && program.devices[deviceOf(step.slots[1])].device->computesInHostMemory();
  return deviceOf(isToHost ? step.slots[0] : step.slots.back());
}

static void advance(std::vector<uint32_t> &clock, const std::vector<uint32_t> &other) {
  for (size_t queue = 0; queue < clock.size(); ++queue)
    clock[queue] = std::max(clock[queue], other[queue]);
}

StepOrder::StepOrder(const tiny_program &program)
    : program(program), host(program.devices.size()), last(program.devices.size()), accesses(program.slots.size()),
      ends(program.slots.size(), Clock(program.devices.size())), steps(program.slots.size()) {
  for (uint32_t index = 0; index < program.steps.size(); ++index)
    enter(index);
}

/// When a step can begin, as far as the bytes that it uses tell.
StepOrder::Clock StepOrder::collect(const Step &step) {
  Clock clock = host;
  for (uint32_t k = 0; k < step.slots.size(); ++k) {
    const PlannedSlot &slot = program.slots[step.slots[k]];
    for (const Access &access : accesses[slot.root]) {
      if (!rangesOverlap(access.begin, access.end - access.begin, slot.rootOffset, slot.size) ||
          (k < step.nInputs && !access.isWritten))
        continue;
      advance(clock, clocks[access.step]);
      uint32_t &other = clock[queues[access.step]];
      other = std::max(other, access.step + 1);
    }
  }
  return clock;
}

void StepOrder::enter(uint32_t index) {
  const Step &step = program.steps[index];
  Clock clock = collect(step);
  bool isQueued = step.kind == TINY_ITEM_LAUNCH || step.kind == TINY_ITEM_COPY || step.kind == TINY_ITEM_FILL;
  queues.push_back(0);
  if (!isQueued) {
    // A loop and a branch read; ranks meet when everything is done.
    if (step.kind == TINY_ITEM_LOOP || step.kind == TINY_ITEM_IF)
      host = clock;
    else
      host.assign(host.size(), index + 1);
    clocks.push_back(host);
    return;
  }
  uint32_t queue = queues.back() = findQueue(program, step);
  if (last[queue])
    advance(clock, clocks[last[queue] - 1]);
  clock[queue] = index;
  last[queue] = index + 1;
  clocks.push_back(clock);
  for (uint32_t k = 0; k < step.slots.size(); ++k) {
    const PlannedSlot &slot = program.slots[step.slots[k]];
    accesses[slot.root].push_back({slot.rootOffset, slot.rootOffset + slot.size, k >= step.nInputs, index});
    ends[slot.root][queue] = index + 1;
    steps[slot.root].push_back(index);
  }
}

bool StepOrder::isOrdered(uint32_t before, uint32_t behind) const {
  return std::all_of(steps[behind].begin(), steps[behind].end(), [&](uint32_t step) {
    for (size_t queue = 0; queue < host.size(); ++queue)
      if (ends[before][queue] > clocks[step][queue])
        return false;
    return true;
  });
}
