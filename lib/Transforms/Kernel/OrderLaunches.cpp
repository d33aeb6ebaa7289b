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

Value getRoot(Value buffer) {
  while (auto alias = buffer.getDefiningOp<AliasOp>())
    buffer = alias.getSource();
  return buffer;
}

uint64_t getBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return uint64_t(type.getNumElements()) * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The items that do work, and what they wait for.
class ItemGraph {
public:
  explicit ItemGraph(Block &block) {
    llvm::DenseMap<Value, unsigned> temporaries;
    llvm::DenseSet<Value> returned;
    for (Value result : block.getTerminator()->getOperands())
      returned.insert(getRoot(result));
    for (Operation &op : block.without_terminator()) {
      if (isa<AllocOp, ConstantOp, AliasOp>(op))
        continue;
      unsigned step = items.size();
      items.push_back(&op);
      llvm::SmallSetVector<unsigned, 8> before;
      for (Value buffer : op.getOperands()) {
        Value root = getRoot(buffer);
        if (!isWritten(&op, root))
          read(root, step, before);
      }
      for (Value buffer : op.getOperands()) {
        Value root = getRoot(buffer);
        if (isWritten(&op, root))
          write(root, step, before);
      }
      graph.before.push_back(SmallVector<unsigned, 4>(before.getArrayRef()));
      llvm::SmallDenseSet<Value> used;
      for (Value buffer : op.getOperands()) {
        Value root = getRoot(buffer);
        if (!root.getDefiningOp<AllocOp>() || returned.contains(root) || !used.insert(root).second)
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

  static bool isWritten(Operation *op, Value root) {
    OperandRange written = isa<LaunchOp>(op) ? cast<LaunchOp>(op).getOuts()
                           : isa<CopyOp>(op) ? op->getOperands().drop_front()
                                             : op->getOperands();
    return llvm::any_of(written, [&](Value buffer) { return getRoot(buffer) == root; });
  }
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
    Block &block = getOperation().getBody().front();
    ItemGraph items(block);
    std::vector<unsigned> order = orderForMemory(items.graph);
    remark(items.graph, order);
    if (llvm::is_sorted(order))
      return markAllAnalysesPreserved();
    Operation *terminator = block.getTerminator();
    for (unsigned step : order) {
      for (Value buffer : items.items[step]->getOperands())
        moveDefinitions(buffer, terminator);
      items.items[step]->moveBefore(terminator);
    }
    // Definitions that only the end of the program names.
    for (Value result : terminator->getOperands())
      moveDefinitions(result, terminator);
  }

private:
  /// Moves what defines a buffer there, unless that has been done.
  void moveDefinitions(Value buffer, Operation *terminator) {
    SmallVector<Operation *> chain;
    for (Operation *op = buffer.getDefiningOp(); op && moved.insert(op).second;
         op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr)
      chain.push_back(op);
    for (Operation *op : llvm::reverse(chain))
      op->moveBefore(terminator);
  }

  void remark(const MemoryGraph &graph, ArrayRef<unsigned> order) {
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
      remarks.passed(getOperation().getLoc(), "reordered", message, numbers);
    else
      remarks.analysis(getOperation().getLoc(), "kept", message, numbers);
  }

  llvm::DenseSet<Operation *> moved;
};

} // namespace
} // namespace tiny::kernel
