// Collects the times of launches, and prints them beside what the machine can do, as a table or a trace.
#include "Profile.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using Clock = std::chrono::steady_clock;

namespace tiny {

/// The nanoseconds in which threads of this process were ready and had no processor. Linux counts them.
static double readDelay() {
  double sum = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    // Nanoseconds on a processor, then those without one.
    auto text = llvm::MemoryBuffer::getFileAsStream(task->path() + "/schedstat");
    double nanoseconds;
    if (text && !(*text)->getBuffer().split(' ').second.split(' ').first.getAsDouble(nanoseconds))
      sum += nanoseconds;
  }
  return sum;
}

tiny_run_options Profile::start(bool watches) {
  events.clear();
  isWatched = watches;
  delayAtStart = readDelay();
  begin = Clock::now();
  auto add = [](void *self, const char *name, uint64_t nanoseconds) {
    auto &profile = *static_cast<Profile *>(self);
    uint64_t now = std::chrono::nanoseconds(Clock::now() - profile.begin).count();
    profile.events.push_back({name, now - std::min(now, nanoseconds), nanoseconds, {}});
  };
  auto keepParts = [](void *self, const tiny_part *parts, size_t count) {
    static_cast<Profile *>(self)->events.back().parts.assign(parts, parts + count);
  };
  return {add, this, /*sizes=*/nullptr, watches ? tiny_parts_fn(keepParts) : nullptr, nullptr, nullptr};
}

void Profile::addTimes() {
  llvm::MapVector<StringRef, std::pair<uint64_t, double>> run;
  for (const Event &event : events) {
    auto &[launches, sum] = run[event.name];
    ++launches;
    sum += event.nanoseconds * 1e-3;
  }
  for (const auto &[name, one] : run) {
    MeasuredKernel &kernel = kernels[name.str()];
    kernel.launches = one.first;
    kernel.times.push_back(one.second);
  }
}

void Profile::addParts() {
  struct Sums {
    double busy = 0, waiting = 0, all = 0;
  };
  llvm::MapVector<StringRef, Sums> run;
  for (const Event &event : events) {
    if (event.parts.empty())
      continue;
    double busy = 0;
    for (const tiny_part &part : event.parts)
      busy += part.nanoseconds * 1e-3;
    unsigned sharing = std::max<size_t>(1, std::min<size_t>(threads, event.parts.size()));
    unsigned &most = kernels[event.name].sharing;
    most = std::max(most, sharing);
    Sums &sums = run[event.name];
    sums.busy += busy;
    sums.waiting += std::max(0.0, event.nanoseconds * 1e-3 - busy / sharing);
    sums.all += event.nanoseconds * 1e-3;
  }
  for (const auto &[name, sums] : run) {
    MeasuredKernel &kernel = kernels[name.str()];
    kernel.busy.push_back(sums.busy);
    kernel.waiting.push_back(sums.all > 0 ? sums.waiting / sums.all : 0);
  }
}

void Profile::raiseLimits(MachineLimits &limits, const llvm::StringMap<KernelWork> &work) const {
  for (const auto &[name, kernel] : kernels)
    if (auto found = work.find(name); found != work.end() && !kernel.times.empty())
      if (double seconds = *llvm::min_element(kernel.times) * 1e-6; seconds > 0 && limits.operationsPerSecond > 0)
        limits.operationsPerSecond =
            std::max(limits.operationsPerSecond, double(found->second.operations) * double(kernel.launches) / seconds);
}

double Profile::getDelayedShare() const { return duration > 0 ? std::min(1.0, delay / (duration * threads)) : 0; }

void Profile::stop() {
  duration += std::chrono::nanoseconds(Clock::now() - begin).count();
  delay += std::max(0.0, readDelay() - delayAtStart);
  auto measure = [](ArrayRef<Event> run) {
    uint64_t sum = 0;
    for (const Event &event : run)
      sum += event.nanoseconds;
    return sum;
  };
  if (fastestRun.empty() || isWatched > hasWatched ||
      (isWatched == hasWatched && measure(events) < measure(fastestRun))) {
    fastestRun = events;
    hasWatched = isWatched;
  }
  if (isWatched)
    return addParts();
  addTimes();
  if (fastestEvents.empty())
    fastestEvents = events;
  assert(fastestEvents.size() == events.size() && "a program launches the same each time");
  for (auto [best, event] : llvm::zip_equal(fastestEvents, events))
    best.nanoseconds = std::min(best.nanoseconds, event.nanoseconds);
}

/// The prediction of this kernel; null where there is none.
static const cost::KernelTimes *findPrediction(const llvm::StringMap<cost::KernelTimes> &predicted, StringRef name) {
  auto found = predicted.find(name);
  return found == predicted.end() ? nullptr : &found->second;
}

/// Launches that the data has of a run: a loop may make hundreds of thousands.
constexpr size_t kMostEvents = 20000;

/// Kernels with less of all time need no reason, nor those that come as near to their limit.
constexpr double kSomeTime = 0.02, kNearLimit = 0.35;

void Profile::print(raw_ostream &stream, const llvm::StringMap<KernelWork> &work,
                    const llvm::StringMap<cost::KernelTimes> &predicted, const MachineLimits &limits) const {
  struct Row {
    uint64_t launches = 0, nanoseconds = 0;
  };
  llvm::MapVector<StringRef, Row> rows;
  uint64_t total = 0;
  for (const Event &event : fastestEvents) {
    Row &row = rows[event.name];
    ++row.launches;
    row.nanoseconds += event.nanoseconds;
    total += event.nanoseconds;
  }
  auto sorted = rows.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::tuple(b.second.nanoseconds, a.first) < std::tuple(a.second.nanoseconds, b.first);
  });
  stream << "        us      %  launches  predicted         bytes    operations     GB/s   Gop/s  of limit  kernel\n";
  for (const auto &[name, row] : sorted) {
    double seconds = row.nanoseconds * 1e-9;
    stream << llvm::format("%10.1f %6.1f %9llu ", seconds * 1e6, total ? 100.0 * row.nanoseconds / total : 0.0,
                           static_cast<unsigned long long>(row.launches));
    if (const cost::KernelTimes *times = findPrediction(predicted, name))
      stream << llvm::format("%10.1f ", double(times->total) * row.launches * 1e-6);
    else
      stream << llvm::format("%10s ", "-");
    auto found = work.find(name);
    if (found == work.end()) {
      stream << llvm::format("%13s %13s %8s %7s %9s  ", "-", "-", "-", "-", "-") << name << "\n";
      continue;
    }
    double bytes = double(found->second.bytes) * row.launches,
           operations = double(found->second.operations) * row.launches;
    auto rate = [&](double amount) { return seconds > 0 ? amount / seconds * 1e-9 : 0.0; };
    stream << llvm::format("%13.0f %13.0f %8.2f %7.2f ", bytes, operations, rate(bytes), rate(operations));
    double best = limits.getBestSeconds(found->second.bytes, found->second.operations) * row.launches;
    if (best > 0 && seconds > 0)
      stream << llvm::format("%8.1f%%  ", 100 * best / seconds);
    else
      stream << llvm::format("%9s  ", "-");
    stream << name << "\n";
  }
  stream << llvm::format("%10.1f  in all", total * 1e-3);
  if (!limits.transfers.empty())
    stream << "; at best, on " << limits.threads << (limits.threads == 1 ? " thread" : " threads")
           << llvm::format(", %.1f GB/s from memory, %.1f from the first cache, and %.1f Gop/s in f32",
                           limits.transfers.back().bytesPerSecond * 1e-9,
                           limits.transfers.front().bytesPerSecond * 1e-9, limits.operationsPerSecond * 1e-9);
  stream << "\n";
  for (const auto &[name, row] : sorted) {
    auto found = work.find(name);
    if (found == work.end() || row.nanoseconds < kSomeTime * total)
      continue;
    double best = limits.getBestSeconds(found->second.bytes, found->second.operations) * row.launches;
    if (best <= 0 || best >= kNearLimit * row.nanoseconds * 1e-9)
      continue;
    stream << "why " << name << " is far from its limit:\n";
    for (const std::string &sentence : explainKernel(kernels.find(name.str())->second, findPrediction(predicted, name),
                                                     found->second, limits, getDelayedShare()))
      stream << "  " << sentence << "\n";
  }
}

llvm::json::Object Profile::describe(const llvm::StringMap<KernelWork> &work,
                                     const llvm::StringMap<cost::KernelTimes> &predicted,
                                     const MachineLimits &limits) const {
  llvm::json::Array rows, launches, transfers;
  size_t runs = 0;
  for (const auto &[name, kernel] : kernels) {
    runs = std::max(runs, kernel.times.size());
    llvm::json::Object row{{"name", llvm::json::fixUTF8(name)},
                           {"launches", kernel.launches},
                           {"microseconds", getMedian(kernel.times)},
                           {"times", llvm::json::Array(kernel.times)},
                           {"sharing", kernel.sharing}};
    if (!kernel.busy.empty()) {
      row["busy"] = getMedian(kernel.busy);
      row["waiting"] = getWaiting(kernel);
    }
    KernelWork none;
    auto found = work.find(name);
    if (found != work.end()) {
      row["bytes"] = found->second.bytes;
      row["operations"] = found->second.operations;
      double best = limits.getBestSeconds(found->second.bytes, found->second.operations);
      if (best > 0)
        row["limit"] = best * 1e6 * kernel.launches;
    }
    row["reasons"] =
        llvm::json::Array(explainKernel(kernel, findPrediction(predicted, name),
                                        found == work.end() ? none : found->second, limits, getDelayedShare()));
    rows.push_back(std::move(row));
  }
  for (const Event &event : ArrayRef(fastestRun).take_front(kMostEvents)) {
    llvm::json::Array parts;
    for (const tiny_part &part : event.parts)
      parts.push_back(
          llvm::json::Array{part.thread, (event.beginNanoseconds + part.begin) * 1e-3, part.nanoseconds * 1e-3});
    launches.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(event.name)},
                                          {"begin", event.beginNanoseconds * 1e-3},
                                          {"microseconds", event.nanoseconds * 1e-3},
                                          {"parts", std::move(parts)}});
  }
  for (const MachineLimits::Transfer &transfer : limits.transfers)
    transfers.push_back(llvm::json::Object{{"bytes", transfer.bytes}, {"bytesPerSecond", transfer.bytesPerSecond}});
  return llvm::json::Object{{"kernels", std::move(rows)},
                            {"runs", runs},
                            {"delayed", getDelayedShare()},
                            {"events", std::move(launches)},
                            {"launches", fastestRun.size()},
                            {"limits", llvm::json::Object{{"operationsPerSecond", limits.operationsPerSecond},
                                                          {"transfers", std::move(transfers)}}}};
}

std::string Profile::formatTrace(const llvm::StringMap<KernelWork> &work) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream);
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      out.object([&] {
        out.attribute("name", "process_name");
        out.attribute("ph", "M");
        out.attribute("pid", 1);
        out.attributeObject("args", [&] { out.attribute("name", "kernels"); });
      });
      for (const Event &event : fastestRun)
        out.object([&] {
          // A name may be any bytes.
          out.attribute("name", llvm::json::fixUTF8(event.name));
          out.attribute("cat", "kernel");
          out.attribute("ph", "X");
          // Microseconds.
          out.attribute("ts", event.beginNanoseconds * 1e-3);
          out.attribute("dur", event.nanoseconds * 1e-3);
          out.attribute("pid", 1);
          out.attribute("tid", 1);
          auto found = work.find(event.name);
          if (found == work.end())
            return;
          out.attributeObject("args", [&] {
            out.attribute("bytes", found->second.bytes);
            out.attribute("operations", found->second.operations);
          });
        });
    });
  });
  return text + "\n";
}

} // namespace tiny
