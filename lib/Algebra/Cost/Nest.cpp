// The terms of the prediction of a nest that are of its core: operations, latency, loops, registers.
#include "NestMath.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace tiny::cost {

/// Of the time that runs beside something longer, one part in so many shows: caches and ports are not ready at once.
/// Loops have ports of their own.
static constexpr int64_t kShownShare = 4;

int64_t NestTimes::getTotal() const {
  int64_t longest = std::max({compute, latency, control}), sum = compute + latency;
  for (int64_t time : transfers) {
    longest = std::max(longest, time);
    sum += time;
  }
  return longest + std::max<int64_t>(0, sum - longest) / kShownShare;
}

uint64_t findMoving(const NestAccess &access) {
  uint64_t axes = 0;
  for (auto [k, stride] : llvm::enumerate(access.strides))
    if (!stride || *stride != 0)
      axes |= uint64_t(1) << k;
  return axes;
}

/// LLVM's vectoriser leaves the rest of a loop scalar.
static int64_t countVectorsOfLanes(const NestAxis &axis, const Machine &machine) {
  int64_t lanes = machine.getLanes();
  return axis.hasRest ? axis.trips / lanes + axis.trips % lanes : int64_t(llvm::divideCeil(axis.trips, lanes));
}

int64_t countVectors(const Nest &nest, uint64_t axes, const Machine &machine) {
  assert(nest.axes.size() <= 64 && "axes are bits");
  int64_t vectors = 1;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (contains(axes, k))
      vectors = multiply(vectors, axis.role == AxisRole::Lanes ? countVectorsOfLanes(axis, machine) : axis.trips);
  return vectors;
}

/// The farthest that neighbouring lanes may lie apart to be loaded as whole vectors, as the lanes of kernels are.
static constexpr int64_t kFarthestLanes = 4;

static std::optional<size_t> findLanes(const Nest &nest) {
  const auto *found = llvm::find_if(nest.axes, [](const NestAxis &axis) { return axis.role == AxisRole::Lanes; });
  return found == nest.axes.end() ? std::nullopt : std::optional<size_t>(found - nest.axes.begin());
}

/// Whether even the vectoriser would pick each.
static bool liesFar(const NestAccess &access, size_t axis) {
  std::optional<int64_t> stride = access.strides[axis];
  return !stride || std::abs(*stride) > kFarthestLanes;
}

/// The axis of the copies between the lanes.
static std::optional<size_t> findInterleaved(const Nest &nest, const NestAccess &access, size_t axis) {
  std::optional<int64_t> stride = access.strides[axis];
  if (access.isStore && stride && *stride > 1 && *stride <= kMostInterleaved)
    for (auto [k, copies] : llvm::enumerate(nest.axes))
      if (copies.role == AxisRole::Copies && copies.trips == *stride && access.strides[k] == std::optional<int64_t>(1))
        return k;
  return std::nullopt;
}

bool interleavesLanes(const Nest &nest, const NestAccess &access, size_t axis) {
  return findInterleaved(nest, access, axis).has_value();
}

bool picksLanes(const NestAccess &access, size_t axis) {
  std::optional<int64_t> stride = access.strides[axis];
  if (!stride)
    return true;
  return access.isStore ? *stride != 0 && *stride != 1 : std::abs(*stride) > kFarthestLanes;
}

/// The vectoriser stores interleaved lanes together, and gathers what it loads.
static bool picksLanes(const Nest &nest, const NestAccess &access, size_t axis) {
  if (!nest.axes[axis].hasRest)
    return picksLanes(access, axis) && !interleavesLanes(nest, access, axis);
  return liesFar(access, axis) || (!access.isStore && std::abs(*access.strides[axis]) > 1);
}

/// The axes that a reduction closes.
static uint64_t findReduced(const Nest &nest) {
  uint64_t axes = 0;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    axes |= uint64_t(axis.isReduced) << k;
  return axes;
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

/// Copies of one body that reach the same place share it: how many places there are for all copies, where the gate of
/// each allows it. Sorted by stride, a step that falls on places of the steps before it adds what it moves on.
static int64_t countPlacesOfCopies(const Nest &nest, const NestAccess &access) {
  int64_t apart = 1;
  llvm::SmallVector<std::pair<int64_t, int64_t>> steps;
  for (auto [k, axis] : llvm::enumerate(nest.axes)) {
    if (axis.role != AxisRole::Copies || access.strides[k] == std::optional<int64_t>(0))
      continue;
    // Behind the end of an axis each copy has a gate of its own, unless all lies in the buffer by the access's gate.
    if (!access.strides[k] || (axis.isPadded && !contains(access.gate, k)))
      apart = multiply(apart, axis.trips);
    else
      steps.push_back({std::abs(*access.strides[k]), axis.trips});
  }
  llvm::sort(steps);
  for (size_t k = 0; k < steps.size(); ++k) {
    auto [step, places] = steps[k];
    for (; k + 1 < steps.size() && steps[k + 1].first % step == 0 && steps[k + 1].first / step <= places; ++k)
      places += steps[k + 1].first / step * (steps[k + 1].second - 1);
    apart = multiply(apart, places);
  }
  return apart;
}

/// The axes of one role.
static uint64_t findRole(const Nest &nest, AxisRole role) {
  uint64_t axes = 0;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    axes |= uint64_t(axis.role == role) << k;
  return axes;
}

/// How often a vector is accessed, were its elements neighbours.
static int64_t countVectorsOf(const Nest &nest, const NestAccess &access, const Machine &machine) {
  uint64_t axes = addRepeating(nest, findMoving(access));
  return multiply(countVectors(nest, axes & ~findRole(nest, AxisRole::Copies), machine),
                  countPlacesOfCopies(nest, access));
}

void vectorizeInnermost(Nest &nest) {
  std::optional<size_t> innermost;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (axis.trips > 1 && axis.role == AxisRole::Loop)
      innermost = k;
  if (!innermost || nest.hasLoops || nest.axes[*innermost].isReduced ||
      llvm::any_of(nest.axes, [](const NestAxis &axis) { return axis.role == AxisRole::Lanes; }) ||
      llvm::any_of(nest.accesses,
                   [&](const NestAccess &access) { return access.gate != 0 || liesFar(access, *innermost); }))
    return;
  nest.axes[*innermost].role = AxisRole::Lanes;
  nest.axes[*innermost].hasRest = true;
}

int64_t countAccesses(const Nest &nest, const NestAccess &access, const Machine &machine) {
  int64_t vectors = countVectorsOf(nest, access, machine);
  std::optional<size_t> lanes = findLanes(nest);
  if (!lanes)
    return vectors;
  if (picksLanes(nest, access, *lanes))
    return multiply(vectors, std::min(nest.axes[*lanes].trips, machine.getLanes()));
  std::optional<size_t> between = findInterleaved(nest, access, *lanes);
  int64_t apart = between ? 1 : std::abs(*access.strides[*lanes]), line = std::max<int64_t>(1, machine.cacheLine);
  int64_t bytes = std::min(nest.axes[*lanes].trips, machine.getLanes()) * access.bytes;
  bool isAligned = apart == 0 || llvm::all_of(llvm::enumerate(access.strides), [&](const auto &entry) {
                     std::optional<int64_t> stride = entry.value();
                     return entry.index() == *lanes || entry.index() == between ||
                            (stride && multiply(std::abs(*stride), access.bytes) % bytes == 0);
                   });
  vectors = multiply(vectors, std::max<int64_t>(1, apart));
  return isAligned ? vectors : vectors + multiply(vectors, std::min(bytes, line)) / line;
}

/// A shuffle of a vector is as long as two additions: cores have one port for what crosses its halves.
static constexpr int64_t kShuffle = 2;

/// Additions that it takes to halve a vector: a shuffle, and one addition.
static constexpr int64_t kHalving = kShuffle + 1;

/// Loads that a vector of lanes is put together of, which lie so far apart.
static int64_t countPieces(const Nest &nest, const NestAccess &access, std::optional<size_t> lanes) {
  std::optional<int64_t> stride = lanes ? access.strides[*lanes] : std::nullopt;
  return stride && !interleavesLanes(nest, access, *lanes) ? std::max<int64_t>(1, std::abs(*stride)) : 1;
}

/// Shuffles for a vector of lanes that lie apart. Each picks from two vectors. Where vectors have fewer than 512 bits
/// it does so in each half alone, so that another one puts the halves in order. Vectors to be interleaved are so two by
/// two, as often as their number is even.
static int64_t countShuffles(const Nest &nest, const NestAccess &access, std::optional<size_t> lanes,
                             const Machine &machine) {
  if (lanes && interleavesLanes(nest, access, *lanes)) {
    int64_t count = *access.strides[*lanes], rounds = llvm::countr_zero(uint64_t(count));
    return (rounds + (count >> rounds) - 1) * (machine.vectorBits < 512 ? 2 : 1);
  }
  int64_t pieces = countPieces(nest, access, lanes);
  return pieces < 2 ? 0 : pieces - 1 + (machine.vectorBits < 512 ? 1 : 0);
}

/// What is done at the end of each reduction whose lanes are added up: the operations for all results.
static int64_t countEnds(const Nest &nest, const NestWork &work, size_t lanes, const Machine &machine) {
  uint64_t free = 0;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    free |= uint64_t(!axis.isReduced && contains(work.axes, k)) << k;
  int64_t width = std::min(nest.axes[lanes].trips, machine.getLanes()),
          vectors = llvm::divideCeil(nest.axes[lanes].trips, machine.getLanes());
  return multiply(countVectors(nest, addRepeating(nest, free) & ~findReduced(nest), machine),
                  vectors - 1 + kHalving * llvm::Log2_64_Ceil(width));
}

/// A mask of lanes in each round of a loop: their indices, a comparison, and one with what else gates them.
static constexpr int64_t kMaskOperations = 3;

/// Rounds of a loop that run by themselves, since they alone are gated: a first and a last one.
static constexpr int64_t kPeeled = 2;

/// The loops that run more than once.
static uint64_t findLoops(const Nest &nest) {
  uint64_t loops = 0;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (axis.role == AxisRole::Loop && axis.trips > 1)
      loops |= uint64_t(1) << k;
  return loops;
}

/// Operations of an access with a gate: its place, comparisons with two ends along two axes, what puts these together
/// and makes a mask of them, and what is selected by it.
static constexpr int64_t kGatedOperations = 10;

/// Operations of the body, each copy of one, however many lanes it has. An access comes with its place and its gate.
static int64_t countBody(const Nest &nest) {
  int64_t operations = 0;
  for (const NestWork &work : nest.work) {
    int64_t points = 1;
    for (auto [k, axis] : llvm::enumerate(nest.axes))
      if (axis.role == AxisRole::Copies && contains(work.axes, k))
        points = multiply(points, axis.trips);
    operations += points;
  }
  for (const NestAccess &access : nest.accesses)
    operations += multiply(countPlacesOfCopies(nest, access), access.gate == 0 ? 2 : kGatedOperations);
  return operations;
}

/// The loops of which the first and the last rounds run by themselves, since they alone are gated: from the innermost
/// one outwards, as long as what was peeled inside is no longer than what is peeled.
static uint64_t findPeeled(const Nest &nest) {
  uint64_t loops = findLoops(nest), deciding = 0, peeled = 0;
  for (const NestAccess &access : nest.accesses)
    for (uint64_t axes : access.comparisons)
      if (llvm::popcount(axes & loops) == 1)
        deciding |= axes & loops;
  if (deciding == 0)
    return 0;
  int64_t operations = countBody(nest);
  for (size_t k = nest.axes.size(); k-- > 0 && operations <= kLongestCode;)
    if (contains(deciding, k)) {
      peeled |= uint64_t(1) << k;
      operations = multiply(operations, 1 + kPeeled);
    }
  return peeled;
}

/// Of so many rounds those in which a comparison over these axes decides.
static int64_t countDeciding(const Nest &nest, uint64_t axes, uint64_t peeled, int64_t rounds) {
  uint64_t loops = axes & findLoops(nest);
  if (llvm::popcount(loops) != 1 || (loops & peeled) == 0)
    return rounds;
  int64_t trips = nest.axes[llvm::countr_zero(loops)].trips;
  return trips <= kPeeled ? rounds : llvm::divideCeil(multiply(rounds, kPeeled), trips);
}

/// How often a vector of the access is masked, of `vectors`.
static int64_t countGated(const Nest &nest, const NestAccess &access, uint64_t peeled, int64_t vectors) {
  if (access.comparisons.empty())
    return vectors;
  int64_t gated = 0;
  for (uint64_t axes : access.comparisons)
    gated = std::max(gated, countDeciding(nest, axes, peeled, vectors));
  return gated;
}

/// The masks of lanes that the access computes anew in the rounds of loops: the axes of each. Where lanes are compared
/// with a loop, it is a mask of its own. A condition of several loops is put together with the mask of lanes, which is
/// a constant otherwise.
static llvm::SmallVector<uint64_t, 2> findMovingMasks(const Nest &nest, const NestAccess &access, uint64_t peeled,
                                                      std::optional<size_t> lanes) {
  llvm::SmallVector<uint64_t, 2> masks;
  uint64_t loops = findLoops(nest), constant = 0, shared = 0;
  if (lanes)
    for (uint64_t axes : access.comparisons) {
      if (contains(axes, *lanes))
        (axes & loops ? masks.emplace_back(0) : constant) |= axes;
      else if (llvm::popcount(axes & loops) > 1 || (axes & loops & ~peeled))
        shared |= axes;
    }
  if (constant && shared)
    masks.push_back(constant | shared);
  return masks;
}

/// How often these masks are computed: copies share those that do not depend on them.
static int64_t countMovingMasks(const Nest &nest, const NestAccess &access, uint64_t peeled,
                                std::optional<size_t> lanes, const Machine &machine) {
  int64_t masks = 0;
  for (uint64_t axes : findMovingMasks(nest, access, peeled, lanes))
    masks += countDeciding(nest, axes, peeled, countVectors(nest, addRepeating(nest, axes), machine));
  return masks;
}

/// How often an access meets the end of a padded axis of lanes, where one vector is masked.
static int64_t countEndsOf(const Nest &nest, const NestAccess &access, const Machine &machine) {
  std::optional<size_t> lanes = findLanes(nest);
  uint64_t axes = addRepeating(nest, findMoving(access));
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (axis.id == nest.axes[*lanes].id && axis.isPadded)
      axes &= ~(uint64_t(1) << k);
  if (std::optional<size_t> between = findInterleaved(nest, access, *lanes))
    axes &= ~(uint64_t(1) << *between);
  return countVectors(nest, axes, machine);
}

/// Processors with mask registers have 512 bits. Others store lanes under a mask about as slowly as they gather.
static int64_t getMaskedCost(const NestAccess &access, const Machine &machine) {
  return machine.getCost(access.isStore && machine.vectorBits < 512 ? OpClass::Gather : OpClass::Add).interval;
}

int64_t countInstructions(const Nest &nest, const Machine &machine) {
  uint64_t lanes = findRole(nest, AxisRole::Lanes), side = findRole(nest, AxisRole::Copies);
  // LLVM's vectoriser makes a vector of a loop.
  if (std::optional<size_t> axis = findLanes(nest); axis && nest.axes[*axis].hasRest)
    lanes = 0;
  side |= lanes;
  int64_t add = std::max<int64_t>(1, machine.getCost(OpClass::Add).interval), total = 0;
  for (const NestWork &work : nest.work)
    total += multiply(countVectors(nest, work.axes & side, machine),
                      std::max<int64_t>(1, machine.getCost(work.opClass).interval / add));
  std::optional<size_t> along = lanes == 0 ? std::nullopt : findLanes(nest);
  for (const NestAccess &access : nest.accesses) {
    bool picks = along && picksLanes(nest, access, *along);
    int64_t pieces = picks ? std::min(nest.axes[*along].trips, machine.getLanes()) : countPieces(nest, access, along);
    total += multiply(
        countVectors(nest, findMoving(access) & lanes, machine),
        multiply(countPlacesOfCopies(nest, access),
                 (access.gate == 0 ? 1 : 2) * pieces + (picks ? pieces : countShuffles(nest, access, along, machine))));
  }
  return total;
}

/// Hundredths of cycles that functions wait for themselves: each is a chain, of which a core sees as many as it looks
/// ahead. Those of one point follow each other; vectors side by side do not.
static int64_t countWaits(const Nest &nest, const Machine &machine) {
  const OpCost &function = machine.getCost(OpClass::Function);
  int64_t operations = function.interval / std::max<int64_t>(1, machine.getCost(OpClass::Add).interval), waits = 0;
  uint64_t side = findRole(nest, AxisRole::Lanes) | findRole(nest, AxisRole::Copies);
  // LLVM's vectoriser has one vector in its loop.
  if (std::optional<size_t> lanes = findLanes(nest); lanes && nest.axes[*lanes].hasRest)
    side &= ~(uint64_t(1) << *lanes);
  llvm::SmallDenseMap<uint64_t, int64_t> counts;
  for (const NestWork &work : nest.work)
    if (work.opClass == OpClass::Function)
      ++counts[addRepeating(nest, work.axes)];
  for (auto [axes, count] : counts)
    waits +=
        multiply(countVectors(nest, axes & ~side, machine), count * count * function.latency * operations) / kWindow;
  return waits;
}

/// Registers that a body leaves, or, below zero, lacks.
static int64_t countRegistersLeft(const Nest &nest, const Machine &machine) {
  return machine.vectorRegisters > 0 ? machine.vectorRegisters - countRegisters(nest, machine)
                                     : std::numeric_limits<int64_t>::max();
}

/// Stores and loads of accumulators that find no register. Steps of a sum that are written out run one after the other:
/// each goes through all accumulators.
static int64_t countSpilled(const Nest &nest, const Machine &machine) {
  int64_t rounds = 1;
  for (const NestAxis &axis : nest.axes)
    if (axis.role == AxisRole::Loop || (axis.role == AxisRole::Copies && axis.isReduced))
      rounds = multiply(rounds, axis.trips);
  return multiply(rounds, 2 * std::max<int64_t>(0, -countRegistersLeft(nest, machine)));
}

int64_t predictCompute(const Nest &nest, const Machine &machine) {
  // What is stored and loaded again stands between the operations of its chain.
  int64_t hundredths =
      countWaits(nest, machine) + multiply(countSpilled(nest, machine), machine.getCost(OpClass::Add).interval);
  uint64_t peeled = findPeeled(nest);
  std::optional<size_t> lanes = findLanes(nest);
  for (const NestWork &work : nest.work) {
    hundredths +=
        multiply(countVectors(nest, addRepeating(nest, work.axes), machine), machine.getCost(work.opClass).interval);
    // A body loads the constants of a function, which take as long as one vector of it. That of a loop which LLVM's
    // vectoriser takes has one vector.
    uint64_t rounds = findRole(nest, AxisRole::Loop);
    if (lanes && nest.axes[*lanes].hasRest)
      rounds |= uint64_t(1) << *lanes;
    if (work.opClass == OpClass::Function)
      hundredths += multiply(countVectors(nest, addRepeating(nest, work.axes) & rounds, machine),
                             machine.getCost(work.opClass).interval);
    if (work.isChain && lanes && nest.axes[*lanes].isReduced && contains(work.axes, *lanes))
      hundredths += multiply(countEnds(nest, work, *lanes, machine), machine.getCost(OpClass::Add).interval);
  }
  for (const NestAccess &access : nest.accesses) {
    int64_t vectors = countVectorsOf(nest, access, machine), add = machine.getCost(OpClass::Add).interval;
    bool picks = lanes && picksLanes(nest, access, *lanes);
    int64_t pieces = picks ? 1 : countPieces(nest, access, lanes);
    if (access.gate != 0) {
      int64_t masks = multiply(countMovingMasks(nest, access, peeled, lanes, machine), kMaskOperations),
              gated = countGated(nest, access, peeled, vectors);
      hundredths += multiply(gated + std::min(masks, multiply(gated, kMaskOperations)), pieces * add);
    }
    if (lanes && contains(access.divided, *lanes))
      hundredths += multiply(vectors, machine.getCost(OpClass::DivideInteger).interval);
    if (lanes && nest.axes[*lanes].isPadded && contains(findMoving(access), *lanes))
      hundredths += multiply(countEndsOf(nest, access, machine), getMaskedCost(access, machine));
    hundredths += multiply(vectors, picks ? machine.getCost(OpClass::Gather).interval
                                          : kShuffle * countShuffles(nest, access, lanes, machine) * add);
  }
  return toTime(hundredths, machine);
}

int64_t predictControl(const Nest &nest, const Machine &machine) {
  int64_t rounds = 1, hundredths = 0;
  for (const NestAxis &axis : nest.axes) {
    if (axis.role != AxisRole::Loop || axis.trips < 2)
      continue;
    // Each run of a loop ends with a result that the loop around it waits for.
    hundredths += multiply(rounds, machine.getCost(OpClass::Add).latency);
    rounds = multiply(rounds, axis.trips);
    hundredths += multiply(rounds, 2 * machine.getCost(OpClass::Add).interval);
  }
  return toTime(hundredths, machine);
}

/// The axes of which a chain has an accumulator for each copy and each vector of lanes.
static uint64_t findAccumulators(const Nest &nest, const NestWork &work) {
  uint64_t kept = 0;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (contains(work.axes, k) && (axis.role == AxisRole::Lanes || (axis.role == AxisRole::Copies && !axis.isReduced)))
      kept |= uint64_t(1) << k;
  return kept;
}

int64_t countOperations(const Nest &nest, const Machine &machine) {
  int64_t operations = 0;
  for (const NestWork &work : nest.work)
    operations += countVectors(nest, addRepeating(nest, work.axes), machine);
  for (const NestAccess &access : nest.accesses)
    operations += countAccesses(nest, access, machine);
  return operations;
}

/// Elements that LLVM's scheduler loads ahead of their turn, at most. With few registers it minds that they are few: of
/// 16 it takes two, of 32 six.
static int64_t countLoadedAhead(const Machine &machine) {
  return std::max<int64_t>(1, (machine.vectorRegisters - 8) / 4);
}

int64_t countRegisters(const Nest &nest, const Machine &machine) {
  int64_t accumulators = 0, vectors = 1, elements = 1;
  std::optional<size_t> lanes = findLanes(nest);
  if (lanes)
    vectors = llvm::divideCeil(nest.axes[*lanes].trips, machine.getLanes());
  for (const NestWork &work : nest.work)
    if (work.isChain)
      accumulators += countVectors(nest, findAccumulators(nest, work), machine);
  for (const NestAccess &access : nest.accesses)
    if (!access.isStore && (!lanes || !contains(findMoving(access), *lanes)))
      elements = std::max(elements, std::min(countLoadedAhead(machine), countPlacesOfCopies(nest, access)));
  return accumulators + vectors + elements;
}

int64_t countShared(const Nest &nest, const NestAccess &access, const Machine &machine) {
  uint64_t copies = findRole(nest, AxisRole::Copies);
  std::optional<size_t> lanes = findLanes(nest);
  if (access.isStore || !lanes || !contains(findMoving(access), *lanes) || countPieces(nest, access, lanes) < 2)
    return 0;
  int64_t places = countPlacesOfCopies(nest, access);
  return places < countVectors(nest, copies, machine)
             ? multiply(places - 1, llvm::divideCeil(nest.axes[*lanes].trips, machine.getLanes()))
             : 0;
}

int64_t predictLatency(const Nest &nest, const Machine &machine) {
  int64_t longest = 0;
  for (const NestWork &work : nest.work) {
    if (!work.isChain)
      continue;
    int64_t steps = countVectors(nest, work.axes, machine) / countVectors(nest, findAccumulators(nest, work), machine);
    longest = std::max(longest, multiply(steps, machine.getCost(work.opClass).latency));
  }
  return toTime(longest, machine);
}

/// Elements of the access that are loaded in front of the innermost loop, one for all its rounds.
static int64_t countHoisted(const Nest &nest, const NestAccess &access) {
  std::optional<size_t> lanes = findLanes(nest);
  uint64_t moving = findMoving(access), loops = findLoops(nest);
  if (access.isStore || loops == 0 || (lanes && contains(moving, *lanes)) || contains(moving, llvm::Log2_64(loops)))
    return 0;
  return countPlacesOfCopies(nest, access);
}

int64_t countAllAccesses(const Nest &nest, const Machine &machine) {
  int64_t vectors = 0;
  for (const NestAccess &access : nest.accesses)
    vectors += countAccesses(nest, access, machine);
  int64_t bodies = 1;
  for (const NestAxis &axis : nest.axes)
    if (axis.role == AxisRole::Loop)
      bodies = multiply(bodies, axis.trips);
  vectors += countSpilled(nest, machine);
  int64_t left = std::max<int64_t>(0, countRegistersLeft(nest, machine));
  // Elements for all rounds that find no register are loaded by each operation.
  int64_t points = 1;
  for (const NestAxis &axis : nest.axes)
    if (axis.role == AxisRole::Copies)
      points = multiply(points, axis.trips);
  for (const NestAccess &access : nest.accesses)
    if (int64_t hoisted = countHoisted(nest, access); hoisted > left)
      vectors += multiply(bodies, points);
    else
      left -= hoisted;
  // What copies share and finds no register is stored once, and each of them loads it.
  uint64_t body = findRole(nest, AxisRole::Copies) | findRole(nest, AxisRole::Lanes);
  for (const NestAccess &access : nest.accesses) {
    int64_t shared = countShared(nest, access, machine), kept = std::min(left, shared);
    left -= kept;
    if (kept < shared)
      vectors += multiply(bodies, shared - kept + countVectors(nest, body, machine));
  }
  return vectors;
}

} // namespace tiny::cost
