// Patterns for tiny-reduce: each makes a program smaller, whatever it means.
#include "Tiny/Pipelines/Reduction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;

namespace tiny {
namespace {

/// A change of one operation that is made where the program stays interesting: on a copy first. (Upstream's tree of
/// variants wants that: it goes on from a program on which every pattern was applied, and does not survive it when that
/// one is not interesting.)
class Change : public RewritePattern {
public:
  Change(MLIRContext *context, const Tester &tester, StringRef root = {}, PatternBenefit benefit = 1)
      : RewritePattern(Pattern::MatchAnyOpTypeTag(), benefit, context), tester(tester), root(root) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const final {
    if ((!root.empty() && op->getName().getStringRef() != root) || !isInteresting(op))
      return failure();
    return apply(op, rewriter);
  }

protected:
  /// Fails without having changed anything.
  virtual LogicalResult apply(Operation *op, RewriterBase &rewriter) const = 0;

private:
  bool isInteresting(Operation *op) const {
    Operation *top = op;
    while (Operation *parent = top->getParentOp())
      top = parent;
    auto module = dyn_cast<ModuleOp>(top);
    if (!module || top == op)
      return false;
    IRMapping mapping;
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
    Operation *same = mapping.lookupOrNull(op);
    IRRewriter rewriter(op->getContext());
    if (same)
      rewriter.setInsertionPoint(same);
    if (!same || failed(apply(same, rewriter)))
      return false;
    ScopedDiagnosticHandler silence(op->getContext(), [](Diagnostic &) { return success(); });
    return succeeded(verify(*copy)) && tester.isInteresting(*copy).first == Tester::Interestingness::True;
  }

  const Tester &tester;
  StringRef root;
};

/// An operation that only computes what it gives.
bool onlyComputes(Operation *op) {
  return op->getNumResults() > 0 && !op->hasTrait<OpTrait::IsTerminator>() && !op->hasTrait<OpTrait::ConstantLike>() &&
         isMemoryEffectFree(op);
}

// f(..., x, ...) -> x   [x has the result's type]
struct TakeOperand : Change {
  TakeOperand(MLIRContext *context, const Tester &tester) : Change(context, tester, {}, /*benefit=*/2) {}

  LogicalResult apply(Operation *op, RewriterBase &rewriter) const override {
    if (!onlyComputes(op) || op->getNumResults() != 1)
      return failure();
    for (Value operand : op->getOperands())
      if (operand.getType() == op->getResultTypes().front()) {
        rewriter.replaceOp(op, operand);
        return success();
      }
    return failure();
  }
};

// f(...) -> 0
struct TakeZero : Change {
  using Change::Change;

  LogicalResult apply(Operation *op, RewriterBase &rewriter) const override {
    if (!onlyComputes(op) || op->getNumResults() != 1 || !op->getDialect())
      return failure();
    Type type = op->getResultTypes().front();
    auto shaped = dyn_cast<ShapedType>(type);
    TypedAttr zero = !shaped || shaped.hasStaticShape() ? rewriter.getZeroAttr(type) : TypedAttr();
    Operation *constant = zero ? op->getDialect()->materializeConstant(rewriter, zero, type, op->getLoc()) : nullptr;
    if (!constant)
      return failure();
    rewriter.replaceOp(op, constant);
    return success();
  }
};

/// Drops results that are arguments or constants, or that are given before; one of all stays.
struct DropResults : Change {
  DropResults(MLIRContext *context, const Tester &tester)
      : Change(context, tester, func::ReturnOp::getOperationName()) {}

  LogicalResult apply(Operation *op, RewriterBase &rewriter) const override {
    llvm::BitVector dropped(op->getNumOperands());
    for (auto [i, value] : llvm::enumerate(op->getOperands()))
      dropped[i] = isa<BlockArgument>(value) || matchPattern(value, m_Constant()) ||
                   llvm::is_contained(op->getOperands().take_front(i), value);
    if (dropped.all() && !dropped.empty())
      dropped.reset(0);
    auto func = dyn_cast<func::FuncOp>(op->getParentOp());
    if (!func || dropped.none())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->eraseOperands(dropped); });
    rewriter.modifyOpInPlace(func, [&] { (void)func.eraseResults(dropped); });
    return success();
  }
};

/// Drops arguments that nothing uses, when the function's last operation is reached.
struct DropArguments : Change {
  DropArguments(MLIRContext *context, const Tester &tester)
      : Change(context, tester, func::ReturnOp::getOperationName()) {}

  LogicalResult apply(Operation *op, RewriterBase &rewriter) const override {
    auto func = dyn_cast<func::FuncOp>(op->getParentOp());
    llvm::BitVector dropped(func ? func.getNumArguments() : 0);
    for (unsigned i = 0; i < dropped.size(); ++i)
      dropped[i] = func.getArgument(i).use_empty();
    if (dropped.none())
      return failure();
    rewriter.modifyOpInPlace(func, [&] { (void)func.eraseArguments(dropped); });
    return success();
  }
};

struct Reductions : DialectReductionPatternInterface {
  explicit Reductions(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns, Tester &tester) const override {
    patterns.add<TakeOperand, TakeZero, DropResults, DropArguments>(patterns.getContext(), tester);
  }
};

} // namespace

void registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, BuiltinDialect *dialect) { dialect->addInterfaces<Reductions>(); });
}

} // namespace tiny
