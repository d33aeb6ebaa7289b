#include "CompileTest.h"

#include "llvm/Support/raw_ostream.h"

using namespace tiny::cpu;

namespace {

constexpr llvm::StringLiteral doubleKernel = R"mlir(
uop.func @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = uop.special global dim(0) extent(8)
  %x = uop.load %in[%i] : memref<8xf32>, f32
  %y = arith.addf %x, %x : f32
  uop.store %y, %out[%i] : f32, memref<8xf32>
  uop.return
})mlir";

} // namespace

TEST_F(CompileTest, RunsAKernelOverItsGrid) {
  auto compiled = compile(doubleKernel);
  ASSERT_TRUE(compiled) << errors;
  float in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8] = {};
  call(*compiled, "double", {in, out});
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], 2.0f * i);
}

TEST_F(CompileTest, DescribesItsKernels) {
  auto compiled = compile(doubleKernel);
  ASSERT_TRUE(compiled) << errors;
  ASSERT_EQ(compiled->getKernels().size(), 1u);
  EXPECT_EQ(compiled->getKernels()[0].entry.getGrid(), (std::array<int64_t, 3>{8, 1, 1}));
  EXPECT_FALSE(compiled->getKernels()[0].entry.getInPlace());
  EXPECT_EQ(compiled->lookup("other"), nullptr);
}

TEST_F(CompileTest, ModuleWithoutKernelsIsEmpty) {
  auto compiled = compile("module {}");
  ASSERT_TRUE(compiled) << errors;
  EXPECT_TRUE(compiled->getKernels().empty());
}

TEST_F(CompileTest, CompilesAtEveryLevelAndThreadCount) {
  std::string text;
  for (int i = 0; i < 7; ++i) {
    std::string one = doubleKernel.str();
    one.replace(one.find("double"), 6, "double" + std::to_string(i));
    text += one;
  }
  for (unsigned level = 0; level <= 3; ++level)
    for (bool together : {false, true}) {
      CodeOptions options;
      options.optimization = level;
      options.together = together;
      auto compiled = compile(text, options);
      ASSERT_TRUE(compiled) << errors;
      for (int i = 0; i < 7; ++i) {
        float in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8] = {};
        call(*compiled, "double" + std::to_string(i), {in, out});
        EXPECT_EQ(out[7], 14.0f);
      }
    }
}

TEST_F(CompileTest, PrintsIrAndAssembly) {
  std::string ir, assembly;
  llvm::raw_string_ostream irStream(ir), assemblyStream(assembly);
  CodeOptions options;
  options.ir = &irStream;
  options.assembly = &assemblyStream;
  ASSERT_TRUE(compile(doubleKernel, options)) << errors;
  EXPECT_NE(ir.find("define void @double("), std::string::npos) << ir;
  EXPECT_NE(ir.find("\"target-cpu\"="), std::string::npos) << ir;
  EXPECT_NE(ir.find("\"no-builtins\""), std::string::npos) << ir;
  EXPECT_NE(assembly.find("double:"), std::string::npos) << assembly;
}

TEST_F(CompileTest, UnknownProcessorIsAnError) {
  EXPECT_FALSE(compile(doubleKernel, {}, "abacus"));
  EXPECT_NE(errors.find("unknown processor 'abacus'"), std::string::npos) << errors;
}

TEST_F(CompileTest, CallOfALibraryNamesSymbolAndKernel) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
llvm.func @good(%buffers: !llvm.ptr, %grid: !llvm.ptr) attributes {kernel.entry = #kernel.entry<>} {
  llvm.return
}
llvm.func @bad(%buffers: !llvm.ptr, %grid: !llvm.ptr) attributes {kernel.entry = #kernel.entry<>} {
  %p = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> f32
  %y = llvm.intr.exp(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
})mlir",
                                                        mlir::ParserConfig(&context), "kernels.mlir");
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(failed(CompiledKernels::compile(*module)));
  EXPECT_NE(errors.find("kernel 'bad' would call 'expf', and a CPU kernel calls nothing"), std::string::npos) << errors;
  EXPECT_NE(errors.find("\"kernels.mlir\":5:1"), std::string::npos) << errors;
}

TEST_F(CompileTest, KernelOfAnotherShapeIsRefused) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
llvm.func @odd(%x: i32) attributes {kernel.entry = #kernel.entry<>} {
  llvm.return
})mlir",
                                                        mlir::ParserConfig(&context));
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(failed(CompiledKernels::compile(*module)));
  EXPECT_NE(errors.find("kernel 'odd' does not have a CPU kernel's arguments"), std::string::npos) << errors;
}

TEST_F(CompileTest, WhatIsNoLlvmYetIsRefused) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
llvm.func @mixed(%buffers: !llvm.ptr, %grid: !llvm.ptr) attributes {kernel.entry = #kernel.entry<>} {
  %p = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> f32
  %y = arith.addf %x, %x : f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
})mlir",
                                                        mlir::ParserConfig(&context));
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(failed(CompiledKernels::compile(*module)));
  EXPECT_NE(errors.find("kernel 'mixed' cannot be compiled: translation to LLVM IR failed"), std::string::npos)
      << errors;
}

// LLVM knows these loops as memset and memcpy, which a kernel must not call.
TEST_F(CompileTest, LoopsThatFillOrCopyStayLoops) {
  auto compiled = compile(R"mlir(
uop.func @fill_and_copy(%in: memref<1000xi8>, %zeros: memref<1000xi8>, %out: memref<1000xi8>) {
  %n = arith.constant 1000 : index
  %zero = arith.constant 0 : i8
  uop.for %i to %n {
    uop.store %zero, %zeros[%i] : i8, memref<1000xi8>
  }
  uop.for %i to %n {
    %x = uop.load %in[%i] : memref<1000xi8>, i8
    uop.store %x, %out[%i] : i8, memref<1000xi8>
  }
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  std::vector<char> in(1000, 'a'), zeros(1000, 'b'), out(1000, 'c');
  call(*compiled, "fill_and_copy", {in.data(), zeros.data(), out.data()});
  EXPECT_EQ(zeros, std::vector<char>(1000, 0));
  EXPECT_EQ(out, in);
}

#if defined(__x86_64__)
TEST_F(CompileTest, RunsForAnOlderProcessor) {
  auto compiled = compile(doubleKernel, {}, "x86-64");
  ASSERT_TRUE(compiled) << errors;
  float in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8] = {};
  call(*compiled, "double", {in, out});
  EXPECT_EQ(out[3], 6.0f);
}
#endif
