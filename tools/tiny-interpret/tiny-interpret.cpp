// tiny-interpret: evaluates the programs of a .mlir file at any level with the reference interpreter and prints them.
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Reference/Interpreter.h"
#include "Tiny/Testing/RandomInputs.h"
#include "Tiny/Support/SafeParse.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tiny;
namespace cl = llvm::cl;

static cl::opt<std::string> file(cl::Positional, cl::desc("<file, or - for standard input>"), cl::init("-"));
static cl::opt<std::string> program("program", cl::desc("the function to evaluate; all of them by default"));
static cl::list<std::string> constants("input", cl::desc("the next input as an attribute, such as "
                                                         "'dense<[1.0, 2.0]> : tensor<2xf32>'; random by default"));
static cl::opt<uint64_t> seed("seed", cl::desc("seed of random inputs"), cl::init(0));
static cl::opt<bool> wide("wide-floats", cl::desc("random floats with full mantissas instead of multiples of 1/8"));
static cl::opt<uint64_t> maxSteps("max-steps", cl::desc("operations on elements before evaluation gives up"),
                                  cl::init(reference::InterpreterOptions().maxSteps));

static FailureOr<SmallVector<HostTensor>> getInputs(FunctionOpInterface function) {
  if (constants.empty()) {
    FailureOr<Signature> signature = reference::getEvaluationSignature(function);
    reference::RandomOptions random;
    random.seed = seed;
    random.wideFloats = wide;
    FailureOr<SmallVector<HostTensor>> inputs = failure();
    if (succeeded(signature))
      inputs = reference::randomInputs(*signature, random);
    if (failed(inputs))
      function.emitError("no random inputs of this function's types");
    return inputs;
  }
  SmallVector<HostTensor> inputs;
  for (const std::string &text : constants) {
    Attribute parsed = findDeepNesting(text) ? nullptr : parseAttribute(text, function.getContext());
    auto attr = dyn_cast_or_null<ElementsAttr>(parsed);
    std::optional<HostTensor> tensor = attr ? readConstant(attr) : std::nullopt;
    if (!tensor) {
      llvm::errs() << "tiny-interpret: not a constant tensor: " << text << "\n";
      return failure();
    }
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Tiny reference interpreter\n");
  DialectRegistry registry;
  registerAllDialects(registry);
  if (llvm::Error error = checkReadable(file, registry)) {
    llvm::errs() << "tiny-interpret: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, sources, &context);
  if (!module)
    return 1;
  SmallVector<FunctionOpInterface> functions = reference::getEvaluable(*module);
  if (!program.empty())
    llvm::erase_if(functions, [](FunctionOpInterface function) { return function.getName() != program; });
  if (functions.empty()) {
    llvm::errs() << "tiny-interpret: nothing to evaluate in " << file << "\n";
    return 1;
  }
  reference::InterpreterOptions options;
  options.maxSteps = maxSteps;
  for (FunctionOpInterface function : functions) {
    FailureOr<SmallVector<HostTensor>> inputs = getInputs(function);
    if (failed(inputs) ||
        failed(reference::interpretAndPrint(*module, function.getName(), *inputs, llvm::outs(), options)))
      return 1;
  }
  return 0;
}
