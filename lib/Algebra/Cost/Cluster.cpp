// The clocks of all ranks, moved on item by item.
#include "Tiny/Algebra/Cost/Cluster.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tiny::cost {

namespace {

/// Iterations of a loop that are run; those behind them take as long as the last one.
constexpr int64_t kMostIterations = 3;

using Clocks = std::vector<double>;

/// What a list of items changes.
struct State {
  Clocks clocks;
  /// When each rank's network is free again, and by buffer when the exchange that touches it is done.
  Clocks network;
  std::map<unsigned, std::shared_ptr<const Clocks>> pending;
  ClusterTimes times;
  uint64_t events = 0;
};

class ClusterRun {
public:
  ClusterRun(const Topology &topology, const ClusterOptions &options)
      : topology(topology), options(options), ranks(topology.countRanks()) {}

  ClusterTimes run(ArrayRef<ClusterItem> items);

private:
  void number(ArrayRef<ClusterItem> items);
  void runList(ArrayRef<ClusterItem> items, State &state);
  void runKernel(const ClusterItem &item, State &state) const;
  void runExchange(const ClusterItem &item, State &state);
  void runMessage(const ClusterItem &item, State &state);
  bool runsOn(const ClusterItem &item, int64_t rank) const {
    return item.places.empty() || llvm::is_contained(item.places, topology.getPlace(rank, item.stageAxis));
  }
  void runLoop(const ClusterItem &item, State &state);
  void runBranch(const ClusterItem &item, State &state);
  void waitForBuffers(const ClusterItem &item, State &state) const;
  void waitForNetwork(State &state) const;
  const ExchangePlan &findPlan(const ClusterItem &item);
  double average(double sum) const { return sum / static_cast<double>(ranks); }
  ItemTime &timeOf(const ClusterItem &item, State &state) const { return state.times.items[numbers.lookup(&item)]; }

  const Topology &topology;
  const ClusterOptions &options;
  int64_t ranks;
  DenseMap<const ClusterItem *, size_t> numbers;
  std::vector<ItemTime> blank;
  std::map<std::pair<Exchange, SmallVector<int64_t>>, std::vector<ExchangePlan>> plans;
  std::map<SmallVector<int64_t>, std::vector<int32_t>> groups;
};

} // namespace

void ClusterRun::number(ArrayRef<ClusterItem> items) {
  for (const ClusterItem &item : items) {
    numbers[&item] = blank.size();
    blank.emplace_back().item = &item;
    number(item.body);
    number(item.otherwise);
  }
}

void ClusterRun::waitForBuffers(const ClusterItem &item, State &state) const {
  for (unsigned buffer : item.buffers) {
    auto found = state.pending.find(buffer);
    if (found == state.pending.end())
      continue;
    double waited = 0;
    for (auto [clock, done] : zip_equal(state.clocks, *found->second)) {
      waited += std::max(0.0, done - clock);
      clock = std::max(clock, done);
    }
    state.times.exchanges += average(waited);
    state.pending.erase(found);
  }
}

void ClusterRun::runKernel(const ClusterItem &item, State &state) const {
  waitForBuffers(item, state);
  uint64_t event = state.events++;
  double sum = 0;
  for (auto [rank, clock] : enumerate(state.clocks)) {
    double time = item.time;
    if (!runsOn(item, static_cast<int64_t>(rank)))
      continue;
    if (options.jitter > 0) {
      uint64_t key[3] = {options.seed, event, rank};
      uint64_t bits = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(key), sizeof(key)));
      time *= 1 + options.jitter * static_cast<double>(bits >> 11) * 0x1p-53;
    }
    clock += time;
    sum += time;
  }
  state.times.kernels += average(sum);
  ItemTime &own = timeOf(item, state);
  ++own.runs;
  own.time += item.time;
}

const ExchangePlan &ClusterRun::findPlan(const ClusterItem &item) {
  std::vector<ExchangePlan> &known = plans[{item.exchange, item.axes}];
  if (known.empty())
    known = planExchange(topology, item.exchange, item.axes);
  double bytes = static_cast<double>(item.bytes);
  return *llvm::min_element(
      known, [&](const ExchangePlan &a, const ExchangePlan &b) { return a.predict(bytes) < b.predict(bytes); });
}

/// A rank that sends goes on at once, and its messages leave one after the other.
void ClusterRun::runMessage(const ClusterItem &item, State &state) {
  ItemTime &own = timeOf(item, state);
  waitForBuffers(item, state);
  own.algorithm = "message";
  int64_t size = topology.countGroup(item.axes);
  std::vector<int32_t> &members = groups[item.axes];
  if (members.empty())
    members = topology.listGroups(item.axes);
  double bytes = static_cast<double>(item.bytes), longest = 0, exchanged = 0, waited = 0;
  for (auto [group, time] : enumerate(planMessage(topology, item.axes, item.peers))) {
    double takes = time.latency + time.perByte * bytes;
    int32_t sender = members[group * size + item.peers[0]];
    double &leaves = state.network[sender], &to = state.clocks[members[group * size + item.peers[1]]];
    leaves = std::max(leaves, state.clocks[sender]) + takes;
    double waits = std::max(0.0, leaves - to);
    exchanged += std::min(waits, takes);
    waited += std::max(0.0, waits - takes);
    longest = std::max(longest, takes);
    to = std::max(to, leaves);
  }
  own.time += longest;
  own.waited += average(waited);
  state.times.exchanges += average(exchanged);
  state.times.waiting += average(waited);
  // On average of all ranks.
  state.times.sent += bytes / static_cast<double>(size);
}

void ClusterRun::runExchange(const ClusterItem &item, State &state) {
  int64_t size = topology.countGroup(item.axes);
  ItemTime &own = timeOf(item, state);
  ++own.runs;
  if (size == 1)
    return;
  if (item.exchange == Exchange::Send)
    return runMessage(item, state);
  const ExchangePlan &plan = findPlan(item);
  std::vector<int32_t> &members = groups[item.axes];
  if (members.empty())
    members = topology.listGroups(item.axes);
  double bytes = static_cast<double>(item.bytes);
  own.algorithm = plan.algorithm;
  own.time += plan.predict(bytes);
  state.times.sent += static_cast<double>(countSentBytes(item.exchange, item.bytes, size));

  // It begins when all members are there and have what they send, and the exchanges before it are done.
  bool isBeside = options.overlaps || (item.isAsync && options.overlapsAsync);
  if (isBeside)
    for (unsigned buffer : item.buffers)
      if (auto found = state.pending.find(buffer); found != state.pending.end())
        for (auto [free, done] : zip_equal(state.network, *found->second))
          free = std::max(free, done);
  auto done = std::make_shared<Clocks>(isBeside ? ranks : 0);
  double exchanged = 0, waited = 0;
  for (auto [group, time] : enumerate(plan.groups)) {
    ArrayRef<int32_t> those = ArrayRef(members).slice(group * size, size);
    // Groups of a stage are of its ranks alone.
    if (!runsOn(item, those.front()))
      continue;
    double start = 0;
    for (int32_t rank : those)
      start = std::max({start, state.clocks[rank], state.network[rank]});
    double takes = time.latency + time.perByte * bytes;
    for (int32_t rank : those) {
      if (isBeside) {
        state.network[rank] = (*done)[rank] = start + takes;
        continue;
      }
      waited += start - state.clocks[rank];
      exchanged += takes;
      state.clocks[rank] = start + takes;
    }
  }
  own.waited += average(waited);
  state.times.exchanges += average(exchanged);
  state.times.waiting += average(waited);
  if (isBeside)
    for (unsigned buffer : item.isAsync ? ArrayRef(item.buffers).take_back() : ArrayRef(item.buffers))
      state.pending[buffer] = done;
}

/// `to` and `count` times what it has more than `from`.
static void extend(double &to, double from, double count) { to += count * (to - from); }

void ClusterRun::runLoop(const ClusterItem &item, State &state) {
  ItemTime &own = timeOf(item, state);
  ++own.runs;
  int64_t run = std::min(item.count, kMostIterations);
  State before;
  for (int64_t iteration = 0; iteration < run; ++iteration) {
    if (iteration == kMostIterations - 1 && item.count > run)
      before = state;
    runList(item.body, state);
  }
  if (item.count <= run)
    return;
  double more = static_cast<double>(item.count - run);
  for (auto [clock, old] : zip_equal(state.clocks, before.clocks))
    extend(clock, old, more);
  for (auto [free, old] : zip_equal(state.network, before.network))
    extend(free, old, more);
  // What is under way when the last iteration ends was begun in it.
  for (auto &[buffer, done] : state.pending) {
    auto later = std::make_shared<Clocks>(*done);
    for (auto [time, clock, old] : zip_equal(*later, state.clocks, before.clocks))
      time += (clock - old) * more / (more + 1);
    done = later;
  }
  ClusterTimes &times = state.times, &old = before.times;
  extend(times.kernels, old.kernels, more);
  extend(times.exchanges, old.exchanges, more);
  extend(times.waiting, old.waiting, more);
  extend(times.sent, old.sent, more);
  for (auto [time, was] : zip_equal(times.items, old.items)) {
    extend(time.time, was.time, more);
    extend(time.waited, was.waited, more);
    time.runs += (time.runs - was.runs) * (item.count - run);
  }
}

void ClusterRun::runBranch(const ClusterItem &item, State &state) {
  ++timeOf(item, state).runs;
  State other = state;
  runList(item.body, state);
  runList(item.otherwise, other);
  if (*llvm::max_element(other.clocks) > *llvm::max_element(state.clocks))
    state = std::move(other);
}

void ClusterRun::runList(ArrayRef<ClusterItem> items, State &state) {
  for (const ClusterItem &item : items) {
    switch (item.kind) {
    case ClusterItem::Kind::Kernel:
      runKernel(item, state);
      break;
    case ClusterItem::Kind::Exchange:
      runExchange(item, state);
      break;
    case ClusterItem::Kind::Loop:
      waitForBuffers(item, state);
      runLoop(item, state);
      break;
    case ClusterItem::Kind::Branch:
      waitForBuffers(item, state);
      runBranch(item, state);
      break;
    }
  }
}

void ClusterRun::waitForNetwork(State &state) const {
  double waited = 0;
  for (auto [clock, free] : zip_equal(state.clocks, state.network)) {
    waited += std::max(0.0, free - clock);
    clock = std::max(clock, free);
  }
  state.times.exchanges += average(waited);
}

ClusterTimes ClusterRun::run(ArrayRef<ClusterItem> items) {
  number(items);
  State state;
  state.clocks.resize(ranks);
  state.network.resize(ranks);
  state.times.items = blank;
  runList(items, state);
  waitForNetwork(state);
  state.times.step = *llvm::max_element(state.clocks);
  return std::move(state.times);
}

ClusterTimes simulateCluster(ArrayRef<ClusterItem> items, const Topology &topology, const ClusterOptions &options) {
  return ClusterRun(topology, options).run(items);
}

} // namespace tiny::cost
