// Judges the accesses of a kernel for lanes: how far apart their elements lie, and whether to pick them pays.
#include "Tiny/Analysis/Kernel/LaneAccess.h"

#include "Tiny/Algebra/Cost/Nest.h"
#include "Tiny/Analysis/Kernel/DotProduct.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tiny::kernel {

/// From so many elements to the next lane on, most of what a vector would read lies between the lanes.
static constexpr int64_t kFarthest = 4;

bool LaneAccess::isWord(Type type) {
  return type.isIntOrFloat() && (type.getIntOrFloatBitWidth() == 32 || type.getIntOrFloatBitWidth() == 64);
}

bool takesFunction(Value value, const llvm::DenseSet<Value> *among) {
  SmallVector<Value> pending{value};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || isa<KernelDialect>(op->getDialect()) || (among && !among->contains(next)) || !seen.insert(op).second)
      continue;
    if (target::isFunction(op))
      return true;
    llvm::append_range(pending, op->getOperands());
  }
  return false;
}

bool isLoopingFunction(Operation *op) { return isa<math::SinOp, math::CosOp, math::TanOp, arith::RemFOp>(op); }

LaneAccess::LaneAccess(RangeOp axis) : strides(axis.getResult()) {
  for (Value value : findVarying(axis)) {
    hasFunctions |= value.getDefiningOp() && target::isFunction(value.getDefiningOp());
    hasReductions |= llvm::any_of(value.getUsers(), llvm::IsaPred<ReduceOp>);
  }
  for (auto range : axis->getParentOfType<FuncOp>().getBody().getOps<RangeOp>())
    if (range.getKind() == AxisKind::Dot && range != axis)
      dots.insert_range(findVarying(range));
}

std::optional<int64_t> LaneAccess::getDistance(LoadOp load) {
  std::optional<int64_t> stride = strides.get(load.getIndex());
  if (stride && isOfDots(load))
    return *stride % kDotPoints == 0 && *stride / kDotPoints <= 1 && *stride >= 0 ? std::optional(*stride / kDotPoints)
                                                                                  : std::nullopt;
  if (!stride || *stride < -kFarthest || *stride > kFarthest)
    return std::nullopt;
  return std::abs(*stride) <= 1 || isWord(load.getType()) ? stride : std::nullopt;
}

std::optional<int64_t> LaneAccess::getDistance(StoreOp store) {
  std::optional<int64_t> stride = strides.get(store.getIndex());
  return stride && (*stride == 0 || *stride == 1) ? stride : std::nullopt;
}

RangeOp LaneAccess::findInterleaved(StoreOp store, AxisKind kind) {
  std::optional<int64_t> stride = strides.get(store.getIndex());
  if (!stride || *stride < 2 || *stride > cost::kMostInterleaved)
    return {};
  for (auto range : store->getParentOfType<FuncOp>().getBody().getOps<RangeOp>())
    if (range.getKind() == kind && !range.getSize() && range.getExtent() == static_cast<uint64_t>(*stride) &&
        AccessStride(range).get(store.getIndex()) == std::optional<int64_t>(1))
      return range;
  return {};
}

} // namespace tiny::kernel
