// Schedule steps on whole axes: swap, fuse_sibling, merge, pad_to.
#include "Tiny/Schedule/Steps/Axes.h"

#include "Tiny/Algebra/Symbolic/Exact.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Support/Division.h"
#include "Tiny/Schedule/Steps/BlockReduce.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

//===--- swap -----------------------------------------------------------------------------------------------------===//

SmallVector<RangeOp> getNest(FuncOp kernel, AxisKind kind) {
  SmallVector<RangeOp> axes =
      llvm::filter_to_vector(kernel.getBody().getOps<RangeOp>(), [&](RangeOp axis) { return axis.getKind() == kind; });
  llvm::sort(axes, [](RangeOp x, RangeOp y) { return x.getPlace() < y.getPlace(); });
  return axes;
}

void setNest(RewriterBase &rewriter, ArrayRef<RangeOp> axes) {
  if (llvm::is_sorted(axes, [](RangeOp x, RangeOp y) { return x.getPlace() < y.getPlace(); }))
    return;
  for (auto [order, axis] : llvm::enumerate(axes))
    rewriter.modifyOpInPlace(axis, [&, order = order, axis = axis]() mutable { axis.setOrder(order); });
}

static SmallVector<RangeOp> getSwapped(RangeOp a, RangeOp b) {
  SmallVector<RangeOp> axes = getNest(a->getParentOfType<FuncOp>(), a.getKind());
  std::swap(*llvm::find(axes, a), *llvm::find(axes, b));
  return axes;
}

std::string whyNotSwap(RangeOp a, RangeOp b) {
  if (a == b)
    return llvm::formatv("axis {0} is named twice", a.getId());
  if (a.getKind() != b.getKind())
    return llvm::formatv("axis {0} is of kind '{1}' and axis {2} of kind '{3}'; loops nest by kind first", a.getId(),
                         stringifyAxisKind(a.getKind()), b.getId(), stringifyAxisKind(b.getKind()));
  SmallVector<RangeOp> axes = getSwapped(a, b);
  for (auto reduce : a->getParentOfType<FuncOp>().getBody().getOps<ReduceOp>()) {
    // Its ranges are listed in the order that it combines in.
    SmallVector<size_t> places;
    for (Value range : reduce.getRanges())
      if (RangeOp *found = llvm::find(axes, range.getDefiningOp<RangeOp>()); found != axes.end())
        places.push_back(found - axes.begin());
    if (!reduce.mayReorder() && !llvm::is_sorted(places))
      return llvm::formatv("exchanging axes {0} and {1} would reassociate a reduction that does not allow it",
                           a.getId(), b.getId());
  }
  return "";
}

void swapAxes(RewriterBase &rewriter, RangeOp a, RangeOp b) { setNest(rewriter, getSwapped(a, b)); }

//===--- fuse_sibling ---------------------------------------------------------------------------------------------===//

std::string whyNotFuseSibling(RangeOp first, RangeOp second) {
  if (first == second)
    return llvm::formatv("axis {0} is named twice", first.getId());
  if (first->getBlock() != second->getBlock())
    return llvm::formatv("axes {0} and {1} are of two kernels", first.getId(), second.getId());
  for (RangeOp axis : {first, second}) {
    if (axis.getKind() != AxisKind::Loop || isReduced(axis) || isStaged(axis) || isScanned(axis))
      return llvm::formatv("axis {0} is no free loop", axis.getId());
    if (axis.getSize())
      return llvm::formatv("axis {0} ends at a size that is known when the kernel runs", axis.getId());
  }
  if (first.getExtent() != second.getExtent())
    return llvm::formatv("axes {0} and {1} have {2} and {3} points", first.getId(), second.getId(), first.getExtent(),
                         second.getExtent());
  llvm::DenseSet<Value> ofFirst = findVarying(first), ofSecond = findVarying(second);
  for (Operation &op : *first->getBlock()) {
    auto varies = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op.getOperands(), [&](Value operand) { return values.contains(operand); });
    };
    if (varies(ofFirst) && varies(ofSecond))
      return llvm::formatv("something depends on axes {0} and {1} together", first.getId(), second.getId());
  }
  return "";
}

void fuseSibling(RewriterBase &rewriter, RangeOp first, RangeOp second) {
  rewriter.replaceAllUsesWith(second.getResult(), first.getResult());
  rewriter.eraseOp(second);
}

//===--- merge ----------------------------------------------------------------------------------------------------===//

static Value getIndex(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getIndex();
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getIndex();
  return {};
}

/// Whether two axes fill one tile, and no other, next to each other.
static bool fillOneTile(RangeOp outer, RangeOp inner) {
  auto findStages = [](RangeOp axis) {
    return llvm::filter_to_vector(axis->getUsers(), [&](Operation *user) {
      return isa<StageOp>(user) && llvm::is_contained(getClosedRanges(user), axis.getResult());
    });
  };
  SmallVector<Operation *> stages = findStages(outer);
  if (stages.size() != 1 || stages != findStages(inner) || outer.getKind() != AxisKind::Loop ||
      inner.getKind() != AxisKind::Loop)
    return false;
  OperandRange ranges = getClosedRanges(stages.front());
  size_t place = llvm::find(ranges, outer.getResult()) - ranges.begin() + 1;
  return place < ranges.size() && ranges[place] == inner.getResult();
}

std::string whyNotMerge(RangeOp outer, RangeOp inner) {
  bool reduced = outer.getKind() == AxisKind::Reduce, staged = fillOneTile(outer, inner);
  for (RangeOp axis : {outer, inner})
    if (axis.getKind() != (reduced ? AxisKind::Reduce : AxisKind::Loop) || isReduced(axis) != reduced ||
        isStaged(axis) != staged)
      return llvm::formatv("axes {0} and {1} are neither free loops nor reduced ones", outer.getId(), inner.getId());
  for (RangeOp axis : {outer, inner})
    if (isScanned(axis))
      return llvm::formatv("axis {0} is run through in order by a scan", axis.getId());
  if (inner.getSize())
    return llvm::formatv("axis {0} ends at a size that is known when the kernel runs", inner.getId());
  for (auto reduce : outer->getParentOfType<FuncOp>().getBody().getOps<ReduceOp>()) {
    bool overOuter = llvm::is_contained(reduce.getRanges(), outer.getResult());
    if (overOuter != llvm::is_contained(reduce.getRanges(), inner.getResult()) || (overOuter && !reduce.mayReorder()))
      return llvm::formatv("a reduction is not over axes {0} and {1} together, or not in any order", outer.getId(),
                           inner.getId());
  }
  int64_t extent = inner.getExtent(), size;
  if (llvm::MulOverflow(static_cast<int64_t>(outer.getExtent()), extent, size) || size >= int64_t(1) << 62)
    return "the axis would have 2^62 points or more";
  return "";
}

SmallVector<Operation *> findAccessesApart(RangeOp outer, RangeOp inner) {
  AccessStride outerStrides(outer), innerStrides(inner);
  SmallVector<Operation *> apart;
  llvm::DenseSet<Operation *> live = findLive(*outer->getBlock());
  for (Operation &op : *outer->getBlock()) {
    Value index = getIndex(&op);
    if (!index || !live.contains(&op))
      continue;
    std::optional<int64_t> outerStride = outerStrides.get(index), innerStride = innerStrides.get(index);
    int64_t whole;
    if (!outerStride || !innerStride ||
        llvm::MulOverflow(*innerStride, static_cast<int64_t>(inner.getExtent()), whole) || whole != *outerStride)
      apart.push_back(&op);
  }
  return apart;
}

/// The index with 0 in place of one range and another value in place of a second one: a copy of what varies.
static Value substitute(RewriterBase &rewriter, Value index, IRMapping &mapping, const RangeSets &sets,
                        ArrayRef<unsigned> positions) {
  SmallVector<Value> pending{index};
  while (!pending.empty()) {
    Value value = pending.back();
    bool varies = llvm::any_of(positions, [&](unsigned p) { return llvm::is_contained(sets.getOpen(value), p); });
    if (!varies || mapping.contains(value)) {
      pending.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    size_t before = pending.size();
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand) &&
          llvm::any_of(positions, [&](unsigned p) { return llvm::is_contained(sets.getOpen(operand), p); }))
        pending.push_back(operand);
    if (pending.size() != before)
      continue;
    rewriter.setInsertionPointAfter(op);
    rewriter.clone(*op, mapping);
    pending.pop_back();
  }
  return mapping.lookupOrDefault(index);
}

RangeOp mergeAxes(RewriterBase &rewriter, RangeOp outer, RangeOp inner) {
  int64_t extent = inner.getExtent();
  Block *block = outer->getBlock();
  SmallVector<Operation *> order = sortByDependence(*block);
  RangeSets sets(order);
  SmallVector<unsigned> positions{sets.getPosition(outer), sets.getPosition(inner)};
  Location loc = outer.getLoc();
  rewriter.setInsertionPoint(outer);
  Value end = outer.getSize();
  if (end)
    end = arith::MulIOp::create(rewriter, loc, end, arith::ConstantIndexOp::create(rewriter, loc, extent));
  auto merged = RangeOp::create(rewriter, loc, outer.getKind(), outer.getId(), outer.getExtent() * extent,
                                outer.getOrderAttr(), end);
  // Accesses that walk the two as one: index(i, j) = index(0, i * extent + j). One whose result nothing reads is not
  // among those apart, and may be anywhere.
  SmallVector<Operation *> apart = findAccessesApart(outer, inner);
  llvm::DenseSet<Operation *> live = findLive(*block);
  IRMapping mapping;
  mapping.map(outer.getResult(), arith::ConstantIndexOp::create(rewriter, loc, 0).getResult());
  mapping.map(inner.getResult(), merged.getResult());
  for (Operation *op : order) {
    Value index = getIndex(op);
    if (!index || !live.contains(op) || llvm::is_contained(apart, op))
      continue;
    Value replaced = substitute(rewriter, index, mapping, sets, positions);
    rewriter.modifyOpInPlace(op, [&] {
      if (auto load = dyn_cast<LoadOp>(op))
        load.getIndexMutable().assign(replaced);
      else
        cast<StoreOp>(op).getIndexMutable().assign(replaced);
    });
  }
  for (Operation *op : order) {
    OperandRange closed = getClosedRanges(op);
    if (!llvm::is_contained(closed, outer.getResult()))
      continue;
    SmallVector<Value> ranges;
    for (Value range : closed)
      if (range != inner.getResult())
        ranges.push_back(range == outer.getResult() ? merged.getResult() : range);
    rewriter.modifyOpInPlace(op, [&] {
      if (auto reduce = dyn_cast<ReduceOp>(op))
        reduce.getRangesMutable().assign(ranges);
      else
        cast<StageOp>(op).getRangesMutable().assign(ranges);
    });
  }
  // Everything else takes them apart again.
  rewriter.setInsertionPointAfter(merged);
  Value size = arith::ConstantIndexOp::create(rewriter, loc, extent);
  rewriter.replaceAllUsesWith(outer.getResult(), arith::FloorDivSIOp::create(rewriter, loc, merged, size));
  rewriter.replaceAllUsesWith(inner.getResult(), sym::ModOp::create(rewriter, loc, merged, size));
  rewriter.eraseOp(outer);
  rewriter.eraseOp(inner);
  return merged;
}

//===--- pad_to ---------------------------------------------------------------------------------------------------===//

std::string whyNotPad(RangeOp axis, int64_t multiple) {
  if (multiple < 1 || multiple >= int64_t(1) << 31)
    return llvm::formatv("multiple {0} is not between 1 and 2^31 - 1", multiple);
  if (static_cast<int64_t>(axis.getExtent()) % multiple != 0) {
    std::string reason = whyFixed(axis);
    if (reason.empty())
      reason = whyNotPadMatrices(axis);
    if (!reason.empty())
      return reason;
  }
  for (Operation *user : axis->getUsers()) {
    if (!llvm::is_contained(getClosedRanges(user), axis.getResult()))
      continue;
    if (auto stage = dyn_cast<StageOp>(user)) {
      // A tile over one axis only gets longer.
      if (stage.getRanges().size() != 1 && static_cast<int64_t>(axis.getExtent()) % multiple != 0)
        return llvm::formatv("axis {0} fills a tile, whose layout would change", axis.getId());
      if (llvm::divideCeil(static_cast<int64_t>(axis.getExtent()), multiple) * multiple >= int64_t(1) << 31)
        return "the tile would have 2^31 elements or more";
      continue;
    }
    if (auto reduce = cast<ReduceOp>(user); !reduce.getKind() && !hasNeutralElement(reduce))
      return llvm::formatv("axis {0} is reduced by a combiner without a known identity", axis.getId());
  }
  return "";
}

/// The values that a reduce combines for points behind the end. A float sum takes -0, which changes no number, not even
/// -0. LLVM 22 would select lanes from 0 by `vexpandpd`, which waits for the register that it writes. Sums relative to
/// a maximum take -0 beside a maximum of -inf.
static SmallVector<Value> buildNeutral(OpBuilder &builder, ReduceOp reduce) {
  if (reduce.getKind() && reduce.getKind() != arith::AtomicRMWKind::addf)
    return buildInits(builder, reduce);
  SmallVector<Value> neutral;
  for (Type type : reduce.getResultTypes()) {
    auto number = cast<FloatType>(type);
    bool isMaximum = !reduce.getKind() && neutral.empty();
    APFloat value = isMaximum ? APFloat::getInf(number.getFloatSemantics(), /*Negative=*/true)
                              : APFloat::getZero(number.getFloatSemantics(), /*Negative=*/true);
    neutral.push_back(arith::ConstantFloatOp::create(builder, reduce.getLoc(), number, value));
  }
  return neutral;
}

/// Whether the load walks a tile that is as long as the axis.
static bool isFilledBehindEnd(LoadOp load, RangeOp axis) {
  return load.getIndex() == axis && !load.getGate() && isa_and_present<StageOp>(load.getBuffer().getDefiningOp()) &&
         cast<MemRefType>(load.getBuffer().getType()).getNumElements() >= static_cast<int64_t>(axis.getExtent());
}

bool needsNoEnd(LoadOp load, RangeOp axis) {
  auto type = cast<MemRefType>(load.getBuffer().getType());
  if (!load.getGate() || !AccessStride(axis).dependsOnAxis(load.getGate()) || !isa<BlockArgument>(load.getBuffer()) ||
      !type.hasStaticShape() || llvm::any_of(load.getBuffer().getUsers(), llvm::IsaPred<StoreOp>))
    return false;
  ExprContext context;
  sym::ArithBridge bridge(context);
  Expr index = bridge.importValue(load.getIndex()), gate = bridge.importValue(load.getGate());
  Expr below = context.lt(index, context.constant(0));
  Expr above = context.ge(index, context.constant(type.getNumElements()));
  Expr outside = context.simplify(context.logicalAnd(gate, context.logicalOr(below, above)));
  return outside && (outside.isFalse() || satisfy(context, outside).verdict == Satisfaction::Verdict::Never);
}

/// Takes all effect from the points of the axis from `end` on. Tiles that it fills get as long as it is. A buffer may
/// end there as well where the end is `live`, whatever its type says.
static void restrictAxis(RewriterBase &rewriter, RangeOp axis, bool isLive, llvm::function_ref<Value()> makeEnd) {
  SmallVector<Operation *> order = sortByDependence(*axis->getBlock());
  RangeSets sets(order);
  unsigned position = sets.getPosition(axis);
  auto varies = [&](Value value) { return value && llvm::is_contained(sets.getOpen(value), position); };

  rewriter.setInsertionPointAfter(axis);
  Value inside = arith::CmpIOp::create(rewriter, axis.getLoc(), arith::CmpIPredicate::slt, axis, makeEnd());
  auto restrict = [&](Value gate) -> Value {
    return gate ? arith::AndIOp::create(rewriter, gate.getLoc(), gate, inside).getResult() : inside;
  };
  for (Operation *op : order) {
    rewriter.setInsertionPoint(op);
    if (auto load = dyn_cast<LoadOp>(op);
        load && (isFilledBehindEnd(load, axis) || (!isLive && needsNoEnd(load, axis)))) {
      // What it reads behind the end is used nowhere.
    } else if (load && (varies(load.getIndex()) || varies(load.getGate()))) {
      Value gate = restrict(load.getGate());
      rewriter.modifyOpInPlace(op, [&] { load.getGateMutable().assign(gate); });
    } else if (auto store = dyn_cast<StoreOp>(op); store && llvm::any_of(op->getOperands(), varies)) {
      Value gate = restrict(store.getGate());
      rewriter.modifyOpInPlace(op, [&] { store.getGateMutable().assign(gate); });
    } else if (auto reduce = dyn_cast<ReduceOp>(op);
               reduce && llvm::is_contained(reduce.getRanges(), axis.getResult())) {
      SmallVector<Value> inputs;
      for (auto [input, neutral] : llvm::zip_equal(reduce.getInputs(), buildNeutral(rewriter, reduce)))
        inputs.push_back(arith::SelectOp::create(rewriter, op->getLoc(), inside, input, neutral));
      rewriter.modifyOpInPlace(op, [&] { reduce.getInputsMutable().assign(inputs); });
    } else if (auto stage = dyn_cast<StageOp>(op);
               stage && stage.getRanges().size() == 1 && stage.getRanges().front() == axis.getResult()) {
      auto type = cast<MemRefType>(stage.getTile().getType());
      rewriter.modifyOpInPlace(op, [&] {
        stage.getTile().setType(MemRefType::get({static_cast<int64_t>(axis.getExtent())}, type.getElementType()));
      });
    } else if (mayTrap(op) && llvm::any_of(op->getOperands(), varies)) {
      Value divisor = makeSafeDivisor(rewriter, op->getLoc(), inside, op->getOperand(1));
      rewriter.modifyOpInPlace(op, [&] { op->setOperand(1, divisor); });
    }
  }
}

RangeOp padAxis(RewriterBase &rewriter, RangeOp axis, int64_t multiple) {
  int64_t extent = axis.getExtent(), padded = llvm::divideCeil(extent, multiple) * multiple;
  if (padded == extent)
    return axis;
  rewriter.modifyOpInPlace(axis, [&] { axis.setExtent(padded); });
  // One with a size ends before that anyway, but its tiles have another length.
  bool fillsTile = llvm::any_of(axis->getUsers(), [&](Operation *user) {
    return isa<StageOp>(user) && llvm::is_contained(getClosedRanges(user), axis.getResult());
  });
  if (!axis.getSize() || fillsTile)
    restrictAxis(rewriter, axis, static_cast<bool>(axis.getSize()), [&] {
      return axis.getSize() ? axis.getSize()
                            : arith::ConstantIndexOp::create(rewriter, axis.getLoc(), extent).getResult();
    });
  return axis;
}

void gateAxis(RewriterBase &rewriter, RangeOp axis) {
  Value size = axis.getSize();
  rewriter.modifyOpInPlace(axis, [&] { axis.getSizeMutable().clear(); });
  restrictAxis(rewriter, axis, /*isLive=*/true, [&] { return size; });
}

} // namespace tiny::kernel
