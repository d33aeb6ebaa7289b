// Loops and branches: what their bodies take and give, and what of them goes.
#include "Tiny/Dialect/Tensor/Tensor.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tiny::tensor {

static bool isScalarOf(Type type, unsigned width) {
  return type == RankedTensorType::get({}, IntegerType::get(type.getContext(), width));
}

//===--- Loops ----------------------------------------------------------------------------------------------------===//

SmallVector<Region *> LoopOp::getLoopRegions() { return {&getBody()}; }

OperandRange LoopOp::getNext() {
  return getBody().front().getTerminator()->getOperands().slice(getCondition() ? 1 : 0, getNumCarried());
}

OperandRange LoopOp::getYieldedRows() {
  return getBody().front().getTerminator()->getOperands().drop_front((getCondition() ? 1 : 0) + getNumCarried());
}

LogicalResult LoopOp::verifyRegions() {
  Type count = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  // (loop_c1) The limit is an i64, the condition a truth value, and the last result how many iterations there were.
  if (getLimit() && getLimit().getType() != count)
    return emitOpError("expects a limit of type ") << count << ", got " << getLimit().getType();
  if (getCondition() && !isScalarOf(getCondition().getType(), 1))
    return emitOpError("expects a condition of type tensor<i1>, got ") << getCondition().getType();
  if (getNumResults() < getNumCarried() + 1 || getResults().back().getType() != count)
    return emitOpError("expects as results what it carries, rows, and how many iterations there were, a ") << count;
  // (loop_c2) The body takes the number and what is carried.
  Block &block = getBody().front();
  SmallVector<Type> taken = {count};
  llvm::append_range(taken, getCarried().getTypes());
  if (block.getArgumentTypes() != TypeRange(taken))
    return emitOpError("expects a body of (") << TypeRange(taken) << "), got (" << block.getArgumentTypes() << ")";
  // (loop_c3) It yields the condition, the next values, and what the rows consist of.
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("expects a body that ends with tiny.yield");
  SmallVector<Type> yielded;
  if (getCondition())
    yielded.push_back(getCondition().getType());
  llvm::append_range(yielded, getCarried().getTypes());
  for (Type rows : getResults().slice(getNumCarried(), getNumRows()).getTypes()) {
    auto type = cast<RankedTensorType>(rows);
    if (type.getRank() == 0 || type.getDimSize(0) != static_cast<int64_t>(getMost()))
      return emitOpError("expects rows of ") << getMost() << " iterations, got " << type;
    yielded.push_back(type.clone(type.getShape().drop_front()));
  }
  if (yield->getOperandTypes() != TypeRange(yielded))
    return yield.emitOpError("gives (") << yield->getOperandTypes() << ") to a loop that expects ("
                                        << TypeRange(yielded) << ")";
  // (loop_c4) What is carried keeps its type.
  if (getResults().take_front(getNumCarried()).getTypes() != getCarried().getTypes())
    return emitOpError("expects results of the types that it carries, ") << getCarried().getTypes();
  return success();
}

namespace {

/// A carried value that never changes is a value of outside.
struct DropInvariant : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    bool hasChanged = false;
    for (auto [k, next] : llvm::enumerate(op.getNext())) {
      Value old = op.getBody().getArgument(k + 1), before = op.getCarried()[k];
      if (next != old && next != before)
        continue;
      auto isYield = [&](OpOperand &use) { return use.getOwner() != op.getBody().front().getTerminator(); };
      if (!llvm::any_of(old.getUses(), isYield) && op.getResult(k).use_empty())
        continue;
      rewriter.replaceUsesWithIf(old, before, isYield);
      rewriter.replaceAllUsesWith(op.getResult(k), before);
      hasChanged = true;
    }
    return success(hasChanged);
  }
};

/// Results that nobody uses go: rows, and carried values that only their own next value reads.
struct DropUnused : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    Operation *yield = op.getBody().front().getTerminator();
    unsigned nCarried = op.getNumCarried(), isWhile = op.getCondition() ? 1 : 0;
    llvm::BitVector dropped(op.getNumResults());
    for (unsigned k = 0; k + 1 < op.getNumResults(); ++k) {
      auto isOwn = [&](OpOperand &use) { return use.getOwner() == yield && use.getOperandNumber() == k + isWhile; };
      if (op.getResult(k).use_empty() &&
          (k >= nCarried || llvm::all_of(op.getBody().getArgument(k + 1).getUses(), isOwn)))
        dropped.set(k);
    }
    if (dropped.none())
      return failure();
    SmallVector<Value> carried;
    SmallVector<Type> results;
    for (unsigned k = 0; k < op.getNumResults(); ++k) {
      if (dropped[k])
        continue;
      results.push_back(op.getResult(k).getType());
      if (k < nCarried)
        carried.push_back(op.getCarried()[k]);
    }
    auto loop =
        LoopOp::create(rewriter, op.getLoc(), results, op.getMostAttr(), op.getLimit(), op.getCondition(), carried);
    loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getBody(), loop.getBody(), loop.getBody().end());
    llvm::BitVector operands(yield->getNumOperands()), arguments(nCarried + 1);
    for (unsigned k : dropped.set_bits()) {
      operands.set(k + isWhile);
      if (k < nCarried)
        arguments.set(k + 1);
    }
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(operands); });
    rewriter.modifyOpInPlace(loop, [&] { loop.getBody().front().eraseArguments(arguments); });
    for (unsigned k = 0, next = 0; k < op.getNumResults(); ++k)
      if (!dropped[k])
        rewriter.replaceAllUsesWith(op.getResult(k), loop.getResult(next++));
    rewriter.eraseOp(op);
    return success();
  }
};

/// What surely runs once, or not at all, is no loop.
struct DropLoop : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr known;
    uint64_t most = op.getMost();
    if (op.getCondition() && matchPattern(op.getCondition(), m_Constant(&known)) && known.isSplat() &&
        !known.getSplatValue<bool>())
      most = 0;
    bool isCertain = !op.getCondition() || (matchPattern(op.getCondition(), m_Constant(&known)) && most != 0);
    if (op.getLimit() && matchPattern(op.getLimit(), m_Constant(&known)))
      most = std::min<uint64_t>(most, std::max<int64_t>(known.getSplatValue<int64_t>(), 0));
    else if (op.getLimit())
      isCertain = false;
    if (op.getNumRows() != 0 || most > 1 || (most == 1 && !isCertain))
      return failure();
    auto scalar = RankedTensorType::get({}, rewriter.getI64Type());
    auto constant = [&](int64_t value) {
      return ConstantOp::create(rewriter, op.getLoc(), scalar, DenseElementsAttr::get(scalar, value)).getResult();
    };
    SmallVector<Value> results(op.getCarried());
    if (most == 1) {
      SmallVector<Value> arguments = {constant(0)};
      llvm::append_range(arguments, op.getCarried());
      results = llvm::to_vector(op.getNext());
      Block &body = op.getBody().front();
      rewriter.setInsertionPoint(op);
      IRMapping map;
      map.map(body.getArguments(), arguments);
      for (Operation &inner : body.without_terminator())
        rewriter.clone(inner, map);
      for (Value &result : results)
        result = map.lookupOrDefault(result);
    }
    results.push_back(constant(static_cast<int64_t>(most)));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void LoopOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropInvariant, DropUnused, DropLoop>(context);
}

//===--- Branches -------------------------------------------------------------------------------------------------===//

LogicalResult IfOp::verifyRegions() {
  // (if_c1) The condition is one truth value.
  if (!isScalarOf(getCondition().getType(), 1))
    return emitOpError("expects a condition of type tensor<i1>, got ") << getCondition().getType();
  for (Region *body : {&getBody(), &getOtherwise()}) {
    // (if_c2) Bodies take nothing and yield the results.
    if (body->getNumArguments() != 0)
      return emitOpError("expects bodies without arguments");
    auto yield = dyn_cast<YieldOp>(body->front().back());
    if (!yield)
      return emitOpError("expects bodies that end with tiny.yield");
    if (yield->getOperandTypes() != getResultTypes())
      return yield.emitOpError("gives (")
             << yield->getOperandTypes() << ") to a branch that expects (" << getResultTypes() << ")";
  }
  return success();
}

namespace {

/// A known condition leaves one body.
struct DropBranch : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr known;
    if (!matchPattern(op.getCondition(), m_Constant(&known)) || !known.isSplat())
      return failure();
    Block &body = (known.getSplatValue<bool>() ? op.getBody() : op.getOtherwise()).front();
    Operation *yield = body.getTerminator();
    SmallVector<Value> results(yield->getOperands());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.eraseOp(yield);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropBranch>(context);
}

} // namespace tiny::tensor
