// Passes that are right but for one rule, one merge of views, one decision, for the test that tiny-bisect finds these.
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {
// x + x -> x * 2
struct DoubleByProduct : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (op.getLhs() != op.getRhs() || !type)
      return failure();
    auto two = DenseElementsAttr::get(type, rewriter.getFloatAttr(type.getElementType(), 2));
    Value factor = arith::ConstantOp::create(rewriter, op.getLoc(), two);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), factor);
    return success();
  }
};

// x - x -> x, which is wrong
struct TakeDifferenceForOperand : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op, PatternRewriter &rewriter) const override {
    if (op.getLhs() != op.getRhs())
      return failure();
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

struct BreakRulePass : public PassWrapper<BreakRulePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakRulePass)
  StringRef getArgument() const override { return "test-break-rule"; }
  StringRef getDescription() const override { return "Rewrite sums right and differences wrong"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DoubleByProduct, TakeDifferenceForOperand>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

/// One merge of two views, as a pass would announce it.
struct MergeAction : public tracing::ActionImpl<MergeAction> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeAction)
  explicit MergeAction(ArrayRef<IRUnit> units) : ActionImpl(units) {}
  static constexpr StringLiteral tag = "test-merge-views";
};

/// Merges views of views; those of rank one are flipped in passing.
struct BreakMergePass : public PassWrapper<BreakMergePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakMergePass)
  StringRef getArgument() const override { return "test-break-merge"; }
  StringRef getDescription() const override { return "Merge views right, but for those of rank one"; }
  void runOnOperation() override {
    SmallVector<tiny::lazy::ViewOp> views;
    getOperation()->walk([&](tiny::lazy::ViewOp view) { views.push_back(view); });
    for (tiny::lazy::ViewOp view : views)
      if (auto inner = view.getInput().getDefiningOp<tiny::lazy::ViewOp>())
        getContext().executeAction<MergeAction>([&] { merge(view, inner); }, {view.getOperation()});
  }

private:
  static void merge(tiny::lazy::ViewOp view, tiny::lazy::ViewOp inner) {
    auto buffer = cast<RankedTensorType>(inner.getInput().getType());
    tiny::ShapeTracker tracker = tiny::lazy::applyMovement(
        view, tiny::lazy::applyMovement(inner, tiny::ShapeTracker::identity(buffer.getShape())));
    if (tracker.rank() == 1)
      tracker = tracker.flip({0});
    OpBuilder builder(view);
    Value merged = tiny::lazy::ViewOp::create(builder, view.getLoc(), view.getType(), inner.getInput(),
                                              tiny::lazy::TrackerAttr::get(view.getContext(), tracker));
    view.replaceAllUsesWith(merged);
    view.erase();
  }
};

/// A decision, which changes nothing yet.
struct DecisionAction : public tracing::ActionImpl<DecisionAction> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DecisionAction)
  explicit DecisionAction(ArrayRef<IRUnit> units) : ActionImpl(units) {}
  static constexpr StringLiteral tag = "test-decision";
};

/// Decides first, and negates afterwards what an absolute value is to be taken of. Floors get a type that does not
/// verify.
struct BreakDecisionPass : public PassWrapper<BreakDecisionPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakDecisionPass)
  StringRef getArgument() const override { return "test-break-decision"; }
  StringRef getDescription() const override { return "Decide to take negations for absolute values"; }
  void runOnOperation() override {
    bool isDecided = false;
    getContext().executeAction<DecisionAction>([&] { isDecided = true; }, {});
    if (!isDecided)
      return;
    getOperation()->walk([](math::AbsFOp op) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(arith::NegFOp::create(builder, op.getLoc(), op.getOperand()).getResult());
      op.erase();
    });
    getOperation()->walk([](math::FloorOp op) {
      auto type = cast<RankedTensorType>(op.getType());
      op.getResult().setType(type.clone(Float64Type::get(op.getContext())));
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TinyTestActions", LLVM_VERSION_STRING, [] {
            PassRegistration<BreakRulePass>();
            PassRegistration<BreakMergePass>();
            PassRegistration<BreakDecisionPass>();
          }};
}
