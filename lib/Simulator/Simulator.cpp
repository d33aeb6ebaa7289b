// From a model to a program of ranks at the kernel level, and from there to times.
#include "Tiny/Simulator/Simulator.h"

#include "ProgramItems.h"
#include "ProgramMemory.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Support/Family.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

/// Of a simulation no more than so many clocks.
static constexpr int64_t kMostRanks = 1 << 20;

static RankMachine shareMachine(const cost::Machine &machine, const SimulateRequest &request) {
  RankMachine share{machine, request.threads, 1};
  auto part = [&](int64_t &fact) { fact = std::max<int64_t>(1, fact / request.perMachine); };
  int64_t cores = std::max<int64_t>(1, machine.cores);
  part(share.machine.memoryBandwidth);
  part(share.machine.cores);
  share.machine.coreBandwidth = std::min(share.machine.coreBandwidth, share.machine.memoryBandwidth);
  if (!share.threads)
    share.threads = static_cast<unsigned>(share.machine.cores);
  // Threads of all ranks that have no core of their own take turns.
  share.factor = request.kernelFactor *
                 std::max(1.0, static_cast<double>(share.threads) * request.perMachine / static_cast<double>(cores));
  return share;
}

Expected<Simulation> simulateModel(const SimulateRequest &request, MLIRContext *context) {
  Expected<OwningOpRef<ModuleOp>> module = lowerModelToKernels(request, request.target, context);
  if (!module)
    return module.takeError();
  auto programs = llvm::to_vector((*module)->getOps<kernel::ProgramOp>());
  if (programs.size() != 1)
    return llvm::createStringError("expected one program, got " + Twine(programs.size()) + " in '" + request.model +
                                   "'");
  kernel::ProgramOp program = programs.front();

  Simulation simulation;
  if (auto grid = program->getAttrOfType<DenseI64ArrayAttr>(kGridAttr))
    simulation.grid.assign(grid.asArrayRef().begin(), grid.asArrayRef().end());
  else
    simulation.grid = {1};
  const cost::Machine &machine = target::findMachine(program);
  cost::Topology topology(simulation.grid, machine);
  if (topology.countRanks() > kMostRanks)
    return llvm::createStringError("expected at most " + Twine(kMostRanks) + " ranks, got " +
                                   Twine(topology.countRanks()));
  if (topology.countRanks() > 1 && !machine.network.front().ranks)
    return llvm::createStringError("the record has no 'network' that joins " + Twine(topology.countRanks()) +
                                   " ranks: utils/measure-network writes one");
  RankMachine share = shareMachine(machine, request);
  FirstError errors(context);
  ProgramReader reader(program, share);
  FailureOr<std::vector<cost::ClusterItem>> items = reader.read();
  if (failed(items))
    return errors.take("the program has no prediction");
  simulation.items = std::move(*items);
  cost::ClusterOptions cluster = request.cluster;
  // Ranks of one machine exchange through its memory, by their processors. A thread of each does so beside kernels.
  cluster.overlapsAsync = request.perMachine == 1 || (share.threads + 1) * request.perMachine <= machine.cores;
  simulation.times = cost::simulateCluster(simulation.items, topology, cluster);
  RankMemory memory = countMemory(program);
  simulation.arguments = memory.arguments;
  simulation.memory = memory.getTotal();
  return simulation;
}

} // namespace tiny
