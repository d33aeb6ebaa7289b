// Bounded searches through the uses and operands of lazy values.
#include "UseSearch.h"

using namespace mlir;

namespace tiny::lazy {

/// How far a search through a graph looks before it gives up.
static constexpr unsigned kMaxVisited = 512;

bool isPassedThrough(Operation *user, Operation *definition) {
  return user->getBlock() == definition->getBlock() && (isElementwise(user) || isMovement(user));
}

bool leadsOnlyTo(OpResult value, const llvm::DenseSet<Operation *> &ends) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  while (!stack.empty())
    for (Operation *user : stack.pop_back_val().getUsers()) {
      if (ends.contains(user) || !seen.insert(user).second)
        continue;
      if (!isPassedThrough(user, value.getOwner()) || seen.size() > kMaxVisited)
        return false;
      llvm::append_range(stack, user->getResults());
    }
  return true;
}

bool dependsOn(Value value, const llvm::DenseSet<Operation *> &sources, const Positions &positions) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  Operation *first = *sources.begin();
  for (Operation *source : sources)
    first = positions.isBefore(source, first) ? source : first;
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || positions.isBefore(op, first) || !seen.insert(op).second)
      continue;
    if (sources.contains(op) || seen.size() > kMaxVisited)
      return true;
    llvm::append_range(stack, op->getOperands());
  }
  return false;
}

bool isExpensive(Value value) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second || seen.size() > kMaxVisited)
      continue;
    if (isa<ReduceOp>(op))
      return true;
    if (isElementwise(op) || isMovement(op))
      llvm::append_range(stack, op->getOperands());
  }
  return false;
}

bool isRoundedTo(Value value, Type type) {
  auto precisionOf = [](Type type) {
    return APFloat::semanticsPrecision(cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics());
  };
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> stack{value};
  while (!stack.empty())
    for (Operation *user : stack.pop_back_val().getUsers()) {
      if (auto truncate = dyn_cast<arith::TruncFOp>(user);
          truncate && precisionOf(truncate.getType()) <= precisionOf(type))
        continue;
      if (!isMovement(user) || seen.size() > kMaxVisited)
        return false;
      if (seen.insert(user).second)
        llvm::append_range(stack, user->getResults());
    }
  return true;
}

} // namespace tiny::lazy
