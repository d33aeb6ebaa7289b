// Measures the machine with a program of its own: kernels that only move, and one that only computes.
#include "MachineLimits.h"

#include "Profile.h"
#include "Tiny/Driver/Source.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

double MachineLimits::getBestSeconds(double bytes, double operations) const {
  if (transfers.empty() || operationsPerSecond <= 0)
    return 0;
  const Transfer *transfer = llvm::find_if(transfers, [&](const Transfer &each) { return bytes <= each.bytes; });
  double rate = transfer == transfers.end() ? transfers.back().bytesPerSecond : transfer->bytesPerSecond;
  return std::max(bytes / rate, operations / operationsPerSecond);
}

namespace {

constexpr int64_t kLanes = 16, kChains = 12, kStep = kLanes * kChains;
/// Multiply-adds of each chain, and elements that each sum reads in all: together a few hundred microseconds, so that
/// the start of a launch is little of it.
constexpr int64_t kMultiplyAdds = 1 << 18, kReads = 16 << 20;
/// Rounds after which the limits count as found, if none of them brought more, and most rounds.
constexpr int kRoundsWithout = 4, kMostRounds = 20;
/// Elements of a sum: from what a first cache holds on most machines to what none does.
constexpr int64_t kSums[] = {4 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20};
/// Threads beyond these share memory, which would be too much else.
constexpr unsigned kRegions = 16;

/// The text of a program on one buffer, with a launch for each measurement, one grid point for each thread.
class ProgramWriter {
public:
  explicit ProgramWriter(unsigned threads) : threads(threads), regions(std::min(threads, kRegions)) {}

  int64_t getElements() const { return kSums[std::size(kSums) - 1] * regions; }

  std::string write() {
    in = "memref<" + std::to_string(getElements()) + "xf32>";
    out = "memref<" + std::to_string(kStep * threads) + "xf32>";
    os << "kernel.program @main(%in: " << in << ") -> " << out << " {\n  %out = kernel.alloc : " << out << "\n";
    writeLaunch("compute");
    for (int64_t elements : kSums)
      writeLaunch("move_" + std::to_string(elements));
    os << "  kernel.return %out : " << out << "\n}\n";
    writeCompute();
    for (int64_t elements : kSums)
      writeMove(elements);
    return std::move(text);
  }

private:
  void writeLaunch(const std::string &kernel) {
    os << "  kernel.launch @" << kernel << " ins(%in : " << in << ") outs(%out : " << out << ")\n";
  }

  void begin(const std::string &kernel, StringRef start) {
    os << "uop.func @" << kernel << "(%in: " << in << ", %out: " << out << ") {\n"
       << "  %thread = uop.special global dim(0) extent(" << threads << ")\n"
       << "  %x = arith.constant dense<" << start << "> : " << kVector << "\n"
       << "  %step = arith.constant " << kStep << " : index\n";
    for (int64_t i = 0; i < kChains; ++i)
      os << "  %o" << i << " = arith.constant " << i * kLanes << " : index\n";
  }

  /// A loop that carries all chains from `%<from>` to `%<to>#`.
  void loop(StringRef index, int64_t trips, StringRef from, StringRef carried, StringRef to,
            llvm::function_ref<void()> body, StringRef next) {
    os << "  %n" << index << " = arith.constant " << trips << " : index\n  %" << to << ":" << kChains << " = uop.for %"
       << index << " to %n" << index << " iter(";
    for (int64_t i = 0; i < kChains; ++i)
      os << (i ? ", %" : "%") << carried << i << " = %" << from << (from == "x" ? "" : std::to_string(i));
    os << ") -> (";
    writeTypes();
    os << ") {\n";
    body();
    os << "  uop.yield ";
    for (int64_t i = 0; i < kChains; ++i)
      os << (i ? ", %" : "%") << next << i;
    os << " : ";
    writeTypes();
    os << "\n  }\n";
  }

  void writeTypes() {
    for (int64_t i = 0; i < kChains; ++i)
      os << (i ? ", " : "") << kVector;
  }

  /// Stores the chains, so that they are needed.
  void end() {
    os << "  %place = arith.muli %thread, %step : index\n";
    for (int64_t i = 0; i < kChains; ++i)
      os << "  %at" << i << " = arith.addi %place, %o" << i << " : index\n  uop.store %r#" << i << ", %out[%at" << i
         << "] : " << kVector << ", " << out << "\n";
    os << "  uop.return\n}\n";
  }

  void writeCompute() {
    begin("compute", "0.5");
    auto body = [&] {
      for (int64_t i = 0; i < kChains; ++i)
        os << "  %b" << i << " = math.fma %a" << i << ", %x, %x : " << kVector << "\n";
    };
    loop("i", kMultiplyAdds, "x", "a", "r", body, "b");
    end();
  }

  /// A sum over memory, again and again, with as many chains as hide the latency of an addition.
  void writeMove(int64_t elements) {
    begin("move_" + std::to_string(elements), "0.0");
    os << "  %regions = arith.constant " << regions << " : index\n  %region = arith.remui %thread, %regions : index\n"
       << "  %elements = arith.constant " << elements << " : index\n"
       << "  %base = arith.muli %region, %elements : index\n";
    auto body = [&] {
      os << "  %p = arith.muli %i, %step : index\n  %q = arith.addi %base, %p : index\n";
      for (int64_t i = 0; i < kChains; ++i)
        os << "  %q" << i << " = arith.addi %q, %o" << i << " : index\n  %v" << i << " = uop.load %in[%q" << i
           << "] : " << in << ", " << kVector << "\n  %b" << i << " = arith.addf %a" << i << ", %v" << i << " : "
           << kVector << "\n";
    };
    auto outer = [&] { loop("i", elements / kStep, "c", "a", "s", body, "b"); };
    loop("again", kReads / elements, "x", "c", "r", outer, "s#");
    end();
  }

  static constexpr StringLiteral kVector = "vector<16xf32>";
  unsigned threads, regions;
  std::string in, out, text;
  llvm::raw_string_ostream os{text};
};

} // namespace

Expected<MachineLimits> measureMachine(MLIRContext *context, StringRef device, unsigned threads) {
  ProgramWriter writer(threads);
  Expected<OwningOpRef<ModuleOp>> module = parseSource("measurement.mlir", writer.write(), context);
  if (!module)
    return module.takeError();
  Expected<std::unique_ptr<Executable>> executable = Executable::compile(**module, CompileOptions(), device);
  if (!executable)
    return executable.takeError();
  HostTensor in = HostTensor::zeros(TINY_DTYPE_F32, {writer.getElements()});
  llvm::StringMap<double> best;
  tiny_run_options hooks = {[](void *context, const char *name, uint64_t nanoseconds) {
                              double &seconds = (*static_cast<llvm::StringMap<double> *>(context))[name];
                              seconds = seconds == 0 ? nanoseconds * 1e-9 : std::min(seconds, nanoseconds * 1e-9);
                            },
                            &best,
                            nullptr,
                            nullptr,
                            nullptr,
                            nullptr};
  // Others may use the machine for a while: as long as the best gets better, it was not the best.
  double last = 0;
  for (int round = 0, still = 0; still < kRoundsWithout && round < kMostRounds; ++round) {
    Expected<RunResult> result = (*executable)->run({&in}, &hooks);
    if (!result)
      return result.takeError();
    still = best["compute"] < 0.98 * last || round == 0 ? 0 : still + 1;
    last = best["compute"];
  }
  MachineLimits limits;
  limits.threads = threads;
  limits.operationsPerSecond = 2.0 * kMultiplyAdds * kStep * threads / best["compute"];
  for (int64_t elements : kSums) {
    double bytes = double(elements) * sizeof(float) * threads;
    int64_t repeats = kReads / elements;
    limits.transfers.push_back({bytes, bytes * double(repeats) / best["move_" + std::to_string(elements)]});
  }
  // A larger amount that came faster was disturbed less.
  for (size_t i = limits.transfers.size() - 1; i-- > 0;)
    limits.transfers[i].bytesPerSecond =
        std::max(limits.transfers[i].bytesPerSecond, limits.transfers[i + 1].bytesPerSecond);
  return limits;
}

} // namespace tiny
