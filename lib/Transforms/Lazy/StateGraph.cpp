// Rewrites the groups of a function for the state plan: copies, new operands, an update split in two, a new order.
#include "StateGraph.h"

#include "Tiny/Support/NearestOrder.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tiny;

bool tiny::isPlannable(func::FuncOp func) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return false;
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!llvm::all_of(func.getArgumentTypes(), isStatic) || !llvm::all_of(func.getResultTypes(), isStatic))
    return false;
  return llvm::all_of(func.getBody().front(), [&](Operation &op) {
    return isa<lazy::GroupOp, arith::ConstantOp, func::ReturnOp>(op) || lazy::isMovement(&op);
  });
}

Value StateGraph::copy(Value value, Operation *user) {
  Operation *definition = value.getDefiningOp();
  OpBuilder builder(user);
  if (definition && !definition->isBeforeInBlock(user))
    builder.setInsertionPointAfter(definition);
  Location loc = user->getLoc();
  DenseElementsAttr splat;
  if (auto constant = getState(value).getDefiningOp<arith::ConstantOp>())
    splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  auto group =
      lazy::GroupOp::create(builder, loc, TypeRange(value.getType()), builder.getStringAttr(splat ? "fill" : "copy"),
                            splat ? ValueRange() : ValueRange(value));
  Block &body = group.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  Value made =
      splat
          ? arith::ConstantOp::create(builder, loc, splat.reshape(cast<RankedTensorType>(value.getType()))).getResult()
          : Value(body.addArgument(value.getType(), loc));
  lazy::YieldOp::create(builder, loc, made);
  return group->getResult(0);
}

void StateGraph::setOperand(StateUse use, Value value) {
  use.owner->setOperand(use.number, value);
  goesBack |= value.getDefiningOp() && use.owner->isBeforeInBlock(value.getDefiningOp());
}

BlockArgument StateGraph::addInput(lazy::GroupOp group, Value value) {
  group.getInputsMutable().append(value);
  goesBack |= value.getDefiningOp() && group->isBeforeInBlock(value.getDefiningOp());
  return group.getBody().front().addArgument(value.getType(), group.getLoc());
}

Value StateGraph::moveOver(Value value, llvm::SmallDenseMap<Value, Value> &moved) {
  SmallVector<Operation *> chain;
  for (; !moved.contains(value); value = value.getDefiningOp()->getOperand(0))
    chain.push_back(value.getDefiningOp());
  Value last = moved.lookup(value);
  for (Operation *movement : llvm::reverse(chain)) {
    OpBuilder builder(movement);
    builder.setInsertionPointAfterValue(last);
    Operation *clone = builder.clone(*movement);
    clone->setOperand(0, last);
    moved[movement->getResult(0)] = last = clone->getResult(0);
  }
  return last;
}

void StateGraph::moveReads(ArrayRef<StateUse> uses, llvm::SmallDenseMap<Value, Value> &moved) {
  for (StateUse use : uses) {
    Value value = moveOver(use.get(), moved);
    std::optional<Update> update = getUpdate(use);
    if (!update) {
      setOperand(use, value);
      continue;
    }
    BlockArgument read = addInput(update->group, value);
    BlockArgument base = update->group.getBody().getArgument(use.number);
    base.replaceUsesWithIf(read, [&](OpOperand &inner) {
      auto assign = dyn_cast<lazy::AssignOp>(inner.getOwner());
      return !assign || &inner != &assign.getBaseMutable();
    });
  }
}

void StateGraph::moveBases(ArrayRef<Update> updates, llvm::SmallDenseMap<Value, Value> &moved) {
  for (const Update &update : updates)
    setOperand(*update.base, moveOver(update.base->get(), moved));
}

void StateGraph::setBase(const Update &update, Value base) {
  if (update.isRead())
    update.first().getBaseMutable().assign(addInput(update.group, base));
  else
    setOperand(*update.base, base);
}

void StateGraph::setBase(const Update &update, DenseElementsAttr splat) {
  OpBuilder builder(update.first());
  Value filled = arith::ConstantOp::create(builder, update.result().getLoc(), splat);
  update.first().getBaseMutable().assign(filled);
  slimmed.insert(update.base->owner);
}

OpResult StateGraph::split(const Update &update) {
  lazy::GroupOp first = update.group;
  lazy::AssignOp assign = update.first();
  OpResult result = update.result();
  Location loc = first.getLoc();
  Value value = assign.getValue(), base = update.base->get();
  lazy::TrackerAttr tracker = assign.getTracker();
  first.getBody().front().getTerminator()->setOperand(update.number, value);
  assign.erase();
  slimmed.insert(first);
  result.setType(cast<RankedTensorType>(value.getType()));

  OpBuilder builder(first);
  builder.setInsertionPointAfter(first);
  auto second = lazy::GroupOp::create(builder, loc, TypeRange(base.getType()), builder.getStringAttr("assign"),
                                      ValueRange{result, base});
  Block &inner = second.getBody().emplaceBlock();
  inner.addArguments({result.getType(), base.getType()}, {loc, loc});
  builder.setInsertionPointToEnd(&inner);
  Value next =
      lazy::AssignOp::create(builder, loc, base.getType(), inner.getArgument(0), inner.getArgument(1), tracker);
  lazy::YieldOp::create(builder, loc, next);
  OpResult made = second->getOpResult(0);
  result.replaceAllUsesExcept(made, second);
  return made;
}

void StateGraph::dropUnusedInputs() {
  for (Operation *op : slimmed) {
    auto group = cast<lazy::GroupOp>(op);
    for (unsigned k = group.getInputs().size(); k-- > 0;)
      if (group.getBody().getArgument(k).use_empty()) {
        group.getBody().front().eraseArgument(k);
        group.getInputsMutable().erase(k);
      }
  }
  slimmed.clear();
}

void StateGraph::addEdge(Operation *earlier, Operation *later) {
  edges[earlier].push_back(later);
  goesBack |= later->isBeforeInBlock(earlier);
}

llvm::SmallDenseSet<Operation *> StateGraph::findAfter(Operation *op, const llvm::SmallDenseSet<Operation *> &ops) {
  llvm::SmallDenseSet<Operation *> found;
  // While every edge goes down the block, what stands above does not wait for what stands below.
  bool isBelow = llvm::any_of(ops, [&](Operation *other) { return op->isBeforeInBlock(other); });
  if (!isBelow && !goesBack)
    return found;
  llvm::DenseSet<Operation *> seen = {op};
  SmallVector<Operation *> worklist = {op};
  auto visit = [&](Operation *next) {
    if (seen.insert(next).second)
      worklist.push_back(next);
  };
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (next != op && ops.contains(next))
      found.insert(next);
    llvm::for_each(next->getUsers(), visit);
    if (auto it = edges.find(next); it != edges.end())
      llvm::for_each(it->second, visit);
  }
  return found;
}

void StateGraph::sort() {
  if (!goesBack)
    return;
  DenseMap<Operation *, unsigned> position;
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    position[&op] = ops.size();
    ops.push_back(&op);
  }
  std::vector<SmallVector<unsigned, 4>> waiting(ops.size());
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        waiting[position.lookup(op)].push_back(position.lookup(producer));
    if (auto it = edges.find(op); it != edges.end())
      for (Operation *later : it->second)
        waiting[position.lookup(later)].push_back(position.lookup(op));
  }
  std::vector<unsigned> order = sortNearest(waiting, llvm::to_vector(llvm::seq<unsigned>(0, ops.size())));
  assert(order.size() == ops.size() && "states wait for each other");
  for (unsigned k : order)
    ops[k]->moveBefore(block.getTerminator());
}
