// tiny-tune: finds faster schedules for a model's kernels by measuring, and writes them to a file.
#include "../ModelOptions.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Search/Tune.h"

#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;
using tiny::Member;

static constexpr char kTool[] = "tiny-tune";
int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("tiny-tune's options");
  tiny::registerAllTargets();
  tiny::registerDeviceFinder();
  tiny::TuneRequest request;
  tiny::ModelOptions options(category, request);
  cl::opt<std::string> time("time", cl::cat(category), cl::value_desc("60s"), cl::init("60s"),
                            cl::desc("How long to search: seconds, or minutes as 5m"));
  Member<std::string> output(
      "o", cl::location(request.output), cl::cat(category), cl::value_desc("file"),
      cl::desc(
          "Where the schedules go: MODEL.schedules.mlir, or the file of --schedules, unless given. What it has for "
          "other kernels stays"));
  if (cl::Option *other = cl::getRegisteredOptions().lookup("threads"))
    other->removeArgument();
  Member<unsigned> threads("threads", cl::location(request.threads), cl::cat(category), cl::value_desc("number"),
                           cl::desc("Threads that kernels run on: by default as many as there are processors"));
  Member<bool> keepsBits("same-bits", cl::location(request.keepsBits), cl::cat(category),
                         cl::desc("Take only schedules whose results are the default's to the bit"));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Find faster schedules for a model's kernels; Ctrl-C keeps what was found\n");

  std::optional<double> seconds = tiny::parseTuneTime(time);
  if (!seconds)
    tiny::fail(kTool, "--time: got '" + time + "', expected a time such as 60s or 5m");
  if (threads.getNumOccurrences() && !threads)
    tiny::fail(kTool, "--threads must be at least 1, got 0");
  request.seconds = *seconds;
  if (request.output.empty())
    request.output = tiny::getScheduleFile(request);
  request.stop = tiny::stopOnInterrupt();

  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  MLIRContext context(registry);
  tiny::printWarnings(kTool, context);
  if (llvm::Error error = tiny::tuneModel(request, &context, llvm::errs()))
    tiny::fail(kTool, llvm::toString(std::move(error)));
  return 0;
}
