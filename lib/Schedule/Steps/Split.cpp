// Schedule step split: divides an axis into an outer and an inner part.
#include "Tiny/Schedule/Steps/Split.h"

#include "Tiny/Analysis/Kernel/DotProduct.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

bool isReduced(RangeOp axis) {
  return llvm::any_of(axis->getUses(), [](OpOperand &use) {
    auto reduce = dyn_cast<ReduceOp>(use.getOwner());
    return reduce && llvm::is_contained(reduce.getRanges(), use.get());
  });
}

bool isStaged(RangeOp axis) {
  return llvm::any_of(axis->getUses(), [](OpOperand &use) {
    auto stage = dyn_cast<StageOp>(use.getOwner());
    return stage && llvm::is_contained(stage.getRanges(), use.get());
  });
}

int64_t getNextId(FuncOp kernel) {
  int64_t nextId = 0;
  for (auto axis : kernel.getBody().getOps<RangeOp>())
    nextId = std::max<int64_t>(nextId, axis.getId() + 1);
  return nextId;
}

static bool makesCopies(AxisKind kind) { return kind == AxisKind::Upcast || kind == AxisKind::Unroll; }

/// `thread` and `global` name the outer part of a split, every other kind the inner part.
static bool namesOuterPart(AxisKind kind) { return kind == AxisKind::Thread || kind == AxisKind::Global; }

static bool fitsRole(AxisKind kind, bool reduced) {
  switch (kind) {
  case AxisKind::Upcast:
  case AxisKind::Unroll:
  case AxisKind::Fragment:
    return true;
  case AxisKind::Reduce:
  case AxisKind::GroupReduce:
  case AxisKind::Dot:
    return reduced;
  case AxisKind::Global:
  case AxisKind::Thread:
  case AxisKind::Local:
  case AxisKind::Warp:
  case AxisKind::Loop:
    return !reduced;
  }
  llvm_unreachable("an axis kind without a role");
}

/// The key by which loops nest, outermost first.
static std::tuple<int64_t, int64_t, int64_t> nesting(AxisKind kind, int64_t order, int64_t id) {
  return {static_cast<int64_t>(kind), order, id};
}

/// True when loops over the reduction's ranges nest in the order of its operands after `axis` is split.
static bool keepsOrder(ReduceOp reduce, RangeOp axis, bool whole, AxisKind kind) {
  SmallVector<std::tuple<int64_t, int64_t, int64_t>> nest;
  for (Value range : reduce.getRanges()) {
    auto op = range.getDefiningOp<RangeOp>();
    if (!op)
      continue;
    bool isAxis = op == axis;
    if (!isAxis || !whole)
      nest.push_back(nesting(op.getKind(), op.getLoopOrder(), op.getId()));
    // The inner part stands where the axis stood, or behind the others of its new kind and the same order.
    if (isAxis)
      nest.push_back(
          nesting(kind, op.getLoopOrder(), kind == op.getKind() ? op.getId() : std::numeric_limits<int64_t>::max()));
  }
  return llvm::is_sorted(nest);
}

/// Whether parts for threads share the live points: each has its own size, and no gates.
static bool sharesSize(AxisKind kind, bool whole) { return kind == AxisKind::Thread && !whole; }

/// Whether a store is the same at each point of the axis; several threads or workgroups would write its place without
/// waiting.
static bool repeatsStore(RangeOp axis) {
  llvm::DenseSet<Value> varying = findVarying(axis);
  return llvm::any_of(axis->getParentOfType<FuncOp>().getBody().getOps<StoreOp>(), [&](StoreOp store) {
    return llvm::none_of(store->getOperands(), [&](Value operand) { return varying.contains(operand); });
  });
}

std::string whyFixed(RangeOp axis) {
  if (axis.getKind() == AxisKind::Fragment)
    return llvm::formatv("axis {0} is of matrices that the lanes of a subgroup hold", axis.getId());
  if (axis.getKind() == AxisKind::Warp)
    return llvm::formatv("axis {0} numbers the subgroups of a workgroup", axis.getId());
  return "";
}

/// Lanes of the workgroups of a kernel whose matrices subgroups hold.
static int64_t countLanes(FuncOp kernel, ArrayRef<RangeOp> fragments) {
  const cost::Machine &machine = target::findMachine(kernel);
  auto hasExtent = [&](int64_t extent) {
    return llvm::any_of(fragments, [&](RangeOp axis) { return static_cast<int64_t>(axis.getExtent()) == extent; });
  };
  int64_t lanes = machine.subgroup, team = 1;
  for (const cost::MatrixShape &shape : machine.matrices)
    if (hasExtent(shape.m) && hasExtent(shape.n))
      team = std::max(team, shape.subgroups);
  for (RangeOp axis : getNest(kernel, AxisKind::Warp))
    lanes *= axis.getExtent();
  return lanes * team;
}

static bool isOver(ReduceOp reduce, RangeOp axis) { return llvm::is_contained(reduce.getRanges(), axis.getResult()); }

/// Products of matrices that subgroups hold.
static SmallVector<ReduceOp> findMatrixProducts(FuncOp kernel, ArrayRef<RangeOp> fragments) {
  return llvm::filter_to_vector(kernel.getBody().getOps<ReduceOp>(), [&](ReduceOp reduce) {
    return llvm::any_of(fragments, [&](RangeOp depth) { return isOver(reduce, depth); });
  });
}

/// Lanes along the axes that fill the tile.
static int64_t countFilling(StageOp stage) {
  int64_t lanes = 1;
  for (Value range : stage.getRanges())
    if (auto axis = range.getDefiningOp<RangeOp>(); axis.getKind() == AxisKind::Local)
      lanes *= axis.getExtent();
  return lanes;
}

/// Why lanes and subgroups cannot share a product of matrices so: the lanes of a subgroup compute it together.
static std::string whyNotShareProducts(RangeOp axis, AxisKind kind, ArrayRef<RangeOp> fragments) {
  bool isLanes = kind == AxisKind::Local || kind == AxisKind::GroupReduce;
  if (!isLanes && kind != AxisKind::Fragment)
    return "";
  llvm::DenseSet<Value> varying = findVarying(axis);
  for (ReduceOp reduce : findMatrixProducts(axis->getParentOfType<FuncOp>(), fragments)) {
    Value input = reduce.getInputs().front();
    if (!varying.contains(input))
      continue;
    if (isLanes)
      return llvm::formatv(
          "a product of matrices varies along axis {0}, and the lanes of a subgroup compute it together", axis.getId());
    auto count = llvm::count_if(
        fragments, [&](RangeOp other) { return !isOver(reduce, other) && findVarying(other).contains(input); });
    if (isOver(reduce, axis) || count > 1)
      return llvm::formatv("a product of matrices that varies along axis {0} has its rows, columns and depth",
                           axis.getId());
  }
  return "";
}

/// Why the tiles of products of matrices cannot be filled, or lie, so: all lanes of the workgroup fill one, and a
/// matrix is read of it by rows.
static std::string whyNotShareTiles(RangeOp axis, int64_t points, AxisKind kind, ArrayRef<RangeOp> fragments) {
  bool whole = points == static_cast<int64_t>(axis.getExtent());
  auto kernel = axis->getParentOfType<FuncOp>();
  int64_t lanes = countLanes(kernel, fragments);
  llvm::DenseSet<Value> varying = findVarying(axis);
  for (auto stage : kernel.getBody().getOps<StageOp>()) {
    bool isOwn = llvm::is_contained(stage.getRanges(), axis.getResult()), varies = varying.contains(stage.getTile());
    int64_t filling = countFilling(stage);
    if (isOwn && kind == AxisKind::Local && lanes % (filling * points) != 0)
      return llvm::formatv("{0} lanes would fill a tile, and a workgroup has {1}", filling * points, lanes);
    if (isOwn && axis.getKind() == AxisKind::Local && !whole && filling == lanes)
      return llvm::formatv("{0} lanes would fill a tile, and a workgroup has {1}", filling / points, lanes);
    if (kind == AxisKind::Warp && varies && stage.getSpace() == StageSpace::Local)
      return llvm::formatv("a tile that all subgroups fill varies along axis {0}", axis.getId());
    if (kind == AxisKind::Warp && filling == lanes)
      return llvm::formatv("{0} lanes fill a tile, and the subgroups would have {1}", filling, lanes * points);
    bool isMatrix = llvm::any_of(stage->getUsers(), [&](Operation *user) {
      return isa<LoadOp>(user) && llvm::any_of(fragments, [&](RangeOp fragment) {
               return findVarying(fragment).contains(user->getResult(0));
             });
    });
    if (makesCopies(kind) && varies && isMatrix)
      return llvm::formatv("a tile that matrices are read of varies along axis {0}: its copies would lie between the "
                           "elements of a row",
                           axis.getId());
  }
  return "";
}

/// Why an axis cannot be split so in a kernel whose matrices subgroups hold.
static std::string whyNotBesideMatrices(RangeOp axis, int64_t points, AxisKind kind) {
  SmallVector<RangeOp> fragments = getNest(axis->getParentOfType<FuncOp>(), AxisKind::Fragment);
  if (fragments.empty() || kind == axis.getKind() || points == 1)
    return "";
  std::string reason = whyNotShareProducts(axis, kind, fragments);
  return reason.empty() ? whyNotShareTiles(axis, points, kind, fragments) : reason;
}

std::string whyNotPadMatrices(RangeOp axis) {
  auto kernel = axis->getParentOfType<FuncOp>();
  SmallVector<RangeOp> fragments = getNest(kernel, AxisKind::Fragment);
  llvm::DenseSet<Value> varying = findVarying(axis);
  for (ReduceOp reduce : findMatrixProducts(kernel, fragments))
    for (RangeOp depth : fragments) {
      if (!isOver(reduce, depth))
        continue;
      llvm::DenseSet<Value> factors = findVarying(depth);
      if (isOver(reduce, axis) || llvm::any_of(kernel.getBody().getOps<LoadOp>(), [&](LoadOp load) {
            return factors.contains(load.getResult()) && varying.contains(load.getResult());
          }))
        return llvm::formatv("axis {0} is of matrices that subgroups read, which have no gates", axis.getId());
    }
  return "";
}

std::string whyNotSplit(RangeOp axis, int64_t factor, AxisKind kind) {
  int64_t extent = axis.getExtent();
  if (factor < 0)
    return llvm::formatv("factor {0} is negative", factor);
  if (factor != 0 && extent % factor != 0)
    return llvm::formatv("factor {0} does not divide the extent {1} of axis {2}", factor, extent, axis.getId());
  bool reduced = isReduced(axis);
  if (isScanned(axis))
    return llvm::formatv("axis {0} is run through in order by a scan", axis.getId());
  bool whole = factor == 0 || factor == extent;
  if (std::string reason = whyFixed(axis); !reason.empty() && !(whole && kind == axis.getKind()))
    return reason;
  if (isStaged(axis) && kind != AxisKind::Loop && kind != AxisKind::Upcast && kind != AxisKind::Unroll &&
      kind != AxisKind::Local)
    return llvm::formatv("kind '{0}' does not fit axis {1}, which fills a tile", stringifyAxisKind(kind), axis.getId());
  if (makesCopies(kind))
    if (std::string reason = whyNotWidenForCopies(axis); !reason.empty())
      return reason;
  if (!fitsRole(kind, reduced))
    return llvm::formatv("kind '{0}' does not fit axis {1}, which is {2}", stringifyAxisKind(kind), axis.getId(),
                         reduced ? "reduced" : "free");
  if (namesOuterPart(kind) && extent > 1 && repeatsStore(axis))
    return llvm::formatv("a store does not depend on axis {0}: several {1} would write its place", axis.getId(),
                         kind == AxisKind::Thread ? "threads" : "workgroups");
  if (std::string reason = whyNotBesideMatrices(axis, whole ? extent : factor, kind); !reason.empty())
    return reason;
  if (kind == AxisKind::Dot) {
    if ((whole ? extent : factor) != kDotPoints)
      return llvm::formatv("an instruction multiplies {0} bytes, got {1}", kDotPoints, whole ? extent : factor);
    if (std::string reason = whyNotDot(axis); !reason.empty())
      return reason;
  }
  if (axis.getSize() && !(whole && kind == axis.getKind()) && !sharesSize(kind, whole))
    if (std::string reason = whyNotPad(axis, 1); !reason.empty())
      return reason;
  for (Operation *user : axis->getUsers()) {
    auto reduce = dyn_cast<ReduceOp>(user);
    if (!reduce || !llvm::is_contained(reduce.getRanges(), axis.getResult()) || reduce.mayReorder())
      continue;
    if (kind == AxisKind::GroupReduce || !keepsOrder(reduce, axis, whole, kind))
      return llvm::formatv("splitting axis {0} would reassociate a reduction that does not allow it", axis.getId());
  }
  return "";
}

/// Whether the outer part of a split is a loop.
static bool outerKeepsSize(AxisKind axis, AxisKind kind) {
  AxisKind outer = namesOuterPart(kind) ? kind : axis;
  return outer == AxisKind::Loop || outer == AxisKind::Reduce;
}

/// What an index along the axis has as quotient and as remainder by the number of the inner points are the parts.
static void undoDivisions(RewriterBase &rewriter, RangeOp axis, RangeOp outer, RangeOp inner) {
  for (Operation *user : llvm::make_early_inc_range(axis->getUsers())) {
    APInt divisor;
    if (!isa<arith::FloorDivSIOp, sym::ModOp>(user) || user->getOperand(0) != axis.getResult() ||
        !matchPattern(user->getOperand(1), m_ConstantInt(&divisor)) || divisor != inner.getExtent())
      continue;
    rewriter.replaceOp(user, isa<sym::ModOp>(user) ? inner : outer);
  }
}

SplitAxis splitAxis(RewriterBase &rewriter, RangeOp axis, int64_t factor, AxisKind kind) {
  int64_t extent = axis.getExtent();
  auto kindAttr = AxisKindAttr::get(axis.getContext(), kind);
  bool whole = factor == 0 || factor == extent;
  // The parts have all their points, and gates for those behind the size; but the outer part ends where no point of the
  // inner one is inside. Threads share the points that there are.
  Value size = axis.getSize(), outerSize;
  bool shares = size && sharesSize(kind, whole);
  if (size && !(whole && kind == axis.getKind()) && !shares) {
    gateAxis(rewriter, axis);
    if (!whole && outerKeepsSize(axis.getKind(), kind)) {
      rewriter.setInsertionPoint(axis);
      Value divisor =
          arith::ConstantIndexOp::create(rewriter, axis.getLoc(), namesOuterPart(kind) ? extent / factor : factor);
      outerSize = arith::CeilDivSIOp::create(rewriter, axis.getLoc(), size, divisor);
    }
  }
  if (whole) {
    rewriter.modifyOpInPlace(axis, [&] { axis.setKindAttr(kindAttr); });
    if (makesCopies(kind))
      widenForCopies(rewriter, axis);
    return {nullptr, axis};
  }

  auto kernel = axis->getParentOfType<FuncOp>();
  SmallVector<RangeOp> nest = getNest(kernel, axis.getKind());
  int64_t nextId = getNextId(kernel);
  bool outerIsNew = namesOuterPart(kind);
  Location loc = axis.getLoc();
  rewriter.setInsertionPoint(axis);
  auto order = rewriter.getI64IntegerAttr(axis.getLoopOrder());
  auto part = [&](bool isNewKind, int64_t id, Value end) {
    return RangeOp::create(rewriter, loc, isNewKind ? kind : axis.getKind(), id, isNewKind ? factor : extent / factor,
                           order, end);
  };
  RangeOp outer = part(outerIsNew, axis.getId(), outerSize);
  Value count = arith::ConstantIndexOp::create(rewriter, loc, outerIsNew ? extent / factor : factor);
  Value innerSize;
  if (shares) {
    // Each gets as many as the first one, the last ones fewer, or none.
    Value parts = arith::ConstantIndexOp::create(rewriter, loc, factor),
          zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    count = arith::CeilDivSIOp::create(rewriter, loc, size, parts);
    Value left = arith::SubIOp::create(rewriter, loc, size, arith::MulIOp::create(rewriter, loc, outer, count));
    innerSize = arith::MaxSIOp::create(rewriter, loc, arith::MinSIOp::create(rewriter, loc, count, left), zero);
  }
  RangeOp inner = part(!outerIsNew, nextId, innerSize);
  // The parts take the place of the axis in the loop nest.
  RangeOp *place = llvm::find(nest, axis);
  *place = outerIsNew ? inner : outer;
  if (outer.getKind() == inner.getKind())
    nest.insert(place + 1, inner);
  setNest(rewriter, nest);
  Value scaled = arith::MulIOp::create(rewriter, loc, outer, count);
  Value index = arith::AddIOp::create(rewriter, loc, scaled, inner);

  // A reduction or a stage closes both parts; everything else sees the recombined index.
  for (Operation *user : llvm::to_vector(axis->getUsers())) {
    OperandRange closed = getClosedRanges(user);
    if (!llvm::is_contained(closed, axis.getResult()))
      continue;
    SmallVector<Value> ranges;
    for (Value range : closed) {
      if (range == axis.getResult())
        ranges.append({outer, inner});
      else
        ranges.push_back(range);
    }
    rewriter.modifyOpInPlace(user, [&] {
      if (auto reduce = dyn_cast<ReduceOp>(user))
        reduce.getRangesMutable().assign(ranges);
      else
        cast<StageOp>(user).getRangesMutable().assign(ranges);
    });
  }
  if (!size)
    undoDivisions(rewriter, axis, outer, inner);
  rewriter.replaceOp(axis, index);
  if (makesCopies(kind))
    widenForCopies(rewriter, inner);
  return {outer, inner};
}

} // namespace tiny::kernel
