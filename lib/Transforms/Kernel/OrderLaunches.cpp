// kernel-order-launches: the items of a program in the order in which its temporaries take least.
#include "ItemGraph.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/Kernel/Passes.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELORDERLAUNCHES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

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
    reorderItems(items, order, block);
    return true;
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
};

} // namespace
} // namespace tiny::kernel
