// Registers the translation of kernels to PTX for tiny-translate.
#include "Tiny/Target/Cuda/Translate.h"
#include "Cuda.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

namespace tiny::cuda {

static LogicalResult print(Operation *op, llvm::raw_ostream &output) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("expected a module");
  target::RecordAttr record = target::lookupRecord(module, kDeviceName);
  FailureOr<std::string> text =
      writePtx(module, record ? record.getName() : StringRef(kDefaultArchitecture), SerializeOptions().optimization);
  if (failed(text))
    return failure();
  output << *text;
  return success();
}

void registerTranslations() {
  static TranslateFromMLIRRegistration ptx(
      "kernels-to-ptx", "print kernels as PTX for NVIDIA's GPUs", print, [](DialectRegistry &registry) {
        registry
            .insert<kernel::KernelDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, target::TargetDialect, DLTIDialect>();
      });
}

} // namespace tiny::cuda
