// Schedules sliding windows: lanes along what is stored, every point of a window written out, several rows of results.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "WindowSchedule.h"

#include "Candidates.h"
#include "Lanes.h"
#include "RowSchedule.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// A load of a window: its stride along the lanes, and along each axis that is written out.
struct WindowLoad {
  LoadOp load;
  int64_t lanes = 0;
  SmallVector<int64_t> strides;
  /// The free axes other than the lanes that its gate depends on.
  SmallVector<RangeOp> gates;
  /// The ids of free axes for which padding gives each row a gate of its own.
  SmallVector<int64_t> apart;
};

struct Windows {
  RangeOp lanes;
  /// The reduced axes that windows slide along, which are written out, and their points.
  SmallVector<RangeOp> taps;
  int64_t nTaps = 1;
  SmallVector<WindowLoad> loads;
  int64_t nSums = 0, nFunctions = 0;
};

/// Several results of a row, computed side by side.
struct Rows {
  int64_t axis = -1, count = 1;

  std::string describe() const { return llvm::formatv("windows, {0} along axis {1} side by side", count, axis); }
};

} // namespace

/// The elements that a load reads for `rows` neighbours that are `stride` apart.
static int64_t countElements(const Windows &windows, const WindowLoad &load, int64_t rows, int64_t stride) {
  SmallVector<int64_t> places{0};
  auto spread = [&](int64_t extent, int64_t step) {
    size_t count = places.size();
    for (int64_t i = 1; step != 0 && i < extent; ++i)
      for (size_t k = 0; k < count; ++k)
        places.push_back(places[k] + i * step);
  };
  for (auto [axis, step] : llvm::zip_equal(windows.taps, load.strides))
    spread(RangeOp(axis).getExtent(), step);
  spread(rows, stride);
  llvm::sort(places);
  return std::unique(places.begin(), places.end()) - places.begin();
}

/// Whether neighbours along some free axis read elements in common at other points of the reduced axis.
static bool slides(FuncOp kernel, RangeOp reduced, ArrayRef<LoadOp> loads) {
  AccessStride taps(reduced);
  return llvm::any_of(kernel.getBody().getOps<RangeOp>(), [&](RangeOp axis) {
    if (isReduced(axis))
      return false;
    AccessStride strides(axis);
    return llvm::any_of(loads, [&](LoadOp load) {
      int64_t tap = taps.get(load.getIndex()).value_or(0), step = strides.get(load.getIndex()).value_or(0);
      return tap != 0 && step != 0 && step % tap == 0 &&
             std::abs(step / tap) < static_cast<int64_t>(reduced.getExtent());
    });
  });
}

static std::optional<Windows> findWindows(FuncOp kernel, const cost::Machine &target) {
  Block &body = kernel.getBody().front();
  auto sums = body.getOps<ReduceOp>();
  if (sums.empty() || !body.getOps<StageOp>().empty())
    return std::nullopt;
  Windows windows;
  for (ReduceOp sum : sums) {
    if (!sum.getKind() || !sum.mayReorder() || !llvm::equal(sum.getRanges(), (*sums.begin()).getRanges()))
      return std::nullopt;
    windows.nSums += sum.getNumResults();
  }
  for (auto axis : body.getOps<RangeOp>())
    if (axis.getKind() != (isReduced(axis) ? AxisKind::Reduce : AxisKind::Loop))
      return std::nullopt;
  windows.lanes = findStoredLanes(kernel, target.getLanes());
  if (!windows.lanes || static_cast<int64_t>(windows.lanes.getExtent()) < cost::kFewestNeighbours ||
      judgeStoredLanes(kernel, windows.lanes) <= LaneFit::Gathers)
    return std::nullopt;
  SmallVector<LoadOp> loads = findReducedLoads(kernel);
  for (Value range : (*sums.begin()).getRanges()) {
    auto axis = range.getDefiningOp<RangeOp>();
    if (!slides(kernel, axis, loads) || windows.nTaps * static_cast<int64_t>(axis.getExtent()) > cost::kMostTaps)
      continue;
    windows.nTaps *= axis.getExtent();
    windows.taps.push_back(axis);
  }
  AccessStride lanes(windows.lanes);
  for (LoadOp load : loads) {
    WindowLoad next{load, lanes.get(load.getIndex()).value_or(0), {}, {}, {}};
    for (RangeOp tap : windows.taps) {
      std::optional<int64_t> stride = AccessStride(tap).get(load.getIndex());
      if (!stride)
        return std::nullopt;
      next.strides.push_back(*stride);
    }
    for (auto axis : body.getOps<RangeOp>())
      if (axis != windows.lanes && !isReduced(axis) && load.getGate() &&
          AccessStride(axis).dependsOnAxis(load.getGate()))
        next.gates.push_back(axis);
    windows.loads.push_back(std::move(next));
  }
  windows.nFunctions = llvm::count_if(body, [](Operation &op) { return target::isFunction(&op); });
  if (windows.nTaps < 2)
    return std::nullopt;
  return windows;
}

/// Vector operations for a row where `rows` of `extent` are computed side by side along an axis: what is combined, and
/// beside it what is loaded, gated, shuffled and spilled, half of which the core does at the same time.
static double estimateRows(const Windows &windows, RangeOp axis, int64_t rows, const cost::Machine &target) {
  AccessStride strides(axis);
  int64_t extent = axis.getExtent(), results = rows * windows.nSums;
  double combined = double(results) * (windows.nTaps + 1), beside = 0;
  for (const WindowLoad &next : windows.loads) {
    LoadOp load = next.load;
    std::optional<int64_t> stride = strides.get(load.getIndex());
    // Without a stride each row has places of its own, and with a gate of its own it shares no load.
    bool isApart =
        !stride || (extent % rows != 0 && llvm::is_contained(next.apart, static_cast<int64_t>(axis.getId())));
    double elements =
        isApart ? double(rows) * countElements(windows, next, 1, 0) : countElements(windows, next, rows, *stride);
    // Two loads run beside one another.
    beside += elements / 2;
    if (isApart || llvm::any_of(next.gates, [&](RangeOp gate) { return gate != axis || rows < extent; }))
      beside += elements;
    // Every other element: as many loads as the stride, and shuffles between them. Such a vector is kept.
    if (int64_t apart = std::abs(next.lanes); apart > 1)
      beside += elements * (apart - 1) + 2 * std::max<double>(0, elements + double(results) - target.vectorRegisters);
  }
  double longer = std::max(combined, beside), shorter = std::min(combined, beside);
  return double(llvm::divideCeil(extent, rows)) / extent * (longer + shorter / cost::kShownShare);
}

/// Sets for each load the free axes along which it needs the gate of the end, were they padded.
static void findApart(FuncOp kernel, Windows &windows, int64_t mostRows) {
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    if (isReduced(axis) || axis == windows.lanes)
      continue;
    auto id = static_cast<int64_t>(axis.getId());
    SchedulePlan padded(kernel);
    RangeOp longer = padded.getAxis(id);
    longer.setExtent(axis.getExtent() + mostRows - 1);
    llvm::DenseMap<Operation *, LoadOp> copies;
    for (auto [load, copy] :
         llvm::zip_equal(kernel.getBody().getOps<LoadOp>(), padded.getKernel().getBody().getOps<LoadOp>()))
      copies[load] = copy;
    AccessStride strides(axis);
    for (WindowLoad &next : windows.loads)
      if ((strides.dependsOnAxis(next.load.getIndex()) || llvm::is_contained(next.gates, axis)) &&
          !needsNoEnd(copies[next.load], longer))
        next.apart.push_back(id);
  }
}

/// The rows side by side: of those that take up to a tenth longer than the best, the fewest, which compile soonest.
static Rows chooseRows(FuncOp kernel, Windows &windows, const cost::Machine &target, Candidates &&told) {
  findApart(kernel, windows, target.vectorRegisters / 2);
  SmallVector<std::pair<Rows, double>> candidates;
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    if (isReduced(axis) || axis == windows.lanes)
      continue;
    for (int64_t rows = 1; rows <= std::min<int64_t>(axis.getExtent(), target.vectorRegisters / 2 / windows.nSums);
         ++rows) {
      if (rows > 1 && (rows * windows.nTaps > cost::kMostTaps || rows * windows.nFunctions > cost::kMostFunctionCopies))
        break;
      candidates.push_back({{static_cast<int64_t>(axis.getId()), rows}, estimateRows(windows, axis, rows, target)});
    }
  }
  Rows best;
  double least = 0;
  for (const auto &[rows, cost] : candidates) {
    least = least == 0 ? cost : std::min(least, cost);
    told.add([&, &rows = rows] { return rows.describe(); }, cost);
  }
  bool found = false;
  for (const auto &[rows, cost] : candidates)
    if (cost <= cost::kWindowTolerance * least && (!found || rows.count < best.count)) {
      best = rows;
      found = true;
    }
  told.tell([&] { return best.describe(); });
  return best;
}

/// The lanes of a vector: as few vectors as there can be, and then as few lanes.
static int64_t chooseLanes(int64_t extent, int64_t most) {
  int64_t lanes = most;
  while (lanes > 2 && llvm::divideCeil(extent, lanes / 2) == llvm::divideCeil(extent, most))
    lanes /= 2;
  return lanes;
}

bool scheduleWindows(SchedulePlan &plan, const cost::Machine &target) {
  std::optional<Windows> windows = findWindows(plan.getKernel(), target);
  if (!windows)
    return false;
  Rows rows = chooseRows(plan.getKernel(), *windows, target, Candidates(plan.getOriginal(), "vector operations a row"));
  int64_t lanesId = windows->lanes.getId(), lanes = chooseLanes(windows->lanes.getExtent(), target.getLanes());
  SmallVector<int64_t> taps = llvm::map_to_vector(windows->taps, [](RangeOp tap) -> int64_t { return tap.getId(); });
  bool good =
      plan.pad(lanesId, lanes) && plan.split(lanesId, lanes, AxisKind::Upcast) &&
      (rows.count == 1 || (plan.pad(rows.axis, rows.count) && plan.split(rows.axis, rows.count, AxisKind::Upcast))) &&
      llvm::all_of(taps, [&](int64_t tap) { return plan.split(tap, 0, AxisKind::Unroll); });
  if (!good)
    plan.reset();
  return good;
}

} // namespace tiny::kernel
