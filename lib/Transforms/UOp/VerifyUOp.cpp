// verify-uop: the gate behind convert-kernel-to-uop.
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Exp2.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_VERIFYUOP
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Whether targets have the operation, or lower it without a call.
bool isNativeMath(Operation *op) {
  if (auto power = dyn_cast<math::Exp2Op>(op))
    return isInstruction(power, target::findMachine(op));
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
             math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

struct VerifyUOp : impl::VerifyUOpBase<VerifyUOp> {
  using Base::Base;

  LogicalResult verifyAxes(FuncOp func) {
    // By axis and dim: the op that states it first.
    SpecialOp first[getMaxEnumValForHardwareAxis() + 1][3] = {};
    WalkResult result = func.walk([&](SpecialOp op) {
      SpecialOp &seen = first[static_cast<unsigned>(op.getAxis())][op.getDim()];
      if (!seen)
        seen = op;
      if (seen.getExtent() == op.getExtent())
        return WalkResult::advance();
      InFlightDiagnostic diag = op.emitError()
                                << stringifyHardwareAxis(op.getAxis()) << " dim(" << op.getDim() << ") has extent "
                                << op.getExtent() << ", expected " << seen.getExtent();
      diag.attachNote(seen.getLoc()) << "the same axis is here";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    for (auto &dims : first)
      for (unsigned dim : {1, 2})
        if (dims[dim] && !dims[dim - 1])
          return dims[dim].emitError() << stringifyHardwareAxis(dims[dim].getAxis()) << " dim(" << dim
                                       << ") is used without dim(" << dim - 1 << ")";
    return success();
  }

  LogicalResult verifyOp(Operation *op) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect, vector::VectorDialect, sym::SymDialect, UOpDialect>(
            op->getDialect()))
      return op->emitError() << "'" << op->getName() << "' cannot stand in a uop.func";
    if (!legal)
      return success();
    if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op) || isa<sym::SymDialect>(op->getDialect()))
      return op->emitError() << "'" << op->getName() << "' is left; uop-legalize replaces it";
    if ((isa<math::MathDialect>(op->getDialect()) && !isNativeMath(op)) || isa<arith::RemFOp>(op))
      return op->emitError() << "'" << op->getName() << "' is left; uop-expand-math replaces it";
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto func = dyn_cast<FuncOp>(op);
      if (!func && op->hasTrait<KernelTrait>()) {
        op->emitError() << "'" << op->getName() << "' is left; convert-kernel-to-uop replaces it";
        return WalkResult::interrupt();
      }
      if (!func)
        return WalkResult::advance();
      if (failed(verifyAxes(func)))
        return WalkResult::interrupt();
      WalkResult inside = func.getBody().walk(
          [&](Operation *inner) { return failed(verifyOp(inner)) ? WalkResult::interrupt() : WalkResult::advance(); });
      return inside.wasInterrupted() || failed(verifyParallel(func)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tiny::uop
