// Queries on states: which buffer a value is in, who reads a state, who updates it, and which elements they touch.
#include "Tiny/Analysis/Lazy/StateUses.h"

#include "Tiny/Algebra/Symbolic/Exact.h"

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

bool tiny::areApart(const ShapeTracker &a, const ShapeTracker &b, ArrayRef<int64_t> shape) {
  std::optional<SmallVector<int64_t>> first = getSliceBegin(a, shape), second = getSliceBegin(b, shape);
  if (!first || !second)
    return areDisjoint(a, b);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if ((*first)[axis] + a.shape()[axis] <= (*second)[axis] || (*second)[axis] + b.shape()[axis] <= (*first)[axis])
      return true;
  return false;
}

bool tiny::readsApart(StateUse use, ArrayRef<ShapeTracker> places) {
  ArrayRef<int64_t> shape = getTensor(getState(use.get())).getShape();
  // The first movement of each chain says what is read at most.
  auto isApart = [&](Operation *movement) {
    ShapeTracker read = lazy::applyMovement(movement, ShapeTracker::identity(shape));
    return read.isValid() &&
           llvm::all_of(places, [&](const ShapeTracker &place) { return areApart(read, place, shape); });
  };
  Operation *first = nullptr;
  for (Value value = use.get(); value.getDefiningOp() && lazy::isMovement(value.getDefiningOp());
       value = first->getOperand(0))
    first = value.getDefiningOp();
  if (first)
    return isApart(first);
  BlockArgument argument = getArgument(use);
  return argument && llvm::all_of(argument.getUses(), [&](OpOperand &inner) {
           auto assign = dyn_cast<lazy::AssignOp>(inner.getOwner());
           bool isBase = assign && &inner == &assign.getBaseMutable();
           return isBase || (lazy::isMovement(inner.getOwner()) && isApart(inner.getOwner()));
         });
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
  struct Read {
    StateUse use;
    size_t assigned; // slices before it
  };
  std::vector<ShapeTracker> slices;
  SmallVector<Read> reads;
  double missing = countElements(result);
  // A chain of very many slices is rather filled than compared with each other.
  constexpr size_t maxSlices = 64;
  while (slices.size() < maxSlices) {
    for (lazy::AssignOp assign : getAssignmentsOf(result)) {
      const ShapeTracker &slice = assign.getTracker().getTracker();
      if (!getSliceBegin(slice, shape) ||
          !llvm::all_of(slices, [&](const ShapeTracker &other) { return areApart(slice, other, shape); }))
        return false;
      slices.push_back(slice);
      missing -= slice.numElements();
    }
    if (missing == 0)
      break;
    // Of what uses this state one goes on with it. The others may read what has been assigned.
    std::optional<Update> next;
    for (StateUse use : getUses(result)) {
      std::optional<Update> update = getUpdate(use);
      if (update && (next || !isWhole(use.get())))
        return false;
      if (!update || update->isRead())
        reads.push_back({use, slices.size()});
      if (update)
        next = update;
    }
    if (!next)
      return false;
    result = next->result();
  }
  return missing == 0 && llvm::all_of(reads, [&](const Read &read) {
           return readsApart(read.use, ArrayRef(slices).drop_front(read.assigned));
         });
}
