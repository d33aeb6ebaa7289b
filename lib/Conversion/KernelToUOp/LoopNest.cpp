// Builds the loop tree of a kernel: which loop encloses which, and in which loop each operation stands.
#include "LoopNest.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;
using llvm::BitVector;

namespace tiny::kernel_to_uop {

/// Whether lanes can reduce along the range: a kind in any order.
static bool reducesByLanes(kernel::RangeOp range) {
  return llvm::all_of(range->getUsers(), [&](Operation *user) {
    auto reduce = dyn_cast<kernel::ReduceOp>(user);
    return !reduce || !llvm::is_contained(reduce.getRanges(), range.getResult()) ||
           (reduce.getKind() && reduce.mayReorder());
  });
}

static AxisRole classify(kernel::RangeOp range, bool hasLanes) {
  switch (range.getKind()) {
  case kernel::AxisKind::Global:
  case kernel::AxisKind::Thread:
  case kernel::AxisKind::Local:
  case kernel::AxisKind::Warp:
    return AxisRole::Special;
  case kernel::AxisKind::GroupReduce:
    return hasLanes && reducesByLanes(range) ? AxisRole::Special : AxisRole::Loop;
  case kernel::AxisKind::Loop:
  case kernel::AxisKind::Reduce:
    return AxisRole::Loop;
  case kernel::AxisKind::Upcast:
  case kernel::AxisKind::Unroll:
    return AxisRole::Copies;
  case kernel::AxisKind::Fragment:
    return AxisRole::Fragment;
  case kernel::AxisKind::Dot:
    return AxisRole::Dot;
  }
  llvm_unreachable("every kind has a role");
}

LoopNest::LoopNest(ArrayRef<Operation *> order, bool hasLanes) {
  for (Operation *op : order)
    if (auto range = dyn_cast<kernel::RangeOp>(op))
      axes.push_back({range, classify(range, hasLanes)});
  llvm::sort(axes, [](const Axis &a, const Axis &b) {
    auto key = [](kernel::RangeOp range) { return std::pair(range.getKind(), range.getPlace()); };
    return key(a.range) < key(b.range);
  });
  for (auto [i, axis] : llvm::enumerate(axes))
    axisOf[axis.range] = i;
  required.assign(axes.size(), BitVector(axes.size()));
}

SmallVector<unsigned> LoopNest::findLoops(ValueRange ranges) const {
  SmallVector<unsigned> found;
  for (Value range : ranges)
    if (unsigned axis = axisOf.lookup(range.getDefiningOp()); axes[axis].role == AxisRole::Loop)
      found.push_back(axis);
  return found;
}

FailureOr<LoopNest> LoopNest::build(ArrayRef<Operation *> order, bool hasLanes) {
  LoopNest nest(order, hasLanes);
  // What reduces demand does not hang on the order of loops; what else must nest does, and may add a demand. Each
  // round adds one or is the last, and there are finitely many.
  do {
    while (nest.propagate(order, /*ordered=*/false))
      ;
    if (failed(nest.orderLoops()))
      return failure();
  } while (nest.propagate(order, /*ordered=*/true));
  nest.parents.assign(nest.axes.size(), kRoot);
  for (unsigned loop : nest.loops)
    nest.parents[loop] = nest.innermost(nest.outer[loop]);
  return nest;
}

LogicalResult LoopNest::orderLoops() {
  SmallVector<unsigned> pending(axes.size());
  std::set<unsigned> ready;
  loops.clear();
  for (unsigned axis : llvm::seq<unsigned>(axes.size())) {
    if (axes[axis].role != AxisRole::Loop)
      continue;
    pending[axis] = required[axis].count();
    if (pending[axis] == 0)
      ready.insert(axis);
    else
      loops.push_back(axis); // Counts the rest for now.
  }
  size_t rest = loops.size();
  SmallVector<unsigned> blocked = std::move(loops);
  loops.clear();
  places.assign(axes.size(), 0);
  while (!ready.empty()) {
    unsigned next = *ready.begin();
    ready.erase(ready.begin());
    places[next] = loops.size();
    loops.push_back(next);
    for (unsigned axis : blocked)
      if (required[axis].test(next) && --pending[axis] == 0) {
        ready.insert(axis);
        --rest;
      }
  }
  if (rest == 0)
    return success();
  unsigned stuck = *llvm::find_if(blocked, [&](unsigned axis) { return pending[axis] != 0; });
  return axes[stuck].range.emitError() << "range id(" << axes[stuck].range.getId()
                                       << ") needs two loops: reduces over it and over its neighbours nest both ways";
}

void LoopNest::close(BitVector &set) const {
  BitVector closed = set;
  for (unsigned axis : set.set_bits())
    closed |= outer[axis];
  set = std::move(closed);
}

int LoopNest::innermost(const BitVector &set) const {
  int result = kRoot;
  for (unsigned axis : set.set_bits())
    if (result == kRoot || (!places.empty() && places[axis] > places[result]))
      result = axis;
  return result;
}

void LoopNest::nest(const BitVector &set) {
  for (unsigned inside : set.set_bits())
    for (unsigned outside : set.set_bits())
      if (places[outside] < places[inside])
        outer[inside].set(outside);
}

bool LoopNest::propagate(ArrayRef<Operation *> order, bool ordered) {
  outer = required;
  size_t before = 0, after = 0;
  auto size = [](ArrayRef<BitVector> sets) {
    size_t total = 0;
    for (const BitVector &set : sets)
      total += set.count();
    return total;
  };
  size_t requiredBefore = size(required);
  // Sets are few though operations are many: they are stored once and united once.
  do {
    before = size(outer);
    for (BitVector &set : outer)
      close(set);
    SmallVector<BitVector> sets{BitVector(axes.size())};
    DenseMap<std::pair<unsigned, unsigned>, unsigned> unions;
    DenseMap<Operation *, unsigned> rangeSets;
    DenseMap<Value, unsigned> setOf;
    homes.clear();
    auto unite = [&](unsigned a, unsigned b) -> unsigned {
      if (a == b || b == 0)
        return a;
      if (a == 0)
        return b;
      auto [it, isNew] = unions.try_emplace(std::minmax(a, b), 0);
      if (!isNew)
        return it->second;
      BitVector merged = sets[a];
      merged |= sets[b];
      if (merged == sets[a])
        return it->second = a;
      if (merged == sets[b])
        return it->second = b;
      if (ordered)
        nest(merged);
      sets.push_back(std::move(merged));
      return it->second = sets.size() - 1;
    };
    for (Operation *op : order) {
      unsigned set = 0;
      if (auto range = dyn_cast<kernel::RangeOp>(op)) {
        unsigned axis = axisOf.lookup(op);
        if (axes[axis].role == AxisRole::Loop) {
          BitVector own = outer[axis];
          own.set(axis);
          // The loops around one loop nest in each other, though no operation but a reduce may need them all.
          if (ordered)
            nest(own);
          sets.push_back(std::move(own));
          set = sets.size() - 1;
        }
        setOf[range.getResult()] = set;
        continue;
      }
      size_t inputs = op->getNumOperands() - kernel::getClosedRanges(op).size();
      for (Value operand : op->getOperands().take_front(inputs))
        set = unite(set, setOf.lookup(operand));
      homes[op] = innermost(sets[set]);
      auto scan = dyn_cast<kernel::ScanOp>(op);
      SmallVector<unsigned> closed = getClosedLoops(op);
      if (scan)
        closed.push_back(axisOf.lookup(scan.getRange().getDefiningOp()));
      if (!closed.empty()) {
        BitVector around = sets[set];
        for (unsigned axis : closed)
          around |= outer[axis];
        BitVector own(axes.size());
        for (unsigned axis : closed)
          own.set(axis);
        around.reset(own);
        // Each round of a loop of accumulators walks the whole tile.
        if (auto stage = dyn_cast<kernel::StageOp>(op))
          for (unsigned outside : getAccumulatingLoops(stage))
            for (unsigned axis : findLoops(stage.getRanges())) {
              if (!ordered || places[outside] > places[axis])
                required[axis].set(outside);
              outer[axis].set(outside);
            }
        for (unsigned axis : closed) {
          // Once loops are in a line, only what stands on the wrong side is news.
          for (unsigned outside : around.set_bits())
            if (!ordered || places[outside] > places[axis])
              required[axis].set(outside);
          outer[axis] |= around;
        }
        if (ordered)
          nest(own);
        homes[op] = closed.back();
        // What a scan follows stays open.
        if (scan)
          around |= own;
        sets.push_back(std::move(around));
        set = sets.size() - 1;
      }
      for (Value result : op->getResults())
        setOf[result] = set;
    }
    after = size(outer);
  } while (before != after && size(required) == requiredBefore);
  return size(required) != requiredBefore;
}

int LoopNest::getResultHome(Operation *op) const {
  SmallVector<unsigned> closed = getClosedLoops(op);
  return closed.empty() ? getHome(op) : parents[closed.front()];
}

SmallVector<unsigned> LoopNest::getAccumulatingLoops(kernel::StageOp stage) const {
  kernel::ReduceOp reduce = stage.getAccumulated();
  return reduce ? findLoops(reduce.getRanges()) : SmallVector<unsigned>();
}

SmallVector<unsigned> LoopNest::getClosedLoops(Operation *op) const {
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  if (reduce && kernel::getAccumulatingTile(reduce))
    return {};
  SmallVector<unsigned> closed = findLoops(kernel::getClosedRanges(op));
  if (auto stage = dyn_cast<kernel::StageOp>(op))
    llvm::append_range(closed, getAccumulatingLoops(stage));
  if (!places.empty())
    llvm::sort(closed, [&](unsigned a, unsigned b) { return places[a] < places[b]; });
  return closed;
}

SmallVector<unsigned> LoopNest::getClosedCopies(kernel::ReduceOp reduce) const {
  SmallVector<unsigned> closed;
  for (Value range : reduce.getRanges()) {
    unsigned axis = axisOf.lookup(range.getDefiningOp());
    if (axes[axis].role == AxisRole::Copies)
      closed.push_back(axis);
  }
  llvm::sort(closed);
  return closed;
}

int LoopNest::getChildTowards(int block, int loop, bool &isAncestor) const {
  int child = kRoot;
  isAncestor = true;
  while (loop != block) {
    if (loop == kRoot) {
      isAncestor = false;
      return kRoot;
    }
    child = loop;
    loop = parents[loop];
  }
  return child;
}

} // namespace tiny::kernel_to_uop
