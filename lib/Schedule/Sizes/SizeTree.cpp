// Compares the schedule of the greatest sizes with those of smaller ones, by prediction.
#include "SizeTree.h"

#include "../Cpu/CpuSchedule.h"
#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Support/Remarks.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>
#include <map>
#include <numeric>

using namespace mlir;

namespace tiny::kernel {
namespace {

/// How many times as long as its own schedule a size may take.
constexpr double kMostRegret = 1.1;
/// Kernels that one becomes; each is compiled.
constexpr size_t kMostParts = 8;
/// Points that are looked at, of all sizes together: as many schedules are chosen at most.
constexpr double kMostPoints = 16;

/// Accumulators beside each other, as `kernel-default-schedule` has by default.
constexpr int64_t kTile = 8;

/// Numbers of points on the grid, one for each size.
using Point = SmallVector<size_t>;

class Divider {
public:
  Divider(FuncOp kernel, const cost::Machine &machine)
      : kernel(kernel), machine(machine), sizes(findOpenSizes(kernel)) {
    double each = std::floor(std::pow(kMostPoints, 1.0 / double(std::max<size_t>(sizes.size(), 1))));
    for (const OpenSize &size : sizes)
      grid.push_back(makePoints(size.least, size.most, std::max(2.0, each)));
  }

  std::unique_ptr<SizeTree> divide() {
    Point first(grid.size(), 0), last;
    for (const SmallVector<int64_t> &points : grid)
      last.push_back(points.size() - 1);
    // Of a kernel that takes less than its launch nothing is worth it.
    std::unique_ptr<SizeTree> tree = makeBox(first, last);
    if (grid.empty() || predict(last, last).hidden < double(machine.launch) * 1000)
      return tree;
    for (double limit = kMostRegret;; limit *= kMostRegret)
      if (tree = build(first, last, limit); tree->countLeaves() <= kMostParts)
        return tree;
  }

private:
  /// From the least to the greatest in steps of one ratio, all different.
  static SmallVector<int64_t> makePoints(int64_t least, int64_t most, double count) {
    SmallVector<int64_t> points;
    double first = double(std::max<int64_t>(least, 1)), ratio = std::pow(double(most) / first, 1 / (count - 1));
    for (int k = 0; k < int(count); ++k)
      if (auto point = std::min(most, int64_t(std::ceil(first * std::pow(ratio, k) - 1e-6)));
          points.empty() || point > points.back())
        points.push_back(point);
    if (points.back() < most)
      points.push_back(most);
    return points;
  }

  /// The kernel at these greatest sizes, with the schedule that it gets there.
  struct Scheduled {
    OwningOpRef<FuncOp> narrowed;
    std::unique_ptr<SchedulePlan> plan;
  };

  Scheduled &schedule(const Point &most) {
    Scheduled &entry = plans[most];
    if (entry.plan)
      return entry;
    entry.narrowed = kernel.clone();
    for (auto [size, points, number] : llvm::zip_equal(sizes, grid, most))
      narrow(*entry.narrowed, size, size.least, points[number]);
    entry.plan = std::make_unique<SchedulePlan>(*entry.narrowed);
    scheduleCpu(*entry.plan, machine, kTile);
    return entry;
  }

  struct Times {
    /// Picoseconds of all passes on one core, if all that they wait for is hidden behind the longest of it, and if
    /// nothing is.
    double hidden, exposed;
    /// The parts that threads share.
    int64_t parts;
  };

  /// At sizes `live`, with the schedule for the greatest sizes `most`.
  const Times &predict(const Point &most, const Point &live) {
    auto [known, isNew] = times.try_emplace({most, live});
    if (!isNew)
      return known->second;
    FuncOp scheduled = schedule(most).plan->getKernel();
    SmallVector<int64_t> values;
    for (auto [points, number] : llvm::zip_equal(grid, live))
      values.push_back(points[number]);
    LiveTrips countTrips(scheduled, sizes, values);
    int64_t parts = 1;
    for (auto range : scheduled.getBody().getOps<RangeOp>())
      if (range.getKind() == AxisKind::Thread)
        parts *= countTrips(range);
    std::optional<SmallVector<cost::Nest>> nests = findNests(scheduled, countTrips);
    double hidden = 0, exposed = 0;
    if (nests)
      for (const cost::Nest &nest : *nests) {
        cost::NestTimes terms = cost::predictNest(nest, machine);
        hidden += double(terms.getTotal());
        exposed += double(std::max({terms.compute, terms.latency, terms.control}));
        exposed += std::accumulate(terms.transfers.begin(), terms.transfers.end(), 0.0);
      }
    known->second = {hidden, exposed, parts};
    return known->second;
  }

  /// How many times as long the schedule takes as the one of the sizes' own, at worst: on one, two or four threads,
  /// which share parts evenly or not, and whether waiting hides behind other waiting or not. To look at sizes takes
  /// about as long as a launch.
  double findRegret(const Point &most, const Point &live) {
    double launch = double(machine.launch) * 1000, worst = 0;
    for (int64_t threads : {1, 2, 4}) {
      const Times &shared = predict(most, live), &own = predict(live, live);
      for (double Times::*time : {&Times::hidden, &Times::exposed}) {
        auto on = [&](const Times &times) {
          return times.*time * double(llvm::divideCeil(times.parts, threads)) / double(times.parts);
        };
        worst = std::max(worst, (on(shared) + launch) / (on(own) + 2 * launch));
      }
    }
    return worst;
  }

  /// Sizes between points belong to the greater one.
  std::unique_ptr<SizeTree> makeBox(const Point &first, const Point &last) {
    auto box = std::make_unique<SizeTree>();
    for (auto [size, points, low, high] : llvm::zip_equal(sizes, grid, first, last)) {
      box->least.push_back(low == 0 ? size.least : points[low - 1] + 1);
      box->most.push_back(points[high]);
    }
    return box;
  }

  /// The points of a box, each with the regret of the schedule of the greatest one.
  SmallVector<std::pair<Point, double>> findRegrets(const Point &first, const Point &last) {
    SmallVector<std::pair<Point, double>> regrets;
    Point point = first;
    for (size_t k = 0; k < point.size();) {
      if (k == 0)
        regrets.push_back({point, findRegret(last, point)});
      // The next one, as digits of a number are counted up.
      if (point[k] < last[k]) {
        ++point[k];
        k = 0;
      } else {
        point[k] = first[k];
        ++k;
      }
    }
    return regrets;
  }

  std::unique_ptr<SizeTree> build(const Point &first, const Point &last, double limit) {
    std::unique_ptr<SizeTree> tree = makeBox(first, last);
    SmallVector<std::pair<Point, double>> regrets = findRegrets(first, last);
    const auto &worst = *llvm::max_element(regrets, [](const auto &a, const auto &b) { return a.second < b.second; });
    tree->regret = worst.second;
    if (worst.second <= limit)
      return tree;
    // The upper part has the same greatest sizes, so its schedule is known to be good where it is below the limit. The
    // cut that leaves the largest such part; else one in the middle of the size that the worst point is furthest down.
    size_t best = 0, size = 0, place = 0;
    for (size_t along = 0; along < first.size(); ++along)
      for (size_t cut = first[along] + 1; cut <= last[along]; ++cut) {
        size_t points = 0;
        bool isGood = llvm::all_of(regrets, [&](const auto &entry) {
          points += entry.first[along] >= cut;
          return entry.first[along] < cut || entry.second <= limit;
        });
        if (isGood && points > best) {
          best = points;
          size = along;
          place = cut;
        }
      }
    if (best == 0) {
      for (size_t along = 0; along < first.size(); ++along)
        if (last[along] - worst.first[along] > last[size] - worst.first[size])
          size = along;
      place = (first[size] + last[size] + 1) / 2;
    }
    Point highest = last, lowest = first;
    highest[size] = place - 1;
    lowest[size] = place;
    tree->size = size;
    tree->threshold = grid[size][place - 1];
    tree->below = build(first, highest, limit);
    tree->above = build(lowest, last, limit);
    return tree;
  }

  FuncOp kernel;
  const cost::Machine &machine;
  SmallVector<OpenSize> sizes;
  SmallVector<SmallVector<int64_t>> grid;
  std::map<Point, Scheduled> plans;
  std::map<std::pair<Point, Point>, Times> times;
};

} // namespace

std::unique_ptr<SizeTree> divideSizes(FuncOp kernel, const cost::Machine &machine) {
  QuietRemarks quiet;
  return Divider(kernel, machine).divide();
}

} // namespace tiny::kernel
