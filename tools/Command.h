// The command line of tiny-opt in tools that watch its passes at work: the program, the passes, the checker's options.
#ifndef TINY_TOOLS_COMMAND_H
#define TINY_TOOLS_COMMAND_H

#include "Tiny/Pipelines/CommandLine.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Support/SafeParse.h"
#include "Tiny/Testing/Outcome.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

namespace tiny {

/// A program and what is to be done to it.
class Command {
public:
  /// Parses the command line and registers everything that it may name; ends the process where that is what options ask
  /// for, as --help does.
  Command(int argc, char **argv, llvm::StringRef overview) {
    registerAllDialects(registry);
    registerAllPasses();
    std::string help = prepareCommandLine(overview, registry);
    reference::registerPassCheckerCLOptions();
    std::tie(input, output) = mlir::registerAndParseCLIOptions(argc, argv, help, registry);
    config = mlir::MlirOptMainConfig::createFromCLOptions();
    context.emplace(registry, mlir::MLIRContext::Threading::DISABLED);
    context->allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  }

  /// Reads the program, and a reproducer's pipeline and checks; prints errors.
  llvm::LogicalResult read() {
    if (llvm::Error error = checkReadable(input, registry))
      return report(llvm::toString(std::move(error)));
    std::string message;
    std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &message);
    if (!file)
      return report(message);
    check = reference::getPassCheckerCLOptions();
    if (!check && config.shouldRunReproducer())
      check = reference::readPassReproducer(file->getBuffer(), registry);
    mlir::ParserConfig parser(&*context);
    if (config.shouldRunReproducer()) {
      reproducer.attachResourceParser(parser);
      reference::ignorePassReproducer(parser);
    }
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
    mlir::SourceMgrDiagnosticHandler handler(sources, &*context);
    module = mlir::parseSourceFile<mlir::ModuleOp>(sources, parser);
    return llvm::success(bool(module));
  }

  llvm::LogicalResult addPasses(mlir::PassManager &manager) const {
    if (config.shouldRunReproducer() && failed(reproducer.apply(manager)))
      return llvm::failure();
    return config.setupPassPipeline(manager);
  }

  static llvm::LogicalResult report(const llvm::Twine &message) {
    llvm::errs() << "error: " << message << "\n";
    return llvm::failure();
  }

  mlir::DialectRegistry registry;
  std::string input, output;
  mlir::MlirOptMainConfig config;
  mlir::PassReproducerOptions reproducer;
  std::optional<reference::CheckPassesOptions> check;
  std::optional<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tiny

#endif // TINY_TOOLS_COMMAND_H
