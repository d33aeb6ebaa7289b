// Bounds the time of tiles that lanes compute of a product, and lists the best of them.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "LaneProducts.h"

#include "MatrixSchedule.h"
#include "Prediction.h"

using namespace mlir;

namespace tiny::kernel {

/// Tiles that are planned to be compared.
static constexpr size_t kMostTiles = 4;

/// Cycles of the device's cores, at least.
static double boundTime(const ProductSpace &space, const ProductTile &tile, const cost::Machine &target) {
  auto round = [](double extent, double multiple) { return std::ceil(extent / multiple); };
  double lanes = tile.subgroups[0] * tile.subgroups[1], rows = tile.extents[0], columns = tile.extents[1];
  double sums = rows * columns / lanes, depth = round(space.depth, tile.extents[2]) * tile.extents[2];
  double groups = space.others * round(space.rows, rows) * round(space.columns, columns);
  double resident = std::max<int64_t>(1, target.residentLanes) / lanes;
  if (target.coreRegisters)
    resident = std::min(resident, target.coreRegisters / (lanes * (kOtherRegisters + sums)));
  resident = std::max(1.0, std::floor(resident));
  double rounds = std::ceil(groups / std::max<int64_t>(1, target.cores)), waves = std::ceil(rounds / resident);
  double inCycle = std::max<int64_t>(1, target.cycleLanes), subgroup = std::max<int64_t>(1, target.subgroup);
  // Products, and what is read for them: vectors of four.
  double products = depth * sums, reads = depth * (rows / tile.subgroups[0] + 2 * columns / tile.subgroups[1]) / 4;
  double compute = std::max(rounds * lanes * products / inCycle, waves * products);
  double access = rounds * (lanes / subgroup) * reads;
  double bytes = groups * depth * (rows + columns) * space.bytes;
  double cache = target.sharedCacheBandwidth ? bytes * target.clock / target.sharedCacheBandwidth : 0;
  // Lanes meet for each factor of each tile, and each product of a sum waits for the one before it.
  double latency = waves * (double(target.memoryLatency) * target.clock / 1000 +
                            2 * kMeetingLatency * depth / tile.extents[2] + kOperationLatency * depth);
  return std::max({compute, access, cache, latency}) + kNotHidden * (compute + access + cache + latency);
}

SmallVector<ProductTile> listLaneTiles(SchedulePlan &plan, const cost::Machine &target, bool merges) {
  std::optional<ProductSpace> space = findProductSpace(plan, target, merges);
  if (!space || space->hasInstruction)
    return {};
  constexpr std::array<int64_t, 2> kLanes[] = {{16, 16}, {8, 16}, {8, 8}, {4, 16}, {4, 8}, {2, 32}};
  constexpr std::array<int64_t, 2> kSums[] = {{8, 8}, {8, 4}, {4, 8}, {4, 4}, {2, 4}, {4, 2}, {2, 2}, {1, 4}};
  SmallVector<std::pair<double, ProductTile>> found;
  for (std::array<int64_t, 2> lanes : kLanes)
    for (std::array<int64_t, 2> sums : kSums) {
      ProductTile tile = {{lanes[0] * sums[0], lanes[1] * sums[1], 0}, lanes};
      int64_t all = lanes[0] * lanes[1];
      for (int64_t depth : {16, 32}) {
        tile.extents[2] = depth;
        if (tile.extents[0] * depth % all == 0 && tile.extents[1] * depth % all == 0)
          found.push_back({boundTime(*space, tile, target), tile});
      }
    }
  llvm::stable_sort(found, [](const auto &a, const auto &b) { return a.first < b.first; });
  SmallVector<ProductTile> tiles;
  for (auto &[time, tile] : ArrayRef(found).take_front(kMostTiles))
    tiles.push_back(tile);
  return tiles;
}

} // namespace tiny::kernel
