// Judges which axes fit vector lanes, and chooses those that cost least.
#include "Lanes.h"

#include "Tiny/Algebra/Cost/FittedChoices.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tiny::kernel {

static double weigh(Operation *op) {
  if (isa<math::SqrtOp, math::RsqrtOp>(op))
    return cost::kLaneRoot;
  return target::isFunction(op) ? cost::kLaneFunction : isa<ReduceOp>(op) ? cost::kLaneReduction : 0;
}

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
      if (access.getDistance(store) != std::optional<int64_t>(1)) {
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

LaneFit judgeStoredLanes(FuncOp kernel, RangeOp axis) {
  if (axis.getKind() != AxisKind::Loop || isReduced(axis))
    return LaneFit::None;
  AccessStride strides(axis);
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (!strides.dependsOnAxis(store.getIndex()))
      return LaneFit::None;
  return judgeLanes(kernel, axis);
}

double estimateLanes(FuncOp kernel, ArrayRef<RangeOp> axes, int64_t lanes, RangeSets &sets) {
  SmallVector<std::pair<unsigned, LaneAccess>> accesses =
      llvm::map_to_vector(axes, [&](RangeOp axis) { return std::pair(sets.getPosition(axis), LaneAccess(axis)); });
  double cost = 0;
  for (Operation &op : kernel.getBody().front()) {
    double points = 1, weight = weigh(&op);
    ArrayRef<unsigned> open = sets.getOpenOfOperands(&op);
    int64_t shared = 1;
    for (unsigned position : open) {
      RangeOp range = sets.getRanges()[position];
      points *= range.getExtent();
      // It has lanes already.
      if (range.getKind() == AxisKind::Upcast)
        shared = std::max<int64_t>(shared, range.getExtent());
    }
    for (auto &[position, access] : accesses) {
      if (!llvm::is_contained(open, position))
        continue;
      shared = std::max<int64_t>(shared, RangeOp(sets.getRanges()[position]).getExtent());
      if (auto load = dyn_cast<LoadOp>(op); load && !access.getDistance(load))
        weight = cost::kLanePickedLoad;
      else if (auto store = dyn_cast<StoreOp>(op); store && access.getDistance(store) != std::optional<int64_t>(1))
        weight = cost::kLanePickedStore;
    }
    if (!isa<LoadOp, StoreOp>(op))
      weight /= std::min(shared, lanes);
    cost += points * weight;
  }
  return cost;
}

RangeOp findStoredLanes(FuncOp kernel, int64_t lanes) {
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  RangeOp best;
  LaneFit fit = LaneFit::None;
  double cost = 0;
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    LaneFit next = judgeStoredLanes(kernel, axis);
    if (next == LaneFit::None)
      continue;
    double nextCost = estimateLanes(kernel, axis, lanes, sets);
    if (!best || nextCost < cost || (nextCost == cost && next > fit)) {
      best = axis;
      fit = next;
      cost = nextCost;
    }
  }
  return best;
}

SmallVector<RangeOp> findLanes(FuncOp kernel, int64_t lanes) {
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  auto meet = [&](RangeOp a, RangeOp b) {
    return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
      ArrayRef<unsigned> open = sets.getOpenOfOperands(&op);
      return llvm::is_contained(open, sets.getPosition(a)) && llvm::is_contained(open, sets.getPosition(b));
    });
  };
  SmallVector<RangeOp> several;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Loop && !isReduced(axis) && judgeLanes(kernel, axis) > LaneFit::Gathers &&
        llvm::none_of(several, [&](RangeOp other) { return meet(axis, other); }))
      several.push_back(axis);
  RangeOp one = findStoredLanes(kernel, lanes);
  if (!several.empty() &&
      (!one || estimateLanes(kernel, several, lanes, sets) < estimateLanes(kernel, one, lanes, sets)))
    return several;
  return one ? SmallVector<RangeOp>{one} : SmallVector<RangeOp>();
}

int64_t findMultiple(int64_t extent, int64_t most, int64_t least) {
  while (most > least && static_cast<int64_t>(llvm::alignTo(extent, most)) * 3 > extent * 4)
    most /= 2;
  return most;
}

} // namespace tiny::kernel
