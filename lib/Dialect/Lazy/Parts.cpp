// Recognises concatenations: selections by `lazy.iota < bound`, and the parts that they make of an axis.
#include "Tiny/Dialect/Lazy/Parts.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::lazy;

std::optional<Threshold> lazy::getThreshold(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare ||
      (compare.getPredicate() != arith::CmpIPredicate::slt && compare.getPredicate() != arith::CmpIPredicate::ult))
    return std::nullopt;
  auto iota = compare.getLhs().getDefiningOp<lazy::IotaOp>();
  DenseIntElementsAttr bound;
  if (!iota || !matchPattern(compare.getRhs(), m_Constant(&bound)) || !bound.isSplat())
    return std::nullopt;
  APInt number = bound.getSplatValue<APInt>();
  int64_t size = cast<RankedTensorType>(iota.getType()).getDimSize(iota.getAxis());
  // Where the index does not wrap around, and neither does the bound, both predicates say the same.
  if (number.getBitWidth() > 64 || number.isNegative() || !llvm::isIntN(number.getBitWidth(), size))
    return std::nullopt;
  return Threshold{static_cast<int64_t>(iota.getAxis()), number.getSExtValue()};
}

Value lazy::choosePart(Operation *op, function_ref<std::pair<int64_t, int64_t>(int64_t)> bounds) {
  auto select = dyn_cast<arith::SelectOp>(op);
  std::optional<Threshold> threshold = select ? getThreshold(select.getCondition()) : std::nullopt;
  if (!threshold)
    return {};
  auto [low, high] = bounds(threshold->axis);
  if (high < threshold->bound)
    return select.getTrueValue();
  return low >= threshold->bound ? select.getFalseValue() : Value();
}

Parts lazy::findParts(Value stored) {
  // Each part is a loop of its own. Of more parts than these, neighbours share a loop and are chosen element by
  // element.
  constexpr size_t maxParts = 64, maxOperations = 256;
  std::optional<int64_t> axis;
  SmallVector<int64_t> begins = {0};
  llvm::SmallDenseSet<Value> seen = {stored};
  SmallVector<Value> worklist = {stored};
  size_t operations = 0;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(stored.getType()).getShape();
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !lazy::isElementwise(op))
      continue;
    auto select = dyn_cast<arith::SelectOp>(op);
    std::optional<Threshold> threshold = select ? getThreshold(select.getCondition()) : std::nullopt;
    if (threshold && threshold->bound > 0 && threshold->bound < shape[threshold->axis]) {
      if (axis && *axis != threshold->axis)
        return {};
      axis = threshold->axis;
      begins.push_back(threshold->bound);
    } else if (++operations > maxOperations) {
      continue;
    }
    for (Value operand : threshold ? op->getOperands().drop_front() : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && seen.insert(operand).second)
        worklist.push_back(operand);
  }
  llvm::sort(begins);
  begins.erase(llvm::unique(begins), begins.end());
  if (!axis)
    return {};
  size_t shared = llvm::divideCeil(begins.size(), maxParts);
  SmallVector<int64_t> kept;
  for (size_t part = 0; part < begins.size(); part += shared)
    kept.push_back(begins[part]);
  return {*axis, std::move(kept)};
}
