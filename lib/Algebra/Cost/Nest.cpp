// The terms of the prediction of a nest.
#include "Tiny/Algebra/Cost/Nest.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace tiny::cost {

/// Products of trips saturate: what takes so long is not worth telling apart.
static int64_t multiply(int64_t a, int64_t b) {
  constexpr int64_t most = int64_t(1) << 60;
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? most : std::min(product, most);
}

/// Picoseconds of so many hundredths of a cycle.
static int64_t toTime(int64_t hundredths, const Machine &machine) {
  return multiply(hundredths, 10000) / std::max<int64_t>(1, machine.clock);
}

static bool contains(uint64_t axes, size_t axis) { return axes >> axis & 1; }

int64_t NestTimes::getTotal() const {
  int64_t total = std::max(compute, latency);
  for (int64_t time : transfers)
    total = std::max(total, time);
  return total;
}

int64_t countVectors(const Nest &nest, uint64_t axes, const Machine &machine) {
  assert(nest.axes.size() <= 64 && "axes are bits");
  int64_t vectors = 1;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (contains(axes, k))
      vectors = multiply(vectors,
                         axis.role == AxisRole::Lanes ? llvm::divideCeil(axis.trips, machine.getLanes()) : axis.trips);
  return vectors;
}

/// The farthest that neighbouring lanes may lie apart to be loaded as whole vectors, as the lanes of kernels are.
static constexpr int64_t kFarthestLanes = 4;

static std::optional<size_t> findLanes(const Nest &nest) {
  const auto *found = llvm::find_if(nest.axes, [](const NestAxis &axis) { return axis.role == AxisRole::Lanes; });
  return found == nest.axes.end() ? std::nullopt : std::optional<size_t>(found - nest.axes.begin());
}

/// The axes that the access moves along.
static uint64_t findMoving(const NestAccess &access) {
  uint64_t axes = 0;
  for (auto [k, stride] : llvm::enumerate(access.strides))
    if (!stride || *stride != 0)
      axes |= uint64_t(1) << k;
  return axes;
}

bool picksLanes(const NestAccess &access, size_t axis) {
  std::optional<int64_t> stride = access.strides[axis];
  if (!stride)
    return true;
  return access.isStore ? *stride != 0 && *stride != 1 : std::abs(*stride) > kFarthestLanes;
}

uint64_t addRepeating(const Nest &nest, uint64_t axes) {
  size_t innermost = 0;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (contains(axes, k) && axis.role == AxisRole::Loop)
      innermost = k;
  for (size_t k = 0; k < innermost; ++k)
    if (nest.axes[k].role == AxisRole::Loop)
      axes |= uint64_t(1) << k;
  return axes;
}

int64_t countAccesses(const Nest &nest, const NestAccess &access, const Machine &machine) {
  int64_t vectors = countVectors(nest, addRepeating(nest, findMoving(access)), machine);
  std::optional<size_t> lanes = findLanes(nest);
  if (!lanes)
    return vectors;
  if (picksLanes(access, *lanes))
    return multiply(vectors, std::min(nest.axes[*lanes].trips, machine.getLanes()));
  int64_t apart = std::abs(*access.strides[*lanes]), line = std::max<int64_t>(1, machine.cacheLine);
  int64_t bytes = std::min(nest.axes[*lanes].trips, machine.getLanes()) * access.bytes;
  bool isAligned =
      apart == 0 || llvm::all_of(llvm::enumerate(access.strides), [&](const auto &entry) {
        std::optional<int64_t> stride = entry.value();
        return entry.index() == *lanes || (stride && multiply(std::abs(*stride), access.bytes) % bytes == 0);
      });
  vectors = multiply(vectors, std::max<int64_t>(1, apart));
  return isAligned ? vectors : vectors + multiply(vectors, std::min(bytes, line)) / line;
}

int64_t predictCompute(const Nest &nest, const Machine &machine) {
  int64_t hundredths = 0;
  for (const NestWork &work : nest.work)
    hundredths +=
        multiply(countVectors(nest, addRepeating(nest, work.axes), machine), machine.getCost(work.opClass).interval);
  if (std::optional<size_t> lanes = findLanes(nest))
    for (const NestAccess &access : nest.accesses) {
      int64_t vectors = countVectors(nest, addRepeating(nest, findMoving(access)), machine);
      if (picksLanes(access, *lanes))
        hundredths += multiply(vectors, machine.getCost(OpClass::Gather).interval);
      else if (int64_t apart = std::abs(*access.strides[*lanes]); apart > 1)
        hundredths += multiply(vectors, (apart - 1) * machine.getCost(OpClass::Add).interval);
    }
  return toTime(hundredths, machine);
}

int64_t predictLatency(const Nest &nest, const Machine &machine) {
  int64_t longest = 0;
  for (const NestWork &work : nest.work) {
    if (!work.isChain)
      continue;
    uint64_t kept = 0;
    for (auto [k, axis] : llvm::enumerate(nest.axes))
      if (contains(work.axes, k) &&
          (axis.role == AxisRole::Lanes || (axis.role == AxisRole::Copies && !axis.isReduced)))
        kept |= uint64_t(1) << k;
    int64_t steps = countVectors(nest, work.axes, machine) / countVectors(nest, kept, machine);
    longest = std::max(longest, multiply(steps, machine.getCost(work.opClass).latency));
  }
  return toTime(longest, machine);
}

int64_t countFootprint(const Nest &nest, const NestAccess &access, size_t from, const Machine &machine) {
  int64_t line = std::max<int64_t>(1, machine.cacheLine), apart = 1, run = access.bytes;
  llvm::SmallVector<std::pair<int64_t, int64_t>> steps;
  for (size_t k = from; k < nest.axes.size(); ++k) {
    std::optional<int64_t> stride = access.strides[k];
    int64_t trips = nest.axes[k].trips;
    if (!stride)
      apart = multiply(apart, trips);
    else if (*stride != 0)
      steps.push_back({multiply(std::abs(*stride), access.bytes), trips});
  }
  llvm::sort(steps);
  for (size_t k = 0; k < steps.size(); ++k) {
    auto [step, places] = steps[k];
    for (; k + 1 < steps.size() && steps[k + 1].first == step; ++k)
      places += steps[k + 1].second - 1;
    if (step <= run || step < line)
      run += multiply(step, places - 1);
    else
      apart = multiply(apart, places);
  }
  int64_t most = int64_t(1) << 60, whole = llvm::alignTo(std::min(access.bufferBytes, most), line);
  return std::min(multiply(apart, llvm::alignTo(run, line)), whole);
}

int64_t countTraffic(const Nest &nest, int64_t capacity, const Machine &machine) {
  auto touch = [&](size_t from) {
    int64_t bytes = 0;
    for (const NestAccess &access : nest.accesses)
      bytes += countFootprint(nest, access, from, machine);
    return bytes;
  };
  size_t fitting = nest.axes.size();
  while (fitting > 0 && touch(fitting - 1) <= capacity)
    --fitting;
  if (fitting == 0)
    return 0;
  // The loop around what fits.
  size_t around = fitting - 1;
  int64_t rounds = 1, traffic = 0;
  for (size_t k = 0; k < around; ++k)
    rounds = multiply(rounds, nest.axes[k].trips);
  for (const NestAccess &access : nest.accesses)
    traffic += multiply(multiply(countFootprint(nest, access, around, machine), rounds), access.isStore ? 2 : 1);
  return traffic;
}

int64_t predictTransfer(const Nest &nest, unsigned level, const Machine &machine) {
  int64_t bytes = 0, bandwidth = level < machine.caches.size() ? machine.caches[level].bandwidth : 0;
  if (level == 0) {
    for (const NestAccess &access : nest.accesses)
      bytes += multiply(countAccesses(nest, access, machine), machine.vectorBits / 8);
  } else {
    bytes = countTraffic(nest, machine.caches[level - 1].bytes, machine);
  }
  if (bandwidth == 0)
    bandwidth = machine.coreBandwidth;
  return bandwidth == 0 ? 0 : multiply(bytes, 1000000) / bandwidth;
}

NestTimes predictNest(const Nest &nest, const Machine &machine) {
  NestTimes times{predictCompute(nest, machine), predictLatency(nest, machine), {}};
  unsigned level = 0;
  for (; level < machine.caches.size() && machine.caches[level].bytes != 0; ++level)
    times.transfers.push_back(predictTransfer(nest, level, machine));
  times.transfers.push_back(predictTransfer(nest, level, machine));
  return times;
}

int64_t predictKernel(llvm::ArrayRef<Nest> passes, const Machine &machine) {
  int64_t total = machine.launch * 1000;
  for (const Nest &nest : passes)
    total += predictNest(nest, machine).getTotal();
  return total;
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
    llvm::SmallVector<int64_t> parts{times.compute, times.latency};
    parts.append(times.transfers);
    all.longest.resize(std::max(all.longest.size(), parts.size()));
    const auto *longest = std::max_element(parts.begin(), parts.end());
    all.longest[longest - parts.begin()] += *longest;
    all.total += *longest;
  }
  return all;
}

TimePart describePart(size_t part, size_t parts) {
  if (part == 0)
    return {"compute", "the core's units are busy with its operations"};
  if (part == 1)
    return {"latency", "each sum waits for the one before it"};
  if (part + 1 == parts)
    return {"memory", "its data come from main memory"};
  std::string level = "L" + std::to_string(part - 1);
  return {level, "its loads and stores keep the " + level + " cache busy"};
}

} // namespace tiny::cost
