// Judges which axes fit vector lanes.
#include "Lanes.h"

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tiny::kernel {

bool makesScalars(FuncOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    return isLoopingFunction(&op) || (isa<LoadOp>(op) && !LaneAccess::isWord(op.getResult(0).getType()));
  });
}

int64_t countLanes(FuncOp kernel, const cost::Machine &target) {
  int64_t bits = 8;
  for (Operation &op : kernel.getBody().front())
    for (Type type : op.getResultTypes())
      if (type.isIntOrFloat())
        bits = std::max<int64_t>({bits, isa<FloatType>(type) ? 32 : 8, type.getIntOrFloatBitWidth()});
  return bits < 32 ? target.getLanes() * 32 / bits : target.getLanes();
}

LaneFit judgeLanes(FuncOp kernel, RangeOp axis) {
  LaneAccess access(axis);
  llvm::DenseSet<Value> varying = findVarying(axis);
  LaneFit fit = LaneFit::Neighbours;
  bool moves = false;
  for (Operation &op : kernel.getBody().front()) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (llvm::is_contained(reduce.getRanges(), axis.getResult()) && (!reduce.getKind() || !reduce.mayReorder()))
        return LaneFit::None;
      continue;
    }
    if (auto stage = dyn_cast<StageOp>(op); stage && llvm::is_contained(stage.getRanges(), axis.getResult())) {
      if (stage.getRanges().back() != axis.getResult())
        return LaneFit::None;
      moves = true;
      continue;
    }
    if (llvm::none_of(op.getOperands(), [&](Value operand) { return varying.contains(operand); }))
      continue;
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (access.findInterleaved(store, AxisKind::Loop)) {
        fit = std::min(fit, LaneFit::Strides);
      } else if (access.getDistance(store) != std::optional<int64_t>(1)) {
        if (!access.mayGather() || !access.dependsOnAxis(store.getIndex()))
          return LaneFit::None;
        fit = LaneFit::Gathers;
      }
      moves = true;
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      std::optional<int64_t> distance = access.getDistance(load);
      if (!distance && !access.mayGather())
        return LaneFit::None;
      if (!distance)
        fit = LaneFit::Gathers;
      else if (*distance < 0 || *distance > 1)
        fit = std::min(fit, LaneFit::Strides);
      moves |= !distance || *distance != 0;
    }
  }
  return moves ? fit : LaneFit::None;
}

llvm::SmallSetVector<RangeOp, 2> findInterleaved(FuncOp kernel, RangeOp axis) {
  LaneAccess access(axis);
  llvm::SmallSetVector<RangeOp, 2> found;
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (RangeOp between = access.findInterleaved(store, AxisKind::Loop))
      found.insert(between);
  return found;
}

LaneFit judgeStoredLanes(FuncOp kernel, RangeOp axis) {
  if (axis.getKind() != AxisKind::Loop || isReduced(axis))
    return LaneFit::None;
  AccessStride strides(axis);
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (!strides.dependsOnAxis(store.getIndex()))
      return LaneFit::None;
  return judgeLanes(kernel, axis);
}

RangeOp findStoredLanes(FuncOp kernel) {
  RangeOp best;
  LaneFit fit = LaneFit::None;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (LaneFit next = judgeStoredLanes(kernel, axis); next > fit) {
      best = axis;
      fit = next;
    }
  return best;
}

} // namespace tiny::kernel
