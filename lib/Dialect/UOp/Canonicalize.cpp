// Canonical forms of loops, conditions and gates.
#include "Tiny/Dialect/UOp/UOp.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tiny::uop;

namespace {

/// A loop without a trip is its initial values; a loop of one trip is its body.
struct FoldShortLoop : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ForOp loop, PatternRewriter &rewriter) const override {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips)
      return failure();
    if (trips->isZero()) {
      rewriter.replaceOp(loop, loop.getInits());
      return success();
    }
    return loop.promoteIfSingleIteration(rewriter);
  }
};

/// A carried value goes when the loop does not change it, or when nobody reads it, in the body or after.
struct DropCarried : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ForOp loop, PatternRewriter &rewriter) const override {
    auto yield = cast<YieldOp>(loop.getBody()->getTerminator());
    llvm::BitVector dropped(loop.getNumResults());
    for (unsigned i : llvm::seq(loop.getNumResults())) {
      BlockArgument argument = loop.getRegionIterArgs()[i];
      Value yielded = yield.getOperand(i);
      bool unchanged = yielded == argument || yielded == loop.getInits()[i];
      if (unchanged || (loop.getResult(i).use_empty() && argument.use_empty()))
        dropped.set(i);
    }
    if (dropped.none())
      return failure();
    SmallVector<Value> inits, yielded;
    for (unsigned i : llvm::seq(loop.getNumResults()))
      if (!dropped[i]) {
        inits.push_back(loop.getInits()[i]);
        yielded.push_back(yield.getOperand(i));
      }
    auto slim = ForOp::create(rewriter, loop.getLoc(), loop.getBound(), inits);
    slim->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *target = slim.getBody();
    if (!target->empty())
      rewriter.eraseOp(&target->back());
    SmallVector<Value> arguments{slim.getInductionVar()}, results;
    unsigned next = 0;
    for (unsigned i : llvm::seq(loop.getNumResults())) {
      arguments.push_back(dropped[i] ? loop.getInits()[i] : Value(slim.getRegionIterArgs()[next]));
      results.push_back(dropped[i] ? loop.getInits()[i] : Value(slim.getResult(next)));
      next += !dropped[i];
    }
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    rewriter.mergeBlocks(loop.getBody(), target, arguments);
    rewriter.replaceOp(loop, results);
    return success();
  }
};

/// if true { body } -> body; if false { body } -> nothing; if c { } -> nothing
struct FoldIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    bool empty = llvm::hasSingleElement(body);
    if (empty || matchPattern(op.getCondition(), m_Zero())) {
      rewriter.eraseOp(op);
      return success();
    }
    if (!matchPattern(op.getCondition(), m_One()))
      return failure();
    rewriter.eraseOp(body.getTerminator());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.eraseOp(op);
    return success();
  }
};

/// One bit that says whether all lanes of the gate are on; null where lanes differ or nothing is known.
Value getUniformGate(Value gate) {
  if (auto broadcast = gate.getDefiningOp<vector::BroadcastOp>();
      broadcast && broadcast.getSource().getType().isInteger(1))
    return broadcast.getSource();
  return {};
}

/// Replaces an access that never happens: a load by any value, a store by nothing.
template <typename ReadOp> LogicalResult dropAccess(ReadOp op, PatternRewriter &rewriter) {
  TypedAttr zero = rewriter.getZeroAttr(op.getType());
  if (!zero)
    return failure();
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
  return success();
}
LogicalResult dropAccess(StoreOp op, PatternRewriter &rewriter) {
  rewriter.eraseOp(op);
  return success();
}

/// access b[i] if true -> access b[i]; access b[i] if false -> nothing; access b[i] if (c, ..., c) -> access b[i] if c
template <typename OpTy> struct FoldGate : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op.getGate())
      return failure();
    if (matchPattern(op.getGate(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] { op.getGateMutable().clear(); });
      return success();
    }
    if (matchPattern(op.getGate(), m_Zero()))
      return dropAccess(op, rewriter);
    Value uniform = getUniformGate(op.getGate());
    if (!uniform)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getGateMutable().assign(uniform); });
    return success();
  }
};

/// dot(x, y, s) + z -> dot(x, y, s + z)   [only the sum reads the dot, and s is zero or another dot]
struct AddBeforeDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    auto sum = op->hasOneUse() ? dyn_cast<arith::AddIOp>(*op->user_begin()) : arith::AddIOp();
    Value start = op.getSum();
    if (!sum || sum->getBlock() != op->getBlock() || !(matchPattern(start, m_Zero()) || start.getDefiningOp<DotOp>()))
      return failure();
    Value other = sum.getLhs() == op.getResult() ? sum.getRhs() : sum.getLhs();
    rewriter.setInsertionPoint(sum);
    Value before =
        matchPattern(start, m_Zero()) ? other : Value(arith::AddIOp::create(rewriter, sum.getLoc(), start, other));
    rewriter.replaceOpWithNewOp<DotOp>(sum, op.getType(), op.getLeft(), op.getRight(), before, op.getUnsignedLeft(),
                                       op.getUnsignedRight());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AddBeforeDot>(context);
}
void ForOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldShortLoop, DropCarried>(context);
}
void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldIf>(context);
}
void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldGate<LoadOp>>(context);
}
void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldGate<GatherOp>>(context);
}
void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldGate<StoreOp>>(context);
}
