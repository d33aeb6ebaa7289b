#include "Tiny/Dialect/Symbolic/Access.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tiny::sym;

std::optional<Access> tiny::sym::getAccess(Operation *op) {
  unsigned count = op->getNumOperands();
  if (count < 2)
    return std::nullopt;
  auto isGate = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return type.isInteger(1) || (vector && vector.getElementType().isInteger(1));
  };
  // With a gate the index is the last but one.
  bool hasGate = isGate(op->getOperand(count - 1).getType());
  if (hasGate && count < 3)
    return std::nullopt;
  unsigned index = count - 1 - hasGate;
  auto buffer = dyn_cast<MemRefType>(op->getOperand(index - 1).getType());
  if (!buffer || buffer.getRank() != 1 || !op->getOperand(index).getType().isIndex())
    return std::nullopt;
  int64_t lanes = 1;
  SmallVector<Type> values(op->getResultTypes());
  llvm::append_range(values, op->getOperands().take_front(index - 1).getTypes());
  for (Type type : values)
    if (auto vector = dyn_cast<VectorType>(type); vector && buffer.getElementType() != type)
      lanes = std::max(lanes, vector.getNumElements());
  Value gate = hasGate ? op->getOperand(count - 1) : Value();
  bool isGatedByLane = gate && !gate.getType().isInteger(1);
  return Access{&op->getOpOperand(index - 1), &op->getOpOperand(index), isGatedByLane ? Value() : gate, isGatedByLane,
                lanes};
}
