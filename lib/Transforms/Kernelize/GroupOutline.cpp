// Moves chosen operations into a new lazy.group, with copies of the movements that others read too.
#include "GroupOutline.h"

#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Algebra/Symbolic/Exact.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

class Outliner {
public:
  Outliner(ArrayRef<Operation *> ops, StringRef name, unsigned maxBuffers)
      : members(ops.begin(), ops.end()), name(name), maxBuffers(maxBuffers), costs(target::findMachine(ops.front())) {}

  FailureOr<GroupOp> run() {
    if (failed(verifyMembers()))
      return failure();
    llvm::sort(members, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    members.erase(llvm::unique(members), members.end());
    isMember.insert(members.begin(), members.end());
    if (failed(verifyAssignments()))
      return failure();
    findInputs();
    findResults();
    findReaders();
    for (Value input : inputs)
      if (Operation *op = input.getDefiningOp(); op && readers.contains(op)) {
        InFlightDiagnostic error = op->emitError("group '")
                                   << name << "' would wait for itself: it reads this, which needs what it computes";
        error.attachNote(members.front()->getLoc()) << "the first operation of the group";
        return error;
      }
    if (results.empty())
      return members.front()->emitError("group '") << name << "' has no result: nobody reads what it computes";
    if (size_t buffers = inputs.size() + results.size(); buffers > maxBuffers)
      return members.front()->emitError("group '")
             << name << "' would have " << buffers << " buffers, a kernel has at most " << maxBuffers;
    return build();
  }

private:
  LogicalResult verifyMembers() {
    Block *block = members.front()->getBlock();
    for (Operation *op : members) {
      if (op->getParentOfType<GroupOp>())
        return op->emitError("stands in a group already, so it can't join group '") << name << "'";
      if (op->getBlock() != block)
        return op->emitError("stands in another block than the rest of group '") << name << "'";
      if (!canStandInGroup(op))
        return op->emitError("can't stand in group '") << name << "': it is not of what one kernel computes";
    }
    return success();
  }

  /// A kernel's loads see what was there before it, and its stores have no order: what members assign, no member reads,
  /// and of a state there is one next one.
  LogicalResult verifyAssignments() {
    llvm::DenseMap<Value, AssignOp> bases;
    for (Operation *member : members) {
      auto assign = dyn_cast<AssignOp>(member);
      if (!assign)
        continue;
      auto [known, isNew] = bases.try_emplace(assign.getBase(), assign);
      if (!isNew) {
        InFlightDiagnostic error = assign.emitError("group '") << name << "' assigns to one state in two ways";
        error.attachNote(known->second.getLoc()) << "the other one";
        return error;
      }
      Operation *base = assign.getBase().getDefiningOp();
      while (base && !isMember.contains(base) && isMovement(base))
        base = base->getOperand(0).getDefiningOp();
      bool isSplat = base && isSource(base) && !isa<IotaOp>(base) && base == assign.getBase().getDefiningOp();
      auto earlier = assign.getBase().getDefiningOp<AssignOp>();
      if (isMember.contains(base) && !isSplat && !(earlier && isMember.contains(earlier)))
        return assign.emitError("assigns to what group '") << name << "' computes, which is in no buffer";
      if (failed(verifyReaders(assign)))
        return failure();
      for (; earlier && isMember.contains(earlier); earlier = earlier.getBase().getDefiningOp<AssignOp>())
        if (!areDisjoint(earlier.getTracker().getTracker(), assign.getTracker().getTracker())) {
          InFlightDiagnostic error = assign.emitError("may write an element that group '")
                                     << name << "' has assigned before";
          error.attachNote(earlier.getLoc()) << "by this";
          return error;
        }
    }
    return success();
  }

  /// Checks the readers of an assignment's result, direct or through movements: either one member that assigns to it,
  /// or operations outside.
  LogicalResult verifyReaders(AssignOp assign) {
    SmallVector<OpOperand *> worklist;
    llvm::SmallPtrSet<OpOperand *, 8> seen;
    AssignOp next;
    Operation *outside = nullptr;
    auto visit = [&](Value value) {
      for (OpOperand &use : value.getUses())
        if (seen.insert(&use).second)
          worklist.push_back(&use);
    };
    visit(assign.getResult());
    while (!worklist.empty()) {
      OpOperand *use = worklist.pop_back_val();
      Operation *reader = use->getOwner();
      auto follower = dyn_cast<AssignOp>(reader);
      if (isMember.contains(reader) && follower && use->get() == assign.getResult() &&
          use == &follower.getBaseMutable()) {
        next = follower;
      } else if (isMember.contains(reader)) {
        InFlightDiagnostic error = reader->emitError("reads what group '")
                                   << name << "' assigns, and a kernel reads what was there before";
        error.attachNote(assign.getLoc()) << "the assignment";
        return error;
      } else if (isMovement(reader)) {
        visit(reader->getResult(0));
      } else {
        outside = reader;
      }
    }
    if (!next || !outside)
      return success();
    InFlightDiagnostic error = next.emitError("assigns once more to what is read outside of group '") << name << "'";
    error.attachNote(outside->getLoc()) << "by this";
    return error;
  }

  /// Whether a value is made for the group: by a source, by movements of such and of members, or by arithmetic on
  /// indices, which costs no more than loading what it gives.
  bool isMovedInside(Operation *op) const { return op && (isMovement(op) || isSource(op) || isIndexArithmetic(op)); }

  /// Whether `op` computes with indices and constants only, as cheaply as lazy-kernelize asks for, and nobody names it
  /// as a member of some group.
  bool isIndexArithmetic(Operation *op) const {
    double cost = 0;
    SmallVector<Operation *> worklist{op};
    for (unsigned step = 0; !worklist.empty(); ++step) {
      Operation *next = worklist.pop_back_val();
      if (next && isSource(next))
        continue;
      constexpr unsigned kMostSteps = 64;
      bool isOutside = !next || next->getBlock() != members.front()->getBlock() || isMember.contains(next) ||
                       next->hasAttr(kGroupIdName) || step == kMostSteps;
      if (isOutside || !(isMovement(next) || isElementwise(next)))
        return false;
      cost += isMovement(next) ? 0 : costs.getWeight(target::classify(next));
      if (!costs.isIndexArithmetic(cost))
        return false;
      for (Value operand : next->getOperands())
        worklist.push_back(operand.getDefiningOp());
    }
    return true;
  }

  void findInputs() {
    SmallVector<Operation *> worklist(members);
    while (!worklist.empty())
      for (OpOperand &use : worklist.pop_back_val()->getOpOperands()) {
        Value operand = use.get();
        Operation *op = operand.getDefiningOp();
        if (isMember.contains(op))
          continue;
        // The base of an assignment is a buffer, even if a movement or an iota gives it.
        auto assign = dyn_cast<AssignOp>(use.getOwner());
        bool isState = assign && &use == &assign.getBaseMutable() && op && (isMovement(op) || isa<IotaOp>(op));
        if (isState || !isMovedInside(op))
          inputs.insert(operand);
        else if (moved.insert(op))
          worklist.push_back(op);
      }
    // As a person would list them: arguments, then what is computed, each in order.
    auto list = inputs.takeVector();
    llvm::sort(list, [](Value a, Value b) {
      auto first = dyn_cast<BlockArgument>(a), second = dyn_cast<BlockArgument>(b);
      if (first && second)
        return first.getArgNumber() < second.getArgNumber();
      if (first || second)
        return bool(first);
      if (a.getDefiningOp() == b.getDefiningOp())
        return cast<OpResult>(a).getResultNumber() < cast<OpResult>(b).getResultNumber();
      return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
    });
    inputs.insert(list.begin(), list.end());
  }

  /// Finds the values that operations outside read, directly or through movements. Unread movements join their source.
  void findResults() {
    for (Operation *member : members)
      for (Value value : member->getResults()) {
        SmallVector<Operation *> worklist(value.getUsers());
        llvm::SmallSetVector<Operation *, 8> seen;
        bool isRead = false;
        while (!worklist.empty() && !isRead) {
          Operation *user = worklist.pop_back_val();
          if (isMember.contains(user) || !seen.insert(user))
            continue;
          isRead = !isMovement(user);
          llvm::append_range(worklist, user->getUsers());
        }
        if (isRead)
          results.push_back(value);
        else
          moved.insert(seen.begin(), seen.end());
      }
  }

  /// All operations before the last member that need what a member computes, members aside: those behind it stay where
  /// they are, and nothing that the group reads can need them.
  void findReaders() {
    Block *block = members.front()->getBlock();
    SmallVector<Operation *> worklist(members);
    while (!worklist.empty())
      for (Operation *user : worklist.pop_back_val()->getUsers()) {
        Operation *inBlock = block->findAncestorOpInBlock(*user);
        if (inBlock && inBlock->isBeforeInBlock(members.back()) && !isMember.contains(inBlock) &&
            readers.insert(inBlock).second)
          worklist.push_back(inBlock);
      }
  }

  GroupOp build() {
    PlannedKernel kernel;
    kernel.ops = members;
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (Value result : results) {
      types.push_back(result.getType());
      locations.push_back(result.getLoc());
    }
    OpBuilder builder(members.back()->getContext());
    builder.setInsertionPointAfter(members.back());
    auto group = GroupOp::create(builder, builder.getFusedLoc(locations), types,
                                 builder.getStringAttr(getKernelLabel(kernel)), inputs.getArrayRef());
    // Readers between the members come behind the group, in their order.
    SmallVector<Operation *> late;
    for (Operation *op = members.front(); op != group; op = op->getNextNode())
      if (readers.contains(op))
        late.push_back(op);
    for (Operation *op : llvm::reverse(late))
      op->moveAfter(group);

    Block &body = group.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    // Late movements of members have left the block's order: operands decide, each copied before what reads it.
    SmallVector<Operation *> stack;
    llvm::DenseSet<Operation *> done;
    for (Operation *member : members) {
      stack.push_back(member);
      while (!stack.empty()) {
        Operation *op = stack.back();
        size_t before = stack.size();
        for (Value operand : op->getOperands())
          if (!mapping.contains(operand))
            stack.push_back(operand.getDefiningOp());
        if (stack.size() != before)
          continue;
        stack.pop_back();
        if (done.insert(op).second)
          inner.clone(*op, mapping)->removeDiscardableAttr(kGroupIdName);
      }
    }
    SmallVector<Value> yielded;
    for (auto [value, result] : llvm::zip_equal(results, group.getResults())) {
      yielded.push_back(mapping.lookup(value));
      value.replaceAllUsesWith(result);
    }
    YieldOp::create(inner, group.getLoc(), yielded);
    for (Operation *member : members)
      member->dropAllReferences();
    // Readers first: later in the block, or moved.
    SmallVector<Operation *> obsolete = moved.takeVector();
    llvm::sort(obsolete, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    for (Operation *op : obsolete)
      // A script may name arithmetic again: the pass drops it in the end.
      if (op->use_empty() && (isMovement(op) || isSource(op)))
        op->erase();
    for (Operation *member : members)
      member->erase();
    return group;
  }

  SmallVector<Operation *> members;
  llvm::SmallSetVector<Operation *, 16> moved; ///< copied into the group; what then has no other reader goes
  StringRef name;
  unsigned maxBuffers;
  cost::CostModel costs;
  llvm::DenseSet<Operation *> isMember;
  llvm::SmallSetVector<Value, 8> inputs;
  SmallVector<Value> results;
  llvm::DenseSet<Operation *> readers;
};

} // namespace

FailureOr<GroupOp> outlineGroup(ArrayRef<Operation *> members, StringRef name, unsigned maxBuffers) {
  Location loc = members.front()->getLoc();
  size_t count = members.size();
  FailureOr<GroupOp> group = Outliner(members, name, maxBuffers).run();
  if (failed(group))
    return group;
  size_t reads = group->getInputs().size(), makes = group->getNumResults();
  Remarks("lazy-impose-groups", *group)
      .passed(loc, "group",
              Twine(count) + " operations become group '" + name + "', which reads " + Twine(reads) +
                  " buffers and makes " + Twine(makes),
              {{"operations", double(count)},
               {"reads", double(reads)},
               {"makes", double(makes)},
               {"limit", double(maxBuffers)}});
  return group;
}

unsigned getMostBuffers(Operation *op) {
  const cost::Machine &machine = target::findMachine(op);
  int64_t most = machine.buffers ? machine.buffers : cost::getGenericMachine().buffers;
  return unsigned(std::clamp<int64_t>(most, 2, std::numeric_limits<int32_t>::max()));
}

} // namespace tiny::lazy
