// The terms of the prediction of a nest that are of caches and memory, and their sum.
#include "NestMath.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tiny::cost {

/// What an access touches from an axis inwards: the bytes of its lines, and the bytes of a cache that these need. Runs
/// that are multiples of a page apart share their places in it: each takes as much as a page.
static std::pair<int64_t, int64_t> countTouched(const Nest &nest, const NestAccess &access, size_t from,
                                                const Machine &machine) {
  bool isPaged = false;
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
      apart = multiply(apart, places), isPaged |= step % kPageBytes == 0 && places > 1;
  }
  int64_t most = int64_t(1) << 60, whole = llvm::alignTo(std::min(access.bufferBytes, most), line);
  run = llvm::alignTo(run, line);
  return {std::min(multiply(apart, run), whole),
          std::min(multiply(apart, isPaged ? std::max(run, kPageBytes) : run), whole)};
}

int64_t countFootprint(const Nest &nest, const NestAccess &access, size_t from, const Machine &machine) {
  return countTouched(nest, access, from, machine).first;
}

/// Walks side by side that a prefetcher follows.
static constexpr int64_t kStreams = 16;

namespace {
/// Bytes that are walked one after the other, and from where one run begins to where the next one does; 0 where there
/// is one run.
struct Run {
  int64_t bytes = 0, jump = 0;
};
} // namespace

static Run findRun(const Nest &nest, const NestAccess &access) {
  Run found;
  int64_t &run = found.bytes = access.bytes;
  auto join = [&](const NestAxis &axis, std::optional<int64_t> stride) {
    int64_t step = stride ? multiply(std::abs(*stride), access.bytes) : std::numeric_limits<int64_t>::max();
    if (step <= run)
      run += multiply(step, axis.trips - 1);
    return step <= run;
  };
  // Copies run in any order: those that lie closest first. Where a loop walks up to the next copy, they are one run.
  llvm::SmallVector<std::pair<int64_t, size_t>> side;
  for (auto [k, axis] : llvm::enumerate(nest.axes))
    if (axis.role != AxisRole::Loop && access.strides[k])
      side.push_back({std::abs(*access.strides[k]), k});
  llvm::sort(side);
  auto joinCopies = [&] {
    llvm::erase_if(side, [&](auto &copy) { return join(nest.axes[copy.second], access.strides[copy.second]); });
  };
  joinCopies();
  int64_t streams = 1;
  for (auto [stride, k] : side)
    streams = multiply(streams, nest.axes[k].trips);
  if (streams > kStreams)
    return found;
  for (size_t k = nest.axes.size(); k-- > 0;) {
    if (nest.axes[k].role != AxisRole::Loop || nest.axes[k].trips <= 1)
      continue;
    if (!join(nest.axes[k], access.strides[k])) {
      found.jump = access.strides[k] ? multiply(std::abs(*access.strides[k]), access.bytes) : 0;
      break;
    }
    joinCopies();
  }
  return found;
}

int64_t countRun(const Nest &nest, const NestAccess &access) { return findRun(nest, access).bytes; }

namespace {
/// What each access touches from each axis inwards, and the room that all of them need for what comes again. Whole
/// lines that are touched once need none, unless the nest runs again.
struct Footprints {
  Footprints(const Nest &nest, const Machine &machine) {
    llvm::SmallVector<bool, 8> isWhole;
    for (const NestAccess &access : nest.accesses)
      isWhole.push_back(countRun(nest, access) >= machine.cacheLine);
    for (size_t from = 0; from < nest.axes.size(); ++from) {
      int64_t sum = 0;
      for (auto [k, access] : llvm::enumerate(nest.accesses)) {
        auto [touched, needed] = countTouched(nest, access, from, machine);
        bytes.push_back(touched);
        if (from == 0 || !isWhole[k] || comesAgain(nest, access, from - 1))
          sum += needed;
      }
      room.push_back(sum);
    }
  }
  llvm::SmallVector<int64_t, 32> bytes;
  llvm::SmallVector<int64_t, 12> room;

private:
  /// Whether some loop from this one inwards touches the same places again.
  static bool comesAgain(const Nest &nest, const NestAccess &access, size_t from) {
    for (size_t k = from; k < nest.axes.size(); ++k)
      if (nest.axes[k].trips > 1 && access.strides[k] == std::optional<int64_t>(0))
        return true;
    return false;
  }
};
} // namespace

// The prefetcher fetches lines behind the end of a run, for nothing: as many as it has seen of it, up to what the
// record says. On a Zen 3, two to eight rows of a large matrix at a time are read at 0.5 of the bandwidth where they
// have 512 to 2048 bytes, at 0.65 with 2304, at 0.85 with 4096, and at all of it from 8192 on: 16 lines. On a Zen 5,
// where rows are multiples of a page apart, it is 0.15 with 64 bytes, 0.45 with 256, 0.65 with 512, 0.8 with 1024, 0.95
// with 4096: 4 lines. Where they are not, 0.2, 0.7, 0.8, 0.85 and 0.95: half as many. One after the other they are one
// run.

/// Lines that it is behind where a run begins: it sees a run by its second line and fetches from the third.
static constexpr int64_t kLinesUnseen = 2;

/// Whether `uop-prefetch-rows` fetches what the innermost loop reads of it, some lines far from those before in each of
/// its iterations: copies share them, so that as much is computed of each.
static bool isFetchedAhead(const Nest &nest, const NestAccess &access, const Machine &machine) {
  int64_t width = access.bytes, sharing = 1;
  const NestAxis *loop = nullptr;
  std::optional<int64_t> jump;
  for (auto [k, axis] : llvm::enumerate(nest.axes)) {
    if (axis.role == AxisRole::Lanes && access.strides[k] == std::optional<int64_t>(1))
      width = multiply(width, axis.trips);
    else if (axis.role == AxisRole::Copies && access.strides[k] == std::optional<int64_t>(0))
      sharing = multiply(sharing, axis.trips);
    if (axis.role != AxisRole::Loop || axis.trips <= 1)
      continue;
    loop = &axis;
    jump = access.strides[k];
  }
  return loop && !access.isStore && !access.gate && sharing > 1 && width >= machine.cacheLine && jump &&
         multiply(std::abs(*jump), access.bytes) >= 2 * width && multiply(loop->trips, width) > kFetchedAhead;
}

/// Where lines come from. What is fetched ahead comes from behind the second cache. The caches there take a line back
/// while they deliver others; the second one and memory do one or the other.
enum class Source { Near, Far, Memory };

static int64_t countTraffic(const Nest &nest, const Footprints &footprints, int64_t capacity, Source source,
                            const Machine &machine) {
  size_t fitting = nest.axes.size();
  while (fitting > 0 && footprints.room[fitting - 1] <= capacity)
    --fitting;
  if (fitting == 0)
    return 0;
  // The loop around what fits.
  size_t around = fitting - 1;
  int64_t rounds = 1, traffic = 0;
  for (size_t k = 0; k < around; ++k)
    rounds = multiply(rounds, nest.axes[k].trips);
  for (auto [k, access] : llvm::enumerate(nest.accesses)) {
    if (access.nearBytes <= capacity)
      continue;
    int64_t bytes = multiply(multiply(footprints.bytes[around * nest.accesses.size() + k], rounds),
                             access.isStore && source != Source::Far ? 2 : 1);
    int64_t line = std::max<int64_t>(1, machine.cacheLine);
    if (source != Source::Near && !isFetchedAhead(nest, access, machine)) {
      Run run = findRun(nest, access);
      int64_t lines = llvm::divideCeil(run.bytes, line);
      int64_t ahead = run.jump % kPageBytes == 0 ? machine.linesAhead : machine.linesAhead / 2;
      bytes += multiply(bytes, std::clamp(lines, kLinesUnseen, std::max(kLinesUnseen, ahead))) / lines;
    }
    traffic += bytes;
  }
  return traffic;
}

int64_t countTraffic(const Nest &nest, int64_t capacity, const Machine &machine) {
  return countTraffic(nest, Footprints(nest, machine), capacity, Source::Near, machine);
}

/// Bytes that come again and stay in a cache. The first one finds lines by their place in a page. The others find them
/// by physical addresses: pages that lie anywhere fill some places before others, and three quarters of them hold.
static int64_t getHeld(const Machine &machine, unsigned level) {
  return level == 0 ? machine.caches[0].bytes : machine.caches[level].bytes / 4 * 3;
}

static int64_t predictTransfer(const Nest &nest, unsigned level, const Footprints &footprints, const Machine &machine) {
  int64_t bytes = 0, bandwidth = level < machine.caches.size() ? machine.caches[level].bandwidth : 0;
  bool isMemory = level >= machine.caches.size() || machine.caches[level].bytes == 0;
  if (level == 0)
    bytes = multiply(countAllAccesses(nest, machine), machine.vectorBits / 8);
  else
    bytes = countTraffic(nest, footprints, getHeld(machine, level - 1),
                         isMemory    ? Source::Memory
                         : level > 1 ? Source::Far
                                     : Source::Near,
                         machine);
  if (bandwidth == 0)
    bandwidth = machine.coreBandwidth;
  return bandwidth == 0 ? 0 : multiply(bytes, 1000000) / bandwidth;
}

int64_t predictTransfer(const Nest &nest, unsigned level, const Machine &machine) {
  return predictTransfer(nest, level, Footprints(nest, machine), machine);
}

int64_t boundNest(const Nest &nest, const Machine &machine) {
  int64_t hundredths = 0, bytes = 0, longest = 0;
  for (const NestWork &work : nest.work) {
    int64_t points = 1;
    for (auto [k, axis] : llvm::enumerate(nest.axes))
      if (contains(work.axes, k))
        points = multiply(points, axis.trips);
    hundredths += multiply(points, machine.getCost(work.opClass).interval) / machine.getLanes();
  }
  for (const NestAccess &access : nest.accesses)
    bytes += countFootprint(nest, access, 0, machine);
  for (auto [level, cache] : llvm::enumerate(machine.caches)) {
    if (cache.bytes == 0 || bytes <= cache.bytes)
      break;
    bool isLast = level + 1 == machine.caches.size() || machine.caches[level + 1].bytes == 0;
    if (int64_t bandwidth = isLast ? machine.coreBandwidth : machine.caches[level + 1].bandwidth)
      longest = std::max(longest, multiply(bytes, 1000000) / bandwidth);
  }
  return std::max(longest, toTime(hundredths, machine));
}

NestTimes predictNest(const Nest &nest, const Machine &machine) {
  NestTimes times{predictCompute(nest, machine), predictLatency(nest, machine), predictControl(nest, machine), {}};
  Footprints footprints(nest, machine);
  unsigned level = 0;
  for (; level < machine.caches.size() && machine.caches[level].bytes != 0; ++level)
    times.transfers.push_back(predictTransfer(nest, level, footprints, machine));
  times.transfers.push_back(predictTransfer(nest, level, footprints, machine));
  return times;
}

} // namespace tiny::cost
