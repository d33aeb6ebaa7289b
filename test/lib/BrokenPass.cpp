// Passes that are wrong on purpose, for the test that the pass checker names them.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
/// Computes a - b where a + b is written.
struct BreakAddPass : public PassWrapper<BreakAddPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakAddPass)
  StringRef getArgument() const override { return "test-break-add"; }
  StringRef getDescription() const override { return "Turn sums into differences"; }
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      StringRef name = op->getName().getStringRef();
      StringRef wrong = name == "arith.addf" ? "arith.subf" : name == "tiny.add" ? "tiny.sub" : "";
      if (wrong.empty())
        return;
      OpBuilder builder(op);
      OperationState state(op->getLoc(), wrong);
      state.addOperands(op->getOperands());
      state.addTypes(op->getResultTypes());
      op->replaceAllUsesWith(builder.create(state));
      op->erase();
    });
  }
};

/// Makes the accesses of kernels one element too far.
struct BreakIndexPass : public PassWrapper<BreakIndexPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakIndexPass)
  StringRef getArgument() const override { return "test-break-index"; }
  StringRef getDescription() const override { return "Load the element behind the one that is written"; }
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (name != "kernel.load" && name != "uop.load")
        return;
      OpBuilder builder(op);
      Value one = arith::ConstantIndexOp::create(builder, op->getLoc(), 1);
      op->setOperand(1, arith::AddIOp::create(builder, op->getLoc(), op->getOperand(1), one));
    });
  }
};

/// Loses NaNs, and nothing else.
struct BreakNanPass : public PassWrapper<BreakNanPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakNanPass)
  StringRef getArgument() const override { return "test-break-nan"; }
  StringRef getDescription() const override { return "Take a number rather than a NaN for the largest"; }
  void runOnOperation() override {
    getOperation()->walk([](arith::MaximumFOp op) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(
          arith::MaxNumFOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs(), op.getFastmath()).getResult());
      op.erase();
    });
  }
};

/// Compares numbers without a sign as if they had one, which small ones do not show.
struct BreakSignPass : public PassWrapper<BreakSignPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakSignPass)
  StringRef getArgument() const override { return "test-break-sign"; }
  StringRef getDescription() const override { return "Take the largest signed number for the largest unsigned one"; }
  void runOnOperation() override {
    getOperation()->walk([](arith::MaxUIOp op) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(arith::MaxSIOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs()).getResult());
      op.erase();
    });
  }
};

/// Negates zero to zero, and all other numbers as they should be.
struct BreakZeroPass : public PassWrapper<BreakZeroPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakZeroPass)
  StringRef getArgument() const override { return "test-break-zero"; }
  StringRef getDescription() const override { return "Subtract from zero rather than negate"; }
  void runOnOperation() override {
    getOperation()->walk([](arith::NegFOp op) {
      OpBuilder builder(op);
      Value zero = arith::ConstantOp::create(builder, op.getLoc(), builder.getZeroAttr(op.getType()));
      op.replaceAllUsesWith(
          arith::SubFOp::create(builder, op.getLoc(), zero, op.getOperand(), op.getFastmath()).getResult());
      op.erase();
    });
  }
};

/// Stores without their gates, as after an axis that was padded without a care.
struct BreakGatePass : public PassWrapper<BreakGatePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakGatePass)
  StringRef getArgument() const override { return "test-break-gate"; }
  StringRef getDescription() const override { return "Store whether the gate is on or off"; }
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (op->getName().getStringRef() == "kernel.store" && op->getNumOperands() == 4)
        op->eraseOperand(3);
    });
  }
};

/// Loses what makes lanes wait for each other, which no order of lanes that a machine happens to take shows.
struct BreakBarrierPass : public PassWrapper<BreakBarrierPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakBarrierPass)
  StringRef getArgument() const override { return "test-break-barrier"; }
  StringRef getDescription() const override { return "Remove the last barrier of each kernel"; }
  void runOnOperation() override {
    Operation *last = nullptr;
    getOperation()->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "uop.barrier")
        last = op;
    });
    if (last)
      last->erase();
  }
};

/// Takes the root of a square for the absolute value: right unless the square overflows or vanishes.
struct BreakSquarePass : public PassWrapper<BreakSquarePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakSquarePass)
  StringRef getArgument() const override { return "test-break-square"; }
  StringRef getDescription() const override { return "Turn absolute values into roots of squares"; }
  void runOnOperation() override {
    getOperation()->walk([](math::AbsFOp op) {
      OpBuilder builder(op);
      Value square = arith::MulFOp::create(builder, op.getLoc(), op.getOperand(), op.getOperand());
      op.replaceAllUsesWith(math::SqrtOp::create(builder, op.getLoc(), square).getResult());
      op.erase();
    });
  }
};

/// Leaves IR that does not verify.
struct BreakTypePass : public PassWrapper<BreakTypePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakTypePass)
  StringRef getArgument() const override { return "test-break-type"; }
  StringRef getDescription() const override { return "Give negations a type that their operands have not"; }
  void runOnOperation() override {
    getOperation()->walk([](arith::NegFOp op) {
      auto type = cast<RankedTensorType>(op.getType());
      op.getResult().setType(type.clone(Float64Type::get(op.getContext())));
    });
  }
};

/// Ends the process at absolute values.
struct BreakCrashPass : public PassWrapper<BreakCrashPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakCrashPass)
  StringRef getArgument() const override { return "test-break-crash"; }
  StringRef getDescription() const override { return "Abort where an absolute value is computed"; }
  void runOnOperation() override {
    getOperation()->walk([](math::AbsFOp op) { std::abort(); });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TinyTestPasses", LLVM_VERSION_STRING, [] {
            PassRegistration<BreakAddPass>();
            PassRegistration<BreakIndexPass>();
            PassRegistration<BreakNanPass>();
            PassRegistration<BreakSignPass>();
            PassRegistration<BreakZeroPass>();
            PassRegistration<BreakGatePass>();
            PassRegistration<BreakBarrierPass>();
            PassRegistration<BreakSquarePass>();
            PassRegistration<BreakTypePass>();
            PassRegistration<BreakCrashPass>();
          }};
}
