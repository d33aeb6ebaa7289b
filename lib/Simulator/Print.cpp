// A simulation as a table, and as JSON.
#include "Tiny/Simulator/Simulator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tiny {

static std::string formatTime(double nanoseconds) {
  if (nanoseconds >= 1e9)
    return formatv("{0:f3} s", nanoseconds * 1e-9);
  if (nanoseconds >= 1e6)
    return formatv("{0:f3} ms", nanoseconds * 1e-6);
  return formatv("{0:f1} us", nanoseconds * 1e-3);
}

static std::string formatBytes(double bytes) {
  if (bytes >= 1 << 30)
    return formatv("{0:f2} GiB", bytes / (1 << 30));
  if (bytes >= 1 << 20)
    return formatv("{0:f2} MiB", bytes / (1 << 20));
  return formatv("{0:f2} KiB", bytes / (1 << 10));
}

static std::string formatGrid(ArrayRef<int64_t> grid) {
  return join(map_range(grid, [](int64_t size) { return std::to_string(size); }), "x");
}

static bool isExchange(const cost::ClusterItem &item) { return item.kind == cost::ClusterItem::Kind::Exchange; }

/// "all_reduce of 4.00 MiB along [0], ring".
static std::string describe(const cost::ItemTime &time) {
  const cost::ClusterItem &item = *time.item;
  if (!isExchange(item))
    return item.name;
  std::string axes = join(map_range(item.axes, [](int64_t axis) { return std::to_string(axis); }), ", ");
  std::string text = item.name + " of " + formatBytes(double(item.bytes)) + " along [" + axes + "]";
  return time.algorithm.empty() ? text : text + ", " + time.algorithm.str();
}

namespace {
struct Row {
  double time = 0, waited = 0;
  int64_t runs = 0;
};
} // namespace

void printSimulation(raw_ostream &stream, const Simulation &simulation, unsigned rows) {
  const cost::ClusterTimes &times = simulation.times;
  auto part = [&](double value) { return times.step > 0 ? 100 * value / times.step : 0; };
  stream << formatv("{0} ranks: a step of {1}\n", formatGrid(simulation.grid), formatTime(times.step))
         << formatv("  kernels    {0,12}  {1,5:f1} %\n", formatTime(times.kernels), part(times.kernels))
         << formatv("  exchanges  {0,12}  {1,5:f1} %   {2} sent by a rank\n", formatTime(times.exchanges),
                    part(times.exchanges), formatBytes(times.sent))
         << formatv("  waiting    {0,12}  {1,5:f1} %\n", formatTime(times.waiting), part(times.waiting))
         << formatv("  memory     {0,12}            {1} of them arguments and constants\n",
                    formatBytes(double(simulation.memory)), formatBytes(double(simulation.arguments)));
  // Items that read alike are one row.
  std::vector<std::pair<std::string, Row>> longest;
  StringMap<size_t> places;
  for (const cost::ItemTime &time : times.items)
    if (time.item->kind == cost::ClusterItem::Kind::Kernel || isExchange(*time.item)) {
      auto [place, isNew] = places.try_emplace(describe(time), longest.size());
      if (isNew)
        longest.emplace_back(place->first().str(), Row());
      Row &row = longest[place->second].second;
      row.time += time.time;
      row.waited += time.waited;
      row.runs += time.runs;
    }
  llvm::stable_sort(longest, [](const auto &a, const auto &b) {
    return a.second.time + a.second.waited > b.second.time + b.second.waited;
  });
  if (rows)
    stream << formatv("{0,12}  {1,10}  {2,6}  item\n", "time", "waited", "runs");
  for (const auto &[what, row] : ArrayRef(longest).take_front(rows))
    stream << formatv("{0,12}  {1,10}  {2,6}  {3}\n", formatTime(row.time), formatTime(row.waited), row.runs, what);
}

void printSimulationAsJson(raw_ostream &stream, const Simulation &simulation) {
  const cost::ClusterTimes &times = simulation.times;
  json::OStream out(stream, 1);
  out.object([&] {
    out.attributeArray("grid", [&] {
      for (int64_t size : simulation.grid)
        out.value(size);
    });
    out.attribute("step", times.step);
    out.attribute("kernels", times.kernels);
    out.attribute("exchanges", times.exchanges);
    out.attribute("waiting", times.waiting);
    out.attribute("sent", times.sent);
    out.attribute("memory", simulation.memory);
    out.attribute("arguments", simulation.arguments);
    out.attributeArray("items", [&] {
      for (const cost::ItemTime &time : times.items)
        out.object([&] {
          out.attribute("name", time.item->name);
          out.attribute("runs", time.runs);
          out.attribute("time", time.time);
          out.attribute("waited", time.waited);
          if (!isExchange(*time.item))
            return;
          out.attribute("bytes", time.item->bytes);
          out.attributeArray("axes", [&] {
            for (int64_t axis : time.item->axes)
              out.value(axis);
          });
          out.attribute("algorithm", time.algorithm);
        });
    });
  });
  stream << "\n";
}

} // namespace tiny
