// The stride of an index expression along one axis, computed operation by operation from the operands' strides.
#include "Tiny/Analysis/Kernel/AccessStride.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::kernel {

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

/// The stride of an operation's one result, from those of its operands.
std::optional<int64_t> AccessStride::combine(Operation *op) {
  SmallVector<std::optional<int64_t>, 3> parts;
  for (Value operand : op->getOperands())
    parts.push_back(strides.lookup(operand));
  if (llvm::all_of(parts, [](std::optional<int64_t> part) { return part && *part == 0; }))
    return 0;
  int64_t result;
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    if (!parts[0] || !parts[1])
      return std::nullopt;
    bool overflow = isa<arith::AddIOp>(op) ? llvm::AddOverflow(*parts[0], *parts[1], result)
                                           : llvm::SubOverflow(*parts[0], *parts[1], result);
    return overflow ? std::nullopt : std::optional(result);
  }
  if (isa<arith::MulIOp>(op)) {
    for (int side : {0, 1})
      if (auto factor = constantOf(op->getOperand(side)))
        if (parts[1 - side] && !llvm::MulOverflow(*factor, *parts[1 - side], result))
          return result;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> AccessStride::get(Value index) {
  // Post-order over the slice, without recursion: a value is combined once its operands are known.
  SmallVector<Value> pending = {index};
  while (!pending.empty()) {
    Value value = pending.back();
    if (strides.count(value)) {
      pending.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (value == axis || !op || op->getNumOperands() == 0) {
      strides[value] = value == axis ? 1 : 0;
      pending.pop_back();
      continue;
    }
    size_t before = pending.size();
    for (Value operand : op->getOperands())
      if (!strides.count(operand))
        pending.push_back(operand);
    if (pending.size() != before)
      continue;
    strides[value] = combine(op);
    pending.pop_back();
  }
  return strides.lookup(index);
}

bool AccessStride::dependsOnAxis(Value value) { return get(value) != std::optional<int64_t>(0); }

} // namespace tiny::kernel
