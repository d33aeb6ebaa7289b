// Recognises matrix products in a kernel: sums over the same axes of factors that vary along rows or lanes.
#include "Products.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

/// The load of an argument that varies over the same axes as the value. None if there is no such load, or if the value
/// is computed from a reduction, a stage or another buffer.
static std::optional<Operand> findOperand(Value value, const RangeSets &sets, ReduceOp reduce) {
  SmallVector<Value> pending{value};
  llvm::DenseSet<Operation *> seen;
  Operand operand;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || isa<RangeOp>(op) || !seen.insert(op).second)
      continue;
    if (isa<ReduceOp, StageOp>(op))
      return std::nullopt;
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (!isa<BlockArgument>(load.getBuffer()))
        return std::nullopt;
      if (sets.getOpen(load.getResult()) == sets.getOpen(value))
        operand.load = load;
      continue;
    }
    llvm::append_range(pending, op->getOperands());
  }
  if (!operand.load)
    return std::nullopt;
  operand.argument = cast<BlockArgument>(operand.load.getBuffer()).getArgNumber();
  for (unsigned position : sets.getOpen(value)) {
    RangeOp range = sets.getRanges()[position];
    if (!llvm::is_contained(reduce.getRanges(), range.getResult()))
      operand.axes.push_back(range.getId());
  }
  return operand;
}

/// Whether the axis may be lanes of all that is not staged: it moves stores by one element or fills a tile, and moves
/// loads by one element or not at all, but where they may be gathered.
static bool fitsLanes(FuncOp kernel, RangeOp axis, ArrayRef<LoadOp> staged, bool mayGather) {
  AccessStride strides(axis);
  bool fillsTile = isStaged(axis), stored = fillsTile;
  for (Operation &op : kernel.getBody().front()) {
    if (auto store = dyn_cast<StoreOp>(op); store && !fillsTile) {
      std::optional<int64_t> stride = strides.get(store.getIndex());
      if (stride != std::optional<int64_t>(1))
        return false;
      stored = true;
    } else if (auto load = dyn_cast<LoadOp>(op); load && !mayGather && !llvm::is_contained(staged, load)) {
      std::optional<int64_t> stride = strides.get(load.getIndex());
      if (!stride || (*stride != 0 && *stride != 1))
        return false;
    }
  }
  return stored;
}

static void insert(SmallVectorImpl<Operand> &operands, const Operand &operand) {
  if (llvm::none_of(operands, [&](const Operand &other) { return other.load == operand.load; }))
    operands.push_back(operand);
}

/// The reductions from which the tile is computed and that vary along its one axis; none if another tile takes part.
static SmallVector<ReduceOp> findFillingReductions(StageOp stage) {
  if (stage.getRanges().size() != 1)
    return {};
  llvm::DenseSet<Value> varying = findVarying(stage.getRanges().front().getDefiningOp<RangeOp>());
  SmallVector<ReduceOp> reductions;
  SmallVector<Value> pending{stage.getValue()};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<StageOp>(op))
      return {};
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && varying.contains(value))
      reductions.push_back(reduce);
    else
      llvm::append_range(pending, op->getOperands());
  }
  llvm::sort(reductions, [](ReduceOp a, ReduceOp b) { return a->isBeforeInBlock(b); });
  return reductions;
}

std::optional<Products> findProducts(FuncOp kernel) {
  Products products;
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  SmallVector<StageOp> stages(kernel.getBody().getOps<StageOp>());
  RangeOp filling;
  // Of what is kept, one tile may be of products.
  llvm::erase_if(stages, [](StageOp stage) { return findFillingReductions(stage).empty(); });
  if (stages.size() == 1) {
    products.sums = findFillingReductions(stages.front());
    products.isKept = true;
  } else if (kernel.getBody().getOps<StageOp>().empty()) {
    llvm::append_range(products.sums, kernel.getBody().getOps<ReduceOp>());
  }
  if (products.sums.empty())
    return std::nullopt;
  if (products.isKept)
    filling = stages.front().getRanges().front().getDefiningOp<RangeOp>();
  ReduceOp first = products.sums.front();
  SmallVector<std::pair<Operand, Operand>> factors;
  SmallVector<LoadOp> loads;
  for (ReduceOp sum : products.sums) {
    Operation *multiply = sum.getInputs().size() == 1 ? sum.getInputs().front().getDefiningOp() : nullptr;
    bool isProduct = (sum.getKind() == arith::AtomicRMWKind::addf && isa_and_present<arith::MulFOp>(multiply)) ||
                     (sum.getKind() == arith::AtomicRMWKind::addi && isa_and_present<arith::MulIOp>(multiply));
    if (!isProduct || !llvm::equal(sum.getRanges(), first.getRanges()) ||
        sum.getResultTypes() != first.getResultTypes())
      return std::nullopt;
    std::optional<Operand> a = findOperand(multiply->getOperand(0), sets, sum);
    std::optional<Operand> b = findOperand(multiply->getOperand(1), sets, sum);
    if (!a || !b)
      return std::nullopt;
    factors.push_back({*a, *b});
    loads.append({a->load, b->load});
  }
  for (Value range : first.getRanges()) {
    auto axis = range.getDefiningOp<RangeOp>();
    if (axis.getKind() != AxisKind::Reduce)
      return std::nullopt;
    products.reduced.push_back(axis.getId());
    products.nReduced *= axis.getExtent();
  }
  SmallVector<RangeOp> free;
  for (RangeOp axis : sets.getRanges()) {
    if (llvm::is_contained(first.getRanges(), axis.getResult()))
      continue;
    if (products.isKept && !llvm::is_contained(sets.getOpen(first.getResult(0)), sets.getPosition(axis)))
      continue;
    if (axis.getKind() != AxisKind::Loop)
      return std::nullopt;
    free.push_back(axis);
  }
  llvm::sort(free, [](RangeOp x, RangeOp y) { return x.getId() > y.getId(); });
  auto varies = [](const Operand &operand, RangeOp axis) {
    return llvm::is_contained(operand.axes, static_cast<int64_t>(axis.getId()));
  };
  // What is not contiguous along any axis that could be lanes, once for each result, is gathered.
  RangeOp lanes;
  for (bool mayGather : {false, true})
    for (RangeOp axis : free)
      if (!lanes && (!filling || axis == filling) &&
          llvm::all_of(factors, [&](auto &pair) { return varies(pair.first, axis) != varies(pair.second, axis); }) &&
          fitsLanes(kernel, axis, loads, mayGather))
        lanes = axis;
  if (!lanes)
    return std::nullopt;
  products.laneAxis = lanes.getId();
  products.nLanes = lanes.getExtent();
  for (auto &[a, b] : factors)
    if (varies(a, lanes))
      std::swap(a, b);
  for (RangeOp axis : free) {
    if (axis == lanes)
      continue;
    products.nOthers *= axis.getExtent();
    if (llvm::all_of(factors, [&](auto &pair) { return varies(pair.first, axis) && varies(pair.second, axis); }))
      products.shared.push_back(axis.getId());
  }
  for (const auto &[a, b] : factors) {
    if (a.axes != factors.front().first.axes || b.axes != factors.front().second.axes)
      return std::nullopt;
    insert(products.a, a);
    insert(products.b, b);
  }
  auto isInside = [](RangeOp x, RangeOp y) { return x.getPlace() > y.getPlace(); };
  RangeOp innermost;
  for (RangeOp axis : free)
    if (axis != filling && (!innermost || isInside(axis, innermost)))
      innermost = axis;
  for (RangeOp axis : free) {
    // A tile is filled for the rows of the loop right around it.
    bool mayBeRows = !products.isKept || axis == innermost;
    int64_t id = axis.getId(), extent = axis.getExtent();
    bool inA = llvm::is_contained(products.a.front().axes, id), inB = llvm::is_contained(products.b.front().axes, id);
    products.sizeB *= inB ? extent : 1;
    // Of the longest ones the outermost.
    if (inA && !inB && mayBeRows && extent >= products.nRows && extent > 1) {
      products.rowAxis = id;
      products.nRows = extent;
    }
  }
  if (products.rowAxis < 0)
    return std::nullopt;
  products.nOthers /= products.nRows;
  return products;
}

} // namespace tiny::kernel
