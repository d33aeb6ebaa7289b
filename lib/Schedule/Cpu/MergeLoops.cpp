// Merges loops that every access walks as one.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "MergeLoops.h"

#include "Tiny/Algebra/Cost/Nest.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::kernel {

/// Whether anything but the index of an access depends on the axis.
static bool isUsedApart(FuncOp kernel, RangeOp axis) {
  AccessStride strides(axis);
  return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getGate() && strides.dependsOnAxis(load.getGate());
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getGate() && strides.dependsOnAxis(store.getGate());
    return isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::CmpIOp>(op) && op.getOperand(0).getType().isIndex() &&
           strides.dependsOnAxis(op.getOperand(0));
  });
}

SmallVector<LoadOp> findReducedLoads(FuncOp kernel) {
  SmallVector<LoadOp> loads;
  SmallVector<Value> pending;
  llvm::DenseSet<Operation *> seen;
  for (auto reduce : kernel.getBody().getOps<ReduceOp>())
    llvm::append_range(pending, reduce.getInputs());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<LoadOp>(op))
      loads.push_back(load);
    else
      llvm::append_range(pending, op->getOperands());
  }
  return loads;
}

/// Whether all accesses that a merge would divide for are loads that vary along both axes and may be packed.
static bool fitsMerge(FuncOp kernel, RangeOp outer, RangeOp inner, ArrayRef<LoadOp> packed) {
  return llvm::all_of(findAccessesApart(outer, inner), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && llvm::is_contained(packed, load) && AccessStride(outer).dependsOnAxis(load.getIndex()) &&
           AccessStride(inner).dependsOnAxis(load.getIndex());
  });
}

/// Whether anything but the index of an access depends on one of the axes.
static bool areUsedApart(RangeOp outer, RangeOp inner) {
  auto kernel = outer->getParentOfType<FuncOp>();
  return isUsedApart(kernel, outer) || isUsedApart(kernel, inner);
}

/// Merges axes that follow each other in the list, if they fit.
static void mergeNeighbours(SchedulePlan &plan, SmallVectorImpl<int64_t> &axes,
                            llvm::function_ref<bool(RangeOp, RangeOp)> fits) {
  for (size_t i = 0; i + 1 < axes.size();) {
    // Another list may have merged them already.
    RangeOp outer = plan.getAxis(axes[i]), inner = plan.getAxis(axes[i + 1]);
    if (!outer || !inner || !whyNotMerge(outer, inner).empty() || !fits(outer, inner)) {
      ++i;
      continue;
    }
    plan.merge(axes[i], axes[i + 1]);
    axes.erase(axes.begin() + i + 1);
  }
}

bool mergeLoops(SchedulePlan &plan, bool pack) {
  SmallVector<int64_t> free;
  for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
    if (axis.getKind() == AxisKind::Loop && !isReduced(axis) && !isStaged(axis))
      free.push_back(axis.getId());
  llvm::sort(free);
  auto reduces = plan.getKernel().getBody().getOps<ReduceOp>();
  bool isProduct = !reduces.empty() && llvm::all_of(reduces, [&](ReduceOp reduce) {
    return isa_and_present<arith::MulFOp>(reduce.getInputs().front().getDefiningOp()) &&
           llvm::equal(reduce.getRanges(), (*reduces.begin()).getRanges());
  });
  bool packs = false;
  mergeNeighbours(plan, free, [&](RangeOp outer, RangeOp inner) {
    if (findAccessesApart(outer, inner).empty())
      return isProduct || !areUsedApart(outer, inner);
    FuncOp kernel = plan.getKernel();
    bool fits = pack && isProduct && fitsMerge(kernel, outer, inner, findReducedLoads(kernel));
    packs |= fits;
    return fits;
  });
  return packs;
}

/// The smallest divisor of the axis for an access, if any is that small.
static std::optional<int64_t> findDivisor(RangeOp axis) {
  std::optional<int64_t> least;
  for (Operation *user : axis->getUsers()) {
    APInt divisor;
    if (isa<arith::FloorDivSIOp, sym::ModOp>(user) && user->getOperand(0) == axis.getResult() &&
        matchPattern(user->getOperand(1), m_ConstantInt(&divisor)) && divisor.sgt(1) &&
        divisor.sle(cost::kMostInterleaved) && axis.getExtent() % divisor.getSExtValue() == 0)
      least = std::min(least.value_or(cost::kMostInterleaved), divisor.getSExtValue());
  }
  return least;
}

bool splitDivided(SchedulePlan &plan) {
  SmallVector<std::pair<int64_t, int64_t>> divided;
  for (auto axis : plan.getKernel().getBody().getOps<RangeOp>())
    if (std::optional<int64_t> divisor = findDivisor(axis);
        divisor && axis.getKind() == AxisKind::Loop && !axis.getSize() && !isReduced(axis) && !isStaged(axis))
      divided.push_back({axis.getId(), *divisor});
  bool splits = false;
  for (auto [id, divisor] : divided)
    splits |= plan.split(id, divisor, AxisKind::Loop);
  return splits;
}

void mergeReduced(SchedulePlan &plan) {
  SmallVector<SmallVector<int64_t>> rows;
  for (Operation &op : plan.getKernel().getBody().front())
    if (isa<ReduceOp, StageOp>(op))
      rows.push_back(llvm::map_to_vector(getClosedRanges(&op), [](Value range) {
        return static_cast<int64_t>(range.getDefiningOp<RangeOp>().getId());
      }));
  for (SmallVector<int64_t> &axes : rows)
    mergeNeighbours(plan, axes, [](RangeOp outer, RangeOp inner) {
      return findAccessesApart(outer, inner).empty() && !areUsedApart(outer, inner);
    });
}

} // namespace tiny::kernel
