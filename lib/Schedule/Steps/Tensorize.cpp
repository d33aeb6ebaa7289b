// Schedule step tensorize: the subgroups of a workgroup, or its lanes, multiply matrices that all of its lanes put into
// tiles.
#include "ProductTiles.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

/// Bytes that a lane moves at once.
static constexpr int64_t kVectorBytes = 16;
/// Most vectors of a tile that a lane loads before it stores the first one, and most elements that it copies.
static constexpr int64_t kMostRounds = 16, kMostCopies = 32;
/// Neighbours in memory that lanes next to each other move where they turn a factor. Of f32 32 lanes read two lines of
/// memory then, and meet in pairs in the banks of a swizzled tile.
static constexpr int64_t kTurnedRun = 16;

int64_t getBytes(Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8u); }

int64_t countTeam(const ProductTile &tile, const cost::Machine &machine) {
  auto [m, n, k] = tile.shape;
  return machine.countTeam(m, n, k);
}

/// The one reduction over the axis, or null.
static ReduceOp findReduce(RangeOp axis) {
  ReduceOp found;
  for (Operation *user : axis->getUsers()) {
    auto reduce = dyn_cast<ReduceOp>(user);
    if (!reduce || !llvm::is_contained(reduce.getRanges(), axis.getResult()) || reduce == found)
      continue;
    if (found)
      return nullptr;
    found = reduce;
  }
  return found;
}

std::optional<PlacedProduct> findProduct(ProductAxes axes, std::string &reason) {
  PlacedProduct product;
  product.reduce = findReduce(axes.depth);
  if (!product.reduce) {
    reason = llvm::formatv("axis {0} is not of exactly one reduction", axes.depth.getId());
    return std::nullopt;
  }
  std::optional<MatrixProduct> match = matchMatrixProduct(product.reduce, reason);
  if (!match)
    return std::nullopt;
  product.match = *match;
  llvm::DenseSet<Value> rows = findVarying(axes.rows), columns = findVarying(axes.columns),
                        depth = findVarying(axes.depth);
  if (rows.contains(match->right))
    std::swap(product.match.left, product.match.right);
  Value left = product.match.left, right = product.match.right;
  if (!rows.contains(left) || columns.contains(left) || !depth.contains(left) || rows.contains(right) ||
      !columns.contains(right) || !depth.contains(right)) {
    reason = llvm::formatv("one factor has to vary along axes {0} and {2} alone of the three, the other one along {1} "
                           "and {2}",
                           axes.rows.getId(), axes.columns.getId(), axes.depth.getId());
    return std::nullopt;
  }
  return product;
}

bool hasShape(const cost::Machine &machine, ArrayRef<int64_t> shape, Type factor, Type sum) {
  // An instruction that reads f32 does not read all of its bits.
  return !factor.isF32() && llvm::any_of(machine.matrices, [&](const cost::MatrixShape &known) {
    return known.m != 0 && known.m == shape[0] && known.n == shape[1] && known.k == shape[2] &&
           known.input == target::getElementType(factor) && known.sum == target::getElementType(sum);
  });
}

/// The most elements up to a vector that lanes can move at once, so that they share a tile with rows of so many
/// elements evenly; 0 if there are none.
static int64_t findVector(int64_t elements, int64_t row, int64_t lanes, Type type) {
  for (int64_t vector = kVectorBytes / getBytes(type); vector > 0; vector /= 2)
    if (row % vector == 0 && elements % (vector * lanes) == 0)
      return vector;
  return 0;
}

static std::string whyNotFit(const ProductTile &tile, const cost::Machine &machine, Type factor, int64_t lanes) {
  constexpr StringLiteral kNames[] = {"rows", "columns", "depth"};
  for (auto [number, name] : llvm::enumerate(kNames)) {
    int64_t parts = number < 2 ? tile.subgroups[number] : 1;
    if (tile.isOfLanes()) {
      if (tile.extents[number] < 1 || parts < 1 || tile.extents[number] % parts != 0)
        return llvm::formatv("the tile's {0}, {1}, are not shared evenly by {2} lanes", name, tile.extents[number],
                             parts);
      continue;
    }
    if (tile.extents[number] < 1 || parts < 1 || tile.extents[number] % (tile.shape[number] * parts) != 0)
      return llvm::formatv("the tile's {0}, {1}, are not shared evenly by {2} subgroups with matrices of {3}", name,
                           tile.extents[number], parts, tile.shape[number]);
  }
  if (lanes > machine.workgroup)
    return llvm::formatv("a workgroup would have {0} lanes, more than {1}", lanes, machine.workgroup);
  // What several subgroups multiply they read of tiles, as uop-swizzle-tiles lays them out.
  if (int64_t team = countTeam(tile, machine); team > 1 && tile.extents[2] * getBytes(factor) % kPieceBytes != 0)
    return llvm::formatv("the tile's depth, {0}, is not of pieces of {1} bytes, which {2} subgroups read",
                         tile.extents[2], kPieceBytes, team);
  int64_t left = tile.extents[0] * tile.extents[2], right = tile.extents[1] * tile.extents[2];
  if ((left + right) * getBytes(factor) > machine.shared)
    return llvm::formatv("tiles would take {0} bytes, more than a workgroup's {1}", (left + right) * getBytes(factor),
                         machine.shared);
  for (int64_t elements : {left, right})
    if (elements % lanes != 0)
      return llvm::formatv("{0} lanes do not share a tile of {1} elements evenly", lanes, elements);
  return "";
}

static int64_t countLanes(const ProductTile &tile, const cost::Machine &machine) {
  int64_t shares = tile.subgroups[0] * tile.subgroups[1];
  return tile.isOfLanes() ? shares : shares * machine.subgroup * countTeam(tile, machine);
}

/// What the factor is computed by, ranges and loads apart: nothing behind a load.
static llvm::SetVector<Operation *> findComputation(Value factor) {
  llvm::SetVector<Operation *> found;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && !isa<RangeOp>(op))
      found.insert(op);
  };
  add(factor);
  for (size_t k = 0; k < found.size(); ++k)
    if (!isa<LoadOp>(found[k]))
      llvm::for_each(found[k]->getOperands(), add);
  return found;
}

/// Whether what the factor is read from lies along the axis.
static bool walks(Value factor, RangeOp axis) {
  AccessStride strides(axis.getResult());
  return llvm::any_of(findComputation(factor), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && strides.get(load.getIndex()) == 1;
  });
}

/// Whether memory lies along the first axis, and not along the second one.
static bool liesAlong(Value factor, RangeOp first, RangeOp second) {
  return !walks(factor, second) && walks(factor, first);
}

/// Whether subgroups that multiply together read the right factor along the depth alone: elements of 16 bits come
/// either way, those of 32 bits this way.
static bool readsAlongDepth(const ProductTile &tile, const cost::Machine &machine, Type factor) {
  return countTeam(tile, machine) > 1 && getBytes(factor) > 2;
}

std::string whyNotTensorize(ProductAxes axes, const ProductTile &tile, const cost::Machine &machine) {
  for (auto [axis, isDepth] :
       {std::pair(axes.rows, false), std::pair(axes.columns, false), std::pair(axes.depth, true)}) {
    if (axis.getKind() != (isDepth ? AxisKind::Reduce : AxisKind::Loop) || isReduced(axis) != isDepth || isStaged(axis))
      return llvm::formatv("axis {0} is no {1} loop", axis.getId(), isDepth ? "reduced" : "free");
    if (axis.getSize())
      return llvm::formatv("axis {0} ends at a size that is known when the kernel runs", axis.getId());
  }
  if (axes.rows == axes.columns)
    return llvm::formatv("axis {0} is named twice", axes.rows.getId());
  std::string reason;
  std::optional<PlacedProduct> product = findProduct(axes, reason);
  if (!product)
    return reason;
  FuncOp kernel = axes.rows->getParentOfType<FuncOp>();
  if (machine.kind != cost::DeviceKind::Gpu)
    return "the device has no workgroups";
  if (machine.subgroup == 0 && !tile.isOfLanes())
    return "the device's record states no subgroups";
  Type factor = product->match.factorType, sum = product->reduce.getResult(0).getType();
  if (!tile.isOfLanes() && !hasShape(machine, tile.shape, factor, sum))
    return llvm::formatv("the device's record has no product of {0}x{1}x{2} {3} to {4}", tile.shape[0], tile.shape[1],
                         tile.shape[2], factor, sum);
  if (reason = whyNotFit(tile, machine, product->match.getTileType(), countLanes(tile, machine)); !reason.empty())
    return reason;
  // What else varies along the tile would be computed by lanes that hold elements here and there.
  llvm::DenseSet<Value> rows = findVarying(axes.rows), columns = findVarying(axes.columns);
  for (Operation &op : kernel.getBody().front()) {
    if (auto store = dyn_cast<StoreOp>(op);
        store && !(rows.contains(store.getIndex()) && columns.contains(store.getIndex())))
      return llvm::formatv("a store does not vary along axes {0} and {1}", axes.rows.getId(), axes.columns.getId());
    if (isa<StageOp>(op))
      return "the kernel has a tile already";
    if (isa<ReduceOp>(op) && &op != product->reduce && llvm::any_of(op.getOperands(), [&](Value operand) {
          return rows.contains(operand) || columns.contains(operand);
        }))
      return llvm::formatv("another reduction varies along axes {0} or {1}", axes.rows.getId(), axes.columns.getId());
    if (auto range = dyn_cast<RangeOp>(op); range && range.getKind() != AxisKind::Loop &&
                                            range.getKind() != AxisKind::Reduce && range.getKind() != AxisKind::Global)
      return llvm::formatv("axis {0} is of kind '{1}' already", range.getId(), stringifyAxisKind(range.getKind()));
  }
  // Masks of the depth become those of the factors, which its padding must allow.
  for (auto [axis, multiple] : {std::pair(axes.rows, tile.extents[0]), std::pair(axes.columns, tile.extents[1]),
                                std::pair(axes.depth, tile.extents[2])})
    if (reason = whyNotPad(axis, multiple); !reason.empty())
      return reason;
  if (reason = whyNotStage(product->match.left, {axes.rows, axes.depth}); !reason.empty())
    return reason;
  return whyNotStage(product->match.right, {axes.columns, axes.depth});
}

bool turnsRight(ProductAxes axes, const ProductTile &tile, const cost::Machine &machine) {
  std::string reason;
  std::optional<PlacedProduct> product = findProduct(axes, reason);
  return product && readsAlongDepth(tile, machine, product->match.getTileType()) &&
         liesAlong(product->match.right, axes.columns, axes.depth);
}

void padDepth(RewriterBase &rewriter, RangeOp depth, int64_t multiple, PlacedProduct &product) {
  if (static_cast<int64_t>(depth.getExtent()) % multiple == 0)
    return;
  padAxis(rewriter, depth, multiple);
  ReduceOp reduce = product.reduce;
  auto mask = reduce.getInputs().front().getDefiningOp<arith::SelectOp>();
  bool isFloat = isa<FloatType>(product.match.getTileType());
  for (auto [factor, isNegative] : {std::pair(&product.match.left, true), std::pair(&product.match.right, false)}) {
    Value value = *factor;
    rewriter.setInsertionPointAfter(mask);
    TypedAttr zero = rewriter.getZeroAttr(value.getType());
    if (isFloat && isNegative)
      zero =
          rewriter.getFloatAttr(value.getType(), APFloat::getZero(cast<FloatType>(value.getType()).getFloatSemantics(),
                                                                  /*Negative=*/true));
    Value off = arith::ConstantOp::create(rewriter, value.getLoc(), zero);
    Value masked = arith::SelectOp::create(rewriter, value.getLoc(), mask.getCondition(), value, off);
    rewriter.replaceUsesWithIf(value, masked, [&](OpOperand &use) {
      return use.getOwner() != masked.getDefiningOp() && llvm::is_contained(product.match.inside, use.getOwner());
    });
    *factor = masked;
  }
  rewriter.modifyOpInPlace(reduce, [&] { reduce.getInputsMutable().assign(product.match.getProduct()->getResult(0)); });
  rewriter.eraseOp(mask);
}

/// Whether lanes can move neighbours of the factor along the axis at once: they lie next to each other, and are there
/// or not together. Behind the end of an axis that is padded some are not there.
static bool movesVectors(Value factor, RangeOp axis, int64_t tile) {
  if (static_cast<int64_t>(axis.getExtent()) % tile != 0)
    return false;
  AccessStride strides(axis.getResult());
  return llvm::all_of(findComputation(factor), [&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      std::optional<int64_t> stride = strides.get(load.getIndex());
      return stride && (*stride == 0 || *stride == 1) && !(load.getGate() && strides.dependsOnAxis(load.getGate()));
    }
    return op->getNumResults() != 1 || !op->getResult(0).getType().isInteger(1) ||
           !strides.dependsOnAxis(op->getResult(0));
  });
}

void stageFactor(RewriterBase &rewriter, Value factor, RangeOp first, RangeOp second, int64_t lanes,
                 std::array<bool, 2> hasVectors, bool keepsOrder) {
  bool isAcross = liesAlong(factor, first, second), isTurned = isAcross && !keepsOrder;
  isAcross &= keepsOrder;
  if (isTurned)
    std::swap(first, second);
  Type type = factor.getType();
  StageOp stage = stageValue(rewriter, factor, {first, second}, StageSpace::Local);
  eraseDead(rewriter, factor.getDefiningOp());
  auto slow = stage.getRanges()[0].getDefiningOp<RangeOp>(), fast = stage.getRanges()[1].getDefiningOp<RangeOp>();
  int64_t row = fast.getExtent(), elements = int64_t(slow.getExtent()) * row;
  int64_t vector = hasVectors[isTurned ? 0 : 1] && !isAcross ? findVector(elements, row, lanes, type) : 1;
  if (int64_t deep = lanes / kTurnedRun;
      isAcross && lanes % kTurnedRun == 0 && row % deep == 0 && int64_t(slow.getExtent()) % kTurnedRun == 0) {
    SplitAxis ofDepth = splitAxis(rewriter, fast, deep, AxisKind::Local);
    SplitAxis ofLines = splitAxis(rewriter, slow, kTurnedRun, AxisKind::Local);
    // Lanes next to each other are those along memory.
    int64_t order = ofDepth.inner.getLoopOrder() + 1;
    rewriter.modifyOpInPlace(ofLines.inner, [&] { ofLines.inner.setOrder(order); });
    for (RangeOp outer : {ofDepth.outer, ofLines.outer})
      if (outer && elements / lanes <= kMostCopies)
        splitAxis(rewriter, outer, 0, AxisKind::Unroll);
    return;
  }
  if (vector > 1) {
    SplitAxis parts = splitAxis(rewriter, fast, vector, AxisKind::Upcast);
    fast = parts.outer;
  }
  RangeOp points = fast ? mergeAxes(rewriter, slow, fast) : slow;
  SplitAxis parts = splitAxis(rewriter, points, lanes, AxisKind::Local);
  if (parts.outer && static_cast<int64_t>(parts.outer.getExtent()) <= kMostRounds)
    splitAxis(rewriter, parts.outer, 0, AxisKind::Unroll);
}

/// An axis of a tile whose neighbours lie in lanes next to each other, each of which has vectors of so many elements.
static void shareAmongLanes(RewriterBase &rewriter, RangeOp axis, int64_t lanes, int64_t vector) {
  if (vector > 1)
    axis = splitAxis(rewriter, axis, vector, AxisKind::Upcast).outer;
  if (axis && lanes > 1)
    axis = splitAxis(rewriter, axis, lanes, AxisKind::Local).outer;
  if (axis)
    splitAxis(rewriter, axis, 0, AxisKind::Unroll);
}

void shareAxis(RewriterBase &rewriter, RangeOp axis, int64_t subgroups, int64_t matrix) {
  RangeOp outer = splitAxis(rewriter, axis, matrix, AxisKind::Fragment).outer;
  if (!outer)
    return;
  if (int64_t own = int64_t(outer.getExtent()) / subgroups; own > 1)
    outer = splitAxis(rewriter, outer, own, AxisKind::Unroll).outer;
  if (outer && subgroups > 1)
    splitAxis(rewriter, outer, 0, AxisKind::Warp);
}

void tensorize(RewriterBase &rewriter, ProductAxes axes, const ProductTile &tile, const cost::Machine &machine) {
  std::string reason;
  PlacedProduct product = *findProduct(axes, reason);
  int64_t lanes = countLanes(tile, machine);
  Type factor = product.match.getTileType(), sum = product.reduce.getResult(0).getType();
  Value left = product.match.left, right = product.match.right;
  // Fragments are padded as they are, so that rows of a tile begin where ldmatrix reads them.
  auto has = [&](Value value, RangeOp axis, unsigned number) {
    return machine.has(cost::Instruction::WideAccess) &&
           (!tile.isOfLanes() || movesVectors(value, axis, tile.extents[number]));
  };
  std::array<bool, 2> ofLeft = {has(left, axes.rows, 0), has(left, axes.depth, 2)},
                      ofRight = {has(right, axes.depth, 2), has(right, axes.columns, 1)};
  // Columns of a vector lie next to each other in the tile.
  bool hasColumns = static_cast<int64_t>(axes.columns.getExtent()) % tile.extents[1] == 0 &&
                    machine.has(cost::Instruction::WideAccess) && !liesAlong(right, axes.depth, axes.columns);
  RangeOp rows = padAxis(rewriter, axes.rows, tile.extents[0]);
  RangeOp columns = padAxis(rewriter, axes.columns, tile.extents[1]);
  padDepth(rewriter, axes.depth, tile.extents[2], product);
  RangeOp depth = splitAxis(rewriter, axes.depth, tile.extents[2], AxisKind::Reduce).inner;
  rows = splitAxis(rewriter, rows, tile.extents[0], AxisKind::Loop).inner;
  columns = splitAxis(rewriter, columns, tile.extents[1], AxisKind::Loop).inner;
  stageFactor(rewriter, product.match.left, rows, depth, lanes, ofLeft);
  if (readsAlongDepth(tile, machine, factor))
    stageFactor(rewriter, product.match.right, columns, depth, lanes, {ofRight[1], ofRight[0]}, /*keepsOrder=*/true);
  else
    stageFactor(rewriter, product.match.right, depth, columns, lanes, ofRight);
  if (tile.isOfLanes()) {
    shareAmongLanes(rewriter, rows, tile.subgroups[0], /*vector=*/1);
    shareAmongLanes(rewriter, columns, tile.subgroups[1],
                    hasColumns ? findVector(tile.extents[1], tile.extents[1], tile.subgroups[1], sum) : 1);
    // Of a factor that lies along the depth a lane reads so many at once.
    splitAxis(rewriter, depth, findVector(tile.extents[2], tile.extents[2], 1, factor), AxisKind::Unroll);
    return;
  }
  shareAxis(rewriter, rows, tile.subgroups[0], tile.shape[0]);
  shareAxis(rewriter, columns, tile.subgroups[1], tile.shape[1]);
  shareAxis(rewriter, depth, 1, tile.shape[2]);
}

} // namespace tiny::kernel
