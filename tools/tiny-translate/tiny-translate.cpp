// tiny-translate: mlir-translate between other formats and Tiny's levels.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/SafeParse.h"
#include "Tiny/Target/C/CTarget.h"
#include "Tiny/Target/Cpu/Translate.h"
#include "Tiny/Target/Cuda/Translate.h"
#include "Tiny/Target/Vulkan/Translate.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// Imports the model that is asked for; null after errors.
static OwningOpRef<ModuleOp> readModel(llvm::SourceMgr &sources, MLIRContext *context, ArrayRef<std::string> dims) {
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
  if (options.path != "<stdin>")
    options.folder = llvm::sys::path::parent_path(options.path).str();
  return tiny::importOnnx(model.getBuffer(), context, options);
}

/// With `isCheck` the import says what it found instead of writing it.
static void registerFromOnnx(bool isCheck) {
  static llvm::cl::list<std::string> dims("dim", llvm::cl::desc("Size of a dimension that the model leaves open"),
                                          llvm::cl::value_desc("name=size"));
  static llvm::cl::opt<bool> check("check",
                                   llvm::cl::desc("Only say whether a model can be imported, or all reasons why not"));
  constexpr StringLiteral what = "import an ONNX model as tensor operations";
  if (!isCheck) {
    static TranslateToMLIRRegistration registration(
        "import-onnx", what, [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
          return readModel(sources, context, dims);
        });
    return;
  }
  static TranslateRegistration registration(
      "import-onnx", what,
      [](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &out, MLIRContext *context) -> LogicalResult {
        OwningOpRef<ModuleOp> module = readModel(*sources, context, dims);
        if (!module)
          return failure();
        int64_t count = 0;
        module->walk([&](Operation *op) { count += isa<tiny::tensor::TinyDialect>(op->getDialect()); });
        out << "can be imported: " << count << " operations\n";
        return success();
      });
}

/// What the importer knows, for docs/OnnxOperators.md.
static void listOperators() {
  for (const tiny::OnnxOperator &known : tiny::listOnnxOperators())
    llvm::outs() << known.name << (known.attributes.empty() ? "" : " ") << known.attributes << "\n";
}

int main(int argc, char **argv) {
  ArrayRef<char *> arguments(argv, argc);
  auto isGiven = [&](StringRef flag) { return llvm::is_contained(arguments, flag); };
  if (isGiven("--list-onnx-operators")) {
    listOperators();
    return 0;
  }
  registerFromOnnx(isGiven("--check"));
  tiny::c::registerTranslations();
  tiny::cpu::registerTranslations();
  tiny::cuda::registerTranslations();
  tiny::vulkan::registerTranslations();
  DialectRegistry registry;
  registry.insert<tiny::kernel::KernelDialect, LLVM::LLVMDialect>();
  if (!tiny::checkReadableArguments(argc, argv, registry))
    return 1;
  return failed(mlirTranslateMain(argc, argv, "Tiny translation driver\n"));
}
