// Compiles the text of a uop program and calls its kernels.
#ifndef TINY_UNITTESTS_TARGET_COMPILETEST_H
#define TINY_UNITTESTS_TARGET_COMPILETEST_H

#include "CompiledKernels.h"
#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Target/Cpu/Record.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

namespace tiny::cpu {

class CompileTest : public testing::Test {
protected:
  CompileTest() {
    context.loadDialect<kernel::KernelDialect, target::TargetDialect, uop::UOpDialect, mlir::LLVM::LLVMDialect,
                        mlir::vector::VectorDialect>();
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream stream(errors);
      stream << diagnostic.getLocation() << ": " << diagnostic << "\n";
    });
  }

  /// For the processor of this name, where one is given.
  mlir::OwningOpRef<mlir::ModuleOp> lower(llvm::StringRef text, llvm::StringRef processor = "") {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    if (!module)
      return nullptr;
    if (!processor.empty())
      target::attachRecord(*module, kDeviceName,
                           target::RecordAttr::get(&context, processor, cost::getGenericMachine()));
    mlir::PassManager passes(&context);
    passes.addPass(uop::createUOpDescribeEntry());
    passes.addPass(createConvertUOpToLLVM());
    return succeeded(passes.run(*module)) ? std::move(module) : nullptr;
  }

  /// Null with `errors` set where it fails.
  std::unique_ptr<CompiledKernels> compile(llvm::StringRef text, const CodeOptions &options = {},
                                           llvm::StringRef processor = "") {
    auto module = lower(text, processor);
    if (!module)
      return nullptr;
    auto compiled = CompiledKernels::compile(*module, options);
    return failed(compiled) ? nullptr : std::move(*compiled);
  }

  /// Calls a kernel for every index of its grid.
  static void call(const CompiledKernels &compiled, llvm::StringRef name, std::vector<void *> buffers) {
    const CompiledKernel *kernel = compiled.lookup(name);
    ASSERT_NE(kernel, nullptr);
    for (int64_t z = 0; z < kernel->entry.getGrid()[2]; ++z)
      for (int64_t y = 0; y < kernel->entry.getGrid()[1]; ++y)
        for (int64_t x = 0; x < kernel->entry.getGrid()[0]; ++x) {
          int64_t index[] = {x, y, z};
          kernel->function(buffers.data(), index);
        }
  }

  mlir::MLIRContext context;
  std::string errors;
};

} // namespace tiny::cpu

#endif // TINY_UNITTESTS_TARGET_COMPILETEST_H
