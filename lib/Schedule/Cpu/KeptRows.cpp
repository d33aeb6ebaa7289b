// Which tiles a schedule may treat as kept rows: small ones that every reader passes over once.
// KernelTransformOps.cpp says why NDEBUG.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "KeptRows.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Stage.h"

using namespace mlir;

namespace tiny::kernel {

/// Whether each element of the tile is read once for each point of what the read stands in besides.
static bool isReadInPasses(StageOp stage, const RangeSets &sets) {
  return llvm::all_of(stage->getUsers(), [&](Operation *user) {
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      return false;
    ArrayRef<unsigned> around = sets.getOpen(stage.getTile());
    double points = 1;
    for (unsigned position : sets.getOpen(load.getIndex()))
      if (!llvm::is_contained(around, position))
        points *= RangeOp(sets.getRanges()[position]).getExtent();
    return points == double(stage.getTile().getType().getNumElements());
  });
}

SmallVector<KeptRow> findKeptRows(FuncOp kernel, const cost::Machine &target) {
  SmallVector<KeptRow> rows;
  Block &body = kernel.getBody().front();
  if (body.getOps<StageOp>().empty())
    return rows;
  SmallVector<Operation *> order = sortByDependence(body);
  RangeSets sets(order);
  for (Operation *op : order) {
    auto stage = dyn_cast<StageOp>(op);
    if (!stage || !isReadInPasses(stage, sets))
      continue;
    KeptRow row{stage, {}, 0};
    bool fits = true;
    for (Value range : stage.getRanges()) {
      auto axis = range.getDefiningOp<RangeOp>();
      row.filling.push_back(axis.getId());
      fits &= axis.getKind() == AxisKind::Loop;
    }
    auto type = cast<MemRefType>(stage.getTile().getType());
    int64_t bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth()
                                                        : unsigned(IndexType::kInternalStorageBitWidth);
    row.bytes = type.getNumElements() * llvm::divideCeil(bits, 8);
    // Larger tiles are of whole values, which stay where they are.
    if (fits && row.bytes <= cost::getKeptBytes(target) &&
        whyNotUnstage(stage.getRanges().front().getDefiningOp<RangeOp>()).empty())
      rows.push_back(std::move(row));
  }
  return rows;
}

void unstageRows(SchedulePlan &plan, const cost::Machine &target) {
  // Those that others are computed from come first: these then hold what they read.
  SmallVector<KeptRow> rows = findKeptRows(plan.getKernel(), target);
  for (const KeptRow &row : llvm::reverse(rows))
    plan.unstage(row.filling.front());
}

} // namespace tiny::kernel
