// The alpha-beta model of exchanges: so many messages one after the other, and so many bytes behind each other.
#include "Tiny/Algebra/Cost/Network.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace tiny::cost {

const Distance &findDistance(const Machine &machine, int64_t span) {
  const Distance *found = &machine.network.front();
  for (const Distance &distance : machine.network) {
    if (distance.ranks)
      found = &distance;
    if (distance.ranks >= span)
      break;
  }
  return *found;
}

int64_t findSpan(llvm::ArrayRef<int64_t> grid, llvm::ArrayRef<int64_t> axes) {
  int64_t span = 1;
  for (int64_t axis : axes) {
    int64_t stride = 1;
    for (int64_t size : grid.drop_front(axis + 1))
      stride *= size;
    span += (grid[axis] - 1) * stride;
  }
  return span;
}

int64_t countSentBytes(Exchange kind, int64_t bytes, int64_t ranks) {
  int64_t once = bytes - bytes / ranks;
  if (kind == Exchange::Broadcast || kind == Exchange::Send)
    return bytes;
  return kind == Exchange::AllReduce ? 2 * once : once;
}

int64_t predictExchange(const Machine &machine, Exchange kind, int64_t bytes, int64_t ranks, int64_t span) {
  if (ranks <= 1)
    return 0;
  const Distance &distance = findDistance(machine, span);
  double latency = static_cast<double>(distance.latency);
  // 10^6 bytes a second are a byte in a thousandth of a microsecond.
  auto send = [&](double count) { return count * 1e3 / static_cast<double>(std::max<int64_t>(distance.bandwidth, 1)); };
  double rounds = llvm::Log2_64_Ceil(static_cast<uint64_t>(ranks)), others = static_cast<double>(ranks - 1);
  double all = static_cast<double>(bytes), part = all / static_cast<double>(ranks);
  double shortWay = 0, longWay = 0;
  switch (kind) {
  case Exchange::AllReduce:
    shortWay = rounds * (latency + send(all));
    longWay = 2 * rounds * latency + 2 * send(others * part);
    break;
  case Exchange::AllGather:
  case Exchange::ReduceScatter:
    shortWay = longWay = rounds * latency + send(others * part);
    break;
  case Exchange::AllToAll:
    shortWay = rounds * (latency + send(all / 2));
    longWay = others * (latency + send(part));
    break;
  case Exchange::Send:
    shortWay = longWay = latency + send(all);
    break;
  case Exchange::Broadcast:
    shortWay = rounds * (latency + send(all));
    longWay = (rounds + others) * latency + 2 * send(others * part);
    break;
  }
  return static_cast<int64_t>(std::min(shortWay, longWay));
}

} // namespace tiny::cost
