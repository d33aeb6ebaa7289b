// tiny-run: compiles a model or a program and runs it on real inputs.
#include "../ModelOptions.h"
#include "RunModel.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Driver/Ranks.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Runtime/Communicator.h"
#include "Tiny/Support/DiskCache.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace cl = llvm::cl;
using tiny::Member;

static constexpr char kTool[] = "tiny-run";

/// Whether an option of MLIR's or LLVM's is given, which shows or changes how the compiler works: then it has to work.
/// Timing alone shows as much of a run from the cache.
static bool watchesCompiler(cl::OptionCategory &own) {
  return llvm::any_of(cl::getRegisteredOptions(), [&](const auto &entry) {
    return entry.second->getNumOccurrences() && !llvm::is_contained(entry.second->Categories, &own) &&
           !entry.first.starts_with("mlir-timing");
  });
}

int main(int argc, char **argv) {
  tiny_guard_rank(kTool);
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("tiny-run's options");
  tiny::registerAllTargets();
  tiny::registerDeviceFinder();
  tiny::RunRequest request;
  request.cacheFolder = tiny::DiskCache::getDefaultFolder();
  tiny::ModelOptions options(category, request);
  cl::list<std::string, std::vector<std::string>> inputs(
      "input", cl::location(request.inputs), cl::cat(category), cl::value_desc("[name=]file"),
      cl::desc("An .npy for one input, in order or by name, or an .npz or .safetensors for several; or random:SEED, "
               "zeros or arange, for the named input, or for all that nothing else gives"));
  cl::list<std::string, std::vector<std::string>> sizes(
      "size", cl::location(request.sizes), cl::cat(category), cl::value_desc("name=size"),
      cl::desc("A size of inputs that are made, where the program has sizes; by default the greatest"));
  Member<std::string> labels("labels", cl::location(request.labels), cl::cat(category), cl::value_desc("file"),
                             cl::desc("Right classes (.npy), for accuracy"));
  Member<std::string> output("output", cl::location(request.output), cl::cat(category), cl::value_desc("file"),
                             cl::desc("Write the results (.npy for one, .npz or .safetensors for several)"));
  Member<std::string> expect("expect", cl::location(request.expect), cl::cat(category), cl::value_desc("file"),
                             cl::desc("Results to compare with (.npy, .npz, .safetensors)"));
  Member<tiny::NonNegative> tolerance("tolerance", cl::location(request.tolerance), cl::cat(category),
                                      cl::desc("Largest difference from what is expected"));
  Member<std::string> device(
      "device", cl::location(request.device), cl::cat(category),
      cl::desc(
          "cpu, vulkan, cuda, one GPU of several (cuda:1), several of these (vulkan,cpu), null (computes nothing) or "
          "reference (the interpreter)"));
  Member<std::string> cacheFolder("cache-dir", cl::location(request.cacheFolder), cl::cat(category),
                                  cl::value_desc("folder"), cl::desc("Where compiled programs are kept between runs"));
  Member<std::string> cachePolicy("cache-policy", cl::location(request.cachePolicy), cl::cat(category),
                                  cl::value_desc("words"),
                                  cl::desc("Limits of that folder: cache_size_bytes=1g:prune_after=720h"));
  cl::opt<bool> noCache("no-cache", cl::cat(category), cl::desc("Compile, and keep nothing"));
  // LLVM's link-time optimiser, which is of no use here, has an option of this name.
  if (cl::Option *other = cl::getRegisteredOptions().lookup("threads"))
    other->removeArgument();
  Member<unsigned> threads("threads", cl::location(request.threads), cl::cat(category), cl::value_desc("number"),
                           cl::desc("Threads that kernels run on: by default as many as there are processors"));
  Member<tiny::Bounded<1>> repeat("repeat", cl::location(request.repeat), cl::cat(category),
                                  cl::desc("Runs; the fastest one's time is printed"));
  Member<bool> printMemory("print-memory-plan", cl::location(request.printMemory), cl::cat(category),
                           cl::desc("Print what memory a run takes, and the least that it could take"));
  Member<bool> checkConstants("check-constants", cl::location(request.checkConstants), cl::cat(category),
                              cl::desc("Of a compiled program, check the bytes of its constants, too"));
  Member<bool> profile("profile", cl::location(request.profile), cl::cat(category),
                       cl::desc("Print each kernel's time, work and share of what the machine can do"));
  Member<std::string> trace("trace", cl::location(request.trace), cl::cat(category), cl::value_desc("file"),
                            cl::desc("Write a run as JSON for Chrome's or Perfetto's trace viewer"));
  Member<std::string> view("view", cl::location(request.view.page), cl::cat(category), cl::value_desc("file.html"),
                           cl::desc("Write a page that shows the program at every level, why, and what it cost"));
  Member<std::string> viewData("view-data", cl::location(request.view.data), cl::cat(category),
                               cl::value_desc("file.json"), cl::desc("Write what that page shows as JSON"));
  Member<std::string> viewCompare("view-compare", cl::location(request.view.compare), cl::cat(category),
                                  cl::value_desc("file.json"), cl::desc("Of another run, to compare with on the page"));
  cl::opt<std::string> tune("tune", cl::cat(category), cl::value_desc("60s"), cl::ValueOptional,
                            cl::desc("First search for faster schedules, for so long, and keep them in the file of "
                                     "--schedules, or in MODEL.schedules.mlir"));
  registerAsmPrinterCLOptions();
  // Options that print name passes.
  tiny::registerAllPasses();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  // --help-hidden shows MLIR's own, such as --mlir-timing.
  cl::HideUnrelatedOptions(category);
  std::string usage;
  llvm::raw_string_ostream usageStream(usage);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compile a model and run it on real inputs. --mlir-timing shows where the time goes.\n",
          &usageStream))
    tiny::fail(kTool, StringRef(usage).split('\n').first.split(": ").second);

  if (threads.getNumOccurrences() && !threads)
    tiny::fail(kTool, "--threads must be at least 1, got 0");
  if (noCache || watchesCompiler(category))
    request.cacheFolder.clear();
  else if (cacheFolder.getNumOccurrences() && llvm::sys::fs::exists(request.cacheFolder) &&
           !llvm::sys::fs::is_directory(request.cacheFolder))
    tiny::fail(kTool, "--cache-dir: '" + request.cacheFolder + "' is not a folder");
  request.view.title = llvm::sys::path::filename(request.model).str();
  request.configure = applyPassManagerCLOptions;

  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  request.timing = &scope;
  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  MLIRContext context(registry);
  // Processes that a launcher started side by side warn of the same.
  if (tiny::isFirstProcess())
    tiny::printWarnings(kTool, context);
  if (tune.getNumOccurrences())
    if (llvm::Error error = tiny::tuneFirst(request, tune.empty() ? StringRef("60s") : StringRef(tune), &context))
      tiny::fail(kTool, llvm::toString(std::move(error)));
  if (llvm::Error error = tiny::runModel(request, &context, llvm::outs())) {
    if (!tiny::isStartedAsRank())
      tiny::fail(kTool, llvm::toString(std::move(error)));
    tiny::fail(kTool, std::string("rank ") + tiny_started_rank() + ": " + llvm::toString(std::move(error)));
  }
  return tiny::finishOutput(kTool);
}
