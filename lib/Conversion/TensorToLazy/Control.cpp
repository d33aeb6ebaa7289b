// Control flow: bodies become functions, which take what they used of outside.
#include "Patterns.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny {
namespace {

/// Moves bodies into functions beside the one that they stand in.
class BodyOutliner {
public:
  explicit BodyOutliner(ModuleOp module) : symbols(module) {}

  void outline(tensor::LoopOp op) {
    SmallVector<Value> captured = capture({&op.getBody()});
    func::FuncOp body = createFunction(op, op.getBody(), "_body");
    OpBuilder builder(op);
    // State is the loop's own: the next one may lie where the last one does. The iteration's number stands before it,
    // and whether there is a next one before what is next.
    unsigned first = op.getCondition() ? 1 : 0, count = op.getCarried().size();
    for (unsigned k = 0; k < body.getNumResults(); ++k)
      if (k >= first && k < first + count) {
        body.setArgAttr(1 + k - first, kDonatedAttr, builder.getUnitAttr());
        body.setResultAttr(k, kAliasesAttr, builder.getI64IntegerAttr(1 + k - first));
      } else {
        body.setResultAttr(k, kBorrowedAttr, builder.getUnitAttr());
      }
    replace(op, lazy::LoopOp::create(builder, op.getLoc(), op.getResultTypes(), FlatSymbolRefAttr::get(body),
                                     op.getMostAttr(), op.getLimit(), op.getCondition(), op.getCarried(), captured));
  }

  void outline(tensor::IfOp op) {
    SmallVector<Value> captured = capture({&op.getBody(), &op.getOtherwise()});
    func::FuncOp body = createFunction(op, op.getBody(), "_then");
    func::FuncOp otherwise = createFunction(op, op.getOtherwise(), "_else");
    OpBuilder builder(op);
    replace(op, lazy::IfOp::create(builder, op.getLoc(), op.getResultTypes(), op.getCondition(),
                                   FlatSymbolRefAttr::get(body), FlatSymbolRefAttr::get(otherwise), captured));
  }

private:
  static void replace(Operation *op, Operation *by) {
    by->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->replaceAllUsesWith(by->getResults());
    op->erase();
  }

  /// What costs nothing where it is used, and a buffer where it is captured.
  static bool isCopied(Value value) {
    DenseElementsAttr splat;
    if (matchPattern(value, m_Constant(&splat)))
      return splat.isSplat();
    return isa_and_present<tensor::IotaOp, tensor::ReshapeOp, tensor::ExpandOp, tensor::PermuteOp, tensor::PadOp,
                           tensor::ShrinkOp, tensor::FlipOp>(value.getDefiningOp());
  }

  /// What bodies use of outside becomes their last arguments, the same for each. Views are taken inside, and constants
  /// of one value are.
  static SmallVector<Value> capture(ArrayRef<Region *> bodies) {
    llvm::SetVector<Value> used, captured;
    for (bool hasCopied = true; hasCopied;) {
      hasCopied = false;
      used.clear();
      for (Region *body : bodies)
        getUsedValuesDefinedAbove(*body, used);
      for (Value value : used) {
        if (!isCopied(value))
          continue;
        for (Region *body : bodies)
          replaceAllUsesInRegionWith(value, OpBuilder(*body).clone(*value.getDefiningOp())->getResult(0), *body);
        hasCopied = true;
      }
      for (Region *body : bodies)
        for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body->front())))
          if (isOpTriviallyDead(&op))
            op.erase();
    }
    for (Value value : used) {
      captured.insert(value);
      for (Region *body : bodies)
        replaceAllUsesInRegionWith(value, body->addArgument(value.getType(), value.getLoc()), *body);
    }
    return captured.takeVector();
  }

  func::FuncOp createFunction(Operation *op, Region &body, StringRef suffix) {
    auto parent = op->getParentOfType<func::FuncOp>();
    Operation *yield = body.front().getTerminator();
    OpBuilder builder(yield);
    auto type = builder.getFunctionType(body.getArgumentTypes(), yield->getOperandTypes());
    func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
    yield->erase();
    builder.setInsertionPointAfter(parent);
    auto function = func::FuncOp::create(builder, op->getLoc(), (parent.getSymName() + suffix).str(), type);
    function.setPrivate();
    symbols.insert(function);
    function.getBody().takeBody(body);
    return function;
  }

  SymbolTable symbols;
};

/// What names functions takes and gives the types that they do.
template <typename OpTy> struct ConvertTypes : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(this->getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    rewriter.replaceOpWithNewOp<OpTy>(op, types, adaptor.getOperands(), op->getAttrs());
    return success();
  }
};

} // namespace

void outlineBodies(ModuleOp module) {
  BodyOutliner outliner(module);
  // The inner ones first: what they capture is then used in the outer ones.
  SmallVector<Operation *> all;
  module.walk([&](Operation *op) {
    if (isa<tensor::LoopOp, tensor::IfOp>(op))
      all.push_back(op);
  });
  for (Operation *op : all) {
    if (auto loop = dyn_cast<tensor::LoopOp>(op))
      outliner.outline(loop);
    else
      outliner.outline(cast<tensor::IfOp>(op));
  }
}

void addControlPatterns(PatternTable table) {
  table.patterns.add<ConvertTypes<lazy::LoopOp>, ConvertTypes<lazy::IfOp>>(table.converter,
                                                                           table.patterns.getContext());
}

} // namespace tiny
