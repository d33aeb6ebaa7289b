// Forms kernels from the stored nodes: one for each node, or one for each level under `policy=all`.
#include "KernelForm.h"

#include "KernelReasons.h"

using namespace mlir;

namespace tiny::lazy {

std::vector<PlannedKernel> formSingles(const LazyGraph &graph, llvm::function_ref<bool(unsigned)> isBase,
                                       const std::vector<bool> &stored) {
  ConeCollector cones(graph, isBase);
  std::vector<PlannedKernel> kernels;
  for (unsigned k = 0; k < graph.nodes.size(); ++k)
    if (stored[k])
      kernels.push_back(cones.collect({k}));
  return kernels;
}

static bool hasExcess(const PlannedKernel &kernel, const KernelizeOptions &options) {
  return kernel.inputs.size() + kernel.roots.size() > options.maxBuffers;
}

static SmallVector<Operation *> cutBuffers(const PlannedKernel &kernel, const KernelizeOptions &options) {
  size_t results = std::min<size_t>(kernel.roots.size(), options.maxBuffers - 1);
  return findBufferCuts(kernel, options.maxBuffers - results);
}

std::vector<PlannedKernel> formLevels(const LazyGraph &graph, llvm::function_ref<bool(unsigned)> isBase,
                                      const std::vector<bool> &stored, const KernelizeOptions &options) {
  // Where one level needs several kernels, the later ones read what the earlier ones store.
  std::vector<bool> isDone(graph.nodes.size(), false);
  auto isRead = [&](unsigned k) { return isBase(k) || isDone[k]; };
  ConeCollector cones(graph, isRead);
  std::vector<PlannedKernel> kernels;
  // The level counts the buffers on the way to a value.
  std::vector<unsigned> level(graph.nodes.size(), 0);
  std::vector<SmallVector<unsigned, 1>> roots;
  for (unsigned k = 0; k < graph.nodes.size(); ++k) {
    for (int input : graph.producers(k))
      if (input >= 0)
        level[k] = std::max(level[k], level[input] + isBase(input));
    if (!stored[k])
      continue;
    // A state is updated by a kernel of its own. Scans along different axes have no common loops.
    if (isa<AssignOp, ScanOp>(graph.nodes[k].op)) {
      kernels.push_back(cones.collect({k}));
      continue;
    }
    if (roots.size() <= level[k])
      roots.resize(level[k] + 1);
    roots[level[k]].push_back(k);
  }
  // Results are buffers too.
  size_t most = std::max(1u, options.maxBuffers / 2);
  for (ArrayRef<unsigned> rest : roots)
    for (size_t step = rest.size() < options.maxBuffers ? rest.size() : most; !rest.empty();) {
      size_t count = std::min(rest.size(), step);
      PlannedKernel kernel = cones.collect(rest.take_front(count));
      // Cuts don't help where the results read too many buffers together, each few.
      while (count > 1 && hasExcess(kernel, options) && cutBuffers(kernel, options).empty())
        kernel = cones.collect(rest.take_front(count /= 2));
      kernels.push_back(std::move(kernel));
      for (unsigned k : rest.take_front(count))
        isDone[k] = true;
      rest = rest.drop_front(count);
    }
  return kernels;
}

SmallVector<SizeCut> findSizeCuts(ArrayRef<PlannedKernel> kernels, const KernelizeOptions &options,
                                  const cost::CostModel &costs) {
  SmallVector<SizeCut> cuts;
  auto add = [&](ArrayRef<Operation *> ops, const Reason &reason) {
    for (Operation *op : ops)
      cuts.push_back({op, reason});
  };
  for (const PlannedKernel &kernel : kernels) {
    size_t length = kernel.countCode(costs);
    if (hasExcess(kernel, options))
      add(cutBuffers(kernel, options),
          {reason::buffers, "buffers", kernel.inputs.size() + kernel.roots.size(), options.maxBuffers});
    else if (options.policy != KernelizePolicy::all && length > options.maxOps)
      add(findOperationCuts(kernel, options.maxOps, costs), {reason::operations, "operations", length, options.maxOps});
  }
  return cuts;
}

} // namespace tiny::lazy
