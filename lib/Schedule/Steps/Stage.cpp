// Schedule step stage: keeps a value in a tile, and clones what computes it over the tile's own ranges.
#include "Tiny/Schedule/Steps/Stage.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

static bool isElementwise(Operation *op) {
  return !isa_and_present<KernelDialect>(op->getDialect()) && op->getNumResults() == 1 && isMemoryEffectFree(op);
}

Value findStagedValue(LoadOp load) {
  RangeSets sets(sortByDependence(*load->getBlock()));
  llvm::SetVector<Operation *> same;
  same.insert(load);
  for (size_t i = 0; i < same.size(); ++i)
    for (Operation *user : same[i]->getUsers())
      if (isElementwise(user) && sets.getOpen(user->getResult(0)) == sets.getOpen(load.getResult()))
        same.insert(user);
  Value exit;
  for (Operation *op : same) {
    if (llvm::all_of(op->getUsers(), [&](Operation *user) { return same.contains(user); }))
      continue;
    if (exit)
      return load.getResult();
    exit = op->getResult(0);
  }
  return exit ? exit : load.getResult();
}

SmallVector<Value> findStagedValues(Value buffer, ArrayRef<RangeOp> ranges) {
  SmallVector<llvm::DenseSet<Value>> varying = llvm::map_to_vector(ranges, findVarying);
  llvm::SmallSetVector<Value, 4> all, fitting;
  for (auto load : buffer.getParentBlock()->getOps<LoadOp>()) {
    if (load.getBuffer() != buffer)
      continue;
    Value value = findStagedValue(load);
    all.insert(value);
    if (llvm::all_of(varying, [&](const llvm::DenseSet<Value> &values) { return values.contains(value); }))
      fitting.insert(value);
  }
  return fitting.empty() ? all.takeVector() : fitting.takeVector();
}

/// The operations that the value is computed by and that vary over one of the ranges. A reduce or a scan that does so,
/// which would have to be repeated as a whole, is returned in `reduce`.
static llvm::DenseSet<Operation *> findNeeded(Value value, ArrayRef<RangeOp> ranges, Operation *&reduce) {
  SmallVector<llvm::DenseSet<Value>> varying = llvm::map_to_vector(ranges, findVarying);
  auto varies = [&](Value result) {
    return llvm::any_of(varying, [&](const llvm::DenseSet<Value> &values) { return values.contains(result); });
  };
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || isa<RangeOp>(op) || !varies(next) || !needed.insert(op).second)
      continue;
    if (isa<ReduceOp, ScanOp, StageOp>(op))
      reduce = op;
    llvm::append_range(pending, op->getOperands());
  }
  return needed;
}

/// These operations, definitions first: as written where that is so.
static SmallVector<Operation *> findSlice(Value value, ArrayRef<RangeOp> ranges) {
  Operation *reduce = nullptr;
  llvm::DenseSet<Operation *> needed = findNeeded(value, ranges, reduce);
  SmallVector<Operation *> slice(needed.begin(), needed.end());
  llvm::sort(slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  bool isSorted = llvm::all_of(slice, [&](Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !needed.contains(def) || def->isBeforeInBlock(op);
    });
  });
  if (isSorted)
    return slice;
  return llvm::filter_to_vector(sortByDependence(*ranges.front()->getBlock()),
                                [&](Operation *op) { return needed.contains(op); });
}

std::string whyNotStage(Value value, ArrayRef<RangeOp> ranges) {
  if (ranges.empty())
    return "a tile is over at least one axis";
  if (value.getType().isIndex())
    return "what is read is an index, and no tile holds these";
  llvm::SmallDenseSet<Operation *> seen;
  __int128 points = 1;
  for (RangeOp range : ranges) {
    if (!seen.insert(range).second)
      return llvm::formatv("axis {0} is named twice", range.getId());
    if (!findVarying(range).contains(value))
      return llvm::formatv("what is read does not vary along axis {0}", range.getId());
    AxisKind kind = range.getKind();
    if (kind == AxisKind::Global || kind == AxisKind::Thread || kind == AxisKind::Local || kind == AxisKind::Warp)
      return llvm::formatv("axis {0} of kind '{1}' runs on several threads, and a tile is filled by one", range.getId(),
                           stringifyAxisKind(kind));
    points *= range.getExtent();
    if (points >= (__int128(1) << 31))
      return "the tile would have 2^31 elements or more";
  }
  for (auto range : ranges.front()->getBlock()->getOps<RangeOp>()) {
    bool isCopies = range.getKind() == AxisKind::Upcast || range.getKind() == AxisKind::Unroll;
    if (isCopies && !seen.contains(range) && findVarying(range).contains(value))
      return llvm::formatv("axis {0} of kind '{1}' is not listed, and each of its copies would need a tile of its own",
                           range.getId(), stringifyAxisKind(range.getKind()));
  }
  Operation *reduce = nullptr;
  findNeeded(value, ranges, reduce);
  if (reduce)
    return llvm::formatv("what is read depends on a {0} that varies along the axes",
                         isa<ScanOp>(reduce) ? "scan" : "reduction");
  return "";
}

Value cloneAlong(RewriterBase &rewriter, Value value, RangeOp from, RangeOp to) {
  IRMapping mapping;
  mapping.map(from.getResult(), to.getResult());
  for (Operation *op : findSlice(value, from))
    rewriter.clone(*op, mapping);
  return mapping.lookupOrDefault(value);
}

void eraseDead(RewriterBase &rewriter, Operation *op) {
  // A set: two that are erased may take one operand.
  SetVector<Operation *> pending;
  pending.insert(op);
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (!isOpTriviallyDead(next))
      continue;
    for (Value operand : next->getOperands())
      if (Operation *def = operand.getDefiningOp())
        pending.insert(def);
    rewriter.eraseOp(next);
  }
}

Value createTileIndex(OpBuilder &builder, Location loc, ArrayRef<RangeOp> ranges) {
  RangeOp slowest = ranges.front();
  Value index = slowest.getResult();
  for (RangeOp range : ranges.drop_front()) {
    Value extent = arith::ConstantIndexOp::create(builder, loc, range.getExtent());
    Value scaled = arith::MulIOp::create(builder, loc, index, extent);
    index = arith::AddIOp::create(builder, loc, scaled, range.getResult());
  }
  return index;
}

StageOp stageValue(RewriterBase &rewriter, Value value, ArrayRef<RangeOp> ranges, StageSpace space) {
  Operation *def = value.getDefiningOp();
  Location loc = value.getLoc();
  rewriter.setInsertionPointAfter(def);
  int64_t nextId = getNextId(def->getParentOfType<FuncOp>()), points = 1;
  IRMapping mapping;
  SmallVector<Value> fresh;
  int64_t order = 0;
  for (RangeOp range : ranges) {
    AxisKind kind = range.getKind();
    if (kind != AxisKind::Upcast && kind != AxisKind::Unroll)
      kind = AxisKind::Loop;
    fresh.push_back(RangeOp::create(rewriter, range.getLoc(), kind, nextId++, range.getExtent(),
                                    rewriter.getI64IntegerAttr(order++), range.getSize()));
    mapping.map(range.getResult(), fresh.back());
    points *= range.getExtent();
  }
  for (Operation *op : findSlice(value, ranges))
    rewriter.clone(*op, mapping);
  auto type = MemRefType::get({points}, value.getType());
  auto stage = StageOp::create(rewriter, loc, type, mapping.lookup(value), fresh,
                               StageSpaceAttr::get(rewriter.getContext(), space), IntegerAttr());
  Value index = createTileIndex(rewriter, loc, ranges);
  auto load = LoadOp::create(rewriter, loc, value.getType(), stage.getTile(), index, Value());
  rewriter.replaceAllUsesExcept(value, load, stage);
  return stage;
}

} // namespace tiny::kernel
