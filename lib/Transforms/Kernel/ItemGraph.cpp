// Dependences between the items of a list, and a new order of them.
#include "ItemGraph.h"

using namespace mlir;

namespace tiny::kernel {

int64_t countBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.getNumElements() * static_cast<int64_t>(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

ItemGraph::ItemGraph(Block &block) {
  llvm::DenseMap<Value, unsigned> temporaries;
  llvm::DenseSet<Value> returned;
  if (auto program = dyn_cast<ProgramOp>(block.getParentOp()))
    for (Value result : block.getTerminator()->getOperands())
      returned.insert(getRoot(result));
  for (Operation &op : block) {
    if (isa<AllocOp, ConstantOp, AliasOp, ReturnOp>(op))
      continue;
    unsigned step = items.size();
    items.push_back(&op);
    SmallVector<ItemAccess> accesses = listAccesses(&op);
    llvm::SmallDenseSet<Value> written;
    for (const ItemAccess &access : accesses)
      if (access.isWritten)
        written.insert(getRoot(access.buffer));
    Steps before;
    for (const ItemAccess &access : accesses)
      if (Value root = getRoot(access.buffer); !written.contains(root))
        read(root, step, before);
    for (const ItemAccess &access : accesses)
      if (Value root = getRoot(access.buffer); written.contains(root))
        write(root, step, before);
    before.remove(step);
    graph.before.push_back(SmallVector<unsigned, 4>(before.getArrayRef()));
    llvm::SmallDenseSet<Value> used;
    for (const ItemAccess &access : accesses) {
      Value root = getRoot(access.buffer);
      auto alloc = root.getDefiningOp<AllocOp>();
      if (!alloc || alloc->getBlock() != &block || returned.contains(root) || !used.insert(root).second)
        continue;
      auto [it, isNew] = temporaries.try_emplace(root, graph.temporaries.size());
      if (isNew)
        graph.temporaries.push_back({static_cast<uint64_t>(countBytes(root)), {}});
      graph.temporaries[it->second].steps.push_back(step);
    }
  }
}

void ItemGraph::read(Value root, unsigned step, Steps &before) {
  Accesses &known = accesses[root];
  if (known.write)
    before.insert(*known.write);
  known.reads.push_back(step);
}

void ItemGraph::write(Value root, unsigned step, Steps &before) {
  Accesses &known = accesses[root];
  if (known.write && *known.write != step)
    before.insert(*known.write);
  before.insert(known.reads.begin(), known.reads.end());
  known.write = step;
  known.reads.clear();
}

static void moveToEnd(Operation *op, Block &block) {
  bool isProgram = isa<ProgramOp>(block.getParentOp());
  op->moveBefore(&block, isProgram ? Block::iterator(block.getTerminator()) : block.end());
}

/// Moves what defines a buffer there, unless that has been done, or stands in another list.
static void moveDefinitions(Value buffer, Block &block, llvm::DenseSet<Operation *> &moved) {
  SmallVector<Operation *> chain;
  for (Operation *op = buffer.getDefiningOp(); op && op->getBlock() == &block && moved.insert(op).second;
       op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr)
    chain.push_back(op);
  for (Operation *op : llvm::reverse(chain))
    moveToEnd(op, block);
}

void reorderItems(const ItemGraph &items, ArrayRef<unsigned> order, Block &block) {
  llvm::DenseSet<Operation *> moved;
  for (unsigned step : order) {
    for (const ItemAccess &access : listAccesses(items.items[step]))
      moveDefinitions(access.buffer, block, moved);
    moveToEnd(items.items[step], block);
  }
  if (auto end = dyn_cast<ReturnOp>(block.back())) {
    // Definitions that only the end of the program names.
    for (Value result : end->getOperands())
      moveDefinitions(result, block, moved);
  }
}

} // namespace tiny::kernel
