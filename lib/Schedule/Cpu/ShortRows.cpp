// Decides how reductions along rows shorter than a vector run: as copies without loops, or as padded vectors.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "ShortRows.h"

#include "Lanes.h"
#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::kernel {

/// Whether every load moves along the axis by one element or not at all, and some load moves.
static bool isReadInOrder(FuncOp kernel, RangeOp axis) {
  AccessStride strides(axis);
  bool walks = false;
  for (auto load : kernel.getBody().getOps<LoadOp>()) {
    std::optional<int64_t> stride = strides.get(load.getIndex());
    if (!stride || *stride < 0 || *stride > 1)
      return false;
    walks |= *stride == 1;
  }
  return walks;
}

ShortRows findShortRows(FuncOp kernel, const cost::Machine &target, llvm::function_ref<bool(RangeOp)> hasLanes) {
  Block &body = kernel.getBody().front();
  RangeSets sets(sortByDependence(body));
  auto reductions = body.getOps<ReduceOp>();
  if (reductions.empty() || !body.getOps<StageOp>().empty())
    return {};
  ShortRows rows;
  bool sums = true, isOrdered = true, fitsLanes = true, gathers = false;
  int64_t longest = 1, stored = 1;
  for (ReduceOp reduce : reductions) {
    int64_t points = 1;
    for (Value range : reduce.getRanges())
      points *= range.getDefiningOp<RangeOp>().getExtent();
    longest = std::max(longest, points);
    sums &= reduce.getKind() == arith::AtomicRMWKind::addf || reduce.getKind() == arith::AtomicRMWKind::addi;
  }
  llvm::SmallDenseSet<unsigned> along;
  for (RangeOp axis : sets.getRanges()) {
    unsigned position = sets.getPosition(axis);
    auto varies = [&](Value value) { return llvm::is_contained(sets.getOpen(value), position); };
    if (isReduced(axis)) {
      if (axis.getKind() != AxisKind::Reduce)
        return {};
      isOrdered &= isReadInOrder(kernel, axis);
    } else {
      if (axis.getKind() != AxisKind::Loop)
        return {};
      if (llvm::any_of(reductions, [&](ReduceOp reduce) { return llvm::any_of(reduce.getResults(), varies); })) {
        if (hasLanes(axis))
          return {};
        continue;
      }
      stored *= axis.getExtent();
    }
    along.insert(position);
    rows.axes.push_back(axis.getId());
    LaneFit fit = judgeLanes(kernel, axis);
    fitsLanes &= fit != LaneFit::None;
    gathers |= fit == LaneFit::Gathers;
  }
  longest = std::max(longest, stored);
  if (longest * 2 >= target.getLanes() * 3 || longest < 2)
    return {};
  // Of a padded vector functions compute lanes that nothing uses, and a maximum of its lanes takes many steps.
  llvm::SmallSetVector<OperationName, 4> functions;
  int64_t bytes = 1;
  bool loops = false;
  for (Operation &op : body) {
    auto isAlong = [&](Value operand) {
      return llvm::any_of(sets.getOpen(operand), [&](unsigned position) { return along.contains(position); });
    };
    loops |= isLoopingFunction(&op);
    if (target::isFunction(&op) && llvm::any_of(op.getOperands(), isAlong))
      functions.insert(op.getName());
    if (auto load = dyn_cast<LoadOp>(op); load && load.getType().isIntOrFloat() && isAlong(load.getIndex()))
      bytes = std::max<int64_t>(bytes, load.getType().getIntOrFloatBitWidth() / 8);
  }
  bool isShort = longest < target.getLanes();
  bool isInterleaved = longest <= cost::kInterleavedRow && longest * bytes <= cost::kInterleavedBytes;
  bool fits = static_cast<int64_t>(body.getOperations().size()) * longest <= cost::kMostCopies &&
              static_cast<int64_t>(functions.size()) * longest <= cost::kMostFunctionCopies;
  // One function along vectors is as fast as copies of it, and compiles sooner.
  bool paysOff = functions.size() > 1 || (isShort && (isInterleaved || !fitsLanes || (functions.empty() && !sums)));
  // LLVM runs copies side by side unless there are loops inside.
  if (fits && paysOff && isOrdered && !(loops && fitsLanes))
    rows.way = ShortRows::Way::Copies;
  else if (isShort && fitsLanes && !(gathers && functions.empty()))
    rows.way = ShortRows::Way::Lanes;
  return rows;
}

bool scheduleShortRows(SchedulePlan &plan, const ShortRows &rows) {
  if (rows.way != ShortRows::Way::Copies)
    return false;
  for (int64_t id : rows.axes)
    plan.split(id, plan.getAxis(id).getExtent(), AxisKind::Unroll);
  return !plan.isEmpty();
}

} // namespace tiny::kernel
