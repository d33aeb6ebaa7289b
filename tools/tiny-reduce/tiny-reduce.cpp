// tiny-reduce: mlir-reduce with Tiny's dialects and passes: makes a program smaller that a script calls interesting.
#include "Tiny/Pipelines/Reduction.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Support/SafeParse.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  tiny::registerAllPasses();
  mlir::DialectRegistry registry;
  tiny::registerAllDialects(registry);
  tiny::registerReductionPatterns(registry);
  if (!tiny::checkReadableArguments(argc, argv, registry))
    return 1;
  mlir::MLIRContext context(registry);
  if (mlir::succeeded(mlir::mlirReduceMain(argc, argv, context)))
    return 0;
  // Upstream says nothing where the script calls the program itself uninteresting.
  llvm::errs() << "tiny-reduce: error: nothing was reduced; a script calls a program interesting by exit code 1\n";
  return 1;
}
