// Graphs: nodes with their commands, executables of them, and launches.
#include "Calls.h"

#include <algorithm>

using namespace fake;

namespace {

/// CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMSET_NODE_PARAMS_v1 and CUDA_MEMCPY3D_v2, as cuda.h of 12.0 has them.
struct KernelNode {
  void *function;
  uint32_t grid[3], lanes[3], bytes;
  void **parameters, **extra;
  void *kernel, *context;
};
struct MemsetNode {
  uint64_t target;
  size_t pitch;
  uint32_t value, width;
  size_t columns, rows;
};
struct CopySide {
  size_t x, y, z, level;
  uint32_t type;
  const void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch, height;
};
struct CopyNode {
  CopySide source, target;
  size_t width, height, depth;
};
static_assert(sizeof(KernelNode) == 72 && sizeof(MemsetNode) == 40 && sizeof(CopyNode) == 200, "as in cuda.h");

Command makeKernelCommand(Driver &driver, const KernelNode &node) {
  if (node.kernel)
    fail(kInvalidValue, "a node with a function and a kernel");
  if (node.context)
    driver.checkContext(node.context);
  return makeLaunch(driver, node.function, node.grid, node.lanes, node.bytes, node.parameters, node.extra);
}
Command makeMemsetCommand(Driver &driver, const MemsetNode &node, void *context) {
  driver.checkContext(context);
  return makeMemset(driver, node.target, node.pitch, node.value, node.width, node.columns, node.rows);
}
Command makeCopyCommand(Driver &driver, const CopyNode &node, void *context) {
  driver.checkContext(context);
  for (const CopySide *side : {&node.source, &node.target})
    if (side->type != 2 || side->y || side->z || side->level || side->array || side->reserved)
      fail(kInvalidValue, "a copy of a kind that is not known here");
  if (node.height != 1 || node.depth != 1)
    fail(kInvalidValue, "a copy of a kind that is not known here");
  return makeCopy(driver, node.target.device + node.target.x, node.source.device + node.source.x, node.width);
}

int graphCreate(void **graph, unsigned flags) {
  return call("cuGraphCreate", true, [&](Driver &driver) {
    if (flags)
      fail(kInvalidValue, "unknown flags of a graph");
    *graph = driver.graphs.add(std::make_unique<Graph>());
  });
}
void destroy(Driver &driver, Graph *graph) {
  for (auto &node : graph->nodes)
    if (node->body)
      destroy(driver, node->body);
  driver.graphs.remove(graph);
}
int graphDestroy(void *handle) {
  return call("cuGraphDestroy", true, [&](Driver &driver) {
    Graph *graph = driver.graphs.check(handle, "graph");
    if (graph->isBody)
      fail(kInvalidValue, "a graph that is a node's");
    destroy(driver, graph);
  });
}

void addNode(Driver &driver, void **node, void *handle, void *const *dependencies, size_t count, Command command,
             GraphNode::Kind kind) {
  GraphNode made;
  made.enqueue = std::move(command);
  made.kind = kind;
  *node = addGraphNode(driver, handle, dependencies, count, std::move(made));
}

int addKernel(void **node, void *graph, void *const *dependencies, size_t count, const KernelNode *parameters) {
  return call("cuGraphAddKernelNode", true, [&](Driver &driver) {
    addNode(driver, node, graph, dependencies, count, makeKernelCommand(driver, *parameters), GraphNode::Kernel);
  });
}
int addMemset(void **node, void *graph, void *const *dependencies, size_t count, const MemsetNode *parameters,
              void *context) {
  return call("cuGraphAddMemsetNode", true, [&](Driver &driver) {
    addNode(driver, node, graph, dependencies, count, makeMemsetCommand(driver, *parameters, context),
            GraphNode::Memset);
  });
}
int addCopy(void **node, void *graph, void *const *dependencies, size_t count, const CopyNode *parameters,
            void *context) {
  return call("cuGraphAddMemcpyNode", true, [&](Driver &driver) {
    addNode(driver, node, graph, dependencies, count, makeCopyCommand(driver, *parameters, context), GraphNode::Memcpy);
  });
}

/// Nodes whose dependencies are all done, any of them first.
std::vector<GraphStep> orderNodes(Driver &driver, const Graph &graph) {
  std::vector<GraphStep> steps;
  std::vector<GraphNode *> left;
  left.reserve(graph.nodes.size());
  for (auto &node : graph.nodes)
    left.push_back(node.get());
  std::set<GraphNode *> done;
  while (!left.empty()) {
    std::vector<size_t> ready;
    for (size_t k = 0; k < left.size(); ++k)
      if (std::all_of(left[k]->dependencies.begin(), left[k]->dependencies.end(),
                      [&](GraphNode *before) { return done.count(before); }))
        ready.push_back(k);
    size_t chosen = ready[driver.order == Driver::Random ? driver.random() % ready.size() : ready.size() - 1];
    GraphNode *node = left[chosen];
    steps.push_back({node, node->enqueue, node->body ? orderNodes(driver, *node->body) : std::vector<GraphStep>()});
    done.insert(node);
    left.erase(left.begin() + ptrdiff_t(chosen));
  }
  return steps;
}

int instantiate(void **exec, void *handle, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", true, [&](Driver &driver) {
    Graph *graph = driver.graphs.check(handle, "graph");
    if (flags)
      fail(kInvalidValue, "unknown flags of an executable");
    if (graph->isBody)
      fail(kInvalidValue, "a graph that is a node's");
    auto made = std::make_unique<GraphExec>();
    made->conditionals = findConditionals(driver, *graph);
    made->steps = orderNodes(driver, *graph);
    *exec = driver.execs.add(std::move(made));
  });
}

GraphStep *findStep(std::vector<GraphStep> &steps, void *node) {
  for (GraphStep &step : steps)
    if (step.node == node)
      return &step;
    else if (GraphStep *inner = findStep(step.body, node))
      return inner;
  return nullptr;
}

/// Of an executable that does not run at the moment: its next launch sees the change.
void setNode(Driver &driver, void *handle, void *node, GraphNode::Kind kind, Command command) {
  GraphExec *exec = driver.execs.check(handle, "executable");
  GraphStep *step = findStep(exec->steps, node);
  if (!step || step->node->kind != kind)
    fail(kInvalidValue, "a node that the executable was not made of, or of another kind");
  step->enqueue = std::move(command);
}
int setKernel(void *exec, void *node, const KernelNode *parameters) {
  return call("cuGraphExecKernelNodeSetParams", true, [&](Driver &driver) {
    setNode(driver, exec, node, GraphNode::Kernel, makeKernelCommand(driver, *parameters));
  });
}
int setMemset(void *exec, void *node, const MemsetNode *parameters, void *context) {
  return call("cuGraphExecMemsetNodeSetParams", true, [&](Driver &driver) {
    setNode(driver, exec, node, GraphNode::Memset, makeMemsetCommand(driver, *parameters, context));
  });
}
int setCopy(void *exec, void *node, const CopyNode *parameters, void *context) {
  return call("cuGraphExecMemcpyNodeSetParams", true, [&](Driver &driver) {
    setNode(driver, exec, node, GraphNode::Memcpy, makeCopyCommand(driver, *parameters, context));
  });
}

int execDestroy(void *handle) {
  return call("cuGraphExecDestroy", true,
              [&](Driver &driver) { driver.execs.remove(driver.execs.check(handle, "executable")); });
}
int graphLaunch(void *handle, void *stream) {
  return call("cuGraphLaunch", true, [&](Driver &driver) {
    GraphExec *exec = driver.execs.check(handle, "executable");
    Stream *on = driver.checkStream(stream);
    // Launches of one executable do not overlap: this one comes behind the last.
    if (exec->last && exec->last->stream != on)
      driver.enqueue(on, "a wait for the graph's last launch", nullptr, exec->last);
    auto setRunning = [&driver, numbers = exec->conditionals](bool isRunning) {
      for (uint64_t number : numbers) {
        Conditional &conditional = driver.conditionals.at(number);
        conditional.isRunning = isRunning;
        conditional.isSet = conditional.hasInitial;
        conditional.value = conditional.initial;
      }
    };
    auto all = std::make_shared<const std::vector<GraphStep>>(exec->steps);
    driver.enqueue(on, "the begin of a graph", [setRunning](const Work &) { setRunning(true); });
    enqueueSteps(driver, on, *all, all);
    driver.enqueue(on, "the end of a graph", [setRunning](const Work &) { setRunning(false); });
    exec->last = driver.record(on);
  });
}

} // namespace

GraphNode *fake::addGraphNode(Driver &driver, void *handle, void *const *dependencies, size_t count, GraphNode node) {
  Graph *graph = driver.graphs.check(handle, "graph");
  auto made = std::make_unique<GraphNode>(std::move(node));
  for (size_t k = 0; k < count; ++k) {
    auto *other = static_cast<GraphNode *>(dependencies[k]);
    if (std::none_of(graph->nodes.begin(), graph->nodes.end(), [&](auto &known) { return known.get() == other; }))
      fail(kInvalidValue, "a dependency on a node of another graph");
    if (std::count(made->dependencies.begin(), made->dependencies.end(), other))
      fail(kInvalidValue, "a dependency that is there twice");
    made->dependencies.push_back(other);
  }
  graph->nodes.push_back(std::move(made));
  return graph->nodes.back().get();
}

std::vector<Entry> fake::getGraphCalls() {
  return {makeEntry("cuGraphCreate", 10000, graphCreate),
          makeEntry("cuGraphDestroy", 10000, graphDestroy),
          makeEntry("cuGraphAddKernelNode", 12000, addKernel),
          makeEntry("cuGraphAddMemsetNode", 10000, addMemset),
          makeEntry("cuGraphAddMemcpyNode", 10000, addCopy),
          makeEntry("cuGraphInstantiateWithFlags", 11040, instantiate),
          makeEntry("cuGraphExecKernelNodeSetParams", 12000, setKernel),
          makeEntry("cuGraphExecMemsetNodeSetParams", 10020, setMemset),
          makeEntry("cuGraphExecMemcpyNodeSetParams", 10020, setCopy),
          makeEntry("cuGraphExecDestroy", 10000, execDestroy),
          makeEntry("cuGraphLaunch", 10000, graphLaunch)};
}
