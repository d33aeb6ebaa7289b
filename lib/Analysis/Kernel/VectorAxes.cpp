// Chooses the upcast axes that become vector lanes.
#include "Tiny/Analysis/Kernel/VectorAxes.h"

#include "Tiny/Analysis/Kernel/LaneAccess.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// True for a scalar type that may be a lane of an upstream vector.
bool isLaneType(Type type) { return isa<IntegerType, IndexType, FloatType>(type); }

/// True for an operation that does to each lane of vectors what it does to scalars.
bool isLanewise(Operation *op) {
  // A statement of bounds has no vector form; it may be left out.
  if (isa<sym::RangeOfOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperandTypes(), isLaneType) && llvm::all_of(op->getResultTypes(), isLaneType);
}

/// Fewer lanes are as quickly loaded one by one.
constexpr uint64_t kFewestGathered = 16;

/// Asks of one axis whether it may become lanes.
class Candidate {
public:
  Candidate(RangeOp range, unsigned position, const RangeSets &sets)
      : range(range), axis(range.getResult()), position(position), sets(sets), access(range) {}

  /// The number of accesses that advance with the axis, or none if it cannot become lanes.
  std::optional<unsigned> judge(ArrayRef<Operation *> order) {
    for (Operation *op : order)
      if (!accept(op))
        return std::nullopt;
    return advancing;
  }
  const LaneDistances &getDistances() const { return distances; }
  /// Accesses that have a place of its own for each lane.
  unsigned countGathers() const {
    return llvm::count_if(distances, [](auto entry) { return entry.second == 0; });
  }

private:
  bool depends(Value value) const { return llvm::is_contained(sets.getOpen(value), position); }

  /// An index that depends on the axis can be computed for the first lane alone.
  bool hasFirstLane(Value value) const {
    return !depends(value) || value == axis || scalar.contains(value.getDefiningOp());
  }

  /// So many elements from lane to lane, or 0 where each lane has an index of its own; none where neither is worth it.
  /// Lanes that are no neighbours are picked in vectors of a length that machines have.
  std::optional<int64_t> findDistance(LoadOp load) {
    std::optional<int64_t> distance = access.getDistance(load);
    // An index that mentions the axis and stays where it is could be either; canonicalization takes it away.
    if (distance == std::optional<int64_t>(0))
      return std::nullopt;
    if (distance && hasFirstLane(load.getIndex()) && (*distance == 1 || llvm::isPowerOf2_64(range.getExtent())))
      return distance;
    if (!llvm::isPowerOf2_64(range.getExtent()) || access.isOfDots(load))
      return std::nullopt;
    // What fills a tile is read once for many uses.
    bool fillsTile = range.getExtent() >= kFewestGathered && LaneAccess::isWord(load.getType()) &&
                     llvm::any_of(range->getUsers(), llvm::IsaPred<StageOp>);
    return fillsTile || access.mayGather() ? std::optional<int64_t>(0) : std::nullopt;
  }

  bool acceptLoad(LoadOp load) {
    if (!isLaneType(load.getType()))
      return false;
    if (!depends(load.getIndex()))
      return true;
    std::optional<int64_t> distance = findDistance(load);
    if (distance == std::optional<int64_t>(1))
      ++advancing;
    else if (distance)
      distances[load] = *distance;
    return distance.has_value();
  }

  bool acceptStore(StoreOp store) {
    if (!isLaneType(store.getValue().getType()))
      return false;
    if (hasFirstLane(store.getIndex()) && access.getDistance(store) == std::optional<int64_t>(1)) {
      ++advancing;
      return true;
    }
    if (RangeOp between;
        hasFirstLane(store.getIndex()) && (between = access.findInterleaved(store, AxisKind::Unroll))) {
      distances[store] = static_cast<int64_t>(between.getExtent());
      return true;
    }
    if (!depends(store.getIndex()) || !access.mayGather() || !llvm::isPowerOf2_64(range.getExtent()))
      return false;
    distances[store] = 0;
    return true;
  }

  bool accept(Operation *op) {
    if (op == range)
      return true;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (llvm::is_contained(reduce.getRanges(), axis))
        return reduce.getKind() && reduce.mayReorder() && llvm::all_of(reduce.getResultTypes(), isLaneType);
      if (llvm::none_of(op->getOperands(), [&](Value operand) { return depends(operand); }))
        return true;
      if (!llvm::all_of(reduce.getResultTypes(), isLaneType))
        return false;
      return reduce.getCombiner().empty() ||
             llvm::all_of(reduce.getCombiner().front().without_terminator(), [](Operation &inner) {
               return inner.hasTrait<OpTrait::ConstantLike>() || isLanewise(&inner);
             });
    }
    if (auto stage = dyn_cast<StageOp>(op)) {
      if (stage.getRanges().back() == axis) {
        ++advancing;
        return isLaneType(stage.getValue().getType());
      }
      // Each lane would have a tile of its own, or its elements would not be neighbours.
      return !depends(stage.getValue()) && !llvm::is_contained(stage.getRanges(), axis);
    }
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return depends(operand); }))
      return true;
    if (auto load = dyn_cast<LoadOp>(op))
      return acceptLoad(load);
    if (auto store = dyn_cast<StoreOp>(op))
      return acceptStore(store);
    // Each lane has a running value of its own.
    if (auto scan = dyn_cast<ScanOp>(op))
      return isLaneType(scan.getType());
    if (!isLanewise(op))
      return false;
    if (llvm::all_of(op->getOperands(), [&](Value operand) { return hasFirstLane(operand); }))
      scalar.insert(op);
    return true;
  }

  RangeOp range;
  Value axis;
  unsigned position;
  const RangeSets &sets;
  LaneAccess access;
  llvm::DenseSet<Operation *> scalar;
  unsigned advancing = 0;
  LaneDistances distances;
};

} // namespace

SmallVector<RangeOp> chooseVectorAxes(ArrayRef<Operation *> order, RangeSets &sets, int64_t mostLanes,
                                      LaneDistances &distances) {
  struct Choice {
    RangeOp axis;
    unsigned advancing, gathers;
    LaneDistances distances;
  };
  SmallVector<Choice> choices;
  for (RangeOp axis : sets.getRanges()) {
    int64_t extent = axis.getExtent();
    if (axis.getKind() != AxisKind::Upcast || extent < 2 || extent > mostLanes)
      continue;
    Candidate candidate(axis, sets.getPosition(axis), sets);
    std::optional<unsigned> advancing = candidate.judge(order);
    if (advancing && (*advancing > 0 || !candidate.getDistances().empty()))
      choices.push_back({axis, *advancing, candidate.countGathers(), candidate.getDistances()});
  }
  llvm::sort(choices, [](const Choice &a, const Choice &b) {
    RangeOp first = a.axis, second = b.axis;
    return std::tuple(a.gathers, b.advancing, second.getPlace()) < std::tuple(b.gathers, a.advancing, first.getPlace());
  });
  SmallVector<RangeOp> taken;
  for (Choice &choice : choices) {
    unsigned position = sets.getPosition(choice.axis);
    bool meets = llvm::any_of(order, [&](Operation *op) {
      ArrayRef<unsigned> open = sets.getOpenOfOperands(op);
      return llvm::is_contained(open, position) &&
             llvm::any_of(taken, [&](RangeOp other) { return llvm::is_contained(open, sets.getPosition(other)); });
    });
    if (meets)
      continue;
    taken.push_back(choice.axis);
    distances.insert(choice.distances.begin(), choice.distances.end());
  }
  return taken;
}

} // namespace tiny::kernel
