// See KernelTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ColumnSchedule.h"

#include "Lanes.h"
#include "RowSchedule.h"
#include "Tiny/Transforms/Kernel/Split.h"
#include "Tiny/Transforms/Kernel/Stage.h"

using namespace mlir;

namespace tiny::kernel {

/// The reduced axes, in the order of their passes, along which a tile is to keep what other passes compute again.
/// `bytes` is what the tiles have for each point of `column`.
static SmallVector<int64_t> findKept(SchedulePlan &plan, RangeOp column, int64_t &bytes) {
  SmallVector<int64_t> reduced, kept;
  for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Reduce)
      reduced.push_back(axis.getId());
  sortByPasses(plan.getKernel(), reduced);
  llvm::DenseSet<Value> there;
  bytes = 0;
  for (int64_t id : reduced) {
    RangeOp axis = plan.getAxis(id);
    SharedInput shared = findSharedInput(axis);
    if (!shared.isCostly || there.contains(shared.value) || !shared.value.getType().isIntOrFloat() ||
        !whyNotStageInput(axis, column).empty())
      continue;
    for (const RepeatedValue &repeated : shared.repeated)
      there.insert(repeated.value);
    kept.push_back(id);
    bytes += axis.getExtent() * llvm::divideCeil(shared.value.getType().getIntOrFloatBitWidth(), 8);
  }
  return kept;
}

bool scheduleColumns(SchedulePlan &plan, const ScheduleTarget &target) {
  FuncOp kernel = plan.getKernel();
  RangeOp column;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (!column && axis.getKind() == AxisKind::Loop && !isReduced(axis) && isContiguousAxis(kernel, axis))
      column = axis;
  if (!column)
    return false;
  int64_t bytes, inner, id = column.getId(), extent = column.getExtent();
  SmallVector<int64_t> kept = findKept(plan, column, bytes);
  int64_t lanes = target.lanes * countVectors(kernel, column);
  // Lanes that nothing uses take as long as others.
  auto wastes = [&](int64_t lanes) { return static_cast<int64_t>(llvm::alignTo(extent, lanes)) * 3 > extent * 4; };
  while (lanes > target.lanes && (lanes * bytes > target.keptBytes || wastes(lanes)))
    lanes /= 2;
  lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(extent));
  if (kept.empty() || lanes < 2 || lanes * bytes > target.keptBytes || !plan.pad(id, lanes))
    return false;
  plan.split(id, lanes, AxisKind::Upcast, &inner);
  SmallVector<int64_t> filling;
  for (int64_t axis : kept)
    plan.stageInput(axis, inner, StageSpace::Local, filling);
  return true;
}

} // namespace tiny::kernel
