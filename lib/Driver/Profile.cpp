// Collects the times of launches, measures what the machine can do, and prints both as a table or a trace.
#include "Tiny/Driver/Profile.h"

#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Target/Cpu/Jit.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <atomic>
#include <thread>

using namespace mlir;
using Clock = std::chrono::steady_clock;

namespace tiny {

tiny_run_options Profile::start() {
  events.clear();
  begin = Clock::now();
  auto add = [](void *self, const char *name, uint64_t nanoseconds) {
    auto &profile = *static_cast<Profile *>(self);
    uint64_t now = std::chrono::nanoseconds(Clock::now() - profile.begin).count();
    profile.events.push_back({name, now - std::min(now, nanoseconds), nanoseconds});
  };
  return {add, this};
}

void Profile::stop() {
  auto measure = [](ArrayRef<Event> run) {
    uint64_t sum = 0;
    for (const Event &event : run)
      sum += event.nanoseconds;
    return sum;
  };
  if (fastestRun.empty() || measure(events) < measure(fastestRun))
    fastestRun = events;
  if (fastestEvents.empty())
    fastestEvents = events;
  assert(fastestEvents.size() == events.size() && "a program launches the same each time");
  for (auto [best, event] : llvm::zip_equal(fastestEvents, events))
    best.nanoseconds = std::min(best.nanoseconds, event.nanoseconds);
}

double MachineLimits::getBestSeconds(double bytes, double operations) const {
  if (transfers.empty() || operationsPerSecond <= 0)
    return 0;
  const Transfer *transfer = llvm::find_if(transfers, [&](const Transfer &each) { return bytes <= each.bytes; });
  double rate = transfer == transfers.end() ? transfers.back().bytesPerSecond : transfer->bytesPerSecond;
  return std::max(bytes / rate, operations / operationsPerSecond);
}

void Profile::print(raw_ostream &stream, const llvm::StringMap<KernelWork> &work, const MachineLimits &limits) const {
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
  stream << "        us      %  launches         bytes    operations     GB/s   Gop/s  of limit  kernel\n";
  for (const auto &[name, row] : sorted) {
    double seconds = row.nanoseconds * 1e-9;
    stream << llvm::format("%10.1f %6.1f %9llu ", seconds * 1e6, total ? 100.0 * row.nanoseconds / total : 0.0,
                           static_cast<unsigned long long>(row.launches));
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

//===--- The machine ----------------------------------------------------------------------------------------------===//

namespace {

constexpr int64_t kLanes = 16, kChains = 12, kSteps = 1 << 18;
/// Elements of a sum: from what a first cache holds on most machines to what none does.
constexpr int64_t kSums[] = {4 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20};

/// A sum over memory with as many chains as hide the latency of an addition, and chains of multiply-adds on registers.
std::string writeKernels() {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string vector = "vector<" + std::to_string(kLanes) + "xf32>";
  auto repeat = [&](StringRef prefix, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      os << (i ? ", " : "") << prefix << i;
  };
  auto types = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      os << (i ? ", " : "") << vector;
  };
  auto loop = [&](int64_t trips, llvm::function_ref<void(int64_t)> step) {
    os << "  %n = arith.constant " << trips << " : index\n  %c0 = arith.constant 0 : index\n  %r:" << kChains
       << " = uop.for %i to %n iter(";
    for (int64_t i = 0; i < kChains; ++i)
      os << (i ? ", " : "") << "%a" << i << " = %x";
    os << ") -> (";
    types(kChains);
    os << ") {\n";
    for (int64_t i = 0; i < kChains; ++i)
      step(i);
    os << "    uop.yield ";
    repeat("%b", kChains);
    os << " : ";
    types(kChains);
    os << "\n  }\n";
    for (int64_t i = 0; i < kChains; ++i)
      os << "  %o" << i << " = arith.constant " << i * kLanes << " : index\n  uop.store %r#" << i << ", %out[%o" << i
         << "] : " << vector << ", memref<" << kChains * kLanes << "xf32>\n";
    os << "  uop.return\n}\n";
  };
  std::string out = "%out: memref<" + std::to_string(kChains * kLanes) + "xf32>";
  os << "uop.func @compute(" << out << ") {\n  %x = arith.constant dense<0.5> : " << vector << "\n";
  loop(kSteps, [&](int64_t i) { os << "    %b" << i << " = math.fma %a" << i << ", %x, %x : " << vector << "\n"; });
  for (int64_t elements : kSums) {
    std::string in = "memref<" + std::to_string(elements) + "xf32>";
    os << "uop.func @move_" << elements << "(%in: " << in << ", " << out
       << ") {\n  %x = arith.constant dense<0.0> : " << vector << "\n  %w = arith.constant " << kChains * kLanes
       << " : index\n";
    loop(elements / (kChains * kLanes), [&](int64_t i) {
      os << "    %s" << i << " = arith.constant " << i * kLanes << " : index\n    %p" << i
         << " = arith.muli %i, %w : index\n"
         << "    %q" << i << " = arith.addi %p" << i << ", %s" << i << " : index\n    %v" << i << " = uop.load %in[%q"
         << i << "] : " << in << ", " << vector << "\n    %b" << i << " = arith.addf %a" << i << ", %v" << i << " : "
         << vector << "\n";
    });
  }
  return text;
}

} // namespace

llvm::Expected<MachineLimits> measureMachine(MLIRContext *context, unsigned threads) {
  context->loadDialect<uop::UOpDialect, vector::VectorDialect>();
  FirstError errors(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(writeKernels(), context);
  if (!module)
    return errors.take("the measuring kernels cannot be read");
  PassManager manager(context);
  manager.addPass(createConvertUOpToLLVM());
  if (failed(manager.run(*module)))
    return errors.take("the measuring kernels cannot be lowered");
  FailureOr<std::unique_ptr<cpu::Jit>> jit = cpu::Jit::compile(*module);
  if (failed(jit))
    return errors.take("the measuring kernels cannot be compiled");
  // Memory of its own for each thread, as long as that is not too much.
  unsigned regions = std::min(threads, 16u);
  std::vector<float> in(kSums[std::size(kSums) - 1] * regions, 1.0f), out(kChains * kLanes * threads);
  // The fewest seconds of one of `calls` calls that follow each other, on each thread; it reads so many elements.
  auto fastest = [&](StringRef name, int64_t elements, int64_t calls) {
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
      std::vector<double> seconds(threads);
      std::atomic<unsigned> ready{0};
      auto work = [&](unsigned thread) {
        SmallVector<void *, 2> buffers;
        if (elements)
          buffers.push_back(in.data() + elements * (thread % regions));
        buffers.push_back(out.data() + kChains * kLanes * thread);
        int64_t grid[3] = {0, 0, 0};
        for (++ready; ready < threads;)
          std::this_thread::yield();
        auto start = Clock::now();
        for (int64_t call = 0; call < calls; ++call)
          (*jit)->lookup(name)->function(buffers.data(), grid);
        seconds[thread] = std::chrono::duration<double>(Clock::now() - start).count() / calls;
      };
      std::vector<std::thread> others;
      for (unsigned thread = 1; thread < threads; ++thread)
        others.emplace_back(work, thread);
      work(0);
      for (std::thread &other : others)
        other.join();
      best = std::min(best, *std::max_element(seconds.begin(), seconds.end()));
    }
    return best;
  };
  MachineLimits limits;
  limits.threads = threads;
  limits.operationsPerSecond = 2.0 * kSteps * kChains * kLanes * threads / fastest("compute", 0, 1);
  for (int64_t elements : kSums) {
    double bytes = double(elements) * sizeof(float) * threads;
    double seconds = fastest("move_" + std::to_string(elements), elements, (1 << 20) / elements + 1);
    limits.transfers.push_back({bytes, bytes / seconds});
  }
  // A larger amount that came faster was disturbed less.
  for (size_t i = limits.transfers.size() - 1; i-- > 0;)
    limits.transfers[i].bytesPerSecond =
        std::max(limits.transfers[i].bytesPerSecond, limits.transfers[i + 1].bytesPerSecond);
  return limits;
}

} // namespace tiny
