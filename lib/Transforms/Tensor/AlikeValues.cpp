// Labels each operation by itself, then again and again by its label and those of its neighbours, as Weisfeiler and
// Leman do for graphs. Operations with one label after some rounds have the same surroundings.
#include "AlikeValues.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::tensor {

namespace {

/// How far surroundings reach. Layers next to the first and the last one differ from those between within it.
constexpr unsigned kRounds = 3;

class Labels {
public:
  explicit Labels(func::FuncOp function);
  /// What the value is, and who reads it where.
  llvm::hash_code get(Value value) const;

private:
  llvm::hash_code labelAnew(Operation *op) const;

  DenseMap<Operation *, llvm::hash_code> labels;
};

} // namespace

llvm::hash_code Labels::get(Value value) const {
  // Readers have no order.
  size_t readers = 0;
  for (OpOperand &use : value.getUses())
    readers += llvm::hash_combine(labels.lookup(use.getOwner()), use.getOperandNumber());
  return llvm::hash_combine(value.getType(), readers);
}

llvm::hash_code Labels::labelAnew(Operation *op) const {
  llvm::hash_code label = labels.lookup(op);
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    label = llvm::hash_combine(label, source ? labels.lookup(source) : llvm::hash_combine(operand.getType()));
  }
  for (Value result : op->getResults())
    label = llvm::hash_combine(label, get(result));
  return label;
}

Labels::Labels(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (Operation &op : body) {
    llvm::hash_code label = llvm::hash_combine(op.getName());
    if (!isa<ConstantOp>(op))
      label = llvm::hash_combine(label, op.getAttrDictionary());
    for (Type type : op.getResultTypes())
      label = llvm::hash_combine(label, type);
    labels[&op] = label;
  }
  for (unsigned round = 0; round < kRounds; ++round) {
    DenseMap<Operation *, llvm::hash_code> next;
    for (Operation &op : body)
      next[&op] = labelAnew(&op);
    labels = std::move(next);
  }
}

SmallVector<SmallVector<Value>> groupAlike(func::FuncOp function, ArrayRef<Value> values) {
  Labels labels(function);
  llvm::MapVector<size_t, SmallVector<Value>> groups;
  for (Value value : values)
    groups[labels.get(value)].push_back(value);
  SmallVector<SmallVector<Value>> list;
  for (auto &[label, members] : groups)
    list.push_back(std::move(members));
  return list;
}

} // namespace tiny::tensor
