#include "Tiny/Reference/Interpreter.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::reference;

namespace {

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, kernel::KernelDialect, lazy::LazyDialect,
                        math::MathDialect, memref::MemRefDialect, uop::UOpDialect, vector::VectorDialect>();
  }
  void parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(InterpreterTest, AHugeVirtualProductNeedsNoMemory) {
  parse(R"(
    func.func @main(%x: tensor<2048xf32>, %y: tensor<2048xf32>) -> tensor<f32> {
      %a = lazy.reshape %x : tensor<2048xf32> -> tensor<2048x1xf32>
      %b = lazy.expand %a : tensor<2048x1xf32> -> tensor<2048x2048xf32>
      %c = lazy.reshape %y : tensor<2048xf32> -> tensor<1x2048xf32>
      %d = lazy.expand %c : tensor<1x2048xf32> -> tensor<2048x2048xf32>
      %p = arith.mulf %b, %d : tensor<2048x2048xf32>
      %s = lazy.reduce addf (%p) axes [0, 1] : (tensor<2048x2048xf32>) -> tensor<f32>
      return %s : tensor<f32>
    })");
  HostTensor x = HostTensor::zeros(TINY_DTYPE_F32, {2048}), y = x;
  x.data<float>()[5] = 2;
  y.data<float>()[7] = 3;
  y.data<float>()[2047] = 0.5;
  InterpreterOptions options;
  options.maxBytes = 1 << 16;
  Evaluated evaluated = evaluate(*module, "main", {x, y}, options);
  ASSERT_FALSE(evaluated.error) << evaluated.error->message;
  EXPECT_EQ(evaluated.results[0].data<float>()[0], 7);
}

TEST_F(InterpreterTest, ADeepChainTakesNoStack) {
  std::string text = "func.func @main(%v0: tensor<2xf32>) -> tensor<2xf32> {\n";
  llvm::raw_string_ostream os(text);
  constexpr int depth = 20000;
  for (int k = 0; k < depth; ++k)
    os << "  %v" << k + 1 << " = arith.negf %v" << k << " : tensor<2xf32>\n";
  os << "  return %v" << depth << " : tensor<2xf32>\n}\n";
  parse(text);
  HostTensor x = HostTensor::zeros(TINY_DTYPE_F32, {2});
  x.data<float>()[1] = 3;
  Evaluated evaluated = evaluate(*module, "main", {x});
  ASSERT_FALSE(evaluated.error) << evaluated.error->message;
  EXPECT_EQ(evaluated.results[0].data<float>()[1], 3);
}

TEST_F(InterpreterTest, NothingHangs) {
  parse(R"(
    uop.func @spin(%out: memref<1xf32>) {
      %n = arith.constant 4611686018427387904 : index
      uop.for %i to %n {
      }
      uop.return
    })");
  InterpreterOptions options;
  options.maxSteps = 100000;
  Evaluated evaluated = evaluate(*module, "spin", {HostTensor::zeros(TINY_DTYPE_F32, {1})}, options);
  ASSERT_TRUE(evaluated.error);
  EXPECT_EQ(evaluated.error->kind, InterpreterError::Kind::Limit);
}

TEST_F(InterpreterTest, InputsMustBeWhatTheProgramTakes) {
  parse(R"(
    func.func @main(%x: tensor<2xi8> {tiny.type = tensor<2xui8>}) -> (tensor<2xi8> {tiny.type = tensor<2xui8>}) {
      return %x : tensor<2xi8>
    })");
  HostTensor right = HostTensor::zeros(TINY_DTYPE_U8, {2});
  EXPECT_FALSE(evaluate(*module, "main", {right}).error);
  auto expectRefused = [&](StringRef program, ArrayRef<HostTensor> inputs, StringRef message) {
    Evaluated evaluated = evaluate(*module, program, inputs);
    ASSERT_TRUE(evaluated.error);
    EXPECT_EQ(evaluated.error->kind, InterpreterError::Kind::Inputs);
    EXPECT_EQ(evaluated.error->message, message.str());
  };
  expectRefused("main", {}, "'main' takes 1 inputs, got 0");
  expectRefused("main", {HostTensor::zeros(TINY_DTYPE_I8, {2})},
                "input 0 of 'main' is tensor<2xui8>, got tensor<2xi8>");
  expectRefused("main", {HostTensor::zeros(TINY_DTYPE_U8, {2, 1})},
                "input 0 of 'main' is tensor<2xui8>, got tensor<2x1xui8>");
  expectRefused("other", {right}, "there is no function 'other' to evaluate");
}

TEST_F(InterpreterTest, LaunchedKernelsAreNotProgramsOfTheirOwn) {
  parse(R"(
    kernel.program @main(%x: memref<4xf32>) -> memref<4xf32> {
      %y = kernel.alloc : memref<4xf32>
      kernel.launch @copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      kernel.return %y : memref<4xf32>
    }
    kernel.func @copy(%in: memref<4xf32>, %out: memref<4xf32>) {
      %i = kernel.range loop id(0) extent(4)
      %x = kernel.load %in[%i] : memref<4xf32>
      kernel.store %x, %out[%i] : memref<4xf32>
    }
    kernel.func @free(%in: memref<4xf32>, %out: memref<4xf32>) {
      %i = kernel.range loop id(0) extent(4)
      %x = kernel.load %in[%i] : memref<4xf32>
      kernel.store %x, %out[%i] : memref<4xf32>
    })");
  SmallVector<FunctionOpInterface> functions = getEvaluable(*module);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].getName(), "main");
  EXPECT_EQ(functions[1].getName(), "free");
  EXPECT_EQ(getEvaluationSignature(functions[1])->results.size(), 2u);
}

TEST_F(InterpreterTest, AnExpressionHasALimit) {
  std::string text = "func.func @main(%v0: tensor<2xf32>) -> tensor<2xf32> {\n";
  llvm::raw_string_ostream os(text);
  constexpr int depth = (1 << 18) + 2;
  for (int k = 0; k < depth; ++k)
    os << "  %v" << k + 1 << " = arith.negf %v" << k << " : tensor<2xf32>\n";
  os << "  return %v" << depth << " : tensor<2xf32>\n}\n";
  parse(text);
  Evaluated evaluated = evaluate(*module, "main", {HostTensor::zeros(TINY_DTYPE_F32, {2})});
  ASSERT_TRUE(evaluated.error);
  EXPECT_EQ(evaluated.error->message, "the expression is too large for the interpreter");
}

/// Programs that no verifier has seen: each is an error, whatever it says.
TEST_F(InterpreterTest, WhatVerifiersKeepOutIsAnError) {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {R"(func.func @main(%x: index) -> tensor<2xf32> {
            %0 = arith.constant dense<1.0> : tensor<2xf32>
            return %0 : tensor<2xf32>
          })",
       "'main' takes or gives something else than tensors"},
      {R"("func.func"() <{function_type = () -> tensor<3xf32>, sym_name = "main"}> ({
            %0 = arith.constant dense<1.0> : tensor<2xf32>
            "func.return"(%0) : (tensor<2xf32>) -> ()
          }) : () -> ())",
       "a result of 2 elements does not have its stated shape"},
      {R"("func.func"() <{function_type = () -> tensor<2xf32>, sym_name = "main"}> ({
            %0 = arith.constant dense<1.0> : tensor<2xf32>
            %1 = "arith.negf"(%0) : (tensor<2xf32>) -> tensor<?xf32>
            "func.return"(%1) : (tensor<?xf32>) -> ()
          }) : () -> ())",
       "the interpreter does not know dynamic shapes"},
      {R"(kernel.program @main() -> memref<8xf32> {
            %0 = kernel.constant dense<1.0> : tensor<4xf32> -> memref<4xf32>
            %1 = kernel.alias %0[2] : memref<4xf32> -> memref<8xf32>
            kernel.return %1 : memref<8xf32>
          })",
       "an alias of elements 2 to 10 of a buffer of 4"},
      {R"(kernel.program @main() -> memref<4xf32> {
            %0 = kernel.alloc : memref<4xf32>
            %1 = kernel.alloc : memref<4xf32>
            kernel.launch @other ins(%1 : memref<4xf32>) outs(%0 : memref<4xf32>)
            kernel.return %0 : memref<4xf32>
          }
          func.func private @other(memref<4xf32>, memref<4xf32>))",
       "the interpreter does not know the kernel 'other'"},
      {R"(kernel.program @main() -> memref<4xf32> {
            %0 = kernel.alloc : memref<4xf32>
            %1 = kernel.alloc : memref<4xf32>
            kernel.launch @cycle ins(%1 : memref<4xf32>) outs(%0 : memref<4xf32>)
            kernel.return %0 : memref<4xf32>
          }
          kernel.func @cycle(%in: memref<4xf32>, %out: memref<4xf32>) {
            %c0 = arith.constant 0 : index
            %y = arith.addf %z, %z : f32
            %z = arith.addf %y, %y : f32
            kernel.store %y, %out[%c0] : memref<4xf32>
          })",
       "a kernel's values depend on each other in a cycle"},
      {R"(kernel.program @main() -> memref<4xf32> {
            %0 = kernel.constant dense<1.0> : tensor<4xf128> -> memref<4xf128>
            %1 = kernel.alloc : memref<4xf32>
            kernel.return %1 : memref<4xf32>
          })",
       "the interpreter does not know this constant's type"},
      {R"(kernel.program @main() -> memref<4xf32> {
            %0 = kernel.constant dense_resource<absent> : tensor<4xf32> -> memref<4xf32>
            kernel.return %0 : memref<4xf32>
          })",
       "the interpreter cannot read this constant"},
  };
  for (const Case &wrong : cases) {
    module = parseSourceString<ModuleOp>(wrong.text, ParserConfig(&context, /*verifyAfterParse=*/false));
    ASSERT_TRUE(module) << wrong.text;
    Evaluated evaluated = evaluate(*module, "main", {});
    ASSERT_TRUE(evaluated.error) << wrong.message;
    EXPECT_EQ(evaluated.error->message, wrong.message);
  }
}

} // namespace
