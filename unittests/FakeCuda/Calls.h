// The calls by their names, for cuGetProcAddress.
#ifndef TINY_UNITTESTS_FAKECUDA_CALLS_H
#define TINY_UNITTESTS_FAKECUDA_CALLS_H

#include "Driver.h"

namespace fake {

struct Entry {
  const char *name;
  /// 1000 * major + 10 * minor of the version that the function, as it is here, came with.
  int since;
  void *function;
};
std::vector<Entry> getDeviceCalls();
std::vector<Entry> getMemoryCalls();
std::vector<Entry> getLaunchCalls();
std::vector<Entry> getGraphCalls();
std::vector<Entry> getConditionalCalls();
std::vector<Entry> getMapCalls();

/// Commands, checked where they are asked for; graphs keep them. They give what enqueues them.
using Command = std::function<void(Stream *)>;
Command makeLaunch(Driver &driver, void *function, const uint32_t grid[3], const uint32_t lanes[3], uint32_t bytes,
                   void **parameters, void **extra);
Command makeMemset(Driver &driver, uint64_t target, size_t pitch, uint32_t value, unsigned width, size_t columns,
                   size_t rows);
Command makeCopy(Driver &driver, uint64_t target, uint64_t source, size_t bytes);

/// Adds a node behind others of the graph.
GraphNode *addGraphNode(Driver &driver, void *graph, void *const *dependencies, size_t count, GraphNode made);
/// Commands of steps, with those of loops among them. The steps are as they were at the launch.
void enqueueSteps(Driver &driver, Stream *stream, const std::vector<GraphStep> &steps,
                  const std::shared_ptr<const std::vector<GraphStep>> &all);
/// Conditions of a graph's loops, and of those in them.
std::vector<uint64_t> findConditionals(const Driver &driver, const Graph &graph);

template <typename T> Entry makeEntry(const char *name, int since, T *function) {
  return {name, since, reinterpret_cast<void *>(function)};
}

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_CALLS_H
