// Schedules passes along a reduced axis that is not contiguous: lanes across columns, and a tile of what passes share.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ColumnSchedule.h"

#include "Lanes.h"
#include "RowSchedule.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"

using namespace mlir;

namespace tiny::kernel {

namespace {
struct Kept {
  SmallVector<int64_t> axes; ///< reduced ones, in the order of their passes
  int64_t bytes = 0;         ///< of their tiles, for each column
};
} // namespace

/// The axes along which a tile is to keep values that later passes compute again.
static Kept findKept(SchedulePlan &plan, RangeOp column) {
  SmallVector<int64_t> reduced;
  for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Reduce)
      reduced.push_back(axis.getId());
  sortByPasses(plan.getKernel(), reduced);
  Kept kept;
  llvm::DenseSet<Value> there;
  for (int64_t id : reduced) {
    RangeOp axis = plan.getAxis(id);
    SharedInput shared = findSharedInput(axis);
    if (!shared.isCostly || there.contains(shared.value) || !whyNotStageInput(axis, column).empty())
      continue;
    for (const RepeatedValue &repeated : shared.repeated)
      there.insert(repeated.value);
    kept.axes.push_back(id);
    kept.bytes += countTileBytes(shared, axis);
  }
  return kept;
}

bool scheduleColumns(SchedulePlan &plan, const cost::Machine &target) {
  RangeOp column = findStoredLanes(plan.getKernel(), target.getLanes());
  if (!column)
    return false;
  Kept kept = findKept(plan, column);
  int64_t id = column.getId(), extent = column.getExtent();
  bool strides = judgeLanes(plan.getKernel(), column) != LaneFit::Gathers;
  int64_t lanes = findMultiple(extent, target.getLanes() * (strides ? kVectorsAcross : 1), target.getLanes());
  while (lanes > target.getLanes() && lanes * kept.bytes > cost::getKeptBytes(target))
    lanes /= 2;
  lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(extent));
  if (kept.axes.empty() || lanes < 2 || lanes * kept.bytes > cost::getKeptBytes(target) || !plan.pad(id, lanes))
    return false;
  int64_t inner = id;
  plan.split(id, lanes, AxisKind::Upcast, &inner);
  SmallVector<int64_t> filling;
  for (int64_t axis : kept.axes)
    plan.stageInput(axis, inner, StageSpace::Local, filling);
  return true;
}

} // namespace tiny::kernel
