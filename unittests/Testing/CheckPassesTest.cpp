#include "Tiny/Testing/CheckPasses.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tiny::reference;

namespace {

/// Negates what the function @f0 returns.
struct BreakPass : public PassWrapper<BreakPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakPass)
  StringRef getArgument() const override { return "break-f0"; }
  void runOnOperation() override {
    if (getOperation().getName() != "f0")
      return;
    Operation *end = getOperation().getBody().front().getTerminator();
    OpBuilder builder(end);
    end->setOperand(0, arith::NegFOp::create(builder, end->getLoc(), end->getOperand(0)));
  }
};

/// Adds an operation that nothing needs.
struct GrowPass : public PassWrapper<GrowPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GrowPass)
  StringRef getArgument() const override { return "grow"; }
  void runOnOperation() override {
    Operation *end = getOperation().getBody().front().getTerminator();
    OpBuilder builder(end);
    arith::NegFOp::create(builder, end->getLoc(), end->getOperand(0));
  }
};

/// Gives @f0 results that it did not have: as f64, or all twice.
struct RetypePass : public PassWrapper<RetypePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RetypePass)
  explicit RetypePass(bool twice) : twice(twice) {}
  StringRef getArgument() const override { return "retype-f0"; }
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.getName() != "f0")
      return;
    Operation *end = func.getBody().front().getTerminator();
    OpBuilder builder(end);
    Value value = end->getOperand(0);
    if (!twice)
      value = arith::ExtFOp::create(builder, end->getLoc(), RankedTensorType::get(8, builder.getF64Type()), value);
    end->setOperands(twice ? SmallVector<Value>{value, value} : SmallVector<Value>{value});
    func.setFunctionType(builder.getFunctionType(func.getArgumentTypes(), end->getOperandTypes()));
  }
  bool twice;
};

class CheckPassesTest : public ::testing::TestWithParam<bool> {
protected:
  CheckPassesTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, tiny::lazy::LazyDialect>();
    std::string text;
    for (int k = 0; k < 16; ++k)
      text += "func.func @f" + std::to_string(k) +
              "(%x: tensor<8xf32>) -> tensor<8xf32> {\n %0 = arith.addf %x, %x : tensor<8xf32>\n"
              " return %0 : tensor<8xf32>\n}\n";
    module = parseSourceString<ModuleOp>(text, &context);
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// With and without threads: with them, passes on functions are one step.
TEST_P(CheckPassesTest, NamesTheBrokenPass) {
  context.disableMultithreading(!GetParam());
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  auto result = std::make_shared<CheckPassesResult>();
  PassManager manager(&context);
  manager.addInstrumentation(createPassChecker({}, result));
  manager.nest<func::FuncOp>().addPass(std::make_unique<BreakPass>());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_TRUE(result->changed);
  EXPECT_NE(message.find("break-f0"), std::string::npos) << message;
  EXPECT_NE(message.find("changed result 0 of 'f0'"), std::string::npos) << message;
}

TEST_P(CheckPassesTest, ResultsKeepTheirNumberAndTypes) {
  context.disableMultithreading(!GetParam());
  for (bool twice : {false, true}) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
    auto result = std::make_shared<CheckPassesResult>();
    PassManager manager(&context);
    manager.addInstrumentation(createPassChecker({}, result));
    manager.nest<func::FuncOp>().addPass(std::make_unique<RetypePass>(twice));
    OwningOpRef<ModuleOp> copy = module->clone();
    ASSERT_TRUE(succeeded(manager.run(*copy)));
    EXPECT_TRUE(result->changed);
    EXPECT_NE(message.find(twice ? "changed the number of results of 'f0' from 1 to 2"
                                 : "changed the type of result 0 of 'f0'"),
              std::string::npos)
        << message;
  }
}

TEST_P(CheckPassesTest, TheResultOutlivesTheRun) {
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
  std::shared_ptr<CheckPassesResult> result;
  {
    PassManager manager(&context);
    result = checkPasses(manager, {});
    if (GetParam())
      manager.nest<func::FuncOp>().addPass(std::make_unique<BreakPass>());
    ASSERT_TRUE(succeeded(manager.run(*module)));
  }
  EXPECT_EQ(result->changed, GetParam());
}

/// What is too large to be evaluated after each pass is compared at the end, and the pass is found among many.
TEST_P(CheckPassesTest, LargeProgramsAreComparedAtTheEnd) {
  context.disableMultithreading(!GetParam());
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  auto result = std::make_shared<CheckPassesResult>();
  CheckPassesOptions options;
  options.maxStepsPerPass = 1;
  {
    PassManager manager(&context);
    manager.addInstrumentation(createPassChecker(options, result));
    manager.nest<func::FuncOp>().addPass(std::make_unique<GrowPass>());
    manager.nest<func::FuncOp>().addPass(std::make_unique<BreakPass>());
    manager.nest<func::FuncOp>().addPass(std::make_unique<GrowPass>());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    EXPECT_FALSE(result->changed);
  }
  EXPECT_TRUE(result->changed);
  EXPECT_NE(message.find("break-f0"), std::string::npos) << message;
  EXPECT_NE(message.find("changed result 0 of 'f0'"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Threads, CheckPassesTest, ::testing::Bool());

} // namespace
