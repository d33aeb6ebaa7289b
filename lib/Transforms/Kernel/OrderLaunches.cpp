// kernel-order-launches: the items of a program in the order in which its temporaries take least.
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/Kernel/MemoryOrder.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELORDERLAUNCHES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

uint64_t getBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return uint64_t(type.getNumElements()) * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The items of a list that do work, and what they wait for.
class ItemGraph {
public:
  explicit ItemGraph(Block &block) {
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
      llvm::SmallSetVector<unsigned, 8> before;
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
          graph.temporaries.push_back({getBytes(root), {}});
        graph.temporaries[it->second].steps.push_back(step);
      }
    }
  }

  SmallVector<Operation *> items;
  MemoryGraph graph;

private:
  struct Accesses {
    std::optional<unsigned> write;
    SmallVector<unsigned, 2> reads; // since then
  };

  void read(Value root, unsigned step, llvm::SmallSetVector<unsigned, 8> &before) {
    Accesses &known = accesses[root];
    if (known.write)
      before.insert(*known.write);
    known.reads.push_back(step);
  }
  void write(Value root, unsigned step, llvm::SmallSetVector<unsigned, 8> &before) {
    Accesses &known = accesses[root];
    if (known.write && *known.write != step)
      before.insert(*known.write);
    before.insert(known.reads.begin(), known.reads.end());
    known.write = step;
    known.reads.clear();
  }

  llvm::DenseMap<Value, Accesses> accesses;
};

struct OrderLaunches : impl::KernelOrderLaunchesBase<OrderLaunches> {
  void runOnOperation() override {
    SmallVector<Block *> lists;
    getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          lists.push_back(&block);
    });
    bool hasMoved = false;
    for (Block *list : lists)
      hasMoved |= order(*list);
    if (!hasMoved)
      markAllAnalysesPreserved();
  }

private:
  /// Orders one list. What is nested in an item goes with it.
  bool order(Block &block) {
    ItemGraph items(block);
    std::vector<unsigned> order = orderForMemory(items.graph);
    remark(*block.getParentOp(), items.graph, order);
    if (llvm::is_sorted(order))
      return false;
    for (unsigned step : order) {
      for (const ItemAccess &access : listAccesses(items.items[step]))
        moveDefinitions(access.buffer, block);
      moveToEnd(items.items[step], block);
    }
    if (auto end = dyn_cast<ReturnOp>(block.back())) {
      // Definitions that only the end of the program names.
      for (Value result : end->getOperands())
        moveDefinitions(result, block);
    }
    return true;
  }

  static void moveToEnd(Operation *op, Block &block) {
    bool isProgram = isa<ProgramOp>(block.getParentOp());
    op->moveBefore(&block, isProgram ? Block::iterator(block.getTerminator()) : block.end());
  }

  /// Moves what defines a buffer there, unless that has been done, or stands in another list.
  void moveDefinitions(Value buffer, Block &block) {
    SmallVector<Operation *> chain;
    for (Operation *op = buffer.getDefiningOp(); op && op->getBlock() == &block && moved.insert(op).second;
         op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr)
      chain.push_back(op);
    for (Operation *op : llvm::reverse(chain))
      moveToEnd(op, block);
  }

  void remark(Operation &owner, const MemoryGraph &graph, ArrayRef<unsigned> order) {
    Remarks remarks("kernel-order-launches", getOperation());
    if (!remarks.isOn() || order.empty())
      return;
    std::vector<unsigned> old(order.begin(), order.end());
    llvm::sort(old);
    uint64_t before = measurePeak(graph, old), after = measurePeak(graph, order);
    uint64_t bound = boundPeak(graph);
    std::string message = (Twine("temporaries: peak of ") + Twine(before) + " bytes, now " + Twine(after) +
                           ", in any order at least " + Twine(bound))
                              .str();
    ReasonNumber numbers[] = {{"before", double(before)}, {"after", double(after)}, {"bound", double(bound)}};
    if (after < before)
      remarks.passed(owner.getLoc(), "reordered", message, numbers);
    else
      remarks.analysis(owner.getLoc(), "kept", message, numbers);
  }

  llvm::DenseSet<Operation *> moved;
};

} // namespace
} // namespace tiny::kernel
