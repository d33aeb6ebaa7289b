// tiny-translate: mlir-translate between other formats and Tiny's levels.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/SafeParse.h"
#include "Tiny/Target/C/CTarget.h"
#include "Tiny/Target/Cpu/Translate.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static void registerFromOnnx() {
  static llvm::cl::list<std::string> dims("dim", llvm::cl::desc("Size of a dimension that the model leaves open"),
                                          llvm::cl::value_desc("name=size"));
  static TranslateToMLIRRegistration registration(
      "import-onnx", "import an ONNX model as tensor operations",
      [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        tiny::OnnxImportOptions options;
        for (const std::string &dim : dims) {
          auto [name, size] = StringRef(dim).rsplit('=');
          int64_t number;
          if (name.empty() || size.getAsInteger(10, number) || number < 0) {
            emitError(UnknownLoc::get(context)) << "'--dim " << dim << "': expected name=size";
            return nullptr;
          }
          options.dims[name] = number;
        }
        const llvm::MemoryBuffer &model = *sources.getMemoryBuffer(sources.getMainFileID());
        options.path = model.getBufferIdentifier();
        return tiny::importOnnx(model.getBuffer(), context, options);
      });
}

int main(int argc, char **argv) {
  registerFromOnnx();
  tiny::c::registerTranslations();
  tiny::cpu::registerTranslations();
  DialectRegistry registry;
  registry.insert<tiny::kernel::KernelDialect, LLVM::LLVMDialect>();
  if (!tiny::checkReadableArguments(argc, argv, registry))
    return 1;
  return failed(mlirTranslateMain(argc, argv, "Tiny translation driver\n"));
}
