// Loops in graphs: what decides, nodes whose body is a graph, and how they run.
#include "Calls.h"

#include <algorithm>

using namespace fake;

namespace {

/// CUgraphNodeParams of a conditional node, as cuda.h of 12.4 has it.
struct ConditionalNode {
  int type, reserved[3];
  uint64_t handle;
  int kind;
  unsigned size;
  void **bodies;
  void *context;
  uint64_t unused[25], reservedToo;
};
static_assert(sizeof(ConditionalNode) == 256, "as in cuda.h");

/// Iterations after which a loop is taken for one that never ends.
constexpr uint64_t kMostIterations = uint64_t(1) << 20;

int handleCreate(uint64_t *handle, void *graph, void *context, unsigned initial, unsigned flags) {
  return call("cuGraphConditionalHandleCreate", true, [&](Driver &driver) {
    if (flags > 1)
      fail(kInvalidValue, "unknown flags of a condition");
    if (context)
      driver.checkContext(context);
    // Such a number is no address.
    *handle = 0xC0DE0001 + driver.conditionals.size();
    driver.conditionals[*handle] = {driver.graphs.check(graph, "graph"), initial, flags == 1};
  });
}

int addNode(void **node, void *graph, void *const *dependencies, size_t count, ConditionalNode *parameters) {
  return call("cuGraphAddNode", true, [&](Driver &driver) {
    const ConditionalNode &given = *parameters;
    if (given.type != 13 || given.kind != 1)
      fail(kInvalidValue, "a node of a kind that is not known here");
    auto isZero = [](uint64_t word) { return !word; };
    if (given.reserved[0] || given.reserved[1] || given.reserved[2] || given.reservedToo ||
        !std::all_of(std::begin(given.unused), std::end(given.unused), isZero))
      fail(kInvalidValue, "bytes of a node that are not used must be zero");
    if (given.size != 1)
      fail(kInvalidValue, "a loop has one body");
    driver.checkContext(given.context);
    auto found = driver.conditionals.find(given.handle);
    if (found == driver.conditionals.end() || found->second.graph != driver.graphs.check(graph, "graph"))
      fail(kInvalidValue, "a condition that was not made for this graph");
    if (found->second.node)
      fail(kInvalidValue, "a condition that has a node");
    GraphNode made;
    made.kind = GraphNode::While;
    made.conditional = given.handle;
    auto body = std::make_unique<Graph>();
    body->isBody = true;
    made.body = body.get();
    GraphNode *added = addGraphNode(driver, graph, dependencies, count, std::move(made));
    driver.graphs.add(std::move(body));
    found->second.node = added;
    *node = added;
    // The list is the driver's.
    parameters->bodies = reinterpret_cast<void **>(&added->body);
  });
}

/// From 12.3 on it is another function, with data of edges in front of the count.
int addNodeWithEdges() {
  return call("cuGraphAddNode_v2", true, [&](Driver &) { fail(kInvalidValue, "unknown here"); });
}

void enqueueLoop(Driver &driver, Stream *stream, const GraphStep &step,
                 const std::shared_ptr<const std::vector<GraphStep>> &all) {
  auto iterations = std::make_shared<uint64_t>(0);
  driver.enqueue(stream, "a loop", [&driver, &step, all, iterations](const Work &work) {
    Conditional &conditional = driver.conditionals.at(step.node->conditional);
    if (!conditional.isSet)
      fail(kLaunchFailed, *iterations ? "a loop's body did not set its condition" : "a loop's condition is not set");
    if (!conditional.value)
      return;
    if (++*iterations > kMostIterations)
      fail(kLaunchFailed, "a loop that does not end");
    conditional.isSet = false;
    driver.runNow(work, [&](Stream *parts) {
      enqueueSteps(driver, parts, step.body, all);
      // And then the next iteration.
      parts->queue.push_back(work);
    });
  });
}

} // namespace

const char *Driver::setConditional(uint64_t handle, uint32_t value) {
  auto found = conditionals.find(handle);
  if (found == conditionals.end())
    return "there is no such handle";
  if (!found->second.isRunning)
    return "its graph does not run";
  found->second.isSet = true;
  found->second.value = value;
  return nullptr;
}

void fake::enqueueSteps(Driver &driver, Stream *stream, const std::vector<GraphStep> &steps,
                        const std::shared_ptr<const std::vector<GraphStep>> &all) {
  for (const GraphStep &step : steps)
    if (step.node->kind == GraphNode::While)
      enqueueLoop(driver, stream, step, all);
    else
      step.enqueue(stream);
}

std::vector<uint64_t> fake::findConditionals(const Driver &driver, const Graph &graph) {
  std::vector<uint64_t> found;
  for (auto &[number, conditional] : driver.conditionals) {
    if (conditional.graph != &graph)
      continue;
    if (!conditional.node)
      fail(kInvalidValue, "a condition without a node");
    found.push_back(number);
    std::vector<uint64_t> inner = findConditionals(driver, *conditional.node->body);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

std::vector<Entry> fake::getConditionalCalls() {
  return {makeEntry("cuGraphConditionalHandleCreate", 12030, handleCreate),
          makeEntry("cuGraphAddNode", 12030, addNodeWithEdges), makeEntry("cuGraphAddNode", 12020, addNode)};
}
