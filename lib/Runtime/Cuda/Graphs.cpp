// Builds graphs, and changes the addresses in one that is there.
#include "Graphs.h"
#include "Error.h"

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

namespace {

/// Whether one writes what the other touches.
bool dependOnEachOther(const GraphStep &a, const GraphStep &b) {
  auto writes = [](const GraphStep &step, size_t k) {
    return step.kind == GraphStep::Kind::Launch ? k >= step.nInputs : k + 1 == step.pointers.size();
  };
  for (size_t i = 0; i < a.pointers.size(); ++i)
    for (size_t j = 0; j < b.pointers.size(); ++j)
      if ((writes(a, i) || writes(b, j)) && rangesOverlap(a.pointers[i], a.sizes[i], b.pointers[j], b.sizes[j]))
        return true;
  return false;
}

/// A node's parameters as the driver takes them. Pointers point into this and into the step.
struct Parameters {
  Parameters(const Context &context, const GraphStep &step) {
    switch (step.kind) {
    case GraphStep::Kind::Launch:
      for (const CUdeviceptr &pointer : step.pointers)
        values.push_back(const_cast<CUdeviceptr *>(&pointer));
      kernel.func = step.kernel->function;
      kernel.gridDimX = step.kernel->groups[0];
      kernel.gridDimY = step.kernel->groups[1];
      kernel.gridDimZ = step.kernel->groups[2];
      kernel.blockDimX = step.kernel->lanes[0];
      kernel.blockDimY = step.kernel->lanes[1];
      kernel.blockDimZ = step.kernel->lanes[2];
      kernel.sharedMemBytes = step.kernel->launchBytes;
      kernel.kernelParams = values.data();
      kernel.ctx = context.context;
      break;
    case GraphStep::Kind::Copy:
      copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.srcDevice = step.pointers[0];
      copy.dstDevice = step.pointers[1];
      copy.WidthInBytes = step.sizes[0];
      copy.Height = copy.Depth = 1;
      break;
    case GraphStep::Kind::Fill:
      fill.dst = step.pointers[0];
      fill.value = step.value;
      fill.elementSize = step.valueBytes;
      fill.width = step.sizes[0] / step.valueBytes;
      fill.height = 1;
      break;
    }
  }
  Parameters(const Parameters &) = delete;

  std::vector<void *> values;
  CUkernelNodeParams kernel = {};
  CUmemcpy3D copy = {};
  CUmemsetNodeParams fill = {};
};

} // namespace

CudaReplay::~CudaReplay() {
  Current current(context);
  if (!current.status)
    clear();
}

void CudaReplay::clear() {
  if (exec)
    (void)context.cu.GraphExecDestroy(exec);
  if (graph)
    (void)context.cu.GraphDestroy(graph);
  exec = nullptr;
  graph = nullptr;
  nodes.clear();
}

std::vector<CUgraphNode> CudaReplay::findDependencies(size_t index) const {
  std::vector<CUgraphNode> found;
  for (size_t k = 0; k < index; ++k)
    if (dependOnEachOther(steps[k], steps[index]))
      found.push_back(nodes[k]);
  return found;
}

CUresult CudaReplay::addNode(size_t index) {
  const GraphStep &step = steps[index];
  Parameters parameters(context, step);
  std::vector<CUgraphNode> before = findDependencies(index);
  CUgraphNode node = nullptr;
  CUresult result = CUDA_SUCCESS;
  switch (step.kind) {
  case GraphStep::Kind::Launch:
    result = context.cu.GraphAddKernelNode(&node, graph, before.data(), before.size(), &parameters.kernel);
    break;
  case GraphStep::Kind::Copy:
    result =
        context.cu.GraphAddMemcpyNode(&node, graph, before.data(), before.size(), &parameters.copy, context.context);
    break;
  case GraphStep::Kind::Fill:
    result =
        context.cu.GraphAddMemsetNode(&node, graph, before.data(), before.size(), &parameters.fill, context.context);
    break;
  }
  nodes.push_back(node);
  return result;
}

tiny_status CudaReplay::build() {
  CUresult result = context.cu.GraphCreate(&graph, 0);
  for (size_t k = 0; k < steps.size() && result == CUDA_SUCCESS; ++k)
    result = addNode(k);
  if (result == CUDA_SUCCESS)
    result = context.cu.GraphInstantiateWithFlags(&exec, graph, 0);
  if (result == CUDA_SUCCESS)
    return TINY_OK;
  (void)context.check(result, "a graph");
  if (tiny_status status = context.checkWell())
    return status;
  clear();
  isRefused = true;
  return TINY_UNSUPPORTED;
}

/// What differs in the graph that is there. It still has the dependencies of the steps that it was built for, which do
/// not depend on the addresses of a run.
tiny_status CudaReplay::update(const std::vector<GraphStep> &to) {
  for (size_t k = 0; k < to.size(); ++k) {
    if (to[k] == steps[k])
      continue;
    Parameters parameters(context, to[k]);
    CUresult result = CUDA_SUCCESS;
    switch (to[k].kind) {
    case GraphStep::Kind::Launch:
      result = context.cu.GraphExecKernelNodeSetParams(exec, nodes[k], &parameters.kernel);
      break;
    case GraphStep::Kind::Copy:
      result = context.cu.GraphExecMemcpyNodeSetParams(exec, nodes[k], &parameters.copy, context.context);
      break;
    case GraphStep::Kind::Fill:
      result = context.cu.GraphExecMemsetNodeSetParams(exec, nodes[k], &parameters.fill, context.context);
      break;
    }
    if (result != CUDA_SUCCESS)
      return context.check(result, "a change of a graph");
  }
  return TINY_OK;
}

tiny_status CudaReplay::prepare(std::vector<GraphStep> to) {
  if (isRefused)
    return TINY_UNSUPPORTED;
  bool fits = exec && to.size() == steps.size();
  for (size_t k = 0; fits && k < to.size(); ++k)
    fits = to[k].kind == steps[k].kind && to[k].kernel == steps[k].kernel && to[k].sizes == steps[k].sizes;
  if (fits && !update(to)) {
    steps = std::move(to);
    return TINY_OK;
  }
  if (tiny_status status = context.checkWell())
    return status;
  clear();
  steps = std::move(to);
  return build();
}
