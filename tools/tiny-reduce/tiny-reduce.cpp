// tiny-reduce: mlir-reduce with Tiny's dialects and passes: makes a program smaller that a script calls interesting.
#include "Tiny/Pipelines/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  tiny::registerAllPasses();
  mlir::DialectRegistry registry;
  tiny::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
