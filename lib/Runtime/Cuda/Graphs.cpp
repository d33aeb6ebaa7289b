// Builds graphs, and changes the addresses in one that is there.
#include "Graphs.h"
#include "Error.h"

#include <algorithm>

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

namespace {

struct Access {
  CUdeviceptr begin;
  uint64_t size;
  bool writes;
};

/// What a step touches, with all that a loop does.
void addAccesses(const GraphStep &step, std::vector<Access> &accesses) {
  for (size_t k = 0; k < step.pointers.size(); ++k) {
    bool writes = step.kind == GraphStep::Kind::Launch ? k >= step.nInputs
                  : step.kind == GraphStep::Kind::Loop ? k == 1
                                                       : k + 1 == step.pointers.size();
    accesses.push_back({step.pointers[k], step.sizes[k], writes});
  }
  for (const GraphStep &inner : step.body)
    addAccesses(inner, accesses);
}

/// Whether one writes what the other touches.
bool dependOnEachOther(const std::vector<Access> &a, const std::vector<Access> &b) {
  return std::any_of(a.begin(), a.end(), [&](const Access &one) {
    return std::any_of(b.begin(), b.end(), [&](const Access &other) {
      return (one.writes || other.writes) && rangesOverlap(one.begin, one.size, other.begin, other.size);
    });
  });
}

/// A node's parameters as the driver takes them. Pointers point into this and into the step.
struct Parameters {
  Parameters(const Context &context, const GraphStep &step) {
    switch (step.kind) {
    case GraphStep::Kind::Launch:
      for (const CUdeviceptr &pointer : step.pointers)
        values.push_back(const_cast<CUdeviceptr *>(&pointer));
      status = encodeMaps(context, *step.kernel, step.pointers, maps);
      for (CUtensorMap &map : maps)
        values.push_back(&map);
      setKernel(context, *step.kernel);
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
    case GraphStep::Kind::Loop:
      break;
    }
  }
  Parameters(const Context &context, const CudaKernel &loopKernel, LoopParameters &loop) {
    for (void *value : std::initializer_list<void *>{&loop.handle, &loop.state, &loop.limit, &loop.counter,
                                                     &loop.condition, &loop.most, &loop.isFirst})
      values.push_back(value);
    setKernel(context, loopKernel);
  }
  Parameters(const Parameters &) = delete;

  void setKernel(const Context &context, const CudaKernel &of) {
    kernel.func = of.function;
    kernel.gridDimX = of.groups[0];
    kernel.gridDimY = of.groups[1];
    kernel.gridDimZ = of.groups[2];
    kernel.blockDimX = of.lanes[0];
    kernel.blockDimY = of.lanes[1];
    kernel.blockDimZ = of.lanes[2];
    kernel.sharedMemBytes = of.launchBytes;
    kernel.kernelParams = values.data();
    kernel.ctx = context.context;
  }

  /// Whether there are maps of the buffers.
  tiny_status status = TINY_OK;
  std::vector<void *> values;
  std::vector<CUtensorMap> maps;
  CUkernelNodeParams kernel = {};
  CUmemcpy3D copy = {};
  CUmemsetNodeParams fill = {};
};

uint64_t countLoops(const std::vector<GraphStep> &steps) {
  uint64_t count = 0;
  for (const GraphStep &step : steps)
    if (step.kind == GraphStep::Kind::Loop)
      count += 1 + countLoops(step.body);
  return count;
}

} // namespace

bool GraphStep::fit(const std::vector<GraphStep> &a, const std::vector<GraphStep> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const GraphStep &one, const GraphStep &other) { return one.fits(other); });
}

CudaReplay::~CudaReplay() {
  Current current(context);
  if (current.status)
    return;
  clear();
  streams.retire(std::move(state));
}

void CudaReplay::clear() {
  if (exec)
    (void)context.cu.GraphExecDestroy(exec);
  if (graph)
    (void)context.cu.GraphDestroy(graph);
  exec = nullptr;
  graph = nullptr;
  nodes.clear();
  usedBytes = 0;
}

CUresult CudaReplay::addNodes(CUgraph to, const std::vector<GraphStep> &list, std::vector<Node> &made) {
  std::vector<std::vector<Access>> accesses(list.size());
  made.resize(list.size());
  CUresult result = CUDA_SUCCESS;
  for (size_t index = 0; index < list.size() && result == CUDA_SUCCESS; ++index) {
    const GraphStep &step = list[index];
    addAccesses(step, accesses[index]);
    std::vector<CUgraphNode> before;
    for (size_t k = 0; k < index; ++k)
      if (dependOnEachOther(accesses[k], accesses[index]))
        before.push_back(made[k].node);
    Parameters parameters(context, step);
    if (parameters.status)
      return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode &node = made[index].node;
    switch (step.kind) {
    case GraphStep::Kind::Launch:
      result = context.cu.GraphAddKernelNode(&node, to, before.data(), before.size(), &parameters.kernel);
      break;
    case GraphStep::Kind::Copy:
      result =
          context.cu.GraphAddMemcpyNode(&node, to, before.data(), before.size(), &parameters.copy, context.context);
      break;
    case GraphStep::Kind::Fill:
      result =
          context.cu.GraphAddMemsetNode(&node, to, before.data(), before.size(), &parameters.fill, context.context);
      break;
    case GraphStep::Kind::Loop:
      result = addLoop(to, step, before, made[index]);
      break;
    }
  }
  return result;
}

CUresult CudaReplay::addLoopKernel(CUgraph to, const std::vector<CUgraphNode> &before, LoopParameters loop,
                                   bool isFirst, CUgraphNode &node) {
  loop.isFirst = isFirst;
  Parameters parameters(context, *loopKernel, loop);
  return context.cu.GraphAddKernelNode(&node, to, before.data(), before.size(), &parameters.kernel);
}

static void setAddresses(LoopParameters &loop, const GraphStep &step) {
  loop.limit = step.pointers[0];
  loop.counter = step.pointers[1];
  loop.condition = step.pointers[2];
  loop.most = step.count;
}

/// A kernel decides in front of the loop's node whether there is a first iteration, and another one behind all that an
/// iteration does whether there is a next.
CUresult CudaReplay::addLoop(CUgraph to, const GraphStep &step, const std::vector<CUgraphNode> &before, Node &made) {
  setAddresses(made.loop, step);
  made.loop.state = state->pointer + usedBytes;
  usedBytes += kLoopBytes;
  if (CUresult result = context.cu.GraphConditionalHandleCreate(&made.loop.handle, to, context.context, /*initial=*/0,
                                                                CU_GRAPH_COND_ASSIGN_DEFAULT))
    return result;
  if (CUresult result = addLoopKernel(to, before, made.loop, /*isFirst=*/true, made.first))
    return result;
  CUconditionalNodeParams parameters = {};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.handle = made.loop.handle;
  parameters.conditionalType = CU_GRAPH_COND_TYPE_WHILE;
  parameters.size = 1;
  parameters.ctx = context.context;
  if (CUresult result = context.cu.GraphAddNode(&made.node, to, &made.first, 1, &parameters))
    return result;
  CUgraph body = parameters.bodies[0];
  if (CUresult result = addNodes(body, step.body, made.body))
    return result;
  std::vector<CUgraphNode> all;
  all.reserve(made.body.size());
  for (const Node &inner : made.body)
    all.push_back(inner.node);
  return addLoopKernel(body, all, made.loop, /*isFirst=*/false, made.next);
}

tiny_status CudaReplay::build(const CudaKernel *kernel) {
  loopKernel = kernel;
  uint64_t stateBytes = countLoops(steps) * kLoopBytes;
  if (stateBytes && (!state || state->size < stateBytes)) {
    streams.retire(std::move(state));
    if (tiny_status status = streams.allocate(stateBytes, state))
      return status;
  }
  CUresult result = context.cu.GraphCreate(&graph, 0);
  if (result == CUDA_SUCCESS)
    result = addNodes(graph, steps, nodes);
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

CUresult CudaReplay::updateLoop(const GraphStep &to, const GraphStep &from, Node &made) {
  if (to.pointers != from.pointers) {
    setAddresses(made.loop, to);
    for (bool isFirst : {true, false}) {
      LoopParameters loop = made.loop;
      loop.isFirst = isFirst;
      Parameters parameters(context, *loopKernel, loop);
      if (CUresult result =
              context.cu.GraphExecKernelNodeSetParams(exec, isFirst ? made.first : made.next, &parameters.kernel))
        return result;
    }
  }
  return update(to.body, from.body, made.body);
}

/// What differs in the graph that is there. It still has the dependencies of the steps that it was built for, which do
/// not depend on the addresses of a run.
CUresult CudaReplay::update(const std::vector<GraphStep> &to, const std::vector<GraphStep> &from,
                            std::vector<Node> &made) {
  CUresult result = CUDA_SUCCESS;
  for (size_t k = 0; k < to.size() && result == CUDA_SUCCESS; ++k) {
    if (to[k] == from[k])
      continue;
    Parameters parameters(context, to[k]);
    if (parameters.status)
      return CUDA_ERROR_INVALID_VALUE;
    switch (to[k].kind) {
    case GraphStep::Kind::Launch:
      result = context.cu.GraphExecKernelNodeSetParams(exec, made[k].node, &parameters.kernel);
      break;
    case GraphStep::Kind::Copy:
      result = context.cu.GraphExecMemcpyNodeSetParams(exec, made[k].node, &parameters.copy, context.context);
      break;
    case GraphStep::Kind::Fill:
      result = context.cu.GraphExecMemsetNodeSetParams(exec, made[k].node, &parameters.fill, context.context);
      break;
    case GraphStep::Kind::Loop:
      result = updateLoop(to[k], from[k], made[k]);
      break;
    }
  }
  return result;
}

tiny_status CudaReplay::prepare(std::vector<GraphStep> to, const CudaKernel *kernel) {
  if (isRefused)
    return TINY_UNSUPPORTED;
  if (exec && GraphStep::fit(to, steps) && !context.check(update(to, steps, nodes), "a change of a graph")) {
    steps = std::move(to);
    return TINY_OK;
  }
  if (tiny_status status = context.checkWell())
    return status;
  clear();
  steps = std::move(to);
  return build(kernel);
}
