// Reads the passes of a kernel as nests: its axes in the order of their loops, the strides of accesses, and work.
#include "Tiny/Analysis/Kernel/KernelNests.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// What runs in the loops of one pass: operations, and the ranges that some of them varies over.
struct Pass {
  SmallVector<Operation *> operations;
  llvm::SmallSetVector<unsigned, 8> ranges;
};

Value getIndex(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getIndex();
  auto store = dyn_cast<StoreOp>(op);
  return store ? store.getIndex() : Value();
}

bool isCopies(RangeOp axis) { return axis.getKind() == AxisKind::Upcast || axis.getKind() == AxisKind::Unroll; }

/// Whether the operation takes time in the nest of its pass.
bool counts(Operation *op) {
  if (isa<LoadOp, StoreOp, ReduceOp>(op))
    return true;
  if (isa<RangeOp, StageOp>(op) || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType();
  return !type.isIndex() && !type.isInteger(1) && target::classify(op) != cost::OpClass::Free;
}

} // namespace

/// The role of each axis: of the copies, or of the innermost loop where there are none, one is lanes, along which every
/// access moves by one element or not at all, and some does.
static void chooseLanes(cost::Nest &nest) {
  auto fits = [&](size_t k) {
    bool moves = false;
    for (const cost::NestAccess &access : nest.accesses) {
      if (!access.strides[k] || *access.strides[k] < 0 || *access.strides[k] > 1)
        return false;
      moves |= *access.strides[k] == 1;
    }
    // What only computes has the lanes of its operands.
    return moves || nest.accesses.empty();
  };
  auto isCopies = [](const cost::NestAxis &axis) { return axis.role == cost::AxisRole::Copies; };
  std::optional<size_t> lanes;
  for (size_t k = 0; k < nest.axes.size(); ++k)
    if (isCopies(nest.axes[k]) && fits(k) && (!lanes || nest.axes[k].trips > nest.axes[*lanes].trips))
      lanes = k;
  if (llvm::none_of(nest.axes, isCopies) && !nest.axes.empty() && !nest.axes.back().isReduced &&
      fits(nest.axes.size() - 1))
    lanes = nest.axes.size() - 1;
  if (lanes)
    nest.axes[*lanes].role = cost::AxisRole::Lanes;
}

static cost::Nest buildNest(const Pass &pass, RangeSets &sets) {
  // Loops nest by kind, then by place; copies stand inside all of them.
  SmallVector<RangeOp> axes = llvm::map_to_vector(pass.ranges, [&](unsigned k) { return sets.getRanges()[k]; });
  llvm::sort(axes, [](RangeOp a, RangeOp b) {
    return std::tuple(a.getKind(), a.getPlace()) < std::tuple(b.getKind(), b.getPlace());
  });
  cost::Nest nest;
  for (RangeOp axis : axes) {
    bool isReduced = llvm::any_of(axis->getUsers(), [&](Operation *user) {
      return isa<ReduceOp>(user) && llvm::is_contained(getClosedRanges(user), axis.getResult());
    });
    nest.axes.push_back({static_cast<int64_t>(axis.getExtent()),
                         isCopies(axis) ? cost::AxisRole::Copies : cost::AxisRole::Loop, isReduced});
  }
  SmallVector<AccessStride> strides(axes.begin(), axes.end());
  for (Operation *op : pass.operations) {
    ArrayRef<unsigned> open = sets.getOpenOfOperands(op);
    uint64_t varies = 0;
    for (auto [k, axis] : llvm::enumerate(axes))
      if (llvm::is_contained(open, sets.getPosition(axis)))
        varies |= uint64_t(1) << k;
    if (Value index = getIndex(op)) {
      Value value = isa<LoadOp>(op) ? op->getResult(0) : cast<StoreOp>(op).getValue();
      cost::NestAccess access{llvm::divideCeil(value.getType().getIntOrFloatBitWidth(), 8), isa<StoreOp>(op), {}};
      for (AccessStride &stride : strides)
        access.strides.push_back(stride.get(index));
      nest.accesses.push_back(std::move(access));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      // A product that is summed up is one multiply-add with its sum.
      bool isProduct = reduce.getKind() == arith::AtomicRMWKind::addf &&
                       isa_and_present<arith::MulFOp>(reduce.getInputs().front().getDefiningOp());
      nest.work.append(reduce.getNumResults(),
                       {isProduct ? cost::OpClass::MultiplyAdd : cost::OpClass::Add, varies, true});
      if (!reduce.getCombiner().empty())
        for (Operation &inner : reduce.getCombiner().front())
          if (counts(&inner))
            nest.work.push_back({target::classify(&inner), varies, false});
    } else {
      bool isSummed = isa<arith::MulFOp>(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
                        auto reduce = dyn_cast<ReduceOp>(user);
                        return reduce && reduce.getKind() == arith::AtomicRMWKind::addf;
                      });
      if (!isSummed)
        nest.work.push_back({target::classify(op), varies, false});
    }
  }
  chooseLanes(nest);
  return nest;
}

std::optional<SmallVector<cost::Nest>> findNests(FuncOp kernel) {
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  llvm::DenseSet<unsigned> closing;
  for (Operation &op : kernel.getBody().front())
    for (Value range : getClosedRanges(&op))
      closing.insert(sets.getPosition(range.getDefiningOp<RangeOp>()));
  llvm::MapVector<SmallVector<unsigned>, Pass> passes;
  for (Operation *op : sortByDependence(kernel.getBody().front())) {
    if (!counts(op))
      continue;
    ArrayRef<unsigned> open = sets.getOpenOfOperands(op);
    SmallVector<unsigned> closed =
        llvm::to_vector(llvm::make_filter_range(open, [&](unsigned position) { return closing.contains(position); }));
    Pass &pass = passes[closed];
    pass.operations.push_back(op);
    pass.ranges.insert(open.begin(), open.end());
    if (pass.ranges.size() > 64)
      return std::nullopt;
  }
  SmallVector<cost::Nest> nests;
  for (auto &[closed, pass] : passes)
    nests.push_back(buildNest(pass, sets));
  return nests;
}

} // namespace tiny::kernel
