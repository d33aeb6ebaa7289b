// Folders and canonical forms of the kernel dialect.
#include "Tiny/Dialect/Kernel/Kernel.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tiny::kernel;

//===--- Ranges and reductions ------------------------------------------------------------------------------------===//

// True when some reduce or stage closes the range; using its index as a value does not count.
static bool isClosed(RangeOp range) {
  return llvm::any_of(range.getResult().getUses(), [](OpOperand &use) {
    return use.getOperandNumber() >= use.getOwner()->getNumOperands() - getClosedRanges(use.getOwner()).size();
  });
}

namespace {
// range(extent 1) -> 0   [no reduce or scan is over it, and it does not end early]
struct DropUnitRange : OpRewritePattern<RangeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RangeOp range, PatternRewriter &rewriter) const override {
    if (range.getExtent() != 1 || range.getSize() || isClosed(range) || isScanned(range))
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(range, 0);
    return success();
  }
};

// reduce (x) over (r, s) -> reduce (x) over (s)   [extent of r is 1]
// reduce (x) over (r) -> combine(init, x)         [extent of r is 1]
struct DropUnitReduceRange : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    SmallVector<Value> kept = llvm::filter_to_vector(reduce.getRanges(), [](Value range) {
      return range.getDefiningOp<RangeOp>().getExtent() != 1 || range.getDefiningOp<RangeOp>().getSize();
    });
    if (kept.size() == reduce.getRanges().size())
      return failure();
    if (!kept.empty()) {
      rewriter.modifyOpInPlace(reduce, [&] { reduce.getRangesMutable().assign(kept); });
      return success();
    }
    SmallVector<Value> inits = buildInits(rewriter, reduce);
    rewriter.replaceOp(reduce, buildCombine(rewriter, reduce, inits, reduce.getInputs()));
    return success();
  }
};

// scan (x) over (r) -> x   [extent of r is 1]
struct DropUnitScan : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScanOp scan, PatternRewriter &rewriter) const override {
    if (scan.getRange().getDefiningOp<RangeOp>().getExtent() != 1)
      return failure();
    rewriter.replaceOp(scan, scan.getInput());
    return success();
  }
};
} // namespace

void RangeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnitRange>(context);
}

void ScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnitScan>(context);
}

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnitReduceRange>(context);
}

//===--- Accesses -------------------------------------------------------------------------------------------------===//

namespace {
// access if true -> access
template <typename OpTy> struct DropTrueGate : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op.getGate() || !matchPattern(op.getGate(), m_One()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getGateMutable().clear(); });
    return success();
  }
};

// load if false -> 0   [its value is unspecified]
struct DropDeadLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    if (!op.getGate() || !matchPattern(op.getGate(), m_Zero()))
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, rewriter.getZeroAttr(op.getType()));
    return success();
  }
};

// store if false -> nothing
struct DropDeadStore : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    if (!op.getGate() || !matchPattern(op.getGate(), m_Zero()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropTrueGate<LoadOp>, DropDeadLoad>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropTrueGate<StoreOp>, DropDeadStore>(context);
}

//===--- Items ----------------------------------------------------------------------------------------------------===//

namespace {
// copy x, x -> nothing
struct DropSelfCopy : OpRewritePattern<CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CopyOp op, PatternRewriter &rewriter) const override {
    if (op.getSource() != op.getTarget())
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

// alias (alias x [a]) [b] -> alias x [a + b]
struct MergeAliases : OpRewritePattern<AliasOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AliasOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<AliasOp>();
    if (!inner)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setOffset(op.getOffset() + inner.getOffset());
      op.getSourceMutable().assign(inner.getSource());
    });
    return success();
  }
};
} // namespace

void CopyOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropSelfCopy>(context);
}

void AliasOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeAliases>(context);
}

OpFoldResult AliasOp::fold(FoldAdaptor) {
  // alias x [0] -> x   [of x's type]
  return getSource().getType() == getResult().getType() ? OpFoldResult(getSource()) : OpFoldResult();
}
