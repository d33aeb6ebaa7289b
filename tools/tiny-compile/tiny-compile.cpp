// tiny-compile: takes a model or a program down to a level and writes it.
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Support/Npy.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"

using namespace mlir;
namespace cl = llvm::cl;

static int fail(llvm::Error error) {
  llvm::errs() << "tiny-compile: error: " << llvm::toString(std::move(error)) << "\n";
  // What a malformed file left behind is not fit to be taken apart.
  llvm::sys::Process::Exit(1, /*NoCleanup=*/true);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("tiny-compile's options");
  cl::opt<std::string> model(cl::Positional, cl::Required, cl::cat(category), cl::desc("MODEL.onnx|PROGRAM.mlir"));
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("file"), cl::init("-"),
                              cl::desc("Where to write; - for standard output"));
  cl::opt<std::string> to("compile-to", cl::cat(category), cl::init("object"), cl::value_desc("level"),
                          cl::desc("tensor, lazy, kernel, uop, llvm, llvm-ir, assembly or object"));
  cl::opt<std::string> kernel("show-kernel", cl::cat(category), cl::value_desc("name"),
                              cl::desc("Write one kernel at every level that has it, down to assembly"));
  cl::opt<std::string> function("function", cl::cat(category), cl::value_desc("name"),
                                cl::desc("The only function to compile"));
  cl::list<std::string> dims("dim", cl::cat(category), cl::value_desc("name=size"),
                             cl::desc("Size of a dimension that an ONNX model leaves open"));
  cl::opt<std::string> pipeline("pipeline", cl::cat(category), cl::value_desc("options"),
                                cl::desc("Options of the pipelines: fusion=default|none|all schedules=file ..."));
  cl::opt<std::string> processor("processor", cl::cat(category), cl::value_desc("name"),
                                 cl::desc("Processor to compile for, by LLVM's name; the host's by default"));
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compile a model and write it at any level\n");

  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  MLIRContext context(registry);
  tiny::CompileRequest request = {model, to, kernel, function, dims, pipeline, processor, applyPassManagerCLOptions};
  llvm::Expected<std::string> result = tiny::compileModel(request, &context);
  if (!result)
    return fail(result.takeError());
  if (output != "-") {
    if (llvm::Error error = tiny::writeFileAtomically(output, *result))
      return fail(std::move(error));
    return 0;
  }
  llvm::outs() << *result;
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return 0;
  llvm::outs().clear_error();
  return fail(llvm::createStringError("cannot write to standard output"));
}
