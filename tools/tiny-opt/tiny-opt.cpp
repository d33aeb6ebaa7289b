// tiny-opt: mlir-opt with Tiny's dialects, passes and pipelines, and `--check-passes`.
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Testing/CheckPasses.h"
#include "Tiny/Support/SafeParse.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// The usual main, with the checker added once the pipeline is complete.
static LogicalResult runChecked(StringRef inputName, StringRef outputName, DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output = input ? openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig unchecked = config;
  config.setPassPipelineSetupFn([unchecked](PassManager &manager) {
    return success(succeeded(unchecked.setupPassPipeline(manager)) &&
                   succeeded(tiny::reference::applyPassCheckerCLOptions(manager)));
  });
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  tiny::registerAllPasses();
  tiny::reference::registerPassCheckerCLOptions();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "Tiny optimizer driver\n", registry);
  if (llvm::Error error = tiny::checkReadable(input, registry)) {
    llvm::errs() << "tiny-opt: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return asMainReturnCode(tiny::reference::isPassCheckerEnabled() ? runChecked(input, output, registry)
                                                                  : MlirOptMain(argc, argv, input, output, registry));
}
