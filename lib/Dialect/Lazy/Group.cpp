// Groups: verifier and canonicalization.
#include "Tiny/Algebra/Symbolic/Exact.h"
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tiny::lazy {

/// Checks that the group only stores the value that it assigns: a kernel's loads and stores have no order. `bases` are
/// the inputs that the group has assigned so far.
static LogicalResult verifyAssign(AssignOp assign, llvm::SmallDenseSet<Value> &bases) {
  // (group_c6) the base is an input of the group that is assigned once, a splat, or assigned in the group.
  Value base = assign.getBase();
  DenseElementsAttr splat;
  bool isSplat = matchPattern(base, m_Constant(&splat)) && splat.isSplat();
  bool isInput = isa<BlockArgument>(base) && bases.insert(base).second;
  if (!isSplat && !isInput && !base.getDefiningOp<AssignOp>())
    return assign.emitOpError("in a group expects a base that is an input of the group, assigned once, a splat, or "
                              "what the group assigns");
  // (group_c7) an assigned value is yielded, or the base of another assignment, once.
  if (!assign->use_empty()) {
    OpOperand &use = *assign->use_begin();
    auto next = dyn_cast<AssignOp>(use.getOwner());
    if (!assign->hasOneUse() || !(isa<YieldOp>(use.getOwner()) || (next && &use == &next.getBaseMutable())))
      return assign.emitOpError("in a group is only for the group to yield, or to assign to once more");
  }
  // (group_c8) no two assignments that go on from one another write one element.
  for (auto earlier = base.getDefiningOp<AssignOp>(); earlier; earlier = earlier.getBase().getDefiningOp<AssignOp>())
    if (!areDisjoint(earlier.getTracker().getTracker(), assign.getTracker().getTracker())) {
      InFlightDiagnostic error = assign.emitOpError("may write an element that its group has assigned before");
      error.attachNote(earlier.getLoc()) << "by this";
      return error;
    }
  return success();
}

/// What the group says about writing results over inputs.
static LogicalResult verifyInPlace(GroupOp group) {
  std::optional<ArrayRef<int64_t>> inPlace = group.getInPlace();
  if (!inPlace)
    return success();
  // (group_c9) 'in_place' has an input, or -1, for each result.
  if (inPlace->size() != group.getNumResults())
    return group.emitOpError("expects 'in_place' of ")
           << group.getNumResults() << " numbers, one for each result, got " << inPlace->size();
  llvm::SmallDenseSet<int64_t> seen;
  Operation *yield = group.getBody().front().getTerminator();
  for (auto [k, input] : llvm::enumerate(*inPlace)) {
    if (input == -1)
      continue;
    if (input < 0 || input >= int64_t(group.getInputs().size()))
      return group.emitOpError("writes result #") << k << " over input #" << input << ", which it has not";
    // (group_c10) each is named once, and has as many elements of the same type.
    if (!seen.insert(input).second)
      return group.emitOpError("writes two results over input #") << input;
    auto from = cast<RankedTensorType>(group.getInputs()[input].getType());
    auto to = cast<RankedTensorType>(group.getResult(k).getType());
    if (from.getElementType() != to.getElementType() || from.getNumElements() != to.getNumElements())
      return group.emitOpError("writes result #")
             << k << " of type " << to << " over input #" << input << ", which is of type " << from;
    // (group_c11) what is assigned to an input is written over that one.
    Value base = yield->getOperand(k);
    bool isAssigned = false;
    while (auto assign = base.getDefiningOp<AssignOp>()) {
      base = assign.getBase();
      isAssigned = true;
    }
    if (auto argument = dyn_cast<BlockArgument>(base);
        isAssigned && argument && argument.getArgNumber() != uint64_t(input))
      return group.emitOpError("writes result #")
             << k << " over input #" << input << ", but assigns it to input #" << argument.getArgNumber();
  }
  return success();
}

LogicalResult GroupOp::verify() {
  Block &body = getBody().front();
  // (group_c1) there is a result.
  if (getResults().empty())
    return emitOpError("expects at least one result");
  // (group_c2) the body's arguments are the inputs.
  if (body.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expects body arguments of types (")
           << getInputs().getTypes() << "), got (" << body.getArgumentTypes() << ")";
  // (group_c3) it yields the results.
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield->getOperandTypes() != getResultTypes())
    return emitOpError("expects to yield types (") << getResultTypes() << "), got (" << yield->getOperandTypes() << ")";
  if (failed(verifyInPlace(*this)))
    return failure();
  llvm::SmallDenseSet<Value> bases;
  for (Operation &inner : body) {
    // (group_c4) groups do not nest.
    if (isa<GroupOp>(inner))
      return inner.emitOpError("can't stand in a group, which is one kernel");
    // (group_c5) the body has no effects.
    if (!isMemoryEffectFree(&inner))
      return inner.emitOpError("has effects: a group only computes");
    if (auto assign = dyn_cast<AssignOp>(inner); assign && failed(verifyAssign(assign, bases)))
      return failure();
  }
  return success();
}

namespace {

bool isAssigned(BlockArgument input) {
  return llvm::any_of(input.getUsers(), [&](Operation *user) {
    auto assign = dyn_cast<AssignOp>(user);
    return assign && assign.getBase() == input;
  });
}

/// Inputs that nobody reads or that come twice, and results that nobody uses or that come twice, vanish.
struct SimplifyInterface : OpRewritePattern<GroupOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GroupOp op, PatternRewriter &rewriter) const override {
    // Its numbers of inputs and results stand in 'in_place', and in the order of the groups around it.
    if (op.getInPlaceAttr())
      return rewriter.notifyMatchFailure(op, "it is decided which buffers the group writes");
    Block &body = op.getBody().front();
    auto yield = cast<YieldOp>(body.getTerminator());
    llvm::SmallBitVector dropInput(body.getNumArguments()), dropResult(op.getNumResults());
    llvm::SmallMapVector<Value, unsigned, 8> firstInput, firstResult;
    for (auto [k, input] : llvm::enumerate(op.getInputs())) {
      auto [entry, isNew] = firstInput.try_emplace(input, k);
      // Two assignments to one state keep an input each.
      if (!isNew && isAssigned(body.getArgument(k)))
        return rewriter.notifyMatchFailure(op, "an input that comes twice is assigned");
      if (!isNew || body.getArgument(k).use_empty())
        dropInput.set(k);
    }
    llvm::SmallDenseSet<Value> used;
    for (auto [value, result] : llvm::zip_equal(yield.getOperands(), op.getResults()))
      if (!result.use_empty())
        used.insert(value);
    for (auto [k, value] : llvm::enumerate(yield.getOperands())) {
      // The first of equal results is the one that stays, if any of them has a user.
      auto [entry, isNew] = firstResult.try_emplace(value, k);
      if (!isNew || !used.contains(value))
        dropResult.set(k);
    }
    if (dropResult.all() || (dropInput.none() && dropResult.none()))
      return rewriter.notifyMatchFailure(op, "every input and every result is needed");

    SmallVector<Value> inputs, yielded;
    SmallVector<Type> types;
    SmallVector<unsigned> first;
    for (Value value : yield.getOperands())
      first.push_back(firstResult.lookup(value));
    // From here on what is yielded may be another argument.
    for (auto [k, input] : llvm::enumerate(op.getInputs()))
      if (firstInput.lookup(input) != k)
        rewriter.replaceAllUsesWith(body.getArgument(k), body.getArgument(firstInput.lookup(input)));
    for (auto [k, input] : llvm::enumerate(op.getInputs())) {
      // A repeated input hands its users to the first, which may have had none before.
      if (firstInput.lookup(input) == k && !body.getArgument(k).use_empty()) {
        dropInput.reset(k);
        inputs.push_back(input);
      }
    }
    SmallVector<unsigned> position(op.getNumResults());
    for (unsigned k = 0; k < op.getNumResults(); ++k) {
      if (dropResult.test(k))
        continue;
      position[k] = yielded.size();
      yielded.push_back(yield.getOperand(k));
      types.push_back(op.getResult(k).getType());
    }
    SmallVector<unsigned> source(op.getNumResults());
    for (unsigned k = 0; k < op.getNumResults(); ++k)
      source[k] = position[first[k]];

    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    auto slim = GroupOp::create(rewriter, op.getLoc(), types, op.getLabelAttr(), inputs);
    slim->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getBody(), slim.getBody(), slim.getBody().end());
    slim.getBody().front().eraseArguments(
        [&](BlockArgument argument) { return dropInput.test(argument.getArgNumber()); });
    SmallVector<Value> results;
    for (unsigned k : source)
      results.push_back(slim.getResult(k));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void GroupOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyInterface>(context);
}

} // namespace tiny::lazy
