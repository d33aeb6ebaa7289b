// Orders the steps of a program for a low peak of live bytes: several heuristics, of which the best order wins.
#include "Tiny/Transforms/Kernel/MemoryOrder.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <set>

using namespace llvm;

namespace tiny::kernel {

using Wide = __int128; // sums of sizes

/// By step: the temporaries that it uses.
static std::vector<SmallVector<unsigned, 4>> getUses(const MemoryGraph &graph) {
  std::vector<SmallVector<unsigned, 4>> uses(graph.before.size());
  for (auto [temporary, used] : enumerate(graph.temporaries))
    for (unsigned step : used.steps)
      uses[step].push_back(temporary);
  return uses;
}

static uint64_t saturate(Wide bytes) { return bytes > Wide(UINT64_MAX) ? UINT64_MAX : uint64_t(bytes); }

uint64_t measurePeak(const MemoryGraph &graph, ArrayRef<unsigned> order) {
  std::vector<SmallVector<unsigned, 4>> uses = getUses(graph);
  std::vector<size_t> left(graph.temporaries.size());
  for (auto [temporary, used] : enumerate(graph.temporaries))
    left[temporary] = used.steps.size();
  Wide live = 0, peak = 0;
  for (unsigned step : order) {
    for (unsigned temporary : uses[step])
      if (left[temporary] == graph.temporaries[temporary].steps.size())
        live += graph.temporaries[temporary].bytes;
    peak = std::max(peak, live);
    for (unsigned temporary : uses[step])
      if (--left[temporary] == 0)
        live -= graph.temporaries[temporary].bytes;
  }
  return saturate(peak);
}

uint64_t boundPeak(const MemoryGraph &graph) {
  std::vector<Wide> own(graph.before.size(), 0);
  for (const MemoryGraph::Temporary &temporary : graph.temporaries)
    for (unsigned step : temporary.steps)
      own[step] += temporary.bytes;
  return own.empty() ? 0 : saturate(*llvm::max_element(own));
}

/// Depth first. The graph is taken for a tree: what several steps wait for counts for each.
static std::vector<unsigned> orderDepthFirst(const MemoryGraph &graph) {
  size_t count = graph.before.size();
  // What a step leaves behind: the temporaries that it is the first to use.
  std::vector<Wide> leaves(count, 0), holds(count, 0);
  for (const MemoryGraph::Temporary &temporary : graph.temporaries)
    if (!temporary.steps.empty() && temporary.steps.size() > 1)
      leaves[*llvm::min_element(temporary.steps)] += temporary.bytes;
  std::vector<SmallVector<unsigned, 4>> before = graph.before;
  std::vector<bool> isWaitedFor(count, false);
  for (unsigned step = 0; step < count; ++step) {
    llvm::stable_sort(before[step],
                      [&](unsigned a, unsigned b) { return holds[a] - leaves[a] > holds[b] - leaves[b]; });
    Wide held = 0;
    for (unsigned earlier : before[step]) {
      holds[step] = std::max(holds[step], held + holds[earlier]);
      held += leaves[earlier];
      isWaitedFor[earlier] = true;
    }
    holds[step] = std::max(holds[step], held + leaves[step]);
  }
  std::vector<unsigned> order;
  std::vector<bool> seen(count, false);
  std::vector<std::pair<unsigned, unsigned>> stack; // step, next of what it waits for
  for (unsigned root = 0; root < count; ++root) {
    if (isWaitedFor[root] || seen[root])
      continue;
    seen[root] = true;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto &[step, next] = stack.back();
      if (next == before[step].size()) {
        order.push_back(step);
        stack.pop_back();
        continue;
      }
      unsigned earlier = before[step][next++];
      if (!seen[earlier]) {
        seen[earlier] = true;
        stack.push_back({earlier, 0});
      }
    }
  }
  return order;
}

/// Greedy. A temporary changes what a step is worth twice: when it becomes live, and when one step is left that uses
/// it.
static std::vector<unsigned> orderGreedily(const MemoryGraph &graph) {
  size_t count = graph.before.size();
  std::vector<SmallVector<unsigned, 4>> uses = getUses(graph), after(count);
  std::vector<size_t> waits(count), left(graph.temporaries.size());
  std::vector<Wide> growth(count, 0); // of what is live behind the step
  for (unsigned step = 0; step < count; ++step) {
    waits[step] = graph.before[step].size();
    for (unsigned earlier : graph.before[step])
      after[earlier].push_back(step);
  }
  for (auto [temporary, used] : enumerate(graph.temporaries)) {
    left[temporary] = used.steps.size();
    if (used.steps.size() > 1)
      for (unsigned step : used.steps)
        growth[step] += used.bytes;
  }
  struct Entry {
    Wide growth;
    int64_t readyAt;
    unsigned step;
    bool operator<(const Entry &other) const {
      return std::tie(growth, other.readyAt, step) < std::tie(other.growth, readyAt, other.step);
    }
  };
  std::set<Entry> ready;
  std::vector<int64_t> readyAt(count, -1);
  auto change = [&](unsigned step, Wide bytes) {
    bool isReady = readyAt[step] >= 0 && ready.erase({growth[step], readyAt[step], step}) != 0;
    growth[step] += bytes;
    if (isReady)
      ready.insert({growth[step], readyAt[step], step});
  };
  std::vector<unsigned> order;
  std::vector<bool> done(count, false);
  auto makeReady = [&](unsigned step) {
    readyAt[step] = order.size();
    ready.insert({growth[step], readyAt[step], step});
  };
  for (unsigned step = 0; step < count; ++step)
    if (waits[step] == 0)
      makeReady(step);
  while (!ready.empty()) {
    unsigned step = ready.begin()->step;
    ready.erase(ready.begin());
    done[step] = true;
    order.push_back(step);
    for (unsigned temporary : uses[step]) {
      const MemoryGraph::Temporary &used = graph.temporaries[temporary];
      bool becomesLive = left[temporary] == used.steps.size();
      --left[temporary];
      if (!becomesLive && left[temporary] != 1)
        continue;
      for (unsigned other : used.steps)
        if (!done[other])
          change(other, -Wide(used.bytes) * (becomesLive + (left[temporary] == 1)));
    }
    for (unsigned later : after[step])
      if (--waits[later] == 0)
        makeReady(later);
  }
  return order;
}

/// The same problem from the end: a valid order of one is, read backwards, one of the other, with the same peak.
static MemoryGraph reverse(const MemoryGraph &graph) {
  unsigned last = graph.before.size() - 1;
  MemoryGraph reversed = graph;
  for (MemoryGraph::Temporary &temporary : reversed.temporaries)
    for (unsigned &step : temporary.steps)
      step = last - step;
  reversed.before.assign(graph.before.size(), {});
  for (unsigned step = 0; step <= last; ++step)
    for (unsigned earlier : graph.before[step])
      reversed.before[last - earlier].push_back(last - step);
  return reversed;
}

std::vector<unsigned> orderForMemory(const MemoryGraph &graph) {
  std::vector<unsigned> best(graph.before.size());
  std::iota(best.begin(), best.end(), 0);
  uint64_t peak = measurePeak(graph, best), bound = boundPeak(graph);
  auto attempt = [&](std::vector<unsigned> order) {
    if (uint64_t other = measurePeak(graph, order); other < peak) {
      peak = other;
      best = std::move(order);
    }
  };
  for (auto heuristic : {orderDepthFirst, orderGreedily}) {
    if (peak != bound)
      attempt(heuristic(graph));
    if (peak == bound)
      return best;
    std::vector<unsigned> order = heuristic(reverse(graph));
    std::reverse(order.begin(), order.end());
    for (unsigned &step : order)
      step = order.size() - 1 - step;
    attempt(std::move(order));
  }
  return best;
}

} // namespace tiny::kernel
