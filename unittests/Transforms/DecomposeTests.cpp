// Decompositions of operations that others add.
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// Takes a negation for a cast to f64.
struct WrongNegation : tiny::tensor::DecomposableOpInterface::ExternalModel<WrongNegation, arith::NegFOp> {
  FailureOr<SmallVector<Value>> decompose(Operation *op, OpBuilder &builder) const {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType()).clone(builder.getF64Type());
    return SmallVector<Value>{arith::ExtFOp::create(builder, op->getLoc(), type, op->getOperand(0))};
  }
};

TEST(Decompose, ResultsKeepTheirTypes) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, tiny::tensor::TinyDialect>();
  arith::NegFOp::attachInterface<WrongNegation>(context);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { errors += diagnostic.str(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"mlir(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.negf %x : tensor<2xf32>
  return %0 : tensor<2xf32>
})mlir",
                                                             ParserConfig(&context));
  ASSERT_TRUE(module) << errors;
  PassManager passes(&context);
  passes.addPass(tiny::tensor::createTensorDecompose());
  EXPECT_TRUE(failed(passes.run(*module)));
  EXPECT_EQ(errors, "'arith.negf' op expects a decomposition into 'tensor<2xf32>', got 'tensor<2xf64>'");
}

} // namespace
