#include "VectorAxis.h"

#include "Tiny/Dialect/Kernel/AccessStride.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

bool isLaneType(Type type) { return isa<IntegerType, IndexType, FloatType>(type); }

bool isLanewise(Operation *op) {
  // A statement of bounds has no vector form; it may be left out.
  if (isa<sym::RangeOfOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperandTypes(), isLaneType) && llvm::all_of(op->getResultTypes(), isLaneType);
}

namespace {

/// Asks of one axis whether it may become lanes.
class Candidate {
public:
  Candidate(kernel::RangeOp range, unsigned position, const kernel::RangeSets &sets)
      : range(range), axis(range.getResult()), position(position), sets(sets), strides(range.getResult()) {}

  /// The number of accesses that advance with the axis, or none if it cannot become lanes.
  std::optional<unsigned> judge(ArrayRef<Operation *> order) {
    for (Operation *op : order)
      if (!accept(op))
        return std::nullopt;
    return advancing;
  }

private:
  bool depends(Value value) const { return llvm::is_contained(sets.getOpen(value), position); }

  /// An index that depends on the axis can be computed for the first lane alone.
  bool hasFirstLane(Value value) const {
    return !depends(value) || value == axis || scalar.contains(value.getDefiningOp());
  }

  bool acceptAccess(Value buffer, Value index, bool mustAdvance) {
    if (!isLaneType(cast<MemRefType>(buffer.getType()).getElementType()) || !hasFirstLane(index))
      return false;
    if (!depends(index))
      return !mustAdvance;
    // An index that mentions the axis and stays where it is could be either; canonicalization takes it away.
    if (strides.get(index) != std::optional<int64_t>(1))
      return false;
    ++advancing;
    return true;
  }

  bool accept(Operation *op) {
    if (op == range)
      return true;
    if (auto reduce = dyn_cast<kernel::ReduceOp>(op)) {
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
    if (auto stage = dyn_cast<kernel::StageOp>(op)) {
      if (stage.getRanges().back() == axis) {
        ++advancing;
        return isLaneType(stage.getValue().getType());
      }
      // Each lane would have a tile of its own, or its elements would not be neighbours.
      return !depends(stage.getValue()) && !llvm::is_contained(stage.getRanges(), axis);
    }
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return depends(operand); }))
      return true;
    if (auto load = dyn_cast<kernel::LoadOp>(op))
      return acceptAccess(load.getBuffer(), load.getIndex(), /*mustAdvance=*/false);
    if (auto store = dyn_cast<kernel::StoreOp>(op))
      return acceptAccess(store.getBuffer(), store.getIndex(), /*mustAdvance=*/true);
    if (!isLanewise(op))
      return false;
    if (llvm::all_of(op->getOperands(), [&](Value operand) { return hasFirstLane(operand); }))
      scalar.insert(op);
    return true;
  }

  kernel::RangeOp range;
  Value axis;
  unsigned position;
  const kernel::RangeSets &sets;
  kernel::AccessStride strides;
  llvm::DenseSet<Operation *> scalar;
  unsigned advancing = 0;
};

} // namespace

SmallVector<unsigned> chooseLaneAxes(ArrayRef<Operation *> order, const LoopNest &nest, const kernel::RangeSets &sets,
                                     int64_t maxLanes) {
  struct Choice {
    unsigned axis, position, advancing;
  };
  SmallVector<Choice> choices;
  for (auto [i, axis] : llvm::enumerate(nest.getAxes())) {
    kernel::RangeOp range = axis.range;
    int64_t extent = range.getExtent();
    if (range.getKind() != kernel::AxisKind::Upcast || extent < 2 || extent > maxLanes)
      continue;
    std::optional<unsigned> advancing = Candidate(range, sets.getPosition(range), sets).judge(order);
    if (advancing && *advancing > 0)
      choices.push_back({static_cast<unsigned>(i), sets.getPosition(range), *advancing});
  }
  llvm::sort(choices, [](const Choice &a, const Choice &b) {
    return std::tuple(b.advancing, b.axis) < std::tuple(a.advancing, a.axis);
  });
  auto meet = [&](const Choice &a, const Choice &b) {
    return llvm::any_of(order, [&](Operation *op) {
      bool onA = false, onB = false;
      for (Value operand : op->getOperands()) {
        onA |= llvm::is_contained(sets.getOpen(operand), a.position);
        onB |= llvm::is_contained(sets.getOpen(operand), b.position);
      }
      return onA && onB;
    });
  };
  SmallVector<Choice> taken;
  for (const Choice &choice : choices)
    if (llvm::none_of(taken, [&](const Choice &other) { return meet(choice, other); }))
      taken.push_back(choice);
  return llvm::map_to_vector(taken, [](const Choice &choice) { return choice.axis; });
}

} // namespace tiny::kernel_to_uop
