// The time of a kernel: of its passes, alone or shared by threads.
#include "Tiny/Algebra/Cost/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tiny::cost {

/// The loops of a pass that reduce nothing.
static bool isFreeLoop(const NestAxis &axis) {
  return axis.role == AxisRole::Loop && !axis.isReduced && axis.trips > 1;
}

static bool hasLoop(const Nest &nest, const NestAxis &loop) {
  return llvm::any_of(nest.axes, [&](const NestAxis &axis) {
    return axis.id == loop.id && axis.role == AxisRole::Loop && axis.trips == loop.trips;
  });
}

/// Whether all loops of a pass that reduce nothing are loops of another.
static bool isInLoopsOf(const Nest &nest, const Nest &other) {
  return llvm::all_of(nest.axes, [&](const NestAxis &axis) { return !isFreeLoop(axis) || hasLoop(other, axis); });
}

/// The number of outermost loops that two passes share.
static size_t countSharedLoops(const Nest &nest, const Nest &other) {
  size_t depth = 0, most = std::min(nest.axes.size(), other.axes.size());
  auto isShared = [](const NestAxis &a, const NestAxis &b) {
    return isFreeLoop(a) && a.id == b.id && a.role == b.role && a.trips == b.trips;
  };
  while (depth < most && isShared(nest.axes[depth], other.axes[depth]))
    ++depth;
  return depth;
}

/// Tells the accesses of a pass where they find what another pass in the same loops touches in a round of them.
static void findNear(Nest &nest, const Nest &other, const Machine &machine) {
  size_t depth = countSharedLoops(nest, other);
  if (depth == 0)
    return;
  int64_t room = 0;
  for (const Nest *pass : std::initializer_list<const Nest *>{&nest, &other})
    for (const NestAccess &access : pass->accesses)
      room += countFootprint(*pass, access, depth, machine);
  for (NestAccess &access : nest.accesses) {
    int64_t bytes = countFootprint(nest, access, depth, machine);
    if (!access.isTile && llvm::any_of(other.accesses, [&](const NestAccess &same) {
          return same.buffer == access.buffer && countFootprint(other, same, depth, machine) == bytes;
        }))
      access.nearBytes = std::min(access.nearBytes, room);
  }
}

llvm::SmallVector<NestTimes> predictEach(llvm::ArrayRef<Nest> given, const Machine &machine) {
  llvm::SmallVector<Nest> passes(given);
  for (size_t k = 1; k < passes.size(); ++k)
    for (size_t other = 0; other < k; ++other)
      findNear(passes[k], passes[other], machine);
  llvm::SmallVector<NestTimes> all;
  llvm::SmallVector<int64_t> operations;
  for (const Nest &nest : passes) {
    all.push_back(predictNest(nest, machine));
    operations.push_back(countOperations(nest, machine));
  }
  for (size_t k = 0; k < passes.size(); ++k) {
    uint64_t points = 1, between = operations[k];
    for (const NestAxis &axis : passes[k].axes)
      if (isFreeLoop(axis))
        points = std::min(llvm::SaturatingMultiply<uint64_t>(points, axis.trips), uint64_t(1) << 40);
    for (size_t other = 0; other < passes.size(); ++other)
      if (other != k && isInLoopsOf(passes[k], passes[other]))
        between += operations[other];
    uint64_t ahead = kWindow * points / std::max<uint64_t>(1, between);
    all[k].latency /= std::clamp<uint64_t>(ahead, 1, points);
  }
  return all;
}

/// Whether a pass follows the one before in each round of loops that both have, so shortly that a core, which looks
/// ahead, runs them together.
static bool isBeside(const Nest &nest, const Nest &before, const Machine &machine) {
  int64_t rounds = 1;
  for (const NestAxis &axis : nest.axes)
    if (axis.role == AxisRole::Loop && hasLoop(before, axis))
      rounds = llvm::SaturatingMultiply<uint64_t>(rounds, axis.trips);
  return rounds > 1 && countOperations(nest, machine) / rounds <= kWindow;
}

int64_t predictPasses(llvm::ArrayRef<Nest> passes, const Machine &machine) {
  int64_t total = 0;
  NestTimes together;
  for (auto [k, times] : llvm::enumerate(predictEach(passes, machine))) {
    if (k == 0 || !isBeside(passes[k], passes[k - 1], machine)) {
      total += together.getTotal();
      together = times;
      continue;
    }
    together.compute += times.compute;
    together.latency += times.latency;
    together.control += times.control;
    for (auto [sum, time] : llvm::zip_equal(together.transfers, times.transfers))
      sum += time;
  }
  return total + together.getTotal();
}

int64_t predictKernel(llvm::ArrayRef<Nest> passes, const Machine &machine) {
  return machine.launch * 1000 + predictPasses(passes, machine);
}

/// The times of one thread of some, each of which takes as many parts as the next, or one less.
static void share(NestTimes &times, const Nest &nest, const Machine &machine, unsigned threads) {
  int64_t sharing = std::min<int64_t>(nest.parts, threads);
  if (sharing < 2)
    return;
  double part = double(llvm::divideCeil(nest.parts, sharing)) / double(nest.parts);
  auto scale = [](int64_t &time, double factor) { time = static_cast<int64_t>(double(time) * factor); };
  scale(times.compute, part);
  scale(times.latency, part);
  scale(times.control, part);
  for (int64_t &transfer : llvm::drop_end(times.transfers))
    scale(transfer, part);
  double memory = machine.memoryBandwidth ? double(machine.coreBandwidth) / double(machine.memoryBandwidth) : part;
  scale(times.transfers.back(), std::clamp(memory, part, 1.0));
}

NestTimes predictNestOn(const Nest &nest, const Machine &machine, unsigned threads) {
  NestTimes times = predictNest(nest, machine);
  share(times, nest, machine, threads);
  return times;
}

KernelTimes predictKernelOn(llvm::ArrayRef<Nest> passes, const Machine &machine, unsigned threads) {
  KernelTimes all{threads, machine.launch * 1000, machine.launch * 1000, {}};
  for (auto [nest, times] : llvm::zip_equal(passes, predictEach(passes, machine))) {
    share(times, nest, machine, threads);
    llvm::SmallVector<int64_t> parts{times.compute, times.latency, times.control};
    parts.append(times.transfers);
    all.longest.resize(std::max(all.longest.size(), parts.size()));
    const auto *longest = std::max_element(parts.begin(), parts.end());
    all.longest[longest - parts.begin()] += times.getTotal();
    all.total += times.getTotal();
  }
  return all;
}

TimePart describePart(size_t part, size_t parts) {
  if (part == 0)
    return {"compute", "the core's units are busy with its operations"};
  if (part == 1)
    return {"latency", "each sum waits for the one before it"};
  if (part == 2)
    return {"control", "the loops themselves are most of its work"};
  if (part + 1 == parts)
    return {"memory", "its data come from main memory"};
  std::string level = "L" + std::to_string(part - 2);
  return {level, "its loads and stores keep the " + level + " cache busy"};
}

} // namespace tiny::cost
