// A plugin as a user would write it: a pass on Tiny's own classes, whose code the tool has.
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
/// Remarks on the first stride that a reduction walks of each of its operands, and puts a boundary behind it.
struct CountReductionsPass : public PassWrapper<CountReductionsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountReductionsPass)
  StringRef getArgument() const override { return "test-count-reductions"; }
  StringRef getDescription() const override { return "Remark on what reductions read, and end a kernel behind them"; }
  void runOnOperation() override {
    getOperation()->walk([](tiny::lazy::ReduceOp reduce) {
      InFlightDiagnostic remark = reduce.emitRemark("reads");
      for (Value operand : reduce.getInputs())
        if (auto view = operand.getDefiningOp<tiny::lazy::ViewOp>()) {
          auto buffer = tiny::ShapeTracker::identity(cast<RankedTensorType>(view.getInput().getType()).getShape());
          tiny::ShapeTracker whole = tiny::lazy::applyMovement(view, buffer);
          remark << " " << whole.numElements() << " elements of " << buffer.numElements();
        }
      OpBuilder builder(reduce);
      builder.setInsertionPointAfter(reduce);
      auto boundary = tiny::lazy::ContiguousOp::create(builder, reduce.getLoc(), reduce->getResult(0));
      reduce->getResult(0).replaceAllUsesExcept(boundary, boundary);
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TinyTestPlugin", LLVM_VERSION_STRING,
          [] { PassRegistration<CountReductionsPass>(); }};
}
