// tiny-run: compiles a model or a program and runs it on real inputs.
#include "Tiny/Driver/RunModel.h"
#include "Tiny/Pipelines/Registration.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"

using namespace mlir;
namespace cl = llvm::cl;

/// An empty message says that the error has been printed.
static int fail(const std::string &message) {
  if (!message.empty())
    llvm::errs() << "tiny-run: error: " << message << "\n";
  // What a malformed file left behind is not fit to be taken apart.
  llvm::sys::Process::Exit(1, /*NoCleanup=*/true);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tiny::RunRequest request;
  cl::OptionCategory category("tiny-run's options");
  cl::opt<std::string> model(cl::Positional, cl::Required, cl::cat(category), cl::desc("MODEL.onnx|PROGRAM.mlir"));
  cl::list<std::string> inputs("input", cl::cat(category), cl::value_desc("[name=]file"),
                               cl::desc("An .npy for one input, in order or by name, or an .npz for several"));
  cl::opt<std::string> labels("labels", cl::cat(category), cl::value_desc("file"),
                              cl::desc("Right classes (.npy), for accuracy"));
  cl::opt<std::string> output("output", cl::cat(category), cl::value_desc("file"),
                              cl::desc("Write the results (.npy for one, .npz for several)"));
  cl::opt<std::string> expect("expect", cl::cat(category), cl::value_desc("file"),
                              cl::desc("Results to compare with (.npy, .npz)"));
  cl::opt<double> tolerance("tolerance", cl::cat(category), cl::init(1e-4),
                            cl::desc("Largest difference from what is expected"));
  cl::opt<std::string> device("device", cl::cat(category), cl::init("cpu"),
                              cl::desc("cpu, null (computes nothing) or reference (the interpreter)"));
  cl::opt<std::string> function("function", cl::cat(category), cl::value_desc("name"),
                                cl::desc("The function to run: main, or the only one"));
  cl::list<std::string> dims("dim", cl::cat(category), cl::value_desc("name=size"),
                             cl::desc("Size of a dimension that an ONNX model leaves open"));
  cl::opt<std::string> pipeline("pipeline", cl::cat(category), cl::value_desc("options"),
                                cl::desc("Options of the pipelines: fusion=default|none|all schedules=file ..."));
  cl::opt<unsigned> repeat("repeat", cl::cat(category), cl::init(1),
                           cl::desc("Runs; the fastest one's time is printed"));
  cl::opt<bool> printMemory("print-memory-plan", cl::cat(category),
                            cl::desc("Print what memory a run takes, and the least that it could take"));
  cl::opt<bool> profile("profile", cl::cat(category),
                        cl::desc("Print each kernel's time, work and share of what the machine can do"));
  cl::opt<std::string> trace("trace", cl::cat(category), cl::value_desc("file"),
                             cl::desc("Write a run as JSON for Chrome's or Perfetto's trace viewer"));
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  // --help-hidden shows MLIR's own, such as --mlir-timing.
  cl::HideUnrelatedOptions(category);
  std::string usage;
  llvm::raw_string_ostream usageStream(usage);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compile a model and run it on real inputs. --mlir-timing shows where the time goes.\n",
          &usageStream))
    return fail(StringRef(usage).split('\n').first.split(": ").second.str());
  request = {model,     inputs,      labels,   output, expect,
             tolerance, device,      function, dims,   pipeline,
             repeat,    printMemory, profile,  trace,  applyPassManagerCLOptions};

  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  request.timing = &scope;
  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  MLIRContext context(registry);
  if (llvm::Error error = tiny::runModel(request, &context, llvm::outs()))
    return fail(llvm::toString(std::move(error)));
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return 0;
  llvm::outs().clear_error();
  return fail("cannot write to standard output");
}
