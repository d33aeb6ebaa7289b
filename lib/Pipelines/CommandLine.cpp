// Puts Tiny's passes first on the command lines of tools, and LLVM's hundreds of options out of sight.
#include "Tiny/Pipelines/CommandLine.h"

#include "mlir/Debug/Counter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace tiny {

void printErrorsAlone() {
  registerMLIRContextCLOptions();
  if (cl::Option *option = cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic"))
    static_cast<cl::opt<bool> *>(option)->setInitialValue(false);
}

/// Whether a pass of this name is one of Tiny's: they are named for their levels.
static bool isOurs(StringRef name) {
  return llvm::any_of(ArrayRef<StringRef>{"tiny-", "tensor-", "lazy-", "kernel-", "uop-", "sym-", "target-", "verify-",
                                          "convert-tensor-", "convert-lazy-", "convert-kernel-", "convert-uop-"},
                      [&](StringRef prefix) { return name.starts_with(prefix); });
}

namespace {
using Names = std::vector<std::pair<StringRef, StringRef>>;
} // namespace

static void print(llvm::raw_ostream &os, StringRef title, Names &names) {
  llvm::sort(names);
  os << "\n" << title << ":\n";
  for (auto [name, description] : names)
    os << llvm::left_justify(("  --" + name).str(), 40) << " " << description << "\n";
}

std::string prepareCommandLine(StringRef overview, DialectRegistry &registry) {
  for (auto &entry : cl::getRegisteredOptions())
    if (llvm::is_contained(entry.second->Categories, &cl::getGeneralCategory()))
      entry.second->setHiddenFlag(cl::Hidden);
  printErrorsAlone();
  MlirOptMainConfig::registerCLOptions(registry);
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  tracing::DebugCounter::registerCLOptions();

  Names pipelines, own, others;
  for (auto &entry : cl::getRegisteredOptions()) {
    // Names of passes are options, all of them one.
    if (const PassInfo *pass = PassInfo::lookup(entry.first)) {
      (isOurs(entry.first) ? own : others).emplace_back(entry.first, pass->getPassDescription());
      entry.second->setHiddenFlag(cl::Hidden);
    } else if (const PassPipelineInfo *pipeline = PassPipelineInfo::lookup(entry.first)) {
      pipelines.emplace_back(entry.first, pipeline->getPassDescription());
    }
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << overview << "\n";
  print(os, "Tiny's pipelines, between levels", pipelines);
  print(os, "Tiny's passes", own);
  print(os, "Upstream's passes", others);
  os << "\nA pipeline or a pass takes options, which --help-hidden, docs/Passes.md and docs/Pipelines.md list: "
        "--NAME='option=value ...'.\nLLVM's own options are shown by --help-hidden, too.\n";
  return text;
}

} // namespace tiny
