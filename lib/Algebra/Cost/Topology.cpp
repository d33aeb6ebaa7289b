// Messages in a tree of units, and exchanges as rounds of messages.
#include "Tiny/Algebra/Cost/Cluster.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tiny::cost {

//===--- The tree -------------------------------------------------------------------------------------------------===//

Topology::Topology(ArrayRef<int64_t> grid, const Machine &machine) : grid(grid) {
  for (int64_t size : grid)
    ranks *= size;
  // 10^6 bytes a second are a thousandth of a byte in a nanosecond.
  for (const Distance &distance : machine.network) {
    if (!distance.ranks)
      break;
    double all = static_cast<double>(distance.bandwidth) * 1e-3;
    int64_t below = levels.empty() ? 1 : levels.back().ranks;
    levels.push_back({distance.ranks, static_cast<double>(distance.latency), all * static_cast<double>(below)});
  }
  // The farthest distance stands for all beyond it.
  if (!levels.empty())
    levels.back().ranks = std::max(levels.back().ranks, ranks);
}

int64_t Topology::countGroup(ArrayRef<int64_t> axes) const {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= grid[axis];
  return count;
}

std::vector<int32_t> Topology::listGroups(ArrayRef<int64_t> axes) const {
  SmallVector<int64_t> strides(grid.size(), 1);
  for (size_t axis = grid.size(); axis > 1; --axis)
    strides[axis - 2] = strides[axis - 1] * grid[axis - 1];
  // Axes of groups first, then those within a group, the last one fastest.
  SmallVector<int64_t> order;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    if (!is_contained(axes, static_cast<int64_t>(axis)))
      order.push_back(static_cast<int64_t>(axis));
  append_range(order, axes);
  std::vector<int32_t> members;
  members.reserve(ranks);
  for (int64_t place = 0; place < ranks; ++place) {
    int64_t left = place, rank = 0;
    for (int64_t axis : reverse(order)) {
      rank += left % grid[axis] * strides[axis];
      left /= grid[axis];
    }
    members.push_back(static_cast<int32_t>(rank));
  }
  return members;
}

int64_t Topology::getPlace(int64_t rank, int64_t axis) const {
  for (size_t behind = grid.size() - 1; behind > static_cast<size_t>(axis); --behind)
    rank /= grid[behind];
  return rank % grid[axis];
}

size_t Topology::findLevel(Message message) const {
  size_t level = 0;
  while (level + 1 < levels.size() && message.from / levels[level].ranks != message.to / levels[level].ranks)
    ++level;
  return level;
}

std::vector<Topology::Time> Topology::timeMessages(ArrayRef<Message> messages) const {
  // By level, messages out of and into each unit of the level below it. Units of the first level are ranks, which share
  // one machine: there all messages of a machine count.
  struct Links {
    std::vector<int32_t> out, in;
  };
  std::vector<Links> links(levels.size());
  for (auto [level, counts] : enumerate(links)) {
    int64_t size = level ? levels[level - 1].ranks : levels[0].ranks;
    counts.out.resize(divideCeil(ranks, size));
    counts.in.resize(counts.out.size());
  }
  std::vector<uint8_t> found;
  found.reserve(messages.size());
  for (Message message : messages) {
    size_t meeting = findLevel(message);
    found.push_back(static_cast<uint8_t>(meeting));
    if (meeting == 0)
      ++links[0].out[message.from / levels[0].ranks];
    for (size_t level = 1; level <= meeting; ++level) {
      ++links[level].out[message.from / levels[level - 1].ranks];
      ++links[level].in[message.to / levels[level - 1].ranks];
    }
  }
  std::vector<Time> times;
  times.reserve(messages.size());
  for (auto [message, meeting] : zip_equal(messages, found)) {
    // A rank sends no more than to its nearest neighbours.
    double rate = levels[0].uplink;
    auto share = [&](double capacity, int32_t count) { rate = std::min(rate, capacity / std::max(count, 1)); };
    if (meeting == 0)
      share(levels[0].uplink * static_cast<double>(levels[0].ranks), links[0].out[message.from / levels[0].ranks]);
    for (size_t level = 1; level <= meeting; ++level) {
      share(levels[level].uplink, links[level].out[message.from / levels[level - 1].ranks]);
      share(levels[level].uplink, links[level].in[message.to / levels[level - 1].ranks]);
    }
    times.push_back({levels[meeting].latency, 1 / rate});
  }
  return times;
}

//===--- Exchanges ------------------------------------------------------------------------------------------------===//

namespace {

/// Each member of a group, or those that `sends` names, sends `share` of the tensor to the member `shift` behind it.
struct Round {
  int64_t shift;
  double share, times = 1;
  std::function<bool(int64_t)> sends;
};

/// Rounds at more distances are sampled.
constexpr int64_t kMostDistances = 64;

/// Distances 1, 2, 4 and so on, with the number of parts that are sent so far.
SmallVector<Round> doubleDistances(int64_t ranks, function_ref<double(int64_t)> getShare, double times = 1) {
  SmallVector<Round> rounds;
  for (int64_t shift = 1; shift < ranks; shift *= 2)
    rounds.push_back({shift, getShare(shift), times, nullptr});
  return rounds;
}

/// Every distance once.
SmallVector<Round> walkDistances(int64_t ranks) {
  SmallVector<Round> rounds;
  int64_t all = ranks - 1, count = std::min(all, kMostDistances);
  for (int64_t k = 0; k < count; ++k)
    rounds.push_back({1 + k * all / count + all / count / 2, 1 / double(ranks), double(all) / double(count), nullptr});
  return rounds;
}

std::vector<std::pair<StringRef, SmallVector<Round>>> listAlgorithms(Exchange kind, int64_t ranks) {
  double parts = static_cast<double>(ranks);
  auto whole = [](int64_t) { return 1.0; };
  auto part = [&](int64_t shift) { return static_cast<double>(std::min(shift, ranks - shift)) / parts; };
  SmallVector<Round> halving = doubleDistances(ranks, part), tree, scatter;
  SmallVector<Round> ring = {{1, 1 / parts, parts - 1, nullptr}};
  switch (kind) {
  case Exchange::AllReduce:
    ring.front().times *= 2;
    return {{"doubling", doubleDistances(ranks, whole)}, {"halving", doubleDistances(ranks, part, 2)}, {"ring", ring}};
  case Exchange::AllGather:
  case Exchange::ReduceScatter:
    return {{"halving", halving}, {"ring", ring}};
  case Exchange::AllToAll:
    return {{"doubling", doubleDistances(ranks, [](int64_t) { return 0.5; })}, {"pairwise", walkDistances(ranks)}};
  case Exchange::Send:
    return {{"message", {{1, 1, 1, [](int64_t member) { return member == 0; }}}}};
  case Exchange::Broadcast:
    for (const Round &round : halving) {
      int64_t shift = round.shift;
      tree.push_back({shift, 1, 1, [=](int64_t member) { return member < shift && member + shift < ranks; }});
      scatter.push_back(
          {shift, round.share, 1, [=](int64_t member) { return member % (2 * shift) == 0 && member + shift < ranks; }});
    }
    scatter.append(ring);
    return {{"tree", tree}, {"scatter", scatter}};
  }
  llvm_unreachable("covered switch");
}

} // namespace

double ExchangePlan::predict(double bytes) const {
  double longest = 0;
  for (const Topology::Time &time : groups)
    longest = std::max(longest, time.latency + time.perByte * bytes);
  return longest;
}

std::vector<Topology::Time> planMessage(const Topology &topology, ArrayRef<int64_t> axes,
                                        std::array<int64_t, 2> peers) {
  int64_t size = topology.countGroup(axes);
  std::vector<int32_t> members = topology.listGroups(axes);
  std::vector<Topology::Message> messages;
  for (size_t first = 0; first < members.size(); first += size)
    messages.push_back({members[first + peers[0]], members[first + peers[1]]});
  return topology.timeMessages(messages);
}

std::vector<ExchangePlan> planExchange(const Topology &topology, Exchange kind, ArrayRef<int64_t> axes) {
  int64_t size = topology.countGroup(axes);
  std::vector<int32_t> members = topology.listGroups(axes);
  std::vector<ExchangePlan> plans;
  for (auto &[algorithm, rounds] : listAlgorithms(kind, size)) {
    ExchangePlan &plan = plans.emplace_back();
    plan.algorithm = algorithm;
    plan.groups.resize(topology.countRanks() / size);
    for (const Round &round : rounds) {
      std::vector<Topology::Message> messages;
      std::vector<size_t> groups;
      for (size_t place = 0; place < members.size(); ++place) {
        size_t group = place / size;
        int64_t member = static_cast<int64_t>(place) % size;
        if (round.sends && !round.sends(member))
          continue;
        messages.push_back({members[place], members[group * size + (member + round.shift) % size]});
        groups.push_back(group);
      }
      // A round of a group ends with its last message.
      std::vector<Topology::Time> slowest(plan.groups.size());
      for (auto [group, time] : zip_equal(groups, topology.timeMessages(messages))) {
        slowest[group].latency = std::max(slowest[group].latency, time.latency);
        slowest[group].perByte = std::max(slowest[group].perByte, time.perByte);
      }
      for (auto [sum, time] : zip_equal(plan.groups, slowest)) {
        sum.latency += round.times * time.latency;
        sum.perByte += round.times * round.share * time.perByte;
      }
    }
  }
  return plans;
}

} // namespace tiny::cost
