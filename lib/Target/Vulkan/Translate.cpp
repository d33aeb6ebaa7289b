// Registers the translation of kernels to SPIR-V for tiny-translate.
#include "Tiny/Target/Vulkan/Translate.h"
#include "Vulkan.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

namespace tiny::vulkan {

static LogicalResult print(Operation *op, llvm::raw_ostream &output) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError("expected a module");
  FailureOr<std::string> code = writeSpirv(module);
  if (failed(code))
    return failure();
  output << *code;
  return success();
}

void registerTranslations() {
  static TranslateFromMLIRRegistration spirv(
      "kernels-to-spirv", "write kernels as SPIR-V for Vulkan", print, [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, kernel::KernelDialect, spirv::SPIRVDialect, target::TargetDialect,
                        DLTIDialect>();
      });
}

} // namespace tiny::vulkan
