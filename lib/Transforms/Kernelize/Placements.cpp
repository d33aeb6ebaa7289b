// Finds values that are stored only to be copied into a concatenation, and gives each its place there.
#include "Placements.h"

#include "FusionHints.h"
#include "KernelReasons.h"
#include "Tiny/Dialect/Lazy/Parts.h"
#include "Tiny/Dialect/Lazy/Shapes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

double countBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  return double(type.getNumElements()) * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// One part of a concatenation.
struct Part {
  Placement::Piece piece;
  Value whole;                  ///< the buffer whose elements it is, in order; else null
  std::optional<unsigned> node; ///< that stores `whole` in a kernel of its own, and may store it elsewhere
  bool isMoved = false;         ///< a kernel of its own stores what it repeats, or takes elements of
};

struct Concatenation {
  unsigned node;
  int64_t axis;
  SmallVector<Part> parts;
};

class Finder {
public:
  Finder(KernelizePlan &plan, const LazyGraph &graph, const cost::CostModel &costs,
         llvm::function_ref<bool(unsigned)> isStored, llvm::function_ref<bool(unsigned)> isShared)
      : plan(plan), graph(graph), costs(costs), isStored(isStored), isShared(isShared) {}

  void run(const StoredSlices &concatenated) {
    for (const PlannedKernel &kernel : plan.kernels)
      for (Value root : kernel.roots)
        kernelOf[root] = &kernel;
    for (const auto &[node, slices] : concatenated) {
      found.push_back({node, slices.front().axis, {}});
      for (const Slice &slice : slices)
        found.back().parts.push_back(describe(node, slices.front().axis, slice));
      for (const Part &part : found.back().parts)
        if (part.whole)
          ++occurrences[part.whole];
    }
    // The largest first, since it may hold others.
    llvm::stable_sort(found, [&](const Concatenation &a, const Concatenation &b) {
      return countBytes(resultOf(a.node)) > countBytes(resultOf(b.node));
    });
    for (const Concatenation &concatenation : found)
      place(concatenation);
    for (Placement &placement : placements)
      if (!placement.steps.empty())
        plan.placements.push_back(finish(placement));
  }

private:
  /// The place of a value: a step of a placement.
  struct Home {
    unsigned placement, step;
  };

  Value resultOf(unsigned node) const { return graph.nodes[node].op->getResult(0); }

  Part describe(unsigned node, int64_t axis, const Slice &slice) {
    Part part{{slice.begin, slice.end, resultOf(node)}, {}, {}};
    SmallVector<int64_t> low(shapeOf(part.piece.chosen).size(), 0), high(shapeOf(part.piece.chosen));
    low[axis] = slice.begin;
    high[axis] = slice.end;
    Value &chosen = part.piece.chosen;
    while (Operation *op = chosen.getDefiningOp()) {
      Value next = choosePart(op, [&](int64_t axis) { return std::pair(low[axis], high[axis] - 1); });
      if (!next)
        break;
      chosen = next;
    }
    SmallVector<Operation *> chain;
    Value base = skipContiguous(chosen);
    while (base.getDefiningOp() && isMovement(base.getDefiningOp())) {
      chain.push_back(base.getDefiningOp());
      base = skipContiguous(chain.back()->getOperand(0));
    }
    ShapeTracker tracker = ShapeTracker::identity(shapeOf(base));
    for (Operation *movement : llvm::reverse(chain))
      tracker = tracker ? applyMovement(movement, tracker) : tracker;
    tracker = tracker ? tracker.shrink(low, high) : tracker;
    tracker = tracker ? tracker.simplify() : tracker;
    auto source = graph.producer(base);
    part.isMoved = source && graph.nodes[*source].kind == LazyNode::compute && !graph.nodes[*source].isBoundary() &&
                   source != node && isStored(*source);
    bool isBuffer = !source || graph.nodes[*source].kind == LazyNode::opaque || isStored(*source);
    if (!tracker || !tracker.isContiguous() || source == node || !isBuffer ||
        tracker.numElements() != cast<RankedTensorType>(base.getType()).getNumElements())
      return part;
    part.whole = base;
    part.isMoved = false;
    if (source && graph.nodes[*source].kind == LazyNode::compute && !graph.nodes[*source].isBoundary() &&
        graph.nodes[*source].op->getNumResults() == 1)
      part.node = source;
    return part;
  }

  static ShapeTracker getSlice(const ShapeTracker &places, int64_t axis, int64_t begin, int64_t end) {
    SmallVector<int64_t> low(places.rank(), 0), high(places.shape());
    low[axis] = begin;
    high[axis] = end;
    return places.shrink(low, high).simplify();
  }

  void place(const Concatenation &concatenation) {
    Value result = resultOf(concatenation.node);
    unsigned to = placements.size();
    ShapeTracker places = ShapeTracker::identity(shapeOf(result));
    std::optional<Home> outer;
    auto home = homes.find(result);
    if (home != homes.end() && placements[home->second.placement].steps[home->second.step].value) {
      outer = home->second;
      to = outer->placement;
      places = placements[to].steps[outer->step].places.reshape(shapeOf(result));
      if (!places || places.views().size() != 1)
        return;
    } else if (embed(concatenation)) {
      return;
    }
    if (!gains(concatenation, places))
      return;
    Operation *root = graph.nodes[concatenation.node].op;
    if (!outer)
      placements.push_back({root, {}, {}});
    else
      placements[to].steps[outer->step].after = nullptr; // it is made of others
    SmallVector<unsigned> steps;
    bool isRun = false;
    for (const Part &part : concatenation.parts) {
      auto slice = [&](int64_t begin) { return getSlice(places, concatenation.axis, begin, part.piece.end); };
      bool isPlaced = canPlace(part, slice(part.piece.begin));
      // A value that other concatenations read too gets a step of its own, where they find it.
      bool isKnown = part.whole && !homes.contains(part.whole) && occurrences.lookup(part.whole) > 1;
      auto &all = placements[to].steps;
      if (isRun && !isPlaced && !isKnown) {
        all.back().pieces.push_back(part.piece);
        all.back().places = slice(all.back().pieces.front().begin);
        continue;
      }
      isRun = !isPlaced && !isKnown;
      if (!isRun)
        homes[part.whole] = {to, unsigned(all.size())};
      steps.push_back(all.size());
      if (isPlaced)
        all.push_back({graph.nodes[*part.node].op, slice(part.piece.begin), part.whole});
      else
        all.push_back({root, slice(part.piece.begin), {}, concatenation.axis, {part.piece}});
    }
    // Those that hold it are made of its steps too.
    if (outer) {
      for (Placement::Inner &inner : placements[to].inner)
        if (llvm::is_contained(inner.steps, outer->step))
          llvm::append_range(inner.steps, steps);
      placements[to].inner.push_back({root, places, std::move(steps)});
    }
    plan.concatenations.push_back({root, Decision::fused, reason::placed});
  }

  /// Whether a part is computed where it belongs.
  bool canPlace(const Part &part, const ShapeTracker &places) const {
    if (!part.node || homes.contains(part.whole))
      return false;
    // Other readers need rows that fill vectors.
    if (!isShared(*part.node) || places.isContiguous())
      return true;
    const View &view = places.views().front();
    int64_t row = 1;
    for (auto [size, stride] : llvm::reverse(llvm::zip_equal(view.getShape(), view.getStrides()))) {
      if (size != 1 && stride != row)
        break;
      row *= size;
    }
    return row >= costs.smallestSlice;
  }

  /// Makes a view of a concatenation whose parts all lie side by side in one buffer.
  bool embed(const Concatenation &concatenation) {
    Operation *root = graph.nodes[concatenation.node].op;
    if (graph.nodes[concatenation.node].isBoundary())
      return false;
    std::optional<unsigned> to;
    SmallVector<unsigned> steps;
    std::optional<ShapeTracker> places;
    for (const Part &part : concatenation.parts) {
      auto home = homes.find(part.whole);
      if (!part.whole || home == homes.end() || (to && *to != home->second.placement))
        return false;
      to = home->second.placement;
      const Placement &placement = placements[*to];
      const ShapeTracker &there = placement.steps[home->second.step].places;
      if (!places)
        places = findBase(concatenation, part.piece, there, shapeOf(placement.root->getResult(0)));
      if (!places || !*places ||
          getSlice(*places, concatenation.axis, part.piece.begin, part.piece.end) != there.simplify())
        return false;
      steps.push_back(home->second.step);
    }
    // A copied part must be stored before its reader, from values that exist then.
    for (auto [part, step] : llvm::zip_equal(concatenation.parts, steps)) {
      Placement::Step &copied = placements[*to].steps[step];
      if (copied.value || !root->isBeforeInBlock(copied.after))
        continue;
      copied.after = root;
      copied.axis = concatenation.axis;
      copied.pieces = {part.piece};
    }
    placements[*to].inner.push_back({root, *places, std::move(steps)});
    plan.concatenations.push_back({root, Decision::fused, reason::placed});
    return true;
  }

  /// The place of a concatenation in a buffer of `shape`, given the place `there` of one of its pieces.
  static ShapeTracker findBase(const Concatenation &concatenation, const Placement::Piece &piece,
                               const ShapeTracker &there, ArrayRef<int64_t> shape) {
    ArrayRef<int64_t> own = shapeOf(piece.chosen);
    int64_t axis = concatenation.axis;
    if (own.size() != shape.size() || there.rank() != int64_t(shape.size()))
      return {};
    for (size_t k = 0; k < shape.size(); ++k)
      if (int64_t(k) != axis && own[k] != shape[k])
        return {};
    int64_t stride = 1;
    for (int64_t size : shape.drop_front(axis + 1))
      stride *= size;
    // It is a slice along this axis, so its offset is a multiple.
    int64_t begin = there.views().front().getOffset() / stride - piece.begin;
    if (begin < 0 || begin + own[axis] > shape[axis])
      return {};
    return getSlice(ShapeTracker::identity(shape), axis, begin, begin + own[axis]);
  }

  bool gains(const Concatenation &concatenation, const ShapeTracker &places) {
    double moved = 0, lost = 0;
    unsigned runs = 0;
    bool isLast = true;
    const PlannedKernel *previous = nullptr;
    llvm::MapVector<const PlannedKernel *, size_t> stores; // how many of its results are parts
    for (const Part &part : concatenation.parts) {
      bool isPlaced = canPlace(part, getSlice(places, concatenation.axis, part.piece.begin, part.piece.end));
      moved += isPlaced ? 2 * countBytes(part.whole) * costs.byteMoved : 0;
      // Parts that are results of one kernel stay so side by side. Else they become kernels of their own, and each
      // reads what they share.
      const PlannedKernel *kernel = isPlaced ? kernelOf.lookup(part.whole) : nullptr;
      if (kernel && ++stores[kernel] > 1 && kernel != previous)
        lost += costs.launch + countBytesRead(*kernel) * costs.byteMoved;
      previous = kernel;
      runs += !isPlaced && isLast;
      isLast = isPlaced;
    }
    // So does what they leave of such a kernel.
    for (auto [kernel, count] : stores)
      if (count < kernel->roots.size())
        lost += costs.launch + countBytesRead(*kernel) * costs.byteMoved;
    // A kernel that stores something else too goes on without this.
    if (const PlannedKernel *kernel = kernelOf.lookup(resultOf(concatenation.node)); kernel && kernel->roots.size() > 1)
      lost += costs.launch + countBytesRead(*kernel) * costs.byteMoved;
    // Each run of pieces between the slices becomes a kernel of its own.
    lost += runs > 1 ? (runs - 1) * costs.launch : 0;
    if (moved == 0)
      return false;
    // In a kernel of its own an upsampled convolution would compute each element where it is stored first.
    bool isMoved = llvm::any_of(concatenation.parts, [](const Part &part) { return part.isMoved; });
    if (isMoved || lost > moved)
      plan.concatenations.push_back(
          {graph.nodes[concatenation.node].op,
           Decision::refused,
           {isMoved ? reason::moved : reason::copied, {{"copying", moved}, {"launches", lost}}}});
    return !isMoved && lost <= moved;
  }

  static double countBytesRead(const PlannedKernel &kernel) {
    double bytes = 0;
    for (Value input : kernel.inputs)
      bytes += countBytes(input);
    return bytes;
  }

  /// Sorts the steps, and drops those that became others.
  Placement finish(Placement &placement) const {
    SmallVector<unsigned> order, position(placement.steps.size(), 0);
    for (unsigned k = 0; k < placement.steps.size(); ++k)
      if (placement.steps[k].after)
        order.push_back(k);
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return placement.steps[a].after->isBeforeInBlock(placement.steps[b].after);
    });
    Placement sorted{placement.root, {}, std::move(placement.inner)};
    for (unsigned k : order) {
      position[k] = sorted.steps.size();
      sorted.steps.push_back(std::move(placement.steps[k]));
    }
    for (Placement::Inner &inner : sorted.inner) {
      llvm::erase_if(inner.steps, [&](unsigned k) { return !llvm::is_contained(order, k); });
      for (unsigned &step : inner.steps)
        step = position[step];
    }
    return sorted;
  }

  KernelizePlan &plan;
  const LazyGraph &graph;
  const cost::CostModel &costs;
  llvm::function_ref<bool(unsigned)> isStored, isShared;
  llvm::DenseMap<Value, const PlannedKernel *> kernelOf;
  llvm::DenseMap<Value, unsigned> occurrences; // in concatenations
  llvm::DenseMap<Value, Home> homes;
  std::vector<Concatenation> found;
  std::vector<Placement> placements;
};

} // namespace

void findPlacements(KernelizePlan &plan, const LazyGraph &graph, const StoredSlices &concatenated,
                    const cost::CostModel &costs, llvm::function_ref<bool(unsigned)> isStored,
                    llvm::function_ref<bool(unsigned)> isShared) {
  Finder(plan, graph, costs, isStored, isShared).run(concatenated);
}

} // namespace tiny::lazy
