// What the tools that take a model have in common on their command lines.
#ifndef TINY_TOOLS_MODELOPTIONS_H
#define TINY_TOOLS_MODELOPTIONS_H

#include "Tiny/Driver/ModelRequest.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace tiny {

/// An option whose value is a member of a request, and whose default is what that holds already.
template <typename T> using Member = llvm::cl::opt<T, /*ExternalStorage=*/true>;

/// The model, and how it is to be compiled.
struct ModelOptions {
  ModelOptions(llvm::cl::OptionCategory &category, ModelRequest &request) : category(category), request(request) {}

  llvm::cl::OptionCategory &category;
  ModelRequest &request;
  Member<std::string> model{llvm::cl::Positional, llvm::cl::location(request.model), llvm::cl::Required,
                            llvm::cl::cat(category), llvm::cl::desc("MODEL.onnx|PROGRAM.mlir")};
  Member<std::string> function{"function", llvm::cl::location(request.function), llvm::cl::cat(category),
                               llvm::cl::value_desc("name"),
                               llvm::cl::desc("The function of the program: main, or the only one")};
  llvm::cl::list<std::string, std::vector<std::string>> dims{
      "dim", llvm::cl::location(request.dims), llvm::cl::cat(category), llvm::cl::value_desc("name=size|least..most"),
      llvm::cl::desc(
          "Size of a dimension that an ONNX model leaves open, or bounds: one program then serves all sizes within")};
  Member<std::string> pipeline{"pipeline", llvm::cl::location(request.pipeline), llvm::cl::cat(category),
                               llvm::cl::value_desc("options"),
                               llvm::cl::desc("Options of the pipelines: fusion=default|none|all schedules=file ...")};
  Member<std::string> schedules{"schedules", llvm::cl::location(request.schedules), llvm::cl::cat(category),
                                llvm::cl::value_desc("file"),
                                llvm::cl::desc("Schedules for its kernels, as tiny-tune writes them")};
  Member<std::string> processor{"processor", llvm::cl::location(request.machine.processor), llvm::cl::cat(category),
                                llvm::cl::value_desc("name"),
                                llvm::cl::desc("Processor to compile for, by LLVM's name; the host's by default")};
  Member<std::string> record{"record", llvm::cl::location(request.machine.record), llvm::cl::cat(category),
                             llvm::cl::value_desc("file"),
                             llvm::cl::desc("File with a #target.record to compile for, such as a measured one")};
  llvm::cl::list<std::string, std::vector<std::string>> placement{
      "place", llvm::cl::location(request.placement), llvm::cl::cat(category), llvm::cl::value_desc("kernel=target"),
      llvm::cl::desc(
          "Of several targets, the one that a kernel runs on; others run on the first that has code for them")};
};

/// Ends a tool with a message on one line; an empty one says that the error has been printed.
[[noreturn]] inline void fail(llvm::StringRef tool, llvm::StringRef message) {
  if (!message.empty())
    llvm::errs() << tool << ": error: " << message << "\n";
  // Skip destructors: a malformed file may have left any state behind.
  llvm::sys::Process::Exit(1, /*NoCleanup=*/true);
}

/// Prints warnings that are about a program as a whole: those without a place.
inline void printWarnings(llvm::StringRef tool, mlir::MLIRContext &context) {
  context.getDiagEngine().registerHandler([tool](mlir::Diagnostic &diagnostic) {
    bool isRemark = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark;
    bool isShown = (isRemark || diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning) &&
                   llvm::isa<mlir::UnknownLoc>(diagnostic.getLocation());
    if (isShown)
      llvm::errs() << tool << (isRemark ? ": note: " : ": warning: ") << diagnostic << "\n";
    return mlir::success(isShown);
  });
}

/// Ends a tool that has written to standard output: a pipe or a disk may not have taken it.
inline int finishOutput(llvm::StringRef tool) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return 0;
  llvm::outs().clear_error();
  fail(tool, "cannot write to standard output");
}

} // namespace tiny

#endif // TINY_TOOLS_MODELOPTIONS_H
