// tiny-lsp-server: mlir-lsp-server with Tiny's dialects, for editors.
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Support/SafeParse.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tiny::registerAllDialects(registry);
  llvm::LogicalResult result = llvm::success();
  tiny::runOnLargeStack([&] { result = mlir::MlirLspServerMain(argc, argv, registry); });
  return llvm::failed(result);
}
