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

  LogicalResult initialize(MLIRContext *context) override {
    floats.doubleToHalf = doubleToHalf;
    const std::pair<StringRef, Type> known[] = {{"f16", Float16Type::get(context)},
                                                {"bf16", BFloat16Type::get(context)},
                                                {"f8E4M3FN", Float8E4M3FNType::get(context)},
                                                {"f8E5M2", Float8E5M2Type::get(context)}};
    for (const std::string &name : emulate) {
      const auto *found = llvm::find_if(known, [&](auto &entry) { return entry.first == name; });
      if (found == std::end(known))
        return emitError(UnknownLoc::get(context))
               << "uop-legalize cannot emulate '" << name << "'; expected f16, bf16, f8E4M3FN or f8E5M2";
      floats.emulated.insert(found->second);
    }
    return success();
  }

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (failed(expandDivisions(func)) || (!fma && failed(expandFma(func))) || failed(emulateFloats(func, floats)))
      return signalPassFailure();
    // Narrow floats that are emulated are rounded in f32.
    if (!rounding)
      expandRounding(func);
    saturateCasts(func);
    if (maxVectorBits > 0 && failed(splitVectors(func, maxVectorBits)))
      signalPassFailure();
  }

private:
  FloatSupport floats;
};

} // namespace
} // namespace tiny::uop
