// tiny-opt: mlir-opt with Tiny's dialects, passes and pipelines, and `--check-passes`.
#include "Tiny/Pipelines/CommandLine.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Testing/CheckPasses.h"
#include "Tiny/Support/SafeParse.h"
#include "Tiny/View/View.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace tiny::reference;

/// What is asked for beside mlir-opt's own.
struct Watch {
  std::optional<CheckPassesOptions> check;
  tiny::view::ViewOptions view;
};

/// Adds the passes of the command line. A value that an option of a pass cannot have has been reported by the option:
/// an error without words would follow.
static LogicalResult addPasses(const MlirOptMainConfig &config, PassManager &manager) {
  ScopedDiagnosticHandler handler(manager.getContext(),
                                  [](Diagnostic &diagnostic) { return success(diagnostic.str().empty()); });
  return config.setupPassPipeline(manager);
}

/// The usual main, with a checker or a page where they are asked for. What a checker finds fails the run, whatever
/// passes or debug counters did.
static LogicalResult run(StringRef inputName, StringRef outputName, DialectRegistry &registry, const Watch &watch) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output = input ? openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig passes = config;
  // One for each part of a split input.
  SmallVector<std::shared_ptr<CheckPassesResult>> results;
  bool isWritten = true;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    auto result = std::make_shared<CheckPassesResult>();
    if (watch.check)
      result = checkPasses(manager, *watch.check);
    results.push_back(result);
    std::shared_ptr<tiny::view::Recorder> recorder;
    if (watch.view.isOn()) {
      recorder = std::make_shared<tiny::view::Recorder>(watch.view);
      recorder->watch(manager, [recorder, result, &isWritten] {
        recorder->blame(result->which);
        if (llvm::Error error = recorder->write()) {
          llvm::errs() << "tiny-opt: error: " << llvm::toString(std::move(error)) << "\n";
          isWritten = false;
        }
      });
    }
    LogicalResult isSetUp = addPasses(passes, manager);
    if (recorder)
      recorder->finish(manager);
    return isSetUp;
  });
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)) || !isWritten)
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
  Watch watch;
  llvm::cl::opt<std::string, true> page("view", llvm::cl::location(watch.view.page), llvm::cl::value_desc("file.html"),
                                        llvm::cl::desc("Write a page that shows the program at every level, and why"));
  llvm::cl::opt<std::string, true> data("view-data", llvm::cl::location(watch.view.data),
                                        llvm::cl::value_desc("file.json"),
                                        llvm::cl::desc("Write what that page shows as JSON"));
  llvm::cl::opt<std::string, true> compare("view-compare", llvm::cl::location(watch.view.compare),
                                           llvm::cl::value_desc("file.json"),
                                           llvm::cl::desc("Of another run, to compare with on the page"));
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
  if (llvm::Error error = tiny::view::readOptions(watch.view, {input, output})) {
    llvm::errs() << "tiny-opt: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  if (watch.view.isOn() && !MlirOptMainConfig::createFromCLOptions().inputSplitMarker().empty()) {
    llvm::errs() << "tiny-opt: error: a page shows one input: leave out -split-input-file\n";
    return 1;
  }
  if (watch.view.isOn() && MlirOptMainConfig::createFromCLOptions().shouldEmitRemarks()) {
    llvm::errs() << "tiny-opt: error: a page has the remarks: leave out the options of remarks\n";
    return 1;
  }
  watch.view.title = llvm::sys::path::filename(input).str();
  watch.check = getCheck(input, registry);
  return asMainReturnCode(run(input, output, registry, watch));
}
