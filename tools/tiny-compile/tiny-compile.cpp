// tiny-compile: compiles a model or a program for a target, or takes it down to a level, and writes what comes of it.
#include "../ModelOptions.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Support/Npy.h"
#include "Tiny/View/View.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace cl = llvm::cl;

static constexpr char kTool[] = "tiny-compile";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("tiny-compile's options");
  tiny::registerAllTargets();
  tiny::registerDeviceFinder();
  tiny::CompileRequest request;
  std::string targets = "What to compile for:";
  for (const tiny::Target *known : tiny::getTargets())
    targets +=
        ((known == tiny::getTargets().front() ? " " : "; ") + known->getName() + " (" + known->getSummary() + ")")
            .str();
  tiny::ModelOptions options(category, request);
  cl::opt<std::string> output("o", cl::cat(category), cl::value_desc("file"), cl::init("-"),
                              cl::desc("Where to write: a container, a source file, or what --compile-to says; - for "
                                       "standard output"));
  tiny::Member<std::string> target("target", cl::location(request.target), cl::cat(category),
                                   cl::value_desc("name[:processor]"), cl::desc(targets));
  tiny::Member<std::string> to("compile-to", cl::location(request.to), cl::cat(category), cl::value_desc("level"),
                               cl::desc("Write the program at this level (tensor, lazy, kernel, uop), or the target's "
                                        "code in a form (llvm, llvm-ir, assembly, object) instead"));
  tiny::Member<std::string> kernel("show-kernel", cl::location(request.kernel), cl::cat(category),
                                   cl::value_desc("name"),
                                   cl::desc("Write one kernel at every level, down to the target's text"));
  cl::opt<tiny::ConstantPlace, true> constants(
      "constants", cl::location(request.constants), cl::cat(category),
      cl::desc("Where a container has large constants that lie in files:"),
      cl::values(clEnumValN(tiny::ConstantPlace::Container, "inline", "in itself (the default)"),
                 clEnumValN(tiny::ConstantPlace::Folder, "external", "in the files, below the folder of -o")));
  tiny::view::ViewOptions view;
  tiny::Member<std::string> page("view", cl::location(view.page), cl::cat(category), cl::value_desc("file.html"),
                                 cl::desc("Write a page that shows the program at every level, and why"));
  tiny::Member<std::string> viewData("view-data", cl::location(view.data), cl::cat(category),
                                     cl::value_desc("file.json"), cl::desc("Write what that page shows as JSON"));
  tiny::Member<std::string> compare("view-compare", cl::location(view.compare), cl::cat(category),
                                    cl::value_desc("file.json"),
                                    cl::desc("Of another run, to compare with on the page"));
  registerAsmPrinterCLOptions();
  // Options that print name passes.
  tiny::registerAllPasses();
  registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compile a model for a target, or write it at any level\n");
  if (target.getNumOccurrences() > 0 && request.target.empty())
    tiny::fail(kTool, "--target= names no target");
  // `cuda:sm_90a` names a target and a processor.
  std::string all = request.target;
  if (auto [name, processor] = llvm::StringRef(all).split(':'); !processor.empty()) {
    if (!request.machine.processor.empty())
      tiny::fail(kTool, "--target=" + all + " names a processor, and so does --processor=" + request.machine.processor);
    request.target = name.str();
    request.machine.processor = processor.str();
  }

  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  MLIRContext context(registry);
  tiny::printWarnings(kTool, context);
  request.configure = applyPassManagerCLOptions;
  if (request.constants == tiny::ConstantPlace::Folder && output == "-")
    tiny::fail(kTool, "--constants=external: -o must say in which folder the container will be");
  if (output != "-") {
    request.stem = llvm::sys::path::stem(output).str();
    request.folder = llvm::sys::path::parent_path(output).str();
  }
  if (llvm::Error error = tiny::view::readOptions(view, {request.model, output}))
    tiny::fail(kTool, llvm::toString(std::move(error)));
  view.title = llvm::sys::path::filename(request.model).str();
  std::optional<tiny::view::Recorder> recorder;
  if (view.isOn()) {
    recorder.emplace(view);
    request.configure = [&](PassManager &manager) {
      recorder->watch(manager);
      return applyPassManagerCLOptions(manager);
    };
  }
  llvm::Expected<std::vector<tiny::OutputFile>> files = tiny::compileModel(request, &context);
  if (recorder) {
    if (llvm::Expected<const tiny::Target *> found = tiny::findTarget(request.target))
      recorder->setTarget(*found);
    else
      llvm::consumeError(found.takeError());
    if (llvm::Error error = recorder->writeIfSeen()) {
      if (files)
        tiny::fail(kTool, llvm::toString(std::move(error)));
      llvm::consumeError(std::move(error));
    }
  }
  if (!files)
    tiny::fail(kTool, llvm::toString(files.takeError()));
  if (output != "-") {
    // The main file has the name that was asked for, and the others stand beside it under their own.
    for (auto [index, file] : llvm::enumerate(*files)) {
      llvm::SmallString<128> path(output);
      if (index > 0) {
        llvm::sys::path::remove_filename(path);
        llvm::sys::path::append(path, file.name);
      }
      if (llvm::Error error = tiny::writeFileAtomically(path, file.content))
        tiny::fail(kTool, llvm::toString(std::move(error)));
    }
    return 0;
  }
  for (const tiny::OutputFile &file : *files)
    llvm::outs() << file.content;
  return tiny::finishOutput(kTool);
}
