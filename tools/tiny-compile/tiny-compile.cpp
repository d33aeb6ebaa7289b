// tiny-compile: takes a model or a program down to a level and writes it.
#include "../ModelOptions.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Support/Npy.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;

static constexpr char kTool[] = "tiny-compile";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("tiny-compile's options");
  tiny::CompileRequest request;
  tiny::ModelOptions options(category, request);
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("file"), cl::init("-"),
                              cl::desc("Where to write; - for standard output"));
  tiny::Member<std::string> to("compile-to", cl::location(request.to), cl::cat(category), cl::value_desc("level"),
                               cl::desc("tensor, lazy, kernel, uop, llvm, llvm-ir, assembly or object"));
  tiny::Member<std::string> kernel("show-kernel", cl::location(request.kernel), cl::cat(category),
                                   cl::value_desc("name"),
                                   cl::desc("Write one kernel at every level, down to assembly"));
  registerAsmPrinterCLOptions();
  // Options that print name passes.
  tiny::registerAllPasses();
  registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compile a model and write it at any level\n");

  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  MLIRContext context(registry);
  request.configure = applyPassManagerCLOptions;
  llvm::Expected<std::string> result = tiny::compileModel(request, &context);
  if (!result)
    tiny::fail(kTool, llvm::toString(result.takeError()));
  if (output != "-") {
    if (llvm::Error error = tiny::writeFileAtomically(output, *result))
      tiny::fail(kTool, llvm::toString(std::move(error)));
    return 0;
  }
  llvm::outs() << *result;
  return tiny::finishOutput(kTool);
}
