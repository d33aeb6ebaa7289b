// Schedule step tensorize with four axes: a product of matrices, sums relative to its running maximum, and a second
// product with these as its left factor. Lanes hold what lies between the two products.
#include "ProductTiles.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/BlockReduce.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

/// The value before it is widened; null where it is not. A selection by padding may stand behind that.
static Value findWeight(Value wide) {
  if (auto select = wide.getDefiningOp<arith::SelectOp>())
    wide = select.getTrueValue();
  auto widened = wide.getDefiningOp<arith::ExtFOp>();
  return widened && widened->hasOneUse() ? widened.getIn() : Value();
}

/// The number of the one sum whose weight varies along the columns; 0 where there is not exactly one.
static unsigned findWideSum(ReduceOp reduce, RangeOp columns) {
  llvm::DenseSet<Value> varying = findVarying(columns);
  unsigned found = 0;
  for (auto [k, input] : llvm::enumerate(reduce.getInputs())) {
    if (!varying.contains(input))
      continue;
    if (found || k == 0)
      return 0;
    found = k;
  }
  return found;
}

std::string whyNotTensorizeOnline(OnlineAxes axes, const ProductTile &tile, const cost::Machine &machine) {
  for (auto [axis, isDepth] : {std::pair(axes.rows, false), std::pair(axes.columns, false), std::pair(axes.keys, true),
                               std::pair(axes.depth, true)}) {
    if (axis.getKind() != (isDepth ? AxisKind::Reduce : AxisKind::Loop) || isReduced(axis) != isDepth || isStaged(axis))
      return llvm::formatv("axis {0} is no {1} loop", axis.getId(), isDepth ? "reduced" : "free");
    if (axis.getSize())
      return llvm::formatv("axis {0} ends at a size that is known when the kernel runs", axis.getId());
  }
  if (axes.rows == axes.columns || axes.keys == axes.depth)
    return llvm::formatv("axis {0} is named twice", (axes.rows == axes.columns ? axes.rows : axes.keys).getId());
  ReduceOp reduce = findMaximumReduce(axes.keys);
  if (!reduce || reduce.getRanges().size() != 1 || !reduce.mayReorder())
    return llvm::formatv("axis {0} is not all of one reduction of a maximum and of sums relative to it, in any order",
                         axes.keys.getId());
  // Lanes round the elements as they become a factor.
  if (!arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::afn))
    return "the reduction's flags do not let its elements be rounded";
  std::string reason;
  std::optional<PlacedProduct> product = findProduct({axes.rows, axes.keys, axes.depth}, reason);
  if (!product)
    return reason;
  unsigned wide = findWideSum(reduce, axes.columns);
  Value weight = wide ? findWeight(reduce.getInputs()[wide]) : Value();
  if (!weight)
    return llvm::formatv("not exactly one sum has a weight along axis {0} that is widened", axes.columns.getId());
  FuncOp kernel = axes.rows->getParentOfType<FuncOp>();
  llvm::DenseSet<Value> ofRows = findVarying(axes.rows), ofColumns = findVarying(axes.columns);
  if (ofRows.contains(weight) || !ofRows.contains(reduce.getInputs().front()))
    return llvm::formatv("along axis {0} elements have to vary, and the weight not", axes.rows.getId());
  if (machine.kind != cost::DeviceKind::Gpu || machine.subgroup == 0)
    return "the device's record states no subgroups";
  Type factor = product->match.factorType, sum = product->reduce.getResult(0).getType();
  // What a subgroup's lanes hold of a sum is a factor of that depth; what a team's hold, several of the depth of one.
  int64_t team = countTeam(tile, machine), heldDepth = tile.shape[team > 1 ? 2 : 1];
  int64_t held[] = {tile.shape[0], tile.shape[1], heldDepth};
  if (!hasShape(machine, tile.shape, factor, sum) || !hasShape(machine, held, weight.getType(), sum))
    return llvm::formatv("the device's record has no products of {0}x{1}x{2} {3} and {0}x{1}x{6} {4} to {5}",
                         tile.shape[0], tile.shape[1], tile.shape[2], factor, weight.getType(), sum, heldDepth);
  int64_t lanes = tile.subgroups[0] * team * machine.subgroup;
  auto [rows, keys, depth] = std::tuple(tile.extents[0], tile.extents[1], tile.extents[2]);
  if (tile.subgroups[1] != 1 || rows % (tile.shape[0] * tile.subgroups[0]) != 0 || keys % tile.shape[1] != 0 ||
      depth % tile.shape[2] != 0 || depth < static_cast<int64_t>(axes.depth.getExtent()))
    return llvm::formatv("a tile of {0}x{1}x{2} is not of whole matrices of {3}x{4}x{5} for {6} subgroups along its "
                         "rows, with all of the depth",
                         rows, keys, depth, tile.shape[0], tile.shape[1], tile.shape[2], tile.subgroups[0]);
  if (static_cast<int64_t>(axes.keys.getExtent()) <= keys)
    return llvm::formatv("axis {0} is one block", axes.keys.getId());
  if (lanes > machine.workgroup)
    return llvm::formatv("a workgroup would have {0} lanes, more than {1}", lanes, machine.workgroup);
  int64_t columns = llvm::alignTo(axes.columns.getExtent(), tile.shape[1]);
  // What several subgroups multiply they read of tiles, as uop-swizzle-tiles lays them out.
  if (int64_t piece = kPieceBytes / getBytes(factor); team > 1 && (depth % piece != 0 || columns % piece != 0))
    return llvm::formatv("tiles of {0} and {1} columns are not of pieces of {2} bytes, which {3} subgroups read", depth,
                         columns, kPieceBytes, team);
  int64_t bytes =
      (rows + keys) * depth * getBytes(product->match.getTileType()) + keys * columns * getBytes(weight.getType());
  if (bytes > machine.shared)
    return llvm::formatv("tiles would take {0} bytes, more than a workgroup's {1}", bytes, machine.shared);
  for (int64_t elements : {rows * depth, keys * depth, keys * columns})
    if (elements % lanes != 0)
      return llvm::formatv("{0} lanes do not share a tile of {1} elements evenly", lanes, elements);
  for (Operation &op : kernel.getBody().front()) {
    if (auto store = dyn_cast<StoreOp>(op);
        store && !(ofRows.contains(store.getIndex()) && ofColumns.contains(store.getIndex())))
      return llvm::formatv("a store does not vary along axes {0} and {1}", axes.rows.getId(), axes.columns.getId());
    if (isa<StageOp>(op))
      return "the kernel has a tile already";
    if (isa<ReduceOp>(op) && &op != product->reduce && &op != reduce)
      return "the kernel has another reduction";
    if (auto range = dyn_cast<RangeOp>(op); range && range.getKind() != AxisKind::Loop &&
                                            range.getKind() != AxisKind::Reduce && range.getKind() != AxisKind::Global)
      return llvm::formatv("axis {0} is of kind '{1}' already", range.getId(), stringifyAxisKind(range.getKind()));
  }
  for (auto [axis, multiple] : {std::pair(axes.rows, rows), std::pair(axes.keys, keys), std::pair(axes.depth, depth),
                                std::pair(axes.columns, tile.shape[1])})
    if (reason = whyNotPad(axis, multiple); !reason.empty())
      return reason;
  for (auto [value, other] : {std::pair(product->match.left, axes.rows), std::pair(product->match.right, axes.keys)})
    if (reason = whyNotStage(value, {other, axes.depth}); !reason.empty())
      return reason;
  return whyNotStage(weight, {axes.keys, axes.columns});
}

/// c ? ext(x) : 0  =  ext(c ? x : 0): the weight is in its tile what it is in the sum.
static Value moveSelection(RewriterBase &rewriter, ReduceOp reduce, unsigned wide) {
  Value input = reduce.getInputs()[wide], weight = findWeight(input);
  auto select = input.getDefiningOp<arith::SelectOp>();
  if (!select)
    return weight;
  Location loc = select.getLoc();
  rewriter.setInsertionPoint(select);
  auto narrow = cast<FloatType>(weight.getType());
  Value none = arith::ConstantOp::create(
      rewriter, loc, FloatAttr::get(narrow, APFloat::getZero(narrow.getFloatSemantics(), /*Negative=*/true)));
  Value inside = arith::SelectOp::create(rewriter, loc, select.getCondition(), weight, none);
  Value widened = arith::ExtFOp::create(rewriter, loc, input.getType(), inside);
  rewriter.modifyOpInPlace(reduce, [&] { reduce.getInputsMutable()[wide].assign(widened); });
  eraseDead(rewriter, select);
  return inside;
}

/// Rounds an operand.
static void narrowOperand(RewriterBase &rewriter, OpOperand &operand, Type type) {
  Operation *op = operand.getOwner();
  rewriter.setInsertionPoint(op);
  Value narrow = arith::TruncFOp::create(rewriter, op->getLoc(), type, operand.get());
  Value again = arith::ExtFOp::create(rewriter, op->getLoc(), operand.get().getType(), narrow);
  rewriter.modifyOpInPlace(op, [&] { operand.set(again); });
}

/// Rounds the left factor of the sum over the block to the type of the right one, and so the elements of sums without
/// weights: what the first sum is divided by.
static void narrowElements(RewriterBase &rewriter, ReduceOp reduce, unsigned wide) {
  auto getSum = [&](unsigned k) { return reduce.getInputs()[k].getDefiningOp<ReduceOp>(); };
  auto product = getSum(wide).getInputs().front().getDefiningOp<arith::MulFOp>();
  unsigned right = product.getRhs().getDefiningOp<arith::ExtFOp>() ? 1 : 0;
  Type type = product->getOperand(right).getDefiningOp<arith::ExtFOp>().getIn().getType();
  narrowOperand(rewriter, product->getOpOperand(1 - right), type);
  for (unsigned k = 1; k < reduce.getNumResults(); ++k)
    if (ReduceOp sum = getSum(k); k != wide && sum.getInputs().front().getDefiningOp<LoadOp>())
      narrowOperand(rewriter, sum->getOpOperand(0), type);
}

void tensorizeOnline(RewriterBase &rewriter, OnlineAxes axes, const ProductTile &tile, const cost::Machine &machine) {
  std::string reason;
  PlacedProduct product = *findProduct({axes.rows, axes.keys, axes.depth}, reason);
  ReduceOp reduce = findMaximumReduce(axes.keys);
  unsigned wide = findWideSum(reduce, axes.columns);
  int64_t lanes = tile.subgroups[0] * countTeam(tile, machine) * machine.subgroup;
  FuncOp kernel = axes.rows->getParentOfType<FuncOp>();
  RangeOp rows = padAxis(rewriter, axes.rows, tile.extents[0]);
  RangeOp columns = padAxis(rewriter, axes.columns, tile.shape[1]);
  RangeOp keys = padAxis(rewriter, axes.keys, tile.extents[1]);
  padDepth(rewriter, axes.depth, tile.extents[2], product);
  RangeOp depth = axes.depth;
  Value weight = moveSelection(rewriter, reduce, wide);
  rows = splitAxis(rewriter, rows, tile.extents[0], AxisKind::Loop).inner;
  RangeOp block = splitAxis(rewriter, keys, tile.extents[1], AxisKind::Reduce).inner;
  bool isWide = machine.has(cost::Instruction::WideAccess);
  std::array<bool, 2> hasVectors = {isWide, isWide};
  stageFactor(rewriter, product.match.left, rows, depth, lanes, hasVectors);
  stageFactor(rewriter, product.match.right, block, depth, lanes, hasVectors);
  stageFactor(rewriter, weight, block, columns, lanes, hasVectors);
  shareAxis(rewriter, rows, tile.subgroups[0], tile.shape[0]);
  shareAxis(rewriter, depth, 1, tile.shape[2]);
  // What the sums have of their own are copies, and so are the elements of a block.
  columns = splitAxis(rewriter, columns, 0, AxisKind::Unroll).inner;
  block = splitAxis(rewriter, block, 0, AxisKind::Unroll).inner;
  llvm::DenseSet<int64_t> known;
  for (auto range : kernel.getBody().getOps<RangeOp>())
    known.insert(range.getId());
  reduce = blockReduce(rewriter, block, /*isRunning=*/true);
  narrowElements(rewriter, reduce, wide);
  SmallVector<RangeOp> blocks{block};
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (!known.contains(range.getId()) && static_cast<int64_t>(range.getExtent()) == tile.extents[1])
      blocks.push_back(range);
  for (RangeOp range : blocks)
    shareAxis(rewriter, range, 1, tile.shape[1]);
  shareAxis(rewriter, columns, 1, tile.shape[1]);
}

} // namespace tiny::kernel
