// The memory plan: results first, then temporaries into one arena by lifetime.
#include "Program.h"
#include "StepOrder.h"

#include <algorithm>

using namespace tiny::runtime;

namespace {

/// Storages of a program with sizes that have a part which is not their beginning: a buffer that a caller has for fewer
/// elements may not have that part.
std::vector<bool> findSplit(const tiny_program &program) {
  std::vector<bool> isSplit(program.slots.size());
  for (const PlannedSlot &slot : program.slots)
    if (slot.rootOffset && !program.sizes.empty())
      isSplit[slot.root] = true;
  return isSplit;
}

/// A result that covers a whole storage of the program's own is written in place, by the first result that names it.
void planResults(tiny_program &program) {
  std::vector<bool> isSplit = findSplit(program);
  for (uint32_t i = 0; i < program.results.size(); ++i) {
    PlannedResult &result = program.results[i];
    const PlannedSlot &slot = program.slots[result.slot];
    PlannedSlot &root = program.slots[slot.root];
    if (root.storage == StorageKind::Argument && root.writable) {
      result.kind = ResultKind::View;
    } else if (root.storage == StorageKind::Arena && slot.size == root.size && !isSplit[slot.root]) {
      result.kind = ResultKind::Direct;
      root.storage = StorageKind::Result;
      root.storageIndex = i;
    }
  }
}

/// From the first to the last step that uses any part of a temporary; all of a loop that uses one of outside. What a
/// result copies lives to the end.
std::vector<Lifetime> findLifetimes(const tiny_program &program) {
  constexpr uint32_t unused = UINT32_MAX;
  std::vector<Lifetime> bySlot(program.slots.size(), Lifetime{0, unused, 0});
  std::vector<uint32_t> loops; // those around the step, the outermost first
  auto use = [&](uint32_t slot, uint32_t time) {
    uint32_t root = program.slots[slot].root;
    Lifetime &lifetime = bySlot[root];
    auto inner = loops.begin();
    if (program.slots[root].loop != kNoStep)
      inner = std::upper_bound(loops.begin(), loops.end(), program.slots[root].loop);
    uint32_t begin = inner == loops.end() ? time : *inner;
    uint32_t end = inner == loops.end() ? time : program.steps[*inner].end - 1;
    lifetime.begin = std::min(lifetime.begin, begin);
    lifetime.end = std::max(lifetime.end, end);
  };
  uint32_t time = 0;
  // The sizes are written before the first step.
  if (!program.sizes.empty() || program.readsPlace)
    use(program.nArguments, time);
  for (const Step &step : program.steps) {
    while (!loops.empty() && program.steps[loops.back()].end <= time)
      loops.pop_back();
    // Its counter and its condition are used in each iteration.
    if (step.kind == TINY_ITEM_LOOP)
      loops.push_back(time);
    for (uint32_t slot : step.slots)
      use(slot, time);
    ++time;
  }
  loops.clear();
  for (const PlannedResult &result : program.results)
    use(result.slot, time);
  // Those that are computed are read behind the last one.
  if (program.hasComputedSizes())
    use(program.nArguments, time);

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

/// What a temporary takes. One of no bytes still has an address.
uint64_t footprint(const PlannedSlot &slot) { return alignUp(std::max<uint64_t>(slot.size, 1)); }

/// The most that is live at a step. Past the largest size it stays there: the sum must not wrap.
uint64_t findMostLive(const tiny_program &program, const std::vector<Lifetime> &lifetimes) {
  std::vector<std::pair<uint32_t, int64_t>> changes; // by step; what ends goes after the step
  for (const Lifetime &lifetime : lifetimes) {
    int64_t size = int64_t(footprint(program.slots[lifetime.slot]));
    changes.push_back({lifetime.begin, size});
    changes.push_back({lifetime.end + 1, -size});
  }
  std::sort(changes.begin(), changes.end());
  __int128 live = 0, most = 0;
  for (auto [step, change] : changes)
    most = std::max(most, live += change);
  return uint64_t(std::min<__int128>(most, kMaxSize + 1));
}

/// Whether one has ended when the other begins, on a run of several devices, too.
bool areApart(const Lifetime &a, const Lifetime &b, const StepOrder *steps) {
  if (a.end < b.begin)
    return !steps || steps->isOrdered(a.slot, b.slot);
  return b.end < a.begin && (!steps || steps->isOrdered(b.slot, a.slot));
}

/// One after the other in this order, each at the lowest offset that is free for its whole life. Returns the arena's
/// size.
uint64_t place(tiny_program &program, const std::vector<Lifetime> &order, const StepOrder *steps) {
  uint64_t arena = 0;
  // What is placed already, by offset.
  std::vector<Lifetime> placed;
  for (const Lifetime &lifetime : order) {
    PlannedSlot &slot = program.slots[lifetime.slot];
    uint64_t size = footprint(slot), offset = 0;
    for (const Lifetime &other : placed) {
      if (areApart(other, lifetime, steps))
        continue;
      const PlannedSlot &neighbour = program.slots[other.slot];
      if (neighbour.arenaOffset >= offset && neighbour.arenaOffset - offset >= size)
        break;
      offset = std::max(offset, neighbour.arenaOffset + footprint(neighbour));
    }
    slot.arenaOffset = offset;
    // Past the largest size the allocation fails with a message; the sum must not wrap on the way there.
    arena = std::min(std::max(arena, offset + size), kMaxSize + 1);
    if (offset > kMaxSize)
      return arena;
    auto position = std::upper_bound(placed.begin(), placed.end(), offset, [&](uint64_t value, const Lifetime &other) {
      return value < program.slots[other.slot].arenaOffset;
    });
    placed.insert(position, lifetime);
  }
  return arena;
}

/// Greedy by size: the largest first. (Pisarchyk and Lee, "Efficient memory management for deep neural net inference",
/// 2020.) Where that is above the bound, also by size times life, and by time; the best one stays. Returns the arena's
/// size, and adds to the bound.
uint64_t planArena(tiny_program &program, std::vector<Lifetime> lifetimes, const StepOrder *steps) {
  uint64_t bound = findMostLive(program, lifetimes), arena = kMaxSize + 2;
  program.memory.arena_bound = std::min(program.memory.arena_bound + bound, kMaxSize + 1);
  auto sizeOf = [&](const Lifetime &lifetime) { return program.slots[lifetime.slot].size; };
  auto weightOf = [&](const Lifetime &lifetime) {
    return (unsigned __int128)sizeOf(lifetime) * (lifetime.end - lifetime.begin + 1);
  };
  auto bySize = [&](const Lifetime &a, const Lifetime &b) {
    return sizeOf(a) != sizeOf(b) ? sizeOf(a) > sizeOf(b) : a.slot < b.slot;
  };
  auto byWeight = [&](const Lifetime &a, const Lifetime &b) {
    return weightOf(a) != weightOf(b) ? weightOf(a) > weightOf(b) : a.slot < b.slot;
  };
  auto byTime = [&](const Lifetime &a, const Lifetime &b) {
    return a.begin != b.begin ? a.begin < b.begin : bySize(a, b);
  };
  auto attempt = [&](auto before) {
    if (arena == bound)
      return;
    std::vector<uint64_t> best;
    best.reserve(program.slots.size());
    for (const PlannedSlot &slot : program.slots)
      best.push_back(slot.arenaOffset);
    std::sort(lifetimes.begin(), lifetimes.end(), before);
    uint64_t size = place(program, lifetimes, steps);
    if (size < arena) {
      arena = size;
      return;
    }
    for (size_t slot = 0; slot < best.size(); ++slot)
      program.slots[slot].arenaOffset = best[slot];
  };
  attempt(bySize);
  attempt(byWeight);
  attempt(byTime);
  return arena;
}

/// An arena on each device, one behind the other as far as offsets tell.
void planArenas(tiny_program &program) {
  std::vector<Lifetime> lifetimes = findLifetimes(program);
  std::unique_ptr<StepOrder> steps;
  if (program.isOnSeveral())
    steps = std::make_unique<StepOrder>(program);
  for (uint32_t number = 0; number < program.devices.size(); ++number) {
    std::vector<Lifetime> own;
    for (const Lifetime &lifetime : lifetimes)
      if (program.slots[lifetime.slot].device == number)
        own.push_back(lifetime);
    ProgramDevice &device = program.devices[number];
    device.arenaBegin = program.arenaSize;
    device.arenaSize = planArena(program, own, steps.get());
    for (const Lifetime &lifetime : own)
      program.slots[lifetime.slot].arenaOffset += device.arenaBegin;
    program.arenaSize = std::min(program.arenaSize + device.arenaSize, kMaxSize + 1);
  }
  std::sort(lifetimes.begin(), lifetimes.end(), [&](const Lifetime &a, const Lifetime &b) {
    uint64_t sizeA = program.slots[a.slot].size, sizeB = program.slots[b.slot].size;
    return a.begin != b.begin ? a.begin < b.begin : sizeA != sizeB ? sizeA > sizeB : a.slot < b.slot;
  });
  program.temporaries = std::move(lifetimes);
}

void summarize(tiny_program &program) {
  tiny_memory_plan &plan = program.memory;
  plan.arena = program.arenaSize;
  for (const ProgramDevice &device : program.devices)
    plan.constants += device.keptSize;
  for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
    const PlannedSlot &planned = program.slots[slot];
    if (planned.root != slot)
      continue;
    if (planned.storage == StorageKind::Argument)
      plan.arguments += planned.size;
    else if (planned.storage == StorageKind::Constant)
      plan.constants += planned.size;
    else if (planned.storage == StorageKind::Arena)
      plan.temporaries += planned.size;
  }
  for (const PlannedResult &result : program.results)
    if (result.kind != ResultKind::View)
      plan.results += program.slots[result.slot].size;
}

} // namespace

void tiny::runtime::planProgram(tiny_program &program) {
  planResults(program);
  findPreparation(program);
  planArenas(program);
  summarize(program);
}
