// A tile taken back: whatever reads it computes what it needs by itself.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/Stage.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

static SmallVector<RangeOp> getFillingRanges(StageOp stage) {
  return llvm::map_to_vector(stage.getRanges(), [](Value range) { return range.getDefiningOp<RangeOp>(); });
}

/// Whether subgroups read matrices of the tile.
static bool holdsMatrices(StageOp stage) {
  return llvm::any_of(getNest(stage->getParentOfType<FuncOp>(), AxisKind::Fragment), [&](RangeOp fragment) {
    llvm::DenseSet<Value> varying = findVarying(fragment);
    return llvm::any_of(stage->getUsers(),
                        [&](Operation *user) { return isa<LoadOp>(user) && varying.contains(user->getResult(0)); });
  });
}

std::string whyNotUnstage(RangeOp filling) {
  StageOp stage = findFilledStage(filling);
  if (!stage)
    return llvm::formatv("axis {0} fills no tile", filling.getId());
  for (RangeOp range : getFillingRanges(stage)) {
    for (Operation *user : range->getUsers())
      if (auto other = dyn_cast<StageOp>(user);
          other && other != stage && llvm::is_contained(other.getRanges(), range.getResult()))
        return llvm::formatv("axis {0} fills another tile, too", range.getId());
    for (Value value : findVarying(range))
      if (Operation *op = value.getDefiningOp(); isa_and_present<ReduceOp, ScanOp, StageOp>(op))
        return llvm::formatv("what the tile is filled with needs a {0} that varies along axis {1}",
                             isa<ReduceOp>(op) ? "reduction"
                             : isa<ScanOp>(op) ? "scan"
                                               : "tile",
                             range.getId());
  }
  for (Operation *user : stage->getUsers())
    if (auto load = dyn_cast<LoadOp>(user); !load || load.getGate())
      return "a read of the tile has a gate";
  if (auto filled = stage.getValue().getDefiningOp<LoadOp>(); (!filled || filled.getGate()) && holdsMatrices(stage))
    return "subgroups read matrices as they lie, and what the tile is filled with is computed";
  return "";
}

/// The two parts of `outer * extent + inner`, if the index is written so.
static std::optional<std::pair<Value, Value>> matchDigits(Value index, int64_t extent) {
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (auto [product, rest] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
    auto scaled = product.getDefiningOp<arith::MulIOp>();
    APInt factor;
    auto range = rest.getDefiningOp<RangeOp>();
    if (scaled && range && static_cast<int64_t>(range.getExtent()) == extent &&
        matchPattern(scaled.getRhs(), m_ConstantInt(&factor)) && factor == extent)
      return std::pair(scaled.getLhs(), rest);
  }
  return std::nullopt;
}

/// Whether every read of the tile is at an index that ends where the range does.
static bool areReadsInside(StageOp stage, RangeOp range) {
  return stage.getRanges().size() == 1 && llvm::all_of(stage->getUsers(), [&](Operation *user) {
           auto index = cast<LoadOp>(user).getIndex().getDefiningOp<RangeOp>();
           return index && index.getSize() == range.getSize();
         });
}

void unstage(RewriterBase &rewriter, RangeOp filling) {
  StageOp stage = findFilledStage(filling);
  SmallVector<RangeOp> ranges = getFillingRanges(stage);
  // What was filled to a size may be read behind it.
  for (RangeOp range : ranges)
    if (range.getSize() && !areReadsInside(stage, range))
      gateAxis(rewriter, range);
  SmallVector<llvm::DenseSet<Value>> varying = llvm::map_to_vector(ranges, findVarying);
  auto varies = [&](Operation *op) {
    return llvm::any_of(op->getResults(), [&](Value result) {
      return llvm::any_of(varying, [&](const llvm::DenseSet<Value> &values) { return values.contains(result); });
    });
  };
  SmallVector<Operation *> slice = llvm::filter_to_vector(
      sortByDependence(*stage->getBlock()), [&](Operation *op) { return !isa<RangeOp, StageOp>(op) && varies(op); });
  SmallVector<LoadOp> loads;
  for (Operation *user : stage->getUsers())
    loads.push_back(cast<LoadOp>(user));
  // Users come in no order that means something.
  llvm::sort(loads, [](LoadOp a, LoadOp b) { return a->isBeforeInBlock(b); });
  for (LoadOp load : loads) {
    rewriter.setInsertionPoint(load);
    IRMapping mapping;
    Value rest = load.getIndex();
    for (RangeOp range : llvm::reverse(ranges)) {
      int64_t extent = range.getExtent();
      if (range == ranges.front()) {
        mapping.map(range.getResult(), rest);
      } else if (auto digits = matchDigits(rest, extent)) {
        mapping.map(range.getResult(), digits->second);
        rest = digits->first;
      } else {
        Value size = arith::ConstantIndexOp::create(rewriter, load.getLoc(), extent);
        mapping.map(range.getResult(), sym::ModOp::create(rewriter, load.getLoc(), rest, size).getResult());
        rest = arith::FloorDivSIOp::create(rewriter, load.getLoc(), rest, size);
      }
    }
    for (Operation *op : slice)
      rewriter.clone(*op, mapping);
    rewriter.replaceOp(load, mapping.lookupOrDefault(stage.getValue()));
  }
  eraseDead(rewriter, stage);
}

} // namespace tiny::kernel
