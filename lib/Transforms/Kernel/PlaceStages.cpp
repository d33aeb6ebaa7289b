// kernel-place-stages: which stages of a pipeline run an item, and in which order.
//
// All ranks run one program. A stage needs what it sends, what its results are made of, and what both are computed
// from; a message is needed where it arrives, and what it carries where it comes from. All other items are passed over.
// One order of all items serves all ranks: the first item that is not done has nobody to wait for, so ranks cannot wait
// for each other in a ring.
#include "ItemClock.h"
#include "ItemGraph.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Kernel/Passes.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELPLACESTAGES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

/// Stages, a bit each.
using Places = uint64_t;

/// The message that an item is along the axis of stages, if it is one.
std::optional<std::pair<int64_t, int64_t>> getMessage(Operation *op, int64_t axis) {
  auto collective = dyn_cast<CollectiveOp>(op);
  if (!collective || parseCollectiveKind(collective.getKind()) != CollectiveKind::Send ||
      collective.getAxes() != ArrayRef<int64_t>(axis))
    return std::nullopt;
  ArrayRef<int64_t> peers = *collective.getPeers();
  return std::pair(peers.front(), peers.back());
}

/// By item, the stages that run it.
class Placement {
public:
  Placement(ProgramOp program, int64_t axis, int64_t count)
      : program(program), axis(axis), all(count == 64 ? ~Places(0) : (Places(1) << count) - 1) {}

  SmallVector<Places> place(ArrayRef<Operation *> items);
  Places getAll() const { return all; }

private:
  Places placeItem(Operation *op, Places needed) const;

  ProgramOp program;
  int64_t axis;
  Places all;
};

} // namespace

/// `needed`: the stages that need what it writes.
Places Placement::placeItem(Operation *op, Places needed) const {
  if (auto message = getMessage(op, axis))
    return Places(1) << message->first | Places(1) << message->second;
  // Ranks that meet along the axis are of several stages, and those of a list meet as often as it says.
  WalkResult meets = op->walk([&](CollectiveOp collective) {
    bool isMeeting = op->getNumRegions() || llvm::is_contained(collective.getAxes(), axis);
    return isMeeting ? WalkResult::interrupt() : WalkResult::advance();
  });
  return meets.wasInterrupted() || !needed ? all : needed;
}

SmallVector<Places> Placement::place(ArrayRef<Operation *> items) {
  llvm::DenseMap<Value, Places> needed;
  for (auto [number, value] : llvm::enumerate(program.getBody().front().getTerminator()->getOperands())) {
    auto stage = program.getResultAttrOfType<IntegerAttr>(number, kStageAttr);
    needed[getRoot(value)] |= stage ? Places(1) << stage.getInt() & all : all;
  }
  SmallVector<Places> places(items.size());
  for (size_t number = items.size(); number-- > 0;) {
    SmallVector<ItemAccess> accesses = listAccesses(items[number]);
    Places wanted = 0;
    for (const ItemAccess &access : accesses)
      if (access.isWritten)
        wanted |= needed.lookup(getRoot(access.buffer));
    places[number] = placeItem(items[number], wanted);
    std::optional<std::pair<int64_t, int64_t>> message = getMessage(items[number], axis);
    Places reads = message ? Places(1) << message->first : places[number];
    // Who writes a part of a buffer needs what else is in it, too.
    for (const ItemAccess &access : accesses)
      if (!message || !access.isWritten)
        needed[getRoot(access.buffer)] |= reads;
  }
  return places;
}

/// Every stage has a clock. The item that can begin first comes next; of those that can, the one furthest from the
/// arguments, so that gradients of one microbatch come before the next one. A message is on its way while stages work:
/// its receiver takes it when it has come.
static std::vector<unsigned> orderInTime(const ItemGraph &graph, ArrayRef<Places> places, int64_t axis, int64_t count,
                                         ItemClock &times) {
  size_t size = graph.items.size();
  SmallVector<SmallVector<unsigned, 4>> behind(size);
  SmallVector<unsigned> waits(size), depth(size);
  // Who must be free for an item, and how long it is on its way and then takes.
  SmallVector<Places> busy(places);
  SmallVector<double> comes(size), takes(size);
  for (auto [item, before] : llvm::enumerate(graph.graph.before)) {
    waits[item] = before.size();
    for (unsigned other : before) {
      behind[other].push_back(item);
      depth[item] = std::max(depth[item], depth[other] + 1);
    }
    std::optional<std::pair<int64_t, int64_t>> message = getMessage(graph.items[item], axis);
    (message ? comes : takes)[item] = times.predict(graph.items[item]);
    if (message)
      busy[item] = Places(1) << message->second;
  }
  // What all microbatches need, such as a gathered weight, is as far as what stands before its first reader.
  for (unsigned item = size; item-- > 0;)
    if (!behind[item].empty()) {
      auto depths = llvm::map_range(behind[item], [&](unsigned other) { return depth[other]; });
      depth[item] = std::max(depth[item], *llvm::min_element(depths) - 1);
    }
  SmallVector<double> clocks(count), done(size);
  SmallVector<unsigned> ready;
  for (unsigned item = 0; item < size; ++item)
    if (!waits[item])
      ready.push_back(item);
  auto getStart = [&](unsigned item) {
    double start = 0;
    for (unsigned other : graph.graph.before[item])
      start = std::max(start, done[other]);
    start += comes[item];
    for (int64_t stage = 0; stage < count; ++stage)
      if (busy[item] >> stage & 1)
        start = std::max(start, clocks[stage]);
    return start;
  };
  std::vector<unsigned> order;
  while (!ready.empty()) {
    auto key = [&](unsigned item) { return std::tuple(getStart(item), -int64_t(depth[item]), item); };
    auto *next = llvm::min_element(ready, [&](unsigned a, unsigned b) { return key(a) < key(b); });
    unsigned item = *next;
    done[item] = getStart(item) + takes[item];
    for (int64_t stage = 0; stage < count; ++stage)
      if (busy[item] >> stage & 1)
        clocks[stage] = done[item];
    ready.erase(next);
    order.push_back(item);
    for (unsigned other : behind[item])
      if (--waits[other] == 0)
        ready.push_back(other);
  }
  return order;
}

namespace {

struct PlaceStages : impl::KernelPlaceStagesBase<PlaceStages> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    auto axis = program->getAttrOfType<IntegerAttr>(kStageAxisAttr);
    auto grid = program->getAttrOfType<DenseI64ArrayAttr>(kGridAttr);
    if (!axis || !grid)
      return markAllAnalysesPreserved();
    if (axis.getInt() < 0 || axis.getInt() >= grid.size() || grid[axis.getInt()] > 64) {
      program.emitOpError("expects '") << kStageAxisAttr << "' to name an axis of the grid of at most 64 stages, got "
                                       << axis;
      return signalPassFailure();
    }
    int64_t count = grid[axis.getInt()];
    Block &block = program.getBody().front();
    ItemGraph graph(block);
    Placement placement(program, axis.getInt(), count);
    SmallVector<Places> places = placement.place(graph.items);
    for (auto [item, mask] : llvm::zip_equal(graph.items, places)) {
      if (mask == placement.getAll())
        continue;
      SmallVector<int64_t> list;
      for (int64_t stage = 0; stage < count; ++stage)
        if (mask >> stage & 1)
          list.push_back(stage);
      item->setAttr(kPlacesAttr, DenseI64ArrayAttr::get(&getContext(), list));
      ++numPlaced;
    }
    ItemClock times(target::findMachine(program));
    reorderItems(graph, orderInTime(graph, places, axis.getInt(), count, times), block);
  }
};

} // namespace
} // namespace tiny::kernel
