// uop-move-offsets: indices of copies as one index and a constant.
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPMOVEOFFSETS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// The constant that is added to an index, and the rest.
struct Offset {
  Value rest;
  IntegerAttr constant;
};

std::optional<Offset> findOffset(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  IntegerAttr constant;
  if (!sum || !sum.getType().isIndex() || !matchPattern(sum.getRhs(), m_Constant(&constant)) ||
      matchPattern(sum.getLhs(), m_Constant()))
    return std::nullopt;
  return Offset{sum.getLhs(), constant};
}

Value makeConstant(PatternRewriter &rewriter, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(rewriter, loc, value);
}

/// (x + c) * k -> x * k + c * k
struct Distribute : OpRewritePattern<arith::MulIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulIOp op, PatternRewriter &rewriter) const override {
    std::optional<Offset> offset = findOffset(op.getLhs());
    IntegerAttr factor;
    if (!offset || !matchPattern(op.getRhs(), m_Constant(&factor)))
      return failure();
    Value product = arith::MulIOp::create(rewriter, op.getLoc(), offset->rest, op.getRhs());
    APInt moved = offset->constant.getValue() * factor.getValue();
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, product, makeConstant(rewriter, op.getLoc(), moved.getSExtValue()));
    return success();
  }
};

/// (x + c) + y -> (x + y) + c
struct MoveOut : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddIOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isIndex() || matchPattern(op.getRhs(), m_Constant()) || matchPattern(op.getLhs(), m_Constant()))
      return failure();
    Value other = op.getRhs();
    std::optional<Offset> offset = findOffset(op.getLhs());
    if (!offset) {
      other = op.getLhs();
      offset = findOffset(op.getRhs());
    }
    if (!offset)
      return failure();
    bool isFirst = other == op.getRhs();
    Value sum =
        arith::AddIOp::create(rewriter, op.getLoc(), isFirst ? offset->rest : other, isFirst ? other : offset->rest);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(
        op, sum, makeConstant(rewriter, op.getLoc(), offset->constant.getValue().getSExtValue()));
    return success();
  }
};

struct UOpMoveOffsets : impl::UOpMoveOffsetsBase<UOpMoveOffsets> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owning(context);
    owning.add<Distribute, MoveOut>(context);
    arith::AddIOp::getCanonicalizationPatterns(owning, context);
    patterns = std::move(owning);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    // A limit of rounds is no failure: what is left is as right as before.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tiny::uop
