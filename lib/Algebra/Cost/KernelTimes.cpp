// The time of a kernel: of its passes, alone or shared by threads.
#include "Tiny/Algebra/Cost/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tiny::cost {

/// Whether a pass follows the one before in each round of loops that both have, so shortly that a core, which looks
/// ahead, runs them together.
static bool isBeside(const Nest &nest, const Nest &before, const Machine &machine) {
  int64_t rounds = 1;
  for (const NestAxis &axis : nest.axes)
    if (axis.role == AxisRole::Loop && llvm::any_of(before.axes, [&](const NestAxis &other) {
          return other.id == axis.id && other.role == AxisRole::Loop && other.trips == axis.trips;
        }))
      rounds = llvm::SaturatingMultiply<uint64_t>(rounds, axis.trips);
  return rounds > 1 && countOperations(nest, machine) / rounds <= kWindow;
}

int64_t predictPasses(llvm::ArrayRef<Nest> passes, const Machine &machine,
                      llvm::function_ref<NestTimes(const Nest &)> predict) {
  int64_t total = 0;
  NestTimes together;
  for (auto [k, nest] : llvm::enumerate(passes)) {
    NestTimes times = predict(nest);
    if (k == 0 || !isBeside(nest, passes[k - 1], machine)) {
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
  return machine.launch * 1000 +
         predictPasses(passes, machine, [&](const Nest &nest) { return predictNest(nest, machine); });
}

NestTimes predictNestOn(const Nest &nest, const Machine &machine, unsigned threads) {
  NestTimes times = predictNest(nest, machine);
  int64_t sharing = std::min<int64_t>(nest.parts, threads);
  if (sharing < 2)
    return times;
  double share = double(llvm::divideCeil(nest.parts, sharing)) / double(nest.parts);
  auto scale = [](int64_t &time, double factor) { time = static_cast<int64_t>(double(time) * factor); };
  scale(times.compute, share);
  scale(times.latency, share);
  scale(times.control, share);
  for (int64_t &transfer : llvm::drop_end(times.transfers))
    scale(transfer, share);
  double memory = machine.memoryBandwidth ? double(machine.coreBandwidth) / double(machine.memoryBandwidth) : share;
  scale(times.transfers.back(), std::clamp(memory, share, 1.0));
  return times;
}

KernelTimes predictKernelOn(llvm::ArrayRef<Nest> passes, const Machine &machine, unsigned threads) {
  KernelTimes all{threads, machine.launch * 1000, machine.launch * 1000, {}};
  for (const Nest &nest : passes) {
    NestTimes times = predictNestOn(nest, machine, threads);
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
