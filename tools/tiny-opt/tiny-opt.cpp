// tiny-opt: mlir-opt with Tiny's dialects, passes and pipelines.
#include "Tiny/Pipelines/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tiny::registerAllDialects(registry);
  tiny::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tiny optimizer driver\n", registry));
}
