#include "Tiny/Target/Cpu/Translate.h"
#include "Tiny/Target/Cpu/Jit.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

namespace tiny::cpu {

/// Compiles in one part, so that kernels are printed in the module's order, and throws the code away.
static LogicalResult print(Operation *op, const JitOptions &options) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("expected a module");
  FailureOr<std::unique_ptr<Jit>> jit = Jit::compile(module, options);
  if (failed(jit))
    return failure();
  if ((*jit)->getKernels().empty())
    return module.emitError("has no kernel at the llvm level; convert-uop-to-llvm makes them");
  return success();
}

void registerTranslations() {
  static llvm::cl::opt<std::string> processor(
      "processor", llvm::cl::desc("Processor to compile for, by LLVM's name; the host's where it is not given"));
  auto registerDialects = [](DialectRegistry &registry) {
    registry.insert<kernel::KernelDialect, LLVM::LLVMDialect>();
  };
  auto defaults = [] {
    JitOptions options;
    options.processor = processor;
    options.together = true;
    return options;
  };
  static TranslateFromMLIRRegistration ir(
      "kernels-to-llvmir", "print the optimised LLVM IR of kernels",
      [defaults](Operation *op, llvm::raw_ostream &output) {
        JitOptions options = defaults();
        options.ir = &output;
        return print(op, options);
      },
      registerDialects);
  static TranslateFromMLIRRegistration assembly(
      "kernels-to-assembly", "print the machine code of kernels as assembly",
      [defaults](Operation *op, llvm::raw_ostream &output) {
        JitOptions options = defaults();
        options.assembly = &output;
        return print(op, options);
      },
      registerDialects);
}

} // namespace tiny::cpu
