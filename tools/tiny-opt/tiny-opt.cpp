// tiny-opt: mlir-opt with Tiny's dialects, passes and pipelines, and `--check-passes`.
#include "Tiny/Pipelines/CommandLine.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Testing/CheckPasses.h"
#include "Tiny/Support/SafeParse.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace tiny::reference;

/// The usual main with a checker. What it finds fails the run, whatever passes or debug counters did.
static LogicalResult runChecked(StringRef inputName, StringRef outputName, DialectRegistry &registry,
                                const CheckPassesOptions &check) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output = input ? openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig unchecked = config;
  // One for each part of a split input.
  SmallVector<std::shared_ptr<CheckPassesResult>> results;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    results.push_back(checkPasses(manager, check));
    return unchecked.setupPassPipeline(manager);
  });
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  if (!config.shouldVerifyDiagnostics() && llvm::any_of(results, [](const auto &result) { return result->changed; }))
    return failure();
  output->keep();
  return success();
}

/// Whether each part of a split input would write its remarks over those of the part before.
static bool overwritesRemarks(const MlirOptMainConfig &config) {
  return !config.inputSplitMarker().empty() && config.shouldEmitRemarks() &&
         config.getRemarkFormat() != RemarkFormat::REMARK_FORMAT_STDOUT;
}

/// The check that the command line asks for, or that a reproducer holds which the command line wants to be run.
static std::optional<CheckPassesOptions> getCheck(StringRef inputName, const DialectRegistry &registry) {
  std::optional<CheckPassesOptions> check = getPassCheckerCLOptions();
  if (!check && MlirOptMainConfig::createFromCLOptions().shouldRunReproducer())
    if (std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName))
      check = readPassReproducer(input->getBuffer(), registry);
  return check;
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  tiny::registerAllPasses();
  std::string help = tiny::prepareCommandLine("mlir-opt with Tiny's dialects and passes", registry);
  registerPassCheckerCLOptions();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, help, registry);
  if (llvm::Error error = tiny::checkReadable(input, registry)) {
    llvm::errs() << "tiny-opt: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  if (overwritesRemarks(MlirOptMainConfig::createFromCLOptions())) {
    llvm::errs() << "tiny-opt: error: a file of remarks holds those of one input: leave out -split-input-file, or use "
                    "--remark-format=emitRemark\n";
    return 1;
  }
  std::optional<CheckPassesOptions> check = getCheck(input, registry);
  return asMainReturnCode(check ? runChecked(input, output, registry, *check)
                                : MlirOptMain(argc, argv, input, output, registry));
}
