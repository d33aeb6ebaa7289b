#include "StateUses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tiny;

static RankedTensorType getTensor(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

std::optional<int64_t> tiny::getContiguousOffset(const ShapeTracker &tracker) {
  if (tracker.isValid() && tracker.numElements() == 0)
    return 0;
  if (!tracker.isValid() || tracker.views().size() != 1)
    return std::nullopt;
  const View &view = tracker.views().front();
  int64_t offset = view.getOffset();
  std::optional<View> start = View::get(view.getShape(), view.getStrides(), /*offset=*/0);
  if (view.hasMask() || !start || !start->isContiguous())
    return std::nullopt;
  return offset;
}

std::optional<int64_t> tiny::getContiguousOffset(Operation *movement) {
  RankedTensorType input = getTensor(movement->getOperand(0)), result = getTensor(movement->getResult(0));
  if (!input.hasStaticShape() || !result.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(result.getShape(), 0))
    return 0;
  return getContiguousOffset(lazy::applyMovement(movement, ShapeTracker::identity(input.getShape())).simplify());
}

SmallVector<lazy::AssignOp, 1> tiny::getAssignments(Value yielded) {
  SmallVector<lazy::AssignOp, 1> assigns;
  for (auto assign = yielded.getDefiningOp<lazy::AssignOp>(); assign;
       assign = assign.getBase().getDefiningOp<lazy::AssignOp>())
    assigns.push_back(assign);
  std::reverse(assigns.begin(), assigns.end());
  return assigns;
}

SmallVector<lazy::AssignOp, 1> tiny::getAssignmentsOf(Value result) {
  auto group = result.getDefiningOp<lazy::GroupOp>();
  if (!group)
    return {};
  Operation *yield = group.getBody().front().getTerminator();
  return getAssignments(yield->getOperand(cast<OpResult>(result).getResultNumber()));
}

static double countElements(Value value) {
  double count = 1;
  for (int64_t size : getTensor(value).getShape())
    count *= size;
  return count;
}

double tiny::countBytes(Value value) {
  Type element = getTensor(value).getElementType();
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return countElements(value) * llvm::divideCeil(width, 8);
}

Value tiny::getState(Value value) {
  while (value.getDefiningOp() && lazy::isMovement(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool tiny::isWhole(Value value) { return countElements(value) == countElements(getState(value)); }

static BlockArgument getArgument(StateUse use) {
  auto group = dyn_cast<lazy::GroupOp>(use.owner);
  return group ? group.getBody().getArgument(use.number) : BlockArgument();
}

SmallVector<StateUse> tiny::getUses(Value state) {
  SmallVector<StateUse> uses;
  SmallVector<Value> worklist = {state};
  while (!worklist.empty())
    for (OpOperand &operand : worklist.pop_back_val().getUses()) {
      StateUse use{operand.getOwner(), operand.getOperandNumber()};
      if (lazy::isMovement(use.owner))
        worklist.push_back(use.owner->getResult(0));
      else if (BlockArgument argument = getArgument(use); !argument || !argument.use_empty())
        uses.push_back(use);
    }
  llvm::sort(uses, [](StateUse a, StateUse b) {
    return a.owner == b.owner ? a.number < b.number : a.owner->isBeforeInBlock(b.owner);
  });
  return uses;
}

std::optional<Update> tiny::getUpdate(StateUse use) {
  BlockArgument base = getArgument(use);
  if (!base)
    return std::nullopt;
  for (OpOperand &inner : base.getUses()) {
    auto assign = dyn_cast<lazy::AssignOp>(inner.getOwner());
    if (!assign || &inner != &assign.getBaseMutable())
      continue;
    // What a group assigns is yielded, or assigned to once more.
    while (assign->hasOneUse() && isa<lazy::AssignOp>(*assign->user_begin()))
      assign = cast<lazy::AssignOp>(*assign->user_begin());
    if (!assign->hasOneUse())
      return std::nullopt;
    return Update{cast<lazy::GroupOp>(use.owner), assign->use_begin()->getOperandNumber(), use};
  }
  return std::nullopt;
}

std::optional<Update> tiny::getUpdateOf(Value result) {
  SmallVector<lazy::AssignOp, 1> assigns = getAssignmentsOf(result);
  if (assigns.empty())
    return std::nullopt;
  Update update{result.getDefiningOp<lazy::GroupOp>(), cast<OpResult>(result).getResultNumber(), std::nullopt};
  if (auto base = dyn_cast<BlockArgument>(assigns.front().getBase()))
    update.base = StateUse{update.group, base.getArgNumber()};
  return update;
}

lazy::AssignOp Update::first() const { return getAssignmentsOf(result()).front(); }

bool Update::isRead() const { return !getArgument(*base).hasOneUse(); }

bool tiny::isRead(StateUse use) {
  std::optional<Update> update = getUpdate(use);
  return !update || update->isRead();
}

/// Where each axis of the slice of a row-major `shape` that a tracker is begins; none where it is no slice.
static std::optional<SmallVector<int64_t>> getSliceBegin(const ShapeTracker &tracker, ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0) || tracker.views().size() != 1 ||
      tracker.rank() != static_cast<int64_t>(shape.size()))
    return std::nullopt;
  SmallVector<int64_t> begin(shape.size()), end(tracker.shape());
  int64_t offset = tracker.views().front().getOffset();
  for (size_t axis = shape.size(); axis-- > 0; offset /= shape[axis]) {
    begin[axis] = offset % shape[axis];
    end[axis] += begin[axis];
    if (end[axis] > shape[axis])
      return std::nullopt;
  }
  if (ShapeTracker::identity(shape).shrink(begin, end) != tracker)
    return std::nullopt;
  return begin;
}

bool tiny::isReplaced(OpResult result) {
  // No element is assigned twice by one group.
  double written = 0;
  for (lazy::AssignOp assign : getAssignmentsOf(result))
    if (const ShapeTracker &tracker = assign.getTracker().getTracker(); tracker.isUnmasked())
      written += tracker.numElements();
  if (written == countElements(result))
    return true;

  ArrayRef<int64_t> shape = getTensor(result).getShape();
  struct Slice {
    SmallVector<int64_t> begin, size;
  };
  SmallVector<Slice> slices;
  double missing = countElements(result);
  // A chain of very many slices is rather filled than compared with each other.
  constexpr size_t maxSlices = 64;
  while (slices.size() < maxSlices) {
    for (lazy::AssignOp assign : getAssignmentsOf(result)) {
      const ShapeTracker &tracker = assign.getTracker().getTracker();
      std::optional<SmallVector<int64_t>> begin = getSliceBegin(tracker, shape);
      if (!begin)
        return false;
      Slice slice{*begin, SmallVector<int64_t>(tracker.shape())};
      auto isApart = [&](const Slice &other) {
        for (size_t axis = 0; axis < shape.size(); ++axis)
          if (slice.begin[axis] + slice.size[axis] <= other.begin[axis] ||
              other.begin[axis] + other.size[axis] <= slice.begin[axis])
            return true;
        return false;
      };
      if (!llvm::all_of(slices, isApart))
        return false;
      slices.push_back(std::move(slice));
      missing -= tracker.numElements();
    }
    if (missing == 0)
      return true;
    // The next one, which alone uses this state, and only to assign to it.
    if (!result.hasOneUse())
      return false;
    OpOperand &use = *result.use_begin();
    std::optional<Update> next = getUpdate({use.getOwner(), use.getOperandNumber()});
    if (!next || next->isRead())
      return false;
    result = next->result();
  }
  return false;
}
