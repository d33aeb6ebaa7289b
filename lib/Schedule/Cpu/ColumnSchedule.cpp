// Schedules passes along a reduced axis that is not contiguous: lanes across columns, and a tile of what passes share.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "ColumnSchedule.h"

#include "KeptRows.h"
#include "Lanes.h"

using namespace mlir;

namespace tiny::kernel {

bool scheduleColumns(SchedulePlan &plan, SchedulePlan &bare, const cost::Machine &target) {
  SmallVector<KeptRow> kept = findKeptRows(plan.getKernel(), target);
  RangeOp column = kept.empty() ? RangeOp() : findStoredLanes(bare.getKernel(), target.getLanes());
  if (!column)
    return false;
  int64_t id = column.getId(), extent = column.getExtent(), bytes = 0;
  SchedulePlan columns(plan);
  llvm::DenseSet<Value> varying = findVarying(plan.getAxis(id));
  llvm::erase_if(kept, [&](KeptRow &row) { return !varying.contains(row.stage.getTile()); });
  for (const KeptRow &row : kept)
    bytes += row.bytes;
  // Of tiles that are too large together the last ones are computed from what the first ones keep.
  for (; !kept.empty() && target.getLanes() * bytes > cost::getKeptBytes(target); kept.pop_back()) {
    bytes -= kept.back().bytes;
    columns.unstage(kept.back().filling.front());
  }
  bool strides = judgeLanes(bare.getKernel(), column) != LaneFit::Gathers;
  int64_t lanes = findMultiple(extent, target.getLanes() * (strides ? cost::kVectorsAcross : 1), target.getLanes());
  while (lanes > target.getLanes() && lanes * bytes > cost::getKeptBytes(target))
    lanes /= 2;
  lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(extent));
  if (kept.empty() || lanes < 2 || !columns.pad(id, lanes) || !columns.split(id, lanes, AxisKind::Upcast))
    return false;
  plan.swap(columns);
  return true;
}

} // namespace tiny::kernel
