// kernel-overlap-collectives: collectives run beside kernels.
//
// A rank has two clocks, one for its kernels and one for the network. An item begins when what it waits for is done and
// its clock is free. All ranks take the items in one order, so ranks cannot wait for each other in a ring.
#include "ItemClock.h"
#include "ItemGraph.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Kernel/Passes.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELOVERLAPCOLLECTIVES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

/// One list.
class Overlap {
public:
  Overlap(Block &block, ItemClock *clock) : block(block), clock(clock), items(block) {}

  /// How many collectives run beside kernels now.
  unsigned run();

private:
  /// Whether the item may run beside others.
  bool canOverlap(unsigned item) const;
  std::vector<unsigned> orderInTime();
  std::vector<unsigned> hoist() const;

  Block &block;
  /// Null where the order of kernels stays.
  ItemClock *clock;
  ItemGraph items;
};

} // namespace

bool Overlap::canOverlap(unsigned item) const {
  auto op = dyn_cast<CollectiveOp>(items.items[item]);
  return op && parseCollectiveKind(op.getKind()) != CollectiveKind::Send && countGroup(op.getGrid(), op.getAxes()) > 1;
}

/// The item that can begin first comes next, the earlier one of equals. A collective that can begin does.
std::vector<unsigned> Overlap::orderInTime() {
  size_t size = items.items.size();
  std::vector<SmallVector<unsigned, 4>> behind(size);
  std::vector<unsigned> waits(size);
  for (auto [item, before] : llvm::enumerate(items.graph.before)) {
    waits[item] = before.size();
    for (unsigned other : before)
      behind[other].push_back(item);
  }
  std::vector<double> done(size);
  double computing = 0, network = 0;
  SmallVector<unsigned> ready;
  for (unsigned item = 0; item < size; ++item)
    if (!waits[item])
      ready.push_back(item);
  auto getStart = [&](unsigned item) {
    double start = computing;
    for (unsigned other : items.graph.before[item])
      start = std::max(start, done[other]);
    return start;
  };
  std::vector<unsigned> order;
  while (!ready.empty()) {
    auto key = [&](unsigned item) { return std::tuple(getStart(item), !canOverlap(item), item); };
    auto *next = llvm::min_element(ready, [&](unsigned a, unsigned b) { return key(a) < key(b); });
    unsigned item = *next;
    double start = getStart(item), time = clock->predict(items.items[item]);
    if (canOverlap(item))
      done[item] = network = std::max(network, start) + time;
    else
      done[item] = computing = start + time;
    ready.erase(next);
    order.push_back(item);
    for (unsigned other : behind[item])
      if (--waits[other] == 0)
        ready.push_back(other);
  }
  return order;
}

/// Each collective right behind the last item that it waits for, behind the collectives that stood before it.
std::vector<unsigned> Overlap::hoist() const {
  std::vector<unsigned> order;
  for (unsigned item = 0; item < items.items.size(); ++item) {
    auto at = order.end();
    if (canOverlap(item)) {
      ArrayRef<unsigned> before = items.graph.before[item];
      while (at != order.begin() && !canOverlap(*std::prev(at)) && !llvm::is_contained(before, *std::prev(at)) &&
             !isa<CollectiveOp>(items.items[*std::prev(at)]))
        --at;
    }
    order.insert(at, item);
  }
  return order;
}

unsigned Overlap::run() {
  if (llvm::none_of(llvm::seq<unsigned>(0, items.items.size()), [&](unsigned item) { return canOverlap(item); }) ||
      !block.getOps<WaitOp>().empty() ||
      llvm::any_of(block.getOps<CollectiveOp>(), [](CollectiveOp op) { return op.getAsync(); }))
    return 0;
  std::vector<unsigned> order = clock ? orderInTime() : hoist();
  if (!llvm::is_sorted(order))
    reorderItems(items, order, block);
  unsigned overlapped = 0;
  OpBuilder builder(block.getParentOp()->getContext());
  for (size_t at = 0; at < order.size(); ++at) {
    if (!canOverlap(order[at]))
      continue;
    size_t first = at + 1;
    unsigned beside = 0;
    while (first < order.size() && !llvm::is_contained(items.graph.before[order[first]], order[at]))
      beside += !isa<CollectiveOp>(items.items[order[first++]]);
    if (!beside)
      continue;
    auto op = cast<CollectiveOp>(items.items[order[at]]);
    op.setAsync(true);
    if (first < order.size())
      builder.setInsertionPoint(items.items[order[first]]);
    else if (isa<ReturnOp>(block.back()))
      builder.setInsertionPoint(&block.back());
    else
      builder.setInsertionPointToEnd(&block);
    auto wait = WaitOp::create(builder, op.getLoc(), op.getSource(), op.getTarget());
    if (Attribute places = op->getAttr(kPlacesAttr))
      wait->setAttr(kPlacesAttr, places);
    Remarks("kernel-overlap-collectives", op)
        .passed(op.getLoc(), "overlapped", "runs beside " + Twine(beside) + (beside == 1 ? " item" : " items"),
                {{"items", double(beside)}});
    ++overlapped;
  }
  return overlapped;
}

namespace {

struct OverlapCollectives : impl::KernelOverlapCollectivesBase<OverlapCollectives> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    SmallVector<Block *> lists;
    program->walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          lists.push_back(&block);
    });
    const cost::Machine &machine = target::findMachine(program);
    ItemClock clock(machine);
    bool reorders = machine.network.front().ranks && !program->hasAttr(kStageAxisAttr);
    unsigned overlapped = 0;
    for (Block *list : lists)
      overlapped += Overlap(*list, reorders ? &clock : nullptr).run();
    numOverlapped += overlapped;
  }
};

} // namespace
} // namespace tiny::kernel
