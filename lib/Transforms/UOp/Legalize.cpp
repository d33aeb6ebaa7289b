// uop-legalize: what a target does not have, in terms of what it has.
#include "Legalize.h"

#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPLEGALIZE
#include "Tiny/Transforms/UOp/Passes.h.inc"

LogicalResult expandFma(FuncOp func) {
  SmallVector<math::FmaOp> ops;
  func.walk([&](math::FmaOp op) { ops.push_back(op); });
  for (math::FmaOp op : ops) {
    if (!arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract))
      return op.emitError("'math.fma' without the contract flag needs a target with a fused multiply-add");
    OpBuilder builder(op);
    Value product = arith::MulFOp::create(builder, op.getLoc(), op.getA(), op.getB(), op.getFastmath());
    op.replaceAllUsesWith(
        arith::AddFOp::create(builder, op.getLoc(), product, op.getC(), op.getFastmath()).getResult());
    op.erase();
  }
  return success();
}

namespace {

struct UOpLegalize : impl::UOpLegalizeBase<UOpLegalize> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (failed(expandDivisions(func)) || (!fma && failed(expandFma(func))) ||
        (maxVectorBits > 0 && failed(splitVectors(func, maxVectorBits))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tiny::uop
