// tiny-simulate: predicts how a program of ranks runs on the cluster that a record describes.
#include "../ModelOptions.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Simulator/Simulator.h"

#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;
using tiny::Member;

static constexpr char kTool[] = "tiny-simulate";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("tiny-simulate's options");
  tiny::registerAllTargets();
  tiny::registerDeviceFinder();
  tiny::SimulateRequest request;
  tiny::ModelOptions options(category, request);
  if (cl::Option *other = cl::getRegisteredOptions().lookup("threads"))
    other->removeArgument();
  Member<std::string> target("target", cl::location(request.target), cl::cat(category), cl::value_desc("name"),
                             cl::desc("What each rank compiles for"));
  Member<unsigned> threads("threads", cl::location(request.threads), cl::cat(category), cl::value_desc("number"),
                           cl::desc("Threads of a rank: by default as many as its share of the record's cores"));
  Member<unsigned> perMachine("ranks-per-machine", cl::location(request.perMachine), cl::cat(category),
                              cl::value_desc("number"),
                              cl::desc("Ranks that share the cores and the memory that the record describes"));
  Member<double> factor("kernel-factor", cl::location(request.kernelFactor), cl::cat(category),
                        cl::value_desc("number"),
                        cl::desc("Multiply the predicted times of kernels: by how much longer they were measured"));
  Member<bool> overlaps("overlap", cl::location(request.cluster.overlaps), cl::cat(category),
                        cl::desc("Let exchanges run beside kernels that need none of their buffers"));
  cl::opt<double> jitter("jitter", cl::cat(category), cl::value_desc("percent"), cl::init(0),
                         cl::desc("How much longer a kernel takes at most, drawn for each rank and each run of it"));
  Member<uint64_t> seed("seed", cl::location(request.cluster.seed), cl::cat(category), cl::value_desc("number"),
                        cl::desc("What --jitter draws from"));
  cl::opt<unsigned> items("items", cl::cat(category), cl::value_desc("number"), cl::init(10),
                          cl::desc("Items to list, the longest first"));
  cl::opt<bool> json("json", cl::cat(category), cl::desc("Print JSON, with all items"));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Predict how a program runs on many ranks\n");
  if (threads.getNumOccurrences() && !threads)
    tiny::fail(kTool, "--threads must be at least 1, got 0");
  if (!perMachine)
    tiny::fail(kTool, "--ranks-per-machine must be at least 1, got 0");
  if (!(jitter >= 0 && jitter <= 1000))
    tiny::fail(kTool, "--jitter must be from 0 to 1000 percent");
  if (!(request.kernelFactor > 0 && request.kernelFactor <= 1e6))
    tiny::fail(kTool, "--kernel-factor must be above 0 and at most 1000000");
  request.cluster.jitter = jitter / 100;

  DialectRegistry registry;
  tiny::registerAllDialects(registry);
  MLIRContext context(registry);
  tiny::printWarnings(kTool, context);
  llvm::Expected<tiny::Simulation> simulation = tiny::simulateModel(request, &context);
  if (!simulation)
    tiny::fail(kTool, llvm::toString(simulation.takeError()));
  if (json)
    tiny::printSimulationAsJson(llvm::outs(), *simulation);
  else
    tiny::printSimulation(llvm::outs(), *simulation, items);
  return tiny::finishOutput(kTool);
}
