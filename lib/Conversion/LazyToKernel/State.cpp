#include "State.h"

#include "InPlace.h"
#include "Tiny/Support/HostTensor.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Lazy/CostModel.h"

#include "llvm/ADT/DenseSet.h"
#include <queue>

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

/// The value whose buffer a value outside of groups is in, all of it or a part.
static Value getState(Value value) {
  while (value.getDefiningOp() && lazy::isMovement(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether a value is all of its state.
static bool isWhole(Value value) {
  return getTensor(value).getNumElements() == getTensor(getState(value)).getNumElements();
}

/// What reads a state, itself or through views.
static SmallVector<Operation *> getReaders(Value state) {
  SmallVector<Operation *> readers;
  SmallVector<Value> worklist = {state};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers())
      if (lazy::isMovement(user))
        worklist.push_back(user->getResult(0));
      else
        readers.push_back(user);
  return readers;
}

namespace tiny {
class StatePlanner {
public:
  explicit StatePlanner(func::FuncOp func) : func(func), block(func.getBody().front()) {}

  FailureOr<StatePlan> run() {
    Operation *terminator = block.getTerminator();
    for (auto [position, operand] : llvm::enumerate(terminator->getOperands()))
      if (std::optional<unsigned> argument = getAliasedArgument(func, position))
        if (Value state = getState(operand); state.getDefiningOp<lazy::GroupOp>() && isWhole(operand))
          wanted.try_emplace(state, func.getArgument(*argument));
    SmallVector<lazy::GroupOp> groups(block.getOps<lazy::GroupOp>());
    for (lazy::GroupOp group : llvm::reverse(groups))
      for (unsigned result = 0; result < group.getNumResults(); ++result)
        if (failed(place(group, result)))
          return failure();
    if (goesBack)
      sortBlock();
    return std::move(plan);
  }

private:
  /// Finds a buffer for a result. A split replaces the group.
  LogicalResult place(lazy::GroupOp &group, unsigned number) {
    OpResult result = group->getOpResult(number);
    Value yielded = group.getBody().front().getTerminator()->getOperand(number);
    SmallVector<lazy::AssignOp, 1> assigns = getAssignments(yielded);
    Value old = wanted.lookup(result);
    if (!assigns.empty()) {
      auto base = dyn_cast<BlockArgument>(assigns.front().getBase());
      old = base ? group.getInputs()[base.getArgNumber()] : Value();
      if (!old || !isWhole(old))
        return success();
      old = getState(old);
    }
    if (!old || !isOverwritable(old) || taken.contains(old))
      return success();
    SmallVector<unsigned> inputs;
    for (auto [k, input] : llvm::enumerate(group.getInputs()))
      if (getState(input) == old) {
        if (!isWhole(input))
          return success();
        inputs.push_back(k);
      }
    SmallVector<Operation *> readers = getReaders(old);
    llvm::erase(readers, group.getOperation());
    if (llvm::any_of(readers, llvm::IsaPred<func::ReturnOp>) || !canRunBefore(readers, group))
      return success();
    FailureOr<bool> isSafe = canWriteOver(group, number, inputs);
    if (failed(isSafe))
      return failure();
    if (!*isSafe) {
      if (assigns.size() != 1 || !prefersSplit(assigns.front(), old))
        return success();
      result = split(group, number, assigns.front());
    }
    for (Operation *reader : readers)
      addEdge(reader, result.getOwner());
    taken[old] = result;
    plan.overwritten[result] = old;
    return success();
  }

  bool isOverwritable(Value state) {
    if (auto argument = dyn_cast<BlockArgument>(state))
      return func.getArgAttr(argument.getArgNumber(), kDonatedAttr) != nullptr;
    return isa<lazy::GroupOp>(state.getDefiningOp());
  }

  /// Whether to compute the value first and put it in its place then, rather than to copy the base: by bytes moved. An
  /// argument's next state, made elsewhere, is copied back. A launch counts as what it could have moved.
  static bool prefersSplit(lazy::AssignOp assign, Value old) {
    lazy::CostModel costs;
    double launch = costs.launch / costs.byteMoved;
    double width = llvm::divideCeil(getTensor(old).getElementTypeBitWidth(), 8);
    double value = getTensor(assign.getValue()).getNumElements() * width;
    double base = getTensor(old).getNumElements() * width;
    bool isPart = getContiguousOffset(assign.getTracker().getTracker()).has_value();
    return 2 * value + (isPart ? 0 : launch) < (isa<BlockArgument>(old) ? 4 : 2) * base;
  }

  /// The result of the second group. `group` becomes the first.
  OpResult split(lazy::GroupOp &group, unsigned number, lazy::AssignOp assign) {
    Location loc = group.getLoc();
    OpBuilder builder(group);
    Value base = group.getInputs()[cast<BlockArgument>(assign.getBase()).getArgNumber()];
    lazy::TrackerAttr tracker = assign.getTracker();
    Value value = assign.getValue();
    SmallVector<Type> types(group.getResultTypes());
    types[number] = value.getType();
    auto first = lazy::GroupOp::create(builder, loc, types, group.getLabelAttr(), group.getInputs());
    first->setDiscardableAttrs(group->getDiscardableAttrDictionary());
    first.getBody().takeBody(group.getBody());
    Block &body = first.getBody().front();
    body.getTerminator()->setOperand(number, value);
    unsigned baseNumber = cast<BlockArgument>(assign.getBase()).getArgNumber();
    assign.erase();
    if (body.getArgument(baseNumber).use_empty()) {
      body.eraseArgument(baseNumber);
      first.getInputsMutable().erase(baseNumber);
    }

    Value computed = first.getResult(number);
    auto second = lazy::GroupOp::create(builder, loc, TypeRange(base.getType()), builder.getStringAttr("assign"),
                                        ValueRange{computed, base});
    Block &inner = second.getBody().emplaceBlock();
    inner.addArguments({computed.getType(), base.getType()}, {loc, loc});
    builder.setInsertionPointToEnd(&inner);
    Value next =
        lazy::AssignOp::create(builder, loc, base.getType(), inner.getArgument(0), inner.getArgument(1), tracker);
    lazy::YieldOp::create(builder, loc, next);

    for (auto [k, from] : llvm::enumerate(group->getResults())) {
      Value to = k == number ? second->getResult(0) : first->getResult(k);
      from.replaceAllUsesWith(to);
      if (Value target = wanted.lookup(from))
        wanted[to] = target;
      if (Value state = plan.overwritten.lookup(from)) {
        plan.overwritten.erase(from);
        plan.overwritten[to] = state;
        taken[state] = to;
      }
      if (Value later = taken.lookup(from)) {
        taken.erase(from);
        taken[to] = later;
        plan.overwritten[later] = to;
      }
    }
    for (auto &[reader, writers] : writersAfter)
      llvm::replace(writers, group.getOperation(), first.getOperation());
    if (auto it = writersAfter.find(group); it != writersAfter.end()) {
      SmallVector<Operation *, 1> writers = std::move(it->second);
      writersAfter.erase(it);
      // Both halves may have been the reader.
      writersAfter[first] = writers;
      writersAfter[second] = std::move(writers);
    }
    group.erase();
    group = first;
    return second->getOpResult(0);
  }

  //===--- Order --------------------------------------------------------------------------------------------------===//

  /// Whether none of `readers` waits for `writer`.
  bool canRunBefore(ArrayRef<Operation *> readers, Operation *writer) {
    // While every edge goes down the block, what stands above a writer does not wait for it.
    bool isBelow = llvm::any_of(readers, [&](Operation *reader) { return writer->isBeforeInBlock(reader); });
    if (!isBelow && !goesBack)
      return true;
    llvm::SmallDenseSet<Operation *> wanted(readers.begin(), readers.end());
    llvm::DenseSet<Operation *> seen = {writer};
    SmallVector<Operation *> worklist = {writer};
    auto visit = [&](Operation *op) {
      if (seen.insert(op).second)
        worklist.push_back(op);
    };
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (wanted.contains(op))
        return false;
      for (Operation *user : op->getUsers())
        visit(user);
      if (auto it = writersAfter.find(op); it != writersAfter.end())
        llvm::for_each(it->second, visit);
    }
    return true;
  }

  void addEdge(Operation *reader, Operation *writer) {
    writersAfter[reader].push_back(writer);
    goesBack |= writer->isBeforeInBlock(reader);
  }

  /// Of the orders in which everything stands behind what it waits for, the one nearest to the old one.
  void sortBlock() {
    DenseMap<Operation *, unsigned> position, missing;
    for (Operation &op : block)
      position[&op] = position.size();
    DenseMap<Operation *, SmallVector<Operation *, 2>> waiting;
    for (Operation &op : block) {
      llvm::SmallDenseSet<Operation *> before;
      for (Value operand : op.getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && before.insert(producer).second) {
          waiting[producer].push_back(&op);
          ++missing[&op];
        }
    }
    for (auto &[reader, writers] : writersAfter)
      for (Operation *writer : writers) {
        waiting[reader].push_back(writer);
        ++missing[writer];
      }
    using Entry = std::pair<unsigned, Operation *>;
    auto later = [](const Entry &a, const Entry &b) { return a.first > b.first; };
    std::priority_queue<Entry, std::vector<Entry>, decltype(later)> ready(later);
    for (Operation &op : block.without_terminator())
      if (missing.lookup(&op) == 0)
        ready.push({position[&op], &op});
    while (!ready.empty()) {
      Operation *op = ready.top().second;
      ready.pop();
      op->moveBefore(block.getTerminator());
      for (Operation *next : waiting.lookup(op))
        if (--missing[next] == 0 && next != block.getTerminator())
          ready.push({position[next], next});
    }
  }

  func::FuncOp func;
  Block &block;
  StatePlan plan;
  DenseMap<Value, Value> wanted; // by state: the argument whose next state it is
  DenseMap<Value, Value> taken;  // by state that is written over: the result that does
  DenseMap<Operation *, SmallVector<Operation *, 1>> writersAfter; // by reader: whoever must wait for it
  bool goesBack = false;                                           // some writer stands before such a reader
};
} // namespace tiny

FailureOr<StatePlan> StatePlan::compute(func::FuncOp func) { return StatePlanner(func).run(); }

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

bool StatePlan::isOverwritten(OpResult result) const {
  ArrayRef<int64_t> shape = getTensor(result).getShape();
  struct Slice {
    SmallVector<int64_t> begin, size;
  };
  SmallVector<Slice> slices;
  int64_t missing = getTensor(result).getNumElements();
  // A chain of very many slices is rather filled than compared with each other.
  constexpr size_t maxSlices = 64;
  while (slices.size() < maxSlices) {
    auto group = cast<lazy::GroupOp>(result.getOwner());
    Block &body = group.getBody().front();
    auto assign = body.getTerminator()->getOperand(result.getResultNumber()).getDefiningOp<lazy::AssignOp>();
    if (!assign)
      return false;
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
    if (missing == 0)
      return true;
    // The next one, which alone uses this state, and only to assign to it.
    if (!result.hasOneUse())
      return false;
    OpOperand &use = *result.use_begin();
    auto next = dyn_cast<lazy::GroupOp>(use.getOwner());
    if (!next)
      return false;
    BlockArgument base = next.getBody().getArgument(use.getOperandNumber());
    auto update = base.hasOneUse() ? dyn_cast<lazy::AssignOp>(*base.user_begin()) : lazy::AssignOp();
    if (!update || update.getBase() != base || update.getValue() == base || !update->hasOneUse())
      return false;
    OpOperand &yielded = *update->use_begin();
    if (!isa<lazy::YieldOp>(yielded.getOwner()))
      return false;
    OpResult after = next->getResult(yielded.getOperandNumber());
    if (getOverwritten(after) != result)
      return false;
    result = after;
  }
  return false;
}
