// Finds the sizes of a kernel, narrows their bounds, and counts what runs at some of their values.
#include "OpenSizes.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;

namespace tiny::kernel {

/// The load of a buffer of sizes behind a value with stated bounds. A size that is data is clamped to them on the way.
static LoadOp findLoad(sym::RangeOfOp value) {
  Value from = value.getValue();
  while (Operation *op = from.getDefiningOp()) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load;
    if (!isa<arith::IndexCastOp, arith::MaxSIOp, arith::MinSIOp>(op))
      return nullptr;
    from = op->getOperand(0);
  }
  return nullptr;
}

/// Each value that a size of the kernel is read as, with its bounds.
static SmallVector<std::pair<sym::RangeOfOp, OpenSize>> findValues(FuncOp kernel) {
  SmallVector<std::pair<sym::RangeOfOp, OpenSize>> values;
  for (auto value : kernel.getBody().getOps<sym::RangeOfOp>()) {
    LoadOp load = findLoad(value);
    auto buffer = load ? dyn_cast<BlockArgument>(load.getBuffer()) : BlockArgument();
    auto least = dyn_cast<IntegerAttr>(value.getLower()), most = dyn_cast<IntegerAttr>(value.getUpper());
    APInt element;
    if (buffer && !load.getGate() && least && most && matchPattern(load.getIndex(), m_ConstantInt(&element)))
      values.push_back({value, {buffer.getArgNumber(), element.getSExtValue(), least.getInt(), most.getInt()}});
  }
  return values;
}

/// Whether a range ends at what is computed from the value.
static bool endsRange(Operation *value) {
  SetVector<Operation *> users;
  users.insert(value);
  for (size_t k = 0; k < users.size(); ++k) {
    if (isa<RangeOp>(users[k]))
      return true;
    if (!isa<LoadOp, ReduceOp, StageOp>(users[k]))
      users.insert(users[k]->user_begin(), users[k]->user_end());
  }
  return false;
}

SmallVector<OpenSize> findOpenSizes(FuncOp kernel) {
  std::map<std::pair<unsigned, int64_t>, OpenSize> sizes;
  for (auto &[value, own] : findValues(kernel)) {
    if (own.least == own.most || !endsRange(value))
      continue;
    OpenSize &size = sizes.try_emplace({own.argument, own.element}, own).first->second;
    size.least = std::max(size.least, own.least);
    size.most = std::min(size.most, own.most);
  }
  return llvm::map_to_vector(sizes, [](auto &entry) { return entry.second; });
}

void narrow(FuncOp kernel, const OpenSize &size, int64_t least, int64_t most) {
  Builder builder(kernel.getContext());
  for (auto &[value, own] : findValues(kernel))
    if (own.argument == size.argument && own.element == size.element) {
      value.setLowerAttr(builder.getI64IntegerAttr(least));
      value.setUpperAttr(builder.getI64IntegerAttr(most));
    }
  ExprContext context;
  sym::ArithBridge bridge(context);
  for (auto range : kernel.getBody().getOps<RangeOp>()) {
    bool fillsTile = llvm::any_of(range->getUsers(), [&](Operation *user) {
      return isa<StageOp>(user) && llvm::is_contained(getClosedRanges(user), range.getResult());
    });
    if (!range.getSize() || fillsTile)
      continue;
    int64_t extent = range.getExtent(), end = bridge.importValue(range.getSize()).bounds().high;
    range.setExtent(std::min(extent, std::max<int64_t>(end, 1)));
  }
}

LiveTrips::LiveTrips(FuncOp kernel, ArrayRef<OpenSize> sizes, ArrayRef<int64_t> values) {
  for (auto &[value, own] : findValues(kernel))
    for (auto [size, live] : llvm::zip_equal(sizes, values))
      if (own.argument == size.argument && own.element == size.element)
        given[value] = live;
}

std::optional<int64_t> LiveTrips::evaluate(Value value, DenseMap<Value, int64_t> &known) const {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (isa_and_present<RangeOp>(op))
    return 0;
  if (!op || op->getNumResults() != 1 || op->getNumOperands() == 0 || !isPure(op) || isa<LoadOp>(op))
    return std::nullopt;
  Builder builder(op->getContext());
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = evaluate(operand, known);
    if (!number)
      return std::nullopt;
    operands.push_back(builder.getIntegerAttr(operand.getType(), *number));
  }
  SmallVector<OpFoldResult, 1> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return std::nullopt;
  auto result = dyn_cast<Attribute>(results.front());
  auto number = dyn_cast_or_null<IntegerAttr>(result);
  if (!number)
    return isa<Value>(results.front()) ? evaluate(cast<Value>(results.front()), known) : std::nullopt;
  return known[value] = number.getValue().getSExtValue();
}

int64_t LiveTrips::operator()(RangeOp range) const {
  int64_t extent = range.getExtent();
  if (range.getSize()) {
    llvm::DenseMap<Value, int64_t> known = given;
    return std::clamp<int64_t>(evaluate(range.getSize(), known).value_or(extent), 1, extent);
  }
  if (range.getKind() != AxisKind::Thread)
    return extent;
  llvm::DenseSet<Value> varying = findVarying(range);
  for (auto inner : range->getBlock()->getOps<RangeOp>()) {
    if (!inner.getSize() || !varying.contains(inner.getSize()))
      continue;
    int64_t sum = 0, longest = 0;
    for (int64_t part = 0; part < extent; ++part) {
      llvm::DenseMap<Value, int64_t> known = given;
      known[range] = part;
      int64_t points = evaluate(inner.getSize(), known).value_or(inner.getExtent());
      sum += points;
      longest = std::max(longest, points);
    }
    return longest > 0 ? llvm::divideCeil(sum, longest) : 1;
  }
  return extent;
}

} // namespace tiny::kernel
