// Orders for memory against brute force over all valid orders.
#include "Tiny/Transforms/Kernel/MemoryOrder.h"

#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace tiny::kernel;

namespace {

using Order = std::vector<unsigned>;

bool isValid(const MemoryGraph &graph, const Order &order) {
  std::vector<bool> done(graph.before.size(), false);
  for (unsigned step : order) {
    for (unsigned earlier : graph.before[step])
      if (!done[earlier])
        return false;
    if (done[step])
      return false;
    done[step] = true;
  }
  return order.size() == graph.before.size();
}

/// The least peak over all valid orders, by trying each; a set of steps that is done has one best way to it.
uint64_t findLeastPeak(const MemoryGraph &graph) {
  unsigned count = graph.before.size();
  auto used = [&](const MemoryGraph::Temporary &temporary, unsigned set) {
    unsigned steps = 0;
    for (unsigned step : temporary.steps)
      steps += (set >> step) & 1;
    return steps;
  };
  std::vector<uint64_t> least(size_t(1) << count, UINT64_MAX);
  least[0] = 0;
  for (unsigned set = 0; set < least.size(); ++set) {
    if (least[set] == UINT64_MAX)
      continue;
    for (unsigned step = 0; step < count; ++step) {
      bool isReady = !((set >> step) & 1);
      for (unsigned earlier : graph.before[step])
        isReady &= (set >> earlier) & 1;
      if (!isReady)
        continue;
      unsigned next = set | (1u << step);
      uint64_t live = 0;
      for (const MemoryGraph::Temporary &temporary : graph.temporaries)
        if (used(temporary, next) != 0 && used(temporary, set) != temporary.steps.size())
          live += temporary.bytes;
      least[next] = std::min(least[next], std::max(least[set], live));
    }
  }
  return least.back();
}

/// Each step writes one temporary, which later ones read.
MemoryGraph makeRandom(std::mt19937 &random, unsigned count, unsigned reads, bool isTree) {
  MemoryGraph graph;
  std::vector<bool> isRead(count, false);
  for (unsigned step = 0; step < count; ++step) {
    graph.before.emplace_back();
    for (unsigned k = 0; k < reads && step > 0; ++k) {
      unsigned earlier = random() % step;
      if ((isTree && isRead[earlier]) || llvm::is_contained(graph.before[step], earlier) || random() % 4 == 0)
        continue;
      isRead[earlier] = true;
      graph.before[step].push_back(earlier);
      graph.temporaries[earlier].steps.push_back(step);
    }
    graph.temporaries.push_back({1 + random() % 64, {step}});
  }
  return graph;
}

TEST(MemoryOrderTest, Chain) {
  MemoryGraph graph{{{8, {0, 1}}, {16, {1, 2}}, {4, {2}}}, {{}, {0}, {1}}};
  EXPECT_EQ(orderForMemory(graph), Order({0, 1, 2}));
  EXPECT_EQ(measurePeak(graph, {0, 1, 2}), 24u);
  EXPECT_EQ(boundPeak(graph), 24u);
}

TEST(MemoryOrderTest, Empty) {
  MemoryGraph graph;
  EXPECT_TRUE(orderForMemory(graph).empty());
  EXPECT_EQ(measurePeak(graph, {}), 0u);
  EXPECT_EQ(boundPeak(graph), 0u);
}

TEST(MemoryOrderTest, LargestSubtreeFirst) {
  // Steps 0 and 1 leave little, step 2 needs much to leave little: it goes first.
  MemoryGraph graph{{{1, {0, 4}}, {1, {1, 4}}, {100, {2, 3}}, {1, {3, 4}}}, {{}, {}, {}, {2}, {0, 1, 3}}};
  Order order = orderForMemory(graph);
  EXPECT_EQ(measurePeak(graph, order), 101u);
  EXPECT_EQ(measurePeak(graph, {0, 1, 2, 3, 4}), 103u);
}

TEST(MemoryOrderTest, SaturatesSums) {
  MemoryGraph graph{{{UINT64_MAX, {0, 1}}, {UINT64_MAX, {0, 1}}}, {{}, {0}}};
  EXPECT_EQ(measurePeak(graph, {0, 1}), UINT64_MAX);
  EXPECT_EQ(boundPeak(graph), UINT64_MAX);
}

/// Orders are valid, never worse than the given one, and on average close to the best.
void compareWithBruteForce(bool isTree, double allowed) {
  std::mt19937 random(1);
  double ratios = 0, worst = 1;
  unsigned optimal = 0;
  constexpr unsigned kGraphs = 300;
  for (unsigned k = 0; k < kGraphs; ++k) {
    MemoryGraph graph = makeRandom(random, 4 + random() % 7, 1 + random() % 3, isTree);
    Order order = orderForMemory(graph), given(order.size());
    std::iota(given.begin(), given.end(), 0);
    ASSERT_TRUE(isValid(graph, order));
    uint64_t peak = measurePeak(graph, order), least = findLeastPeak(graph);
    EXPECT_LE(peak, measurePeak(graph, given));
    EXPECT_LE(boundPeak(graph), least);
    ASSERT_LE(least, peak);
    double ratio = double(peak) / double(least);
    ratios += ratio;
    worst = std::max(worst, ratio);
    optimal += peak == least;
  }
  std::printf("%s: %u of %u optimal, mean ratio %.4f, worst %.3f\n", isTree ? "trees" : "graphs", optimal, kGraphs,
              ratios / kGraphs, worst);
  EXPECT_LE(ratios / kGraphs, allowed);
}

TEST(MemoryOrderTest, RandomTrees) { compareWithBruteForce(/*isTree=*/true, 1.05); }
TEST(MemoryOrderTest, RandomGraphs) { compareWithBruteForce(/*isTree=*/false, 1.08); }

TEST(MemoryOrderTest, LargeGraphs) {
  std::mt19937 random(2);
  MemoryGraph graph = makeRandom(random, 50000, 3, /*isTree=*/false);
  Order order = orderForMemory(graph);
  EXPECT_TRUE(isValid(graph, order));
  EXPECT_EQ(order, orderForMemory(graph));
}

} // namespace
