// The memory plan: results first, then temporaries into one arena by lifetime.
#include "Program.h"

#include <algorithm>

using namespace tiny::runtime;

namespace {

/// A result that covers a whole storage of the program's own is written in place, by the first result that names it.
void planResults(tiny_program &program) {
  for (uint32_t i = 0; i < program.results.size(); ++i) {
    PlannedResult &result = program.results[i];
    const PlannedSlot &slot = program.slots[result.slot];
    PlannedSlot &root = program.slots[slot.root];
    if (root.storage == StorageKind::Argument && root.writable) {
      result.kind = ResultKind::View;
    } else if (root.storage == StorageKind::Arena && slot.size == root.size) {
      result.kind = ResultKind::Direct;
      root.storage = StorageKind::Result;
      root.storageIndex = i;
    }
  }
}

/// From the first to the last step that uses any part of a temporary. What a result copies lives to the end.
std::vector<Lifetime> findLifetimes(const tiny_program &program) {
  constexpr uint32_t unused = UINT32_MAX;
  std::vector<Lifetime> bySlot(program.slots.size(), Lifetime{0, unused, 0});
  auto use = [&](uint32_t slot, uint32_t time) {
    Lifetime &lifetime = bySlot[program.slots[slot].root];
    if (lifetime.begin == unused)
      lifetime.begin = time;
    lifetime.end = time;
  };
  uint32_t time = 0;
  for (const Step &step : program.steps) {
    for (uint32_t slot : step.slots)
      use(slot, time);
    ++time;
  }
  for (const PlannedResult &result : program.results)
    use(result.slot, time);

  std::vector<Lifetime> lifetimes;
  for (uint32_t slot = 0; slot < bySlot.size(); ++slot) {
    const PlannedSlot &planned = program.slots[slot];
    if (planned.root != slot || planned.storage != StorageKind::Arena || bySlot[slot].begin == unused)
      continue;
    bySlot[slot].slot = slot;
    lifetimes.push_back(bySlot[slot]);
  }
  return lifetimes;
}

uint64_t alignUp(uint64_t value) {
  return (value + TINY_BUFFER_ALIGNMENT - 1) / TINY_BUFFER_ALIGNMENT * TINY_BUFFER_ALIGNMENT;
}

/// Greedy by size: the largest first, each at the lowest offset that is free for its whole life. (Pisarchyk and Lee,
/// "Efficient memory management for deep neural net inference", 2020.)
void planArena(tiny_program &program) {
  std::vector<Lifetime> order = findLifetimes(program);
  std::sort(order.begin(), order.end(), [&](const Lifetime &a, const Lifetime &b) {
    uint64_t sizeA = program.slots[a.slot].size, sizeB = program.slots[b.slot].size;
    return sizeA != sizeB ? sizeA > sizeB : a.slot < b.slot;
  });

  // What is placed already, by offset.
  std::vector<Lifetime> placed;
  for (const Lifetime &lifetime : order) {
    PlannedSlot &slot = program.slots[lifetime.slot];
    // A slot of no bytes still has an address.
    uint64_t size = alignUp(std::max<uint64_t>(slot.size, 1)), offset = 0;
    for (const Lifetime &other : placed) {
      if (other.end < lifetime.begin || lifetime.end < other.begin)
        continue;
      const PlannedSlot &neighbour = program.slots[other.slot];
      if (neighbour.arenaOffset >= offset && neighbour.arenaOffset - offset >= size)
        break;
      offset = std::max(offset, neighbour.arenaOffset + alignUp(std::max<uint64_t>(neighbour.size, 1)));
    }
    slot.arenaOffset = offset;
    // Past the largest size the allocation fails with a message; the sum must not wrap on the way there.
    program.arenaSize = std::min(std::max(program.arenaSize, offset + size), kMaxSize + 1);
    if (offset > kMaxSize)
      return;
    auto position = std::upper_bound(placed.begin(), placed.end(), offset, [&](uint64_t value, const Lifetime &other) {
      return value < program.slots[other.slot].arenaOffset;
    });
    placed.insert(position, lifetime);
  }
}

} // namespace

void tiny::runtime::planProgram(tiny_program &program) {
  planResults(program);
  planArena(program);
}
