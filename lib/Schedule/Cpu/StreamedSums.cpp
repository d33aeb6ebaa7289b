// Schedules sums that stream: a tile in the first-level cache accumulates them, long runs of a few rows at a time.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "StreamedSums.h"

#include "Candidates.h"
#include "Lanes.h"
#include "LoopSchedule.h"
#include "MergeLoops.h"
#include "Tiny/Algebra/Cost/LoopChoice.h"
#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

/// Fewest rows of the factor that are read side by side, and most: a core that follows fewer runs at a time waits for
/// memory, and one that follows more loses some. Most vectors side by side.
static constexpr int64_t kFewestRows = 4, kMostRows = 8, kMostVectors = 4;

namespace {
/// A sum over one axis of what lies along another one, which is stored, for the points of a third: its rows, or none.
struct StreamedSum {
  int64_t reduced = -1, nReduced = 1, column = -1, row = -1, nRows = 1;
  /// Most rows of the factor side by side.
  int64_t mostRows = kMostRows;
};

/// What a round of the loop of accumulators reads, and one body of it: columns of the tile, rows of the factor, vectors
/// side by side.
struct Shape {
  int64_t columns, reduced, vectors;

  std::string describe() const {
    return llvm::formatv("a tile of {0} columns accumulates, {1} rows of the factor at a time, {2} vectors", columns,
                         reduced, vectors);
  }
};
} // namespace

/// The load that walks the column and jumps along the reduced axis, if any.
static LoadOp findStream(FuncOp kernel, RangeOp reduced, RangeOp column, const cost::Machine &target) {
  AccessStride alongColumn(column), alongReduced(reduced);
  for (LoadOp load : findReducedLoads(kernel)) {
    std::optional<int64_t> jump = alongReduced.get(load.getIndex());
    if (jump && std::abs(*jump) > target.getLanes() && alongColumn.get(load.getIndex()) == std::optional<int64_t>(1))
      return load;
  }
  return nullptr;
}

static std::optional<StreamedSum> findStreamedSum(FuncOp kernel, const cost::Machine &target) {
  Block &body = kernel.getBody().front();
  auto reduces = body.getOps<ReduceOp>();
  if (!llvm::hasSingleElement(reduces) || !body.getOps<StageOp>().empty() || !body.getOps<ScanOp>().empty())
    return std::nullopt;
  ReduceOp reduce = *reduces.begin();
  if (!reduce.getKind() || reduce.getNumResults() != 1 || !reduce.mayReorder() || reduce.getRanges().size() != 1)
    return std::nullopt;
  auto reduced = reduce.getRanges().front().getDefiningOp<RangeOp>();
  RangeOp column = findStoredLanes(kernel);
  if (!column || isReduced(column) || reduced.getKind() != AxisKind::Reduce || reduced.getSize() || column.getSize() ||
      judgeStoredLanes(kernel, column) != LaneFit::Neighbours)
    return std::nullopt;
  LoadOp stream = findStream(kernel, reduced, column, target);
  if (!stream || int64_t(reduced.getExtent()) < 2 * kMostRows)
    return std::nullopt;
  StreamedSum sum{int64_t(reduced.getId()), int64_t(reduced.getExtent()), int64_t(column.getId())};
  // Rows that share their places in the first-level cache leave half of these to what is fetched ahead.
  int64_t bytes = llvm::divideCeil(getElementTypeOrSelf(stream.getType()).getIntOrFloatBitWidth(), 8);
  if (*AccessStride(reduced).get(stream.getIndex()) * bytes % cost::kPageBytes == 0)
    sum.mostRows = std::clamp<int64_t>(cost::getLinesOfPlace(target) / 2, 1, kMostRows);
  for (auto axis : body.getOps<RangeOp>()) {
    if (axis == reduced || axis == column || axis.getExtent() == 1 ||
        AccessStride(axis).get(stream.getIndex()) != std::optional<int64_t>(0))
      continue;
    if (sum.row >= 0 || axis.getKind() != AxisKind::Loop || axis.getSize())
      return std::nullopt;
    sum.row = axis.getId();
    sum.nRows = axis.getExtent();
  }
  return sum;
}

/// Rows of the factor side by side, `most` or somewhat fewer: behind the last of them is none that would be gated. Few
/// where there always are some: a copy of the body stands behind its loop.
static int64_t chooseRows(const StreamedSum &sum, int64_t most) {
  for (int64_t rows = most; rows >= kFewestRows; --rows)
    if (sum.nReduced % rows == 0)
      return rows;
  return kFewestRows;
}

/// Takes the steps of a shape. False where one is refused.
static bool takeShape(SchedulePlan &plan, const StreamedSum &sum, const Shape &shape, const cost::Machine &target) {
  int64_t lanes = shape.vectors * target.getLanes(), column = sum.column, row = sum.row, blocks = sum.reduced;
  int64_t extent = plan.getAxis(column).getExtent();
  int64_t columns = llvm::alignTo(llvm::divideCeil(extent, llvm::divideCeil(extent, shape.columns)), lanes);
  // As many rows side by side as have their accumulators in registers.
  int64_t most = std::max<int64_t>(1, target.vectorRegisters * 3 / 4 / shape.vectors);
  int64_t rows = llvm::divideCeil(sum.nRows, llvm::divideCeil(sum.nRows, most)), inner = column, elements = blocks;
  if (!plan.pad(column, columns) || !plan.split(column, columns, AxisKind::Loop, &inner) ||
      !plan.pad(blocks, shape.reduced) || !plan.split(blocks, shape.reduced, AxisKind::Reduce, &elements))
    return false;
  SmallVector<int64_t> tile{inner}, filling;
  if (row >= 0) {
    if (!plan.pad(row, rows) ||
        (inner != column && plan.getAxis(row).getPlace() < plan.getAxis(column).getPlace() && !plan.swap(row, column)))
      return false;
    tile.insert(tile.begin(), row);
  }
  return plan.stagePartial(blocks, tile, StageSpace::Local, filling, /*accumulates=*/true) &&
         (row < 0 || plan.split(filling.front(), rows, AxisKind::Upcast)) &&
         plan.split(filling.back(), lanes, AxisKind::Upcast) && plan.split(inner, lanes, AxisKind::Upcast) &&
         plan.split(elements, shape.reduced, AxisKind::Unroll);
}

bool scheduleStreamedSums(SchedulePlan &plan, SchedulePlan &ruled, const cost::Machine &target) {
  FuncOp kernel = plan.getKernel();
  std::optional<StreamedSum> sum = findStreamedSum(kernel, target);
  // All rows are side by side, so that each element of the factor is loaded once.
  if (!sum || sum->nRows > target.vectorRegisters * 3 / 4)
    return false;
  std::optional<int64_t> given = predictPlan(ruled, target);
  if (!given || isFewLaunches(*given, target))
    return false;
  Candidates told(plan.getOriginal(), "nanoseconds");
  told.add([] { return std::string("as it was planned"); }, double(*given) / 1000);
  std::optional<SchedulePlan> best;
  std::string chosen = "as it was planned";
  int64_t least = *given;
  auto tryShape = [&](const Shape &next) {
    SchedulePlan steps(plan);
    if (!takeShape(steps, *sum, next, target))
      return;
    std::optional<int64_t> time = predictPlan(steps, target);
    if (!time)
      return;
    told.add([&] { return next.describe(); }, double(*time) / 1000);
    if (best ? *time >= least : !cost::isFaster(*time, least))
      return;
    least = *time;
    chosen = next.describe();
    best.emplace(steps);
  };
  // As many vectors side by side as hide the latency of their sums.
  const cost::OpCost &cost = target.getCost(cost::OpClass::MultiplyAdd);
  int64_t vectors = 1, wanted = llvm::divideCeil(cost.latency, std::max<int64_t>(1, cost.interval));
  while (vectors < kMostVectors && vectors * sum->nRows < wanted)
    vectors *= 2;
  SmallVector<int64_t, 2> counts{chooseRows(*sum, sum->mostRows)};
  if (int64_t fewer = chooseRows(*sum, std::max(kFewestRows, sum->mostRows / 2)); fewer != counts.front())
    counts.push_back(fewer);
  for (int64_t columns : {1024, 512, 2048})
    for (int64_t rows : counts)
      tryShape({columns, rows, vectors});
  told.tell([&] { return chosen; });
  if (!best)
    return false;
  plan.swap(*best);
  return true;
}

} // namespace tiny::kernel
