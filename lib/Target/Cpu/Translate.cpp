// Registers the translations of kernels to LLVM IR and assembly for tiny-translate.
#include "Tiny/Target/Cpu/Translate.h"
#include "Tiny/Target/Cpu/CpuTarget.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

namespace tiny::cpu {

/// Writes the module's kernels in a form of the target.
static LogicalResult print(Operation *op, StringRef form, const std::string &processor, llvm::raw_ostream &output) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("expected a module");
  std::unique_ptr<Target> target = createCpuTarget();
  if (!processor.empty()) {
    llvm::Expected<target::RecordAttr> record = target->makeRecord(processor, op->getContext());
    if (!record)
      return op->emitError(llvm::toString(record.takeError()));
    target::attachRecord(module, target->getName(), *record);
  }
  FailureOr<std::string> text = target->print(module, form, {});
  if (failed(text))
    return failure();
  if (text->empty())
    return module.emitError("has no kernel at the llvm level; convert-uop-to-llvm makes them");
  output << *text;
  return success();
}

void registerTranslations() {
  static llvm::cl::opt<std::string> processor("processor",
                                              llvm::cl::desc("Processor to compile for, by LLVM's name; that of the "
                                                             "module's record, or the host's, where it is not given"));
  auto registerDialects = [](DialectRegistry &registry) {
    registry.insert<kernel::KernelDialect, LLVM::LLVMDialect, target::TargetDialect, DLTIDialect>();
  };
  static TranslateFromMLIRRegistration ir(
      "kernels-to-llvmir", "print the optimised LLVM IR of kernels",
      [](Operation *op, llvm::raw_ostream &output) { return print(op, "llvm-ir", processor, output); },
      registerDialects);
  static TranslateFromMLIRRegistration assembly(
      "kernels-to-assembly", "print the machine code of kernels as assembly",
      [](Operation *op, llvm::raw_ostream &output) { return print(op, "assembly", processor, output); },
      registerDialects);
}

} // namespace tiny::cpu
