// uop-legalize: what a target does not have, in terms of what it has.
#include "Legalize.h"

#include "Tiny/Dialect/Target/Target.h"
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

/// What the record says of float types narrower than f32.
static FloatSupport getFloatSupport(const cost::Machine &machine, MLIRContext *context) {
  FloatSupport support;
  support.hasDouble = machine.types.contains(cost::ElementType::F64);
  support.doubleToHalf = machine.has(cost::Instruction::DoubleToHalf);
  support.floatToBfloat = machine.has(cost::Instruction::FloatToBfloat);
  for (Type type : {Type(Float16Type::get(context)), Type(BFloat16Type::get(context)),
                    Type(Float8E4M3FNType::get(context)), Type(Float8E5M2Type::get(context))}) {
    cost::ElementType element = *target::getElementType(type);
    if (!machine.types.contains(element) && !machine.converts.contains(element))
      support.emulated.insert(type);
  }
  return support;
}

/// Processors have them all.
static bool lacksWideIntegers(const cost::Machine &machine) {
  return machine.kind == cost::DeviceKind::Gpu && !machine.types.contains(cost::ElementType::I64);
}

namespace {

struct UOpLegalize : impl::UOpLegalizeBase<UOpLegalize> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    const cost::Machine &machine = target::findMachine(func);
    if (failed(expandDivisions(func)) || (!machine.has(cost::Instruction::Fma) && failed(expandFma(func))) ||
        failed(emulateFloats(func, getFloatSupport(machine, &getContext()))))
      return signalPassFailure();
    expandDots(func, machine);
    // Narrow floats that are emulated are rounded in f32.
    if (!machine.has(cost::Instruction::Round))
      expandRounding(func);
    saturateCasts(func);
    if (lacksWideIntegers(machine) && failed(emulateIntegers(func, machine.types.contains(cost::ElementType::F64))))
      return signalPassFailure();
    // A GPU has no vector registers.
    if (splitVectors && machine.vectorBits > 0 && failed(uop::splitVectors(func, machine.vectorBits)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tiny::uop
