// verify-lazy: what may exist on the lazy level.
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/HostTensor.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Lazy/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_VERIFYLAZY
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

/// (gate_c3) a signless integer or a float.
bool isScalar(Type type) { return type.isSignlessInteger() || isa<FloatType>(type); }

/// Why `type` can't be a lazy value; empty where it can.
StringRef whyNotTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return "is no statically shaped tensor";
  if (!isScalar(tensor.getElementType()))
    return "has elements that are neither signless integers nor floats";
  if (!countElements(tensor.getShape(), llvm::divideCeil(tensor.getElementTypeBitWidth(), 8)))
    return "is too large: its size in bytes overflows";
  return "";
}

struct VerifyLazy : impl::VerifyLazyBase<VerifyLazy> {
  void runOnOperation() override {
    bool failed = false;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == getOperation())
        return WalkResult::advance();
      // A nested module has its own rules: schedules live in one.
      if (isa<ModuleOp>(op))
        return WalkResult::skip();
      failed |= mlir::failed(verifyOp(op));
      // The types in a combiner are its verifier's business.
      return isa<ReduceOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    if (failed)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult verifyOp(Operation *op) {
    // (gate_c1) only these dialects, and whatever else is elementwise.
    if (!isa_and_nonnull<func::FuncDialect, LazyDialect, arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
        !OpTrait::hasElementwiseMappableTraits(op))
      return op->emitError() << "'" << op->getName() << "' can't stand on the lazy level";
    // (gate_c2) one block per function.
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      if (function.isExternal())
        return success();
      if (!function.getBody().hasOneBlock())
        return function.emitError() << "function '" << function.getName()
                                    << "' has control flow: expects one block, got "
                                    << function.getBody().getBlocks().size();
      // (gate_c4) what the function says about its state holds.
      if (failed(verifyState(function)))
        return failure();
      for (BlockArgument argument : function.getArguments())
        if (StringRef why = whyNotTensor(argument.getType()); !why.empty())
          return emitError(argument.getLoc())
                 << "argument #" << argument.getArgNumber() << " of type " << argument.getType() << " " << why;
      return success();
    }
    for (OpResult result : op->getResults())
      if (StringRef why = whyNotTensor(result.getType()); !why.empty())
        return op->emitOpError() << "result #" << result.getResultNumber() << " of type " << result.getType() << " "
                                 << why;
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return verifyCombinerOps(reduce);
    return success();
  }

  LogicalResult verifyCombinerOps(ReduceOp reduce) {
    for (Block &block : reduce.getCombiner())
      for (Operation &op : block.without_terminator()) {
        if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect()))
          return op.emitError() << "'" << op.getName() << "' can't stand in a combiner";
        for (Type type : op.getResultTypes())
          if (!isScalar(type))
            return op.emitOpError() << "gives " << type << ": a combiner computes signless integers and floats";
      }
    return success();
  }
};

} // namespace
} // namespace tiny::lazy
