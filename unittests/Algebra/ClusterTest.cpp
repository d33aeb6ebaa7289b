// The cluster against what can be said by hand: formulas of flat networks, shared links, clocks.
#include "Tiny/Algebra/Cost/Cluster.h"

#include "gtest/gtest.h"

using namespace tiny::cost;

namespace {

Machine makeMachine(std::initializer_list<Distance> network) {
  Machine machine = getGenericMachine();
  llvm::copy(network, machine.network.begin());
  return machine;
}

double predict(const Topology &topology, Exchange kind, llvm::ArrayRef<int64_t> axes, double bytes) {
  double best = std::numeric_limits<double>::infinity();
  for (const ExchangePlan &plan : planExchange(topology, kind, axes))
    best = std::min(best, plan.predict(bytes));
  return best;
}

ClusterItem makeKernel(double time, std::initializer_list<unsigned> buffers = {}) {
  ClusterItem item;
  item.time = time;
  item.buffers = buffers;
  return item;
}

ClusterItem makeExchange(int64_t bytes, std::initializer_list<int64_t> axes,
                         std::initializer_list<unsigned> buffers = {}) {
  ClusterItem item;
  item.kind = ClusterItem::Kind::Exchange;
  item.bytes = bytes;
  item.axes = axes;
  item.buffers = buffers;
  return item;
}

// On a network of one distance the rounds add up to the formulas that shardings are chosen by.
TEST(ClusterTest, FlatNetworkAgreesWithTheFormulas) {
  Machine machine = makeMachine({{1 << 20, 1500, 2000}});
  for (int64_t ranks : {2, 3, 4, 8, 13, 64})
    for (Exchange kind : {Exchange::AllReduce, Exchange::AllGather, Exchange::ReduceScatter, Exchange::AllToAll})
      for (int64_t bytes : {4, 4096, 1 << 24}) {
        double formula = static_cast<double>(predictExchange(machine, kind, bytes, ranks, ranks));
        EXPECT_NEAR(predict(Topology({ranks}, machine), kind, {0}, static_cast<double>(bytes)), formula,
                    1 + formula * 1e-6)
            << ranks << " ranks, kind " << static_cast<int>(kind) << ", " << bytes << " bytes";
      }
}

// Four ranks on each of two machines: each machine's link carries 4 x 1 bytes a nanosecond, and a rank 10.
TEST(ClusterTest, MessagesShareLinks) {
  Topology topology({8}, makeMachine({{4, 10, 10000}, {8, 100, 1000}}));
  auto time = [&](std::vector<Topology::Message> messages) { return topology.timeMessages(messages).front(); };
  EXPECT_DOUBLE_EQ(time({{0, 1}}).latency, 10);
  EXPECT_DOUBLE_EQ(time({{0, 1}}).perByte, 0.1);
  EXPECT_DOUBLE_EQ(time({{0, 4}}).latency, 100);
  EXPECT_DOUBLE_EQ(time({{0, 4}}).perByte, 0.25);
  EXPECT_DOUBLE_EQ(time({{0, 4}, {1, 5}}).perByte, 0.5);
  EXPECT_DOUBLE_EQ(time({{0, 4}, {1, 5}, {2, 6}, {3, 7}}).perByte, 1);
  // What comes in does not share with what goes out.
  EXPECT_DOUBLE_EQ(time({{0, 4}, {5, 1}}).perByte, 0.25);
}

// Along the inner axis groups stay on a machine; along the outer one all four pairs use the one link.
TEST(ClusterTest, GroupsContend) {
  Topology topology({2, 4}, makeMachine({{4, 10, 10000}, {8, 100, 1000}}));
  EXPECT_NEAR(predict(topology, Exchange::AllGather, {1}, 4e6), 2 * 10 + 3e6 * 0.1, 1);
  EXPECT_NEAR(predict(topology, Exchange::AllGather, {0}, 4e6), 100 + 2e6, 1);
  // A ring of all uses each link once at a time.
  Topology ring({8}, makeMachine({{4, 10, 10000}, {8, 100, 1000}}));
  EXPECT_NEAR(predict(ring, Exchange::AllGather, {0}, 4e6), 7 * 100 + 7.0 / 8 * 4e6 * 0.25, 1);
}

TEST(ClusterTest, GroupsAreRowMajor) {
  Topology topology({2, 3}, makeMachine({{8, 10, 1000}}));
  EXPECT_EQ(topology.listGroups({1}), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(topology.listGroups({0}), (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(topology.listGroups({0, 1}), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

// A kernel of 1000, then 1 + 4000 bytes at 1 a nanosecond in two directions.
TEST(ClusterTest, ClocksAddUp) {
  Topology topology({2}, makeMachine({{2, 1, 1000}}));
  std::vector<ClusterItem> items = {makeKernel(1000), makeExchange(4000, {0}), makeKernel(500)};
  ClusterTimes times = simulateCluster(items, topology);
  EXPECT_DOUBLE_EQ(times.step, 1000 + 1 + 4000 + 500);
  EXPECT_DOUBLE_EQ(times.kernels, 1500);
  EXPECT_DOUBLE_EQ(times.exchanges, 4001);
  EXPECT_DOUBLE_EQ(times.waiting, 0);
  EXPECT_DOUBLE_EQ(times.sent, 4000);
}

// Beside kernels of other buffers an exchange takes nothing, until its own is needed.
TEST(ClusterTest, ExchangesRunBesideKernels) {
  Topology topology({2}, makeMachine({{2, 1, 1000}}));
  ClusterOptions options;
  options.overlaps = true;
  std::vector<ClusterItem> items = {makeKernel(1000, {0}), makeExchange(4000, {0}, {0, 1}), makeKernel(3000, {2}),
                                    makeKernel(500, {1, 3})};
  EXPECT_DOUBLE_EQ(simulateCluster(items, topology, options).step, 1000 + 4001 + 500);
  EXPECT_DOUBLE_EQ(simulateCluster(items, topology).step, 1000 + 4001 + 3000 + 500);
  // Those that the program lets do so, if ranks have a processor for it.
  items[1].isAsync = true;
  EXPECT_DOUBLE_EQ(simulateCluster(items, topology).step, 1000 + 4001 + 500);
  ClusterOptions busy;
  busy.overlapsAsync = false;
  EXPECT_DOUBLE_EQ(simulateCluster(items, topology, busy).step, 1000 + 4001 + 3000 + 500);
  items[1].isAsync = false;
  // An exchange that nobody waits for ends the step.
  items.pop_back();
  EXPECT_DOUBLE_EQ(simulateCluster(items, topology, options).step, 1000 + 4001);
}

// A message of 4001 ns: its sender goes on, and the next message leaves when the first one has. The receiver waits for
// what has not come.
TEST(ClusterTest, MessagesAreOnTheirWay) {
  Topology topology({2}, makeMachine({{2, 1, 1000}}));
  ClusterItem message = makeExchange(4000, {0});
  message.exchange = Exchange::Send;
  message.peers = {0, 1};
  auto on = [](ClusterItem item, int64_t place) {
    item.places = {place};
    return item;
  };
  EXPECT_DOUBLE_EQ(simulateCluster({message, on(makeKernel(1000), 0)}, topology).step, 4001);
  EXPECT_DOUBLE_EQ(simulateCluster({message, on(makeKernel(9000), 0)}, topology).step, 9000);
  EXPECT_DOUBLE_EQ(simulateCluster({on(makeKernel(5000), 1), message}, topology).step, 5000);
  ClusterTimes times = simulateCluster({on(makeKernel(1000), 0), message, message, on(makeKernel(10), 1)}, topology);
  EXPECT_DOUBLE_EQ(times.step, 1000 + 2 * 4001 + 10);
  // Each of the two waits for both messages, and the receiver for the kernel before them.
  EXPECT_DOUBLE_EQ(times.exchanges, 2 * 4001);
  EXPECT_DOUBLE_EQ(times.waiting, 500);
}

TEST(ClusterTest, LoopsGoOnAlike) {
  Topology topology({4}, makeMachine({{4, 1, 1000}}));
  ClusterItem loop;
  loop.kind = ClusterItem::Kind::Loop;
  loop.count = 1000;
  loop.body = {makeKernel(10), makeExchange(400, {0})};
  ClusterTimes once = simulateCluster(loop.body, topology), times = simulateCluster({loop}, topology);
  EXPECT_NEAR(times.step, 1000 * once.step, 1e-3);
  EXPECT_NEAR(times.sent, 1000 * once.sent, 1e-3);
  EXPECT_EQ(times.items[1].runs, 1000);
  EXPECT_NEAR(times.items[2].time, 1000 * once.items[1].time, 1e-3);
  loop.count = 0;
  EXPECT_DOUBLE_EQ(simulateCluster({loop}, topology).step, 0);
}

TEST(ClusterTest, TheLongerBranchRuns) {
  Topology topology({2}, makeMachine({{2, 1, 1000}}));
  ClusterItem branch;
  branch.kind = ClusterItem::Kind::Branch;
  branch.body = {makeKernel(10)};
  branch.otherwise = {makeKernel(7), makeKernel(7)};
  ClusterTimes times = simulateCluster({branch}, topology);
  EXPECT_DOUBLE_EQ(times.step, 14);
  EXPECT_EQ(times.items[1].runs, 0);
}

// The slowest of many ranks decides: more of them wait longer.
TEST(ClusterTest, JitterMakesRanksWait) {
  ClusterOptions options;
  options.jitter = 0.1;
  Machine machine = makeMachine({{1 << 17, 1, 1000}});
  std::vector<ClusterItem> items;
  for (int k = 0; k < 20; ++k) {
    items.push_back(makeKernel(1000));
    items.push_back(makeExchange(4, {0}));
  }
  ClusterTimes two = simulateCluster(items, Topology({2}, machine), options);
  ClusterTimes many = simulateCluster(items, Topology({100000}, machine), options);
  EXPECT_GT(two.waiting, 0);
  EXPECT_GT(many.waiting, two.waiting);
  EXPECT_GT(many.waiting, 20 * 1000 * 0.049);
  EXPECT_DOUBLE_EQ(many.step, simulateCluster(items, Topology({100000}, machine), options).step);
}

} // namespace
