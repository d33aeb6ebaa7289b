// Reads the passes of a kernel as nests: its axes in the order of their loops, the strides of accesses, and work.
#include "Tiny/Analysis/Kernel/KernelNests.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/DotProduct.h"
#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Analysis/Kernel/VectorAxes.h"
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
  /// Those that each operation stands in.
  SmallVector<SmallVector<unsigned>> open;
  llvm::SmallSetVector<unsigned, 8> ranges;
};

/// The bytes of a lane are no axis of their own: one operation is done to all of them.
bool isDot(RangeOp axis) { return axis.getKind() == AxisKind::Dot; }

bool isCopies(RangeOp axis) { return axis.getKind() == AxisKind::Upcast || axis.getKind() == AxisKind::Unroll; }

/// Whether the operation takes time in the nest of its pass.
bool counts(Operation *op) {
  if (isa<LoadOp, StoreOp, ReduceOp, ScanOp, StageOp>(op))
    return true;
  if (isa<RangeOp>(op) || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType();
  return !type.isIndex() && !type.isInteger(1) && target::classify(op) != cost::OpClass::Free;
}

} // namespace

/// Makes lanes of the axis that the kernel has lanes along, and of loops what LLVM's vectoriser would where there are
/// no vectors.
static void chooseLanes(cost::Nest &nest, ArrayRef<RangeOp> axes, ArrayRef<RangeOp> laneAxes) {
  for (auto [k, axis] : llvm::enumerate(axes)) {
    // What only computes has the lanes of its operands.
    bool moves = nest.accesses.empty() || llvm::any_of(nest.accesses, [&, k = k](const cost::NestAccess &access) {
                   return access.strides[k] != std::optional<int64_t>(0);
                 });
    if (moves && llvm::is_contained(laneAxes, axis)) {
      nest.axes[k].role = cost::AxisRole::Lanes;
      return;
    }
  }
  if (llvm::none_of(axes, [](RangeOp axis) { return axis.getKind() == AxisKind::Upcast; }))
    cost::vectorizeInnermost(nest);
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

/// The ranges that each of the gate's comparisons depends on, but for those with an end of what is accessed: the last
/// rounds of a loop, which alone need these, run behind it. Sets `divided` to those that are divided for them.
static SmallVector<SmallVector<unsigned>> findGating(Value gate, RangeSets &sets, SmallVectorImpl<unsigned> &divided) {
  SmallVector<SmallVector<unsigned>> gating;
  auto isDivision = [](Operation *op) {
    return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
        op);
  };
  SmallVector<Value> pending;
  llvm::DenseSet<Operation *> seen;
  if (gate)
    pending.push_back(gate);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    auto compare = dyn_cast<arith::CmpIOp>(op);
    bool isEnd =
        compare &&
        (compare.getPredicate() == arith::CmpIPredicate::slt || compare.getPredicate() == arith::CmpIPredicate::ult) &&
        matchPattern(compare.getRhs(), m_Constant());
    if (isEnd)
      continue;
    if (compare) {
      gating.emplace_back(sets.getOpenOfOperands(op));
      SmallVector<Value> indices(op->getOperands());
      while (!indices.empty()) {
        Operation *index = indices.pop_back_val().getDefiningOp();
        if (!index || isa<RangeOp>(index) || !seen.insert(index).second)
          continue;
        if (isDivision(index))
          llvm::append_range(divided, sets.getOpenOfOperands(index));
        llvm::append_range(indices, index->getOperands());
      }
    } else {
      llvm::append_range(pending, op->getOperands());
    }
  }
  return gating;
}

static int64_t countBytes(Type type) {
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : sizeof(int64_t);
}

static bool isOfDots(Value value, const RangeSets &sets) {
  return llvm::any_of(sets.getOpen(value), [&](unsigned position) { return isDot(sets.getRanges()[position]); });
}

/// Whether the operation is a part of a product of bytes that a reduction over them sums up.
static bool isInsideDot(Operation *op, const RangeSets &sets) {
  return isa<arith::MulIOp, arith::ExtSIOp, arith::ExtUIOp>(op) && op->getResult(0).getType().isInteger(32) &&
         isOfDots(op->getResult(0), sets);
}

/// A load, a store, or what fills a tile.
static cost::NestAccess buildAccess(Operation *op, ArrayRef<RangeOp> axes, MutableArrayRef<AccessStride> strides,
                                    RangeSets &sets) {
  auto findBits = [&](ArrayRef<unsigned> positions) {
    uint64_t bits = 0;
    for (auto [k, axis] : llvm::enumerate(axes))
      bits |= uint64_t(llvm::is_contained(positions, sets.getPosition(axis))) << k;
    return bits;
  };
  auto load = dyn_cast<LoadOp>(op);
  auto store = dyn_cast<StoreOp>(op);
  auto stage = dyn_cast<StageOp>(op);
  Value buffer = load ? load.getBuffer() : store ? store.getBuffer() : stage.getTile();
  auto type = cast<MemRefType>(buffer.getType());
  cost::NestAccess access;
  access.bytes = countBytes(type.getElementType());
  access.isStore = !load;
  if (type.hasStaticShape())
    access.bufferBytes = std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(type.getNumElements(), access.bytes),
                                            std::numeric_limits<int64_t>::max());
  if (stage) {
    access.strides.assign(axes.size(), 0);
    int64_t elements = 1;
    for (Value range : llvm::reverse(stage.getRanges())) {
      auto axis = range.getDefiningOp<RangeOp>();
      access.strides[llvm::find(axes, axis) - axes.begin()] = elements;
      elements *= static_cast<int64_t>(axis.getExtent());
    }
  } else {
    for (AccessStride &stride : strides)
      access.strides.push_back(stride.get(load ? load.getIndex() : store.getIndex()));
    // A lane loads its bytes together.
    if (load && isOfDots(load.getResult(), sets)) {
      access.bytes *= kDotPoints;
      for (std::optional<int64_t> &stride : access.strides)
        stride = stride && *stride % kDotPoints == 0 ? std::optional(*stride / kDotPoints) : std::nullopt;
    }
    SmallVector<unsigned> divided;
    for (ArrayRef<unsigned> comparison : findGating(load ? load.getGate() : store.getGate(), sets, divided)) {
      access.comparisons.push_back(findBits(comparison));
      access.gate |= access.comparisons.back();
    }
    access.divided = findBits(divided) & access.gate;
  }
  access.isTile = isa_and_present<StageOp>(buffer.getDefiningOp());
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    access.buffer = argument.getArgNumber();
  if (access.isTile)
    access.around = findBits(sets.getOpen(buffer));
  return access;
}

/// The stage whose tile accumulates what is reduced over the axis; null where registers do.
static StageOp getAccumulatingTile(RangeOp axis) {
  for (Operation *user : axis->getUsers())
    if (auto reduce = dyn_cast<ReduceOp>(user); reduce && llvm::is_contained(reduce.getRanges(), axis.getResult()))
      if (StageOp tile = getAccumulatingTile(reduce))
        return tile;
  return nullptr;
}

/// Loops nest by kind, then by place; copies stand inside all of them, and loops of accumulators around their tile.
static void sortLoops(SmallVectorImpl<RangeOp> &axes) {
  llvm::sort(axes, [](RangeOp a, RangeOp b) {
    return std::tuple(a.getKind(), a.getPlace()) < std::tuple(b.getKind(), b.getPlace());
  });
  for (RangeOp axis : llvm::to_vector(axes)) {
    StageOp tile = isCopies(axis) ? nullptr : getAccumulatingTile(axis);
    RangeOp *place = llvm::find(axes, axis);
    RangeOp *first = llvm::find_if(
        axes, [&](RangeOp other) { return tile && llvm::is_contained(tile.getRanges(), other.getResult()); });
    if (first < place)
      std::rotate(first, place, place + 1);
  }
}

/// The operations by the loops that they stand in together: stores that share not all of their loops, as those of the
/// parts of a concatenation, stand in nests of their own.
static SmallVector<Pass> splitApart(const Pass &pass) {
  auto isWithin = [](ArrayRef<unsigned> inner, ArrayRef<unsigned> outer) {
    return llvm::all_of(inner, [&](unsigned range) { return llvm::is_contained(outer, range); });
  };
  SmallVector<Pass> apart;
  for (ArrayRef<unsigned> open : pass.open) {
    if (llvm::any_of(apart, [&](const Pass &other) { return isWithin(open, other.ranges.getArrayRef()); }))
      continue;
    llvm::erase_if(apart, [&](const Pass &other) { return isWithin(other.ranges.getArrayRef(), open); });
    apart.emplace_back().ranges.insert(open.begin(), open.end());
  }
  for (size_t k = 0; k < pass.operations.size(); ++k)
    llvm::find_if(apart, [&](const Pass &other) {
      return isWithin(pass.open[k], other.ranges.getArrayRef());
    })->operations.push_back(pass.operations[k]);
  return apart;
}

static cost::Nest buildNest(const Pass &pass, RangeSets &sets, llvm::function_ref<int64_t(RangeOp)> countTrips,
                            ArrayRef<RangeOp> laneAxes) {
  SmallVector<RangeOp> axes = llvm::map_to_vector(pass.ranges, [&](unsigned k) { return sets.getRanges()[k]; });
  llvm::erase_if(axes, isDot);
  sortLoops(axes);
  cost::Nest nest;
  for (RangeOp axis : axes) {
    bool isReduced = !getAccumulatingTile(axis) && llvm::any_of(axis->getUsers(), [&](Operation *user) {
      return isa<ReduceOp>(user) && llvm::is_contained(getClosedRanges(user), axis.getResult());
    });
    nest.axes.push_back({countTrips ? countTrips(axis) : static_cast<int64_t>(axis.getExtent()),
                         isCopies(axis) ? cost::AxisRole::Copies : cost::AxisRole::Loop, isReduced,
                         static_cast<int64_t>(axis.getId())});
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
    if (isa<LoadOp, StoreOp, StageOp>(op)) {
      nest.accesses.push_back(buildAccess(op, axes, strides, sets));
      if (auto stage = dyn_cast<StageOp>(op); stage && stage.getAccumulated()) {
        nest.accesses.push_back(nest.accesses.back());
        nest.accesses.back().isStore = false;
      }
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Operation *input = reduce.getInputs().front().getDefiningOp();
      if (input && isFreeSelect(input))
        input = cast<arith::SelectOp>(input).getTrueValue().getDefiningOp();
      // The product and the casts in front of it are done by the same instruction.
      bool isOverDots = input && isOfDots(input->getResult(0), sets);
      bool isProduct =
          isOverDots || (reduce.getKind() == arith::AtomicRMWKind::addf && isa_and_present<arith::MulFOp>(input));
      bool isCarried = !getAccumulatingTile(reduce) && !llvm::all_of(getClosedRanges(reduce), [](Value range) {
        return isDot(range.getDefiningOp<RangeOp>());
      });
      // Maxima carry three accumulators each, see uop-split-extrema.
      bool isExtremum = reduce.getKind() && isa<FloatType>(reduce.getResult(0).getType()) &&
                        reduce.getKind() != arith::AtomicRMWKind::addf &&
                        reduce.getKind() != arith::AtomicRMWKind::mulf;
      nest.work.append(reduce.getNumResults() * (isExtremum ? 3 : 1),
                       {isProduct ? cost::OpClass::MultiplyAdd : cost::OpClass::Add, varies, isCarried});
      if (!reduce.getCombiner().empty())
        for (Operation &inner : reduce.getCombiner().front())
          if (counts(&inner))
            nest.work.push_back({target::classify(&inner), varies, false});
    } else if (isa<ScanOp>(op)) {
      nest.work.push_back({cost::OpClass::Add, varies, true});
    } else if (!isSummed(op) && !isFreeSelect(op) && !isInsideDot(op, sets)) {
      nest.work.push_back({target::classify(op), varies, false});
      nest.hasLoops |= isLoopingFunction(op);
    }
  }
  chooseLanes(nest, axes, laneAxes);
  return nest;
}

std::optional<SmallVector<cost::Nest>> findNests(FuncOp kernel, llvm::function_ref<int64_t(RangeOp)> countTrips) {
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  llvm::DenseSet<Operation *> live = findLive(kernel.getBody().front());
  llvm::DenseSet<unsigned> closing;
  for (Operation &op : kernel.getBody().front())
    for (Value range : getClosedRanges(&op))
      closing.insert(sets.getPosition(range.getDefiningOp<RangeOp>()));
  llvm::MapVector<SmallVector<unsigned>, Pass> passes;
  SmallVector<Operation *> order = llvm::filter_to_vector(sortByDependence(kernel.getBody().front()),
                                                          [&](Operation *op) { return live.contains(op); });
  LaneDistances distances;
  SmallVector<RangeOp> laneAxes = chooseVectorAxes(order, sets, kMostPointsWritten, distances);
  for (Operation *op : order) {
    if (!counts(op))
      continue;
    // What accumulates in a tile stands in the loops of its reduction.
    auto stage = dyn_cast<StageOp>(op);
    ReduceOp accumulated = stage ? stage.getAccumulated() : nullptr;
    ArrayRef<unsigned> open = sets.getOpenOfOperands(accumulated ? accumulated.getOperation() : op);
    // Copies stand in one body, whether or not they are summed up in it.
    SmallVector<unsigned> closed = llvm::to_vector(llvm::make_filter_range(open, [&](unsigned position) {
      RangeOp range = sets.getRanges()[position];
      return closing.contains(position) && !isDot(range) && (!isCopies(range) || llvm::is_contained(laneAxes, range));
    }));
    Pass &pass = passes[closed];
    pass.operations.push_back(op);
    pass.open.push_back(llvm::to_vector(open));
    pass.ranges.insert(open.begin(), open.end());
    if (pass.ranges.size() > 64)
      return std::nullopt;
  }
  SmallVector<cost::Nest> nests;
  for (auto &[closed, pass] : passes)
    for (const Pass &nest : splitApart(pass))
      nests.push_back(buildNest(nest, sets, countTrips, laneAxes));
  return nests;
}

} // namespace tiny::kernel
