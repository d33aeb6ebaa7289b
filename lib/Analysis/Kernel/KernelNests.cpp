// Reads the passes of a kernel as nests: its axes in the order of their loops, the strides of accesses, and work.
#include "Tiny/Analysis/Kernel/KernelNests.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "mlir/IR/Matchers.h"
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

/// The role of each axis: of the upcast ones one is lanes, the one with the fewest accesses that pick each lane by
/// itself, then the one with most that walk. Without copies LLVM's vectoriser makes lanes of the innermost loop, if
/// every access walks it by one element or stays.
static void chooseLanes(cost::Nest &nest, ArrayRef<RangeOp> axes) {
  std::optional<size_t> lanes;
  std::tuple<int64_t, int64_t, int64_t> best;
  bool hasCopies = llvm::any_of(axes, isCopies);
  for (size_t k = 0; k < axes.size(); ++k) {
    RangeOp axis = axes[k];
    if (hasCopies ? axis.getKind() != AxisKind::Upcast : k + 1 != axes.size() || nest.axes[k].isReduced)
      continue;
    int64_t picked = 0, walking = 0;
    for (const cost::NestAccess &access : nest.accesses) {
      picked += cost::picksLanes(access, k);
      walking += access.strides[k] == std::optional<int64_t>(1);
    }
    // What only computes has the lanes of its operands.
    if ((!hasCopies && picked > 0) || (walking + picked == 0 && !nest.accesses.empty()))
      continue;
    if (std::tuple rank(-picked, walking, nest.axes[k].trips); !lanes || rank > best) {
      lanes = k;
      best = rank;
    }
  }
  if (lanes)
    nest.axes[*lanes].role = cost::AxisRole::Lanes;
}

/// Whether the operation takes no instruction of its own: a masked load gives what a selection by its gate would, where
/// that is zero, and the selection of what lies behind the end of a padded axis stands behind the loop.
static bool isFreeSelect(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || !matchPattern(select.getFalseValue(), m_Constant()))
    return false;
  return isa_and_present<LoadOp>(select.getTrueValue().getDefiningOp()) ||
         llvm::all_of(op->getUsers(), llvm::IsaPred<ReduceOp>);
}

/// Whether the product is only summed up: one multiply-add with its sum.
static bool isSummed(Operation *op) {
  return isa<arith::MulFOp>(op) && !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
           if (isFreeSelect(user) && user->hasOneUse())
             user = *user->getUsers().begin();
           auto reduce = dyn_cast<ReduceOp>(user);
           return reduce && reduce.getKind() == arith::AtomicRMWKind::addf;
         });
}

static cost::Nest buildNest(const Pass &pass, RangeSets &sets, llvm::function_ref<int64_t(RangeOp)> countTrips) {
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
    nest.axes.push_back({countTrips ? countTrips(axis) : static_cast<int64_t>(axis.getExtent()),
                         isCopies(axis) ? cost::AxisRole::Copies : cost::AxisRole::Loop, isReduced});
    if (axis.getKind() == AxisKind::Global || axis.getKind() == AxisKind::Thread)
      nest.parts = std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(nest.parts, axis.getExtent()),
                                      std::numeric_limits<int64_t>::max());
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
      int64_t bytes = llvm::divideCeil(value.getType().getIntOrFloatBitWidth(), 8);
      cost::NestAccess access{bytes, isa<StoreOp>(op), {}};
      Value buffer = isa<LoadOp>(op) ? cast<LoadOp>(op).getBuffer() : cast<StoreOp>(op).getBuffer();
      if (auto type = cast<MemRefType>(buffer.getType()); type.hasStaticShape())
        access.bufferBytes = std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(type.getNumElements(), bytes),
                                                std::numeric_limits<int64_t>::max());
      for (AccessStride &stride : strides)
        access.strides.push_back(stride.get(index));
      nest.accesses.push_back(std::move(access));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Operation *input = reduce.getInputs().front().getDefiningOp();
      if (input && isFreeSelect(input))
        input = cast<arith::SelectOp>(input).getTrueValue().getDefiningOp();
      bool isProduct = reduce.getKind() == arith::AtomicRMWKind::addf && isa_and_present<arith::MulFOp>(input);
      nest.work.append(reduce.getNumResults(),
                       {isProduct ? cost::OpClass::MultiplyAdd : cost::OpClass::Add, varies, true});
      if (!reduce.getCombiner().empty())
        for (Operation &inner : reduce.getCombiner().front())
          if (counts(&inner))
            nest.work.push_back({target::classify(&inner), varies, false});
    } else if (!isSummed(op) && !isFreeSelect(op)) {
      nest.work.push_back({target::classify(op), varies, false});
    }
  }
  chooseLanes(nest, axes);
  return nest;
}

/// What some store or tile that is read depends on. Steps leave behind what they replaced.
static llvm::DenseSet<Operation *> findLive(Block &body) {
  llvm::DenseSet<Operation *> live;
  SmallVector<Operation *> pending =
      llvm::map_to_vector(body.getOps<StoreOp>(), [](StoreOp op) { return op.getOperation(); });
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!live.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        pending.push_back(def);
  }
  return live;
}

std::optional<SmallVector<cost::Nest>> findNests(FuncOp kernel, llvm::function_ref<int64_t(RangeOp)> countTrips) {
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  llvm::DenseSet<Operation *> live = findLive(kernel.getBody().front());
  llvm::DenseSet<unsigned> closing;
  for (Operation &op : kernel.getBody().front())
    for (Value range : getClosedRanges(&op))
      closing.insert(sets.getPosition(range.getDefiningOp<RangeOp>()));
  llvm::MapVector<SmallVector<unsigned>, Pass> passes;
  for (Operation *op : sortByDependence(kernel.getBody().front())) {
    if (!counts(op) || !live.contains(op))
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
    nests.push_back(buildNest(pass, sets, countTrips));
  return nests;
}

} // namespace tiny::kernel
