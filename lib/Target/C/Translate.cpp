// tiny-translate --export-c.
#include "Tiny/Target/C/CTarget.h"
#include "WriteProgram.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

namespace tiny::c {

void registerTranslations() {
  static llvm::cl::opt<std::string> stem("c-name", llvm::cl::init("model"), llvm::cl::value_desc("name"),
                                         llvm::cl::desc("What names begin with in C, for --export-c"));
  static TranslateFromMLIRRegistration registration(
      "export-c", "write a program at the uop level as one file of C",
      [](ModuleOp module, raw_ostream &stream) -> LogicalResult {
        OwningOpRef<ModuleOp> lowered(module.clone());
        PassManager manager(module.getContext(), ModuleOp::getOperationName());
        createCTarget()->buildPasses(manager);
        if (failed(manager.run(*lowered)))
          return failure();
        FailureOr<std::vector<OutputFile>> files = writeProgram(*lowered, stem, /*single=*/true);
        if (failed(files))
          return failure();
        stream << files->front().content;
        return success();
      },
      [](DialectRegistry &registry) {
        registry.insert<kernel::KernelDialect, uop::UOpDialect, mlir::emitc::EmitCDialect>();
      });
}

} // namespace tiny::c
