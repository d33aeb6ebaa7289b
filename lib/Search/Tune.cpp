// Searches schedules: for one kernel after the other it measures what is near the best one known, until the time is
// over. NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Search/Tune.h"

#include "KernelProgram.h"
#include "Progress.h"
#include "Race.h"
#include "ScheduleFile.h"
#include "Variants.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Driver/Source.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <csignal>
#include <thread>

using namespace mlir;
using llvm::Expected;

namespace tiny {
namespace {

/// Schedules that are compiled before the next ones are measured, for each worker.
constexpr unsigned kBatchPerWorker = 3;
/// Seconds that a kernel gets at least, and share of the time for the whole program at the end.
constexpr double kLeastSeconds = 0.5, kLastShare = 0.08;

/// Positive numbers in all inputs: variances and what roots are taken of would make all results NaN, which says nothing
/// of a schedule.
Expected<std::vector<HostTensor>> makeInputs(ArrayRef<Parameter> inputs) {
  if (inputs.empty())
    return std::vector<HostTensor>();
  Expected<std::vector<HostTensor>> tensors = readInputs({"random:1"}, inputs);
  if (!tensors)
    return tensors;
  for (HostTensor &tensor : *tensors) {
    // The sign of a float is the highest bit of its last byte.
    size_t width = tiny_dtype_size(tensor.dtype);
    for (size_t at = width - 1; isFloat(tensor.dtype) && at < tensor.bytes.size(); at += width)
      tensor.bytes[at] = char(tensor.bytes[at] & 0x7f);
  }
  return tensors;
}

SmallVector<const HostTensor *> getPointers(ArrayRef<HostTensor> tensors) {
  return llvm::map_to_vector(tensors, [](const HostTensor &tensor) { return &tensor; });
}

/// What one schedule has and another has not, in words.
std::string describeChange(StringRef before, StringRef after) {
  SmallVector<StringRef> old, parts;
  before.split(old, ", ", -1, /*KeepEmpty=*/false);
  after.split(parts, ", ", -1, /*KeepEmpty=*/false);
  std::string text;
  for (StringRef part : parts)
    if (!llvm::is_contained(old, part))
      text += (text.empty() ? "" : ", ") + part.str();
  for (StringRef part : old)
    if (!llvm::is_contained(parts, part))
      text += (text.empty() ? "without " : ", without ") + part.str();
  return text;
}

/// A kernel in search of a schedule.
struct Job {
  kernel::FuncOp kernel;
  kernel::LaunchOp launch;
  /// Of all launches, in a run of the whole program.
  uint64_t nanoseconds = 0;
};

class Tuner {
public:
  Tuner(const TuneRequest &request, MLIRContext *context, raw_ostream &stream)
      : request(request), context(context), progress(stream, request.seconds),
        pool("", std::max(1u, std::thread::hardware_concurrency())) {}

  llvm::Error run();

private:
  CompileOptions getOptions() const;
  Expected<OwningOpRef<ModuleOp>> read();
  llvm::Error findJobs(ModuleOp module);
  llvm::Error tune(Job &job, double seconds);
  std::optional<SmallVector<kernel::ScheduleStep>> findSteps(kernel::FuncOp kernel) const;
  llvm::Error compareProgram();
  bool isStopped() const { return request.stop && *request.stop; }

  const TuneRequest &request;
  MLIRContext *context;
  Progress progress;
  CompilePool pool;
  SmallVector<Job> jobs;
  std::optional<ScheduleFile> file;
  unsigned changed = 0;
  /// By kernel, see `getRegret`.
  std::vector<double> regrets;
};

CompileOptions Tuner::getOptions() const {
  CompileOptions options;
  options.function = request.function;
  options.pipeline = request.getPipeline();
  options.machine = request.machine;
  options.configure = request.configure;
  return options;
}

Expected<OwningOpRef<ModuleOp>> Tuner::read() {
  Expected<llvm::StringMap<int64_t>> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();
  return readSource(request.model, context, *dims);
}

/// Runs the program a few times to see what each kernel takes of it; the longest come first.
llvm::Error Tuner::findJobs(ModuleOp module) {
  llvm::MapVector<StringRef, Job> found;
  SymbolTable kernels(module);
  module.walk([&](kernel::LaunchOp launch) {
    if (auto kernel = kernels.lookup<kernel::FuncOp>(launch.getCallee()); kernel && !launch.getOuts().empty())
      found.insert({kernel.getSymName(), {kernel, launch}});
  });
  OwningOpRef<ModuleOp> copy = module.clone();
  Expected<std::unique_ptr<Executable>> executable = Executable::compile(*copy, getOptions(), "", request.threads);
  if (!executable)
    return executable.takeError();
  if (llvm::Error error = (*executable)->checkFits())
    return error;
  Expected<std::vector<HostTensor>> inputs = makeInputs((*executable)->getInputs());
  if (!inputs)
    return inputs.takeError();
  for (unsigned run = 0; run < 2; ++run) {
    for (auto &[name, job] : found)
      job.nanoseconds = 0;
    auto add = [](void *jobs, const char *name, uint64_t nanoseconds) {
      auto &found = *static_cast<llvm::MapVector<StringRef, Job> *>(jobs);
      if (auto *job = found.find(name); job != found.end())
        job->second.nanoseconds += nanoseconds;
    };
    tiny_run_options options = {add, &found};
    if (Expected<RunResult> result = (*executable)->run(getPointers(*inputs), &options); !result)
      return result.takeError();
  }
  for (auto &[name, job] : found)
    jobs.push_back(job);
  llvm::stable_sort(jobs, [](const Job &a, const Job &b) { return a.nanoseconds > b.nanoseconds; });
  return llvm::Error::success();
}

std::optional<SmallVector<kernel::ScheduleStep>> Tuner::findSteps(kernel::FuncOp kernel) const {
  SymbolRefAttr name = kernel.getScheduleAttr();
  if (!name)
    return SmallVector<kernel::ScheduleStep>();
  auto module = kernel->getParentOfType<ModuleOp>();
  auto script = dyn_cast_or_null<transform::NamedSequenceOp>(SymbolTable::lookupSymbolIn(module, name));
  return script ? kernel::readSteps(script) : std::nullopt;
}

/// The steps taken on a copy of the kernel.
kernel::SchedulePlan makePlan(kernel::FuncOp kernel, ArrayRef<kernel::ScheduleStep> steps) {
  kernel::SchedulePlan plan(kernel);
  for (const kernel::ScheduleStep &step : steps)
    if (SmallVector<int64_t> made; !plan.take(step, made))
      break;
  return plan;
}

/// The steps as one line.
std::string describe(kernel::FuncOp kernel, ArrayRef<kernel::ScheduleStep> steps) {
  return makePlan(kernel, steps).describe();
}

/// A schedule that was measured.
struct Sample {
  int64_t predicted;
  uint64_t nanoseconds;
};

/// How much longer than the fastest schedule the best predicted one takes: 1 for as long.
double getRegret(ArrayRef<Sample> samples) {
  uint64_t fastest = samples.front().nanoseconds;
  const Sample *first = &samples.front();
  for (const Sample &sample : samples) {
    fastest = std::min(fastest, sample.nanoseconds);
    first = sample.predicted < first->predicted ? &sample : first;
  }
  return fastest ? double(first->nanoseconds) / fastest : 1;
}

llvm::Error Tuner::tune(Job &job, double seconds) {
  double end = progress.getSecondsLeft() - seconds;
  std::string name = job.kernel.getSymName().str();
  std::optional<SmallVector<kernel::ScheduleStep>> given = findSteps(job.kernel);
  if (!given) {
    progress.tell(name + ": its script names axes by handles, which search does not read");
    return llvm::Error::success();
  }
  progress.show(name);
  SmallVector<kernel::ScheduleStep> best = *given;
  std::vector<std::string> containers =
      pool.compile({writeKernelProgram(job.kernel, job.launch, best)}, [] { return false; });
  if (containers.front().empty()) {
    progress.tell(name + ": cannot run alone");
    return llvm::Error::success();
  }
  // The first two caches are a core's own.
  const auto &caches = target::findMachine(job.kernel).caches;
  int64_t nearBytes = std::max(caches[0].bytes, caches[1].bytes);
  auto load = [&](StringRef container) { return Runner::load(container, context, request.threads, nearBytes); };
  Expected<std::unique_ptr<Runner>> reference = load(containers.front());
  if (!reference)
    return reference.takeError();
  Expected<std::vector<HostTensor>> inputs = makeInputs((*reference)->getInputs());
  if (!inputs)
    return inputs.takeError();
  SmallVector<const HostTensor *> arguments = getPointers(*inputs);
  for (unsigned run = 0; run < 3; ++run)
    if (llvm::Error error = (*reference)->run(arguments))
      return error;

  std::unique_ptr<Runner> found;
  llvm::StringSet<> seen;
  llvm::DenseSet<uint64_t> seenCode = {llvm::xxh3_64bits(containers.front())};
  unsigned measured = 0, refused = 0, wrong = 0;
  kernel::SchedulePlan givenPlan = makePlan(job.kernel, *given);
  std::vector<Sample> samples = {{kernel::predict(givenPlan), (*reference)->getLeast()}};
  auto isOver = [&] { return isStopped() || progress.getSecondsLeft() < std::max(end, 0.0); };
  for (bool improves = true; improves && !isOver();) {
    improves = false;
    kernel::ScheduleVariants near = kernel::findVariants(job.kernel, best);
    refused += near.refused;
    llvm::erase_if(near.variants, [&](const auto &variant) { return !seen.insert(variant.text).second; });
    size_t batch = size_t(kBatchPerWorker) * std::max(1u, std::thread::hardware_concurrency());
    for (size_t begin = 0; begin < near.variants.size() && !improves && !isOver(); begin += batch) {
      auto variants = ArrayRef(near.variants).slice(begin).take_front(batch);
      std::vector<std::string> programs;
      for (const kernel::ScheduleVariant &variant : variants)
        programs.push_back(writeKernelProgram(job.kernel, job.launch, variant.steps));
      containers = pool.compile(programs, isOver);
      std::vector<std::pair<std::unique_ptr<Runner>, const kernel::ScheduleVariant *>> runners;
      for (auto [variant, container] : llvm::zip_equal(variants, containers)) {
        if (container.empty() || isOver() || !seenCode.insert(llvm::xxh3_64bits(container)).second)
          continue;
        Expected<std::unique_ptr<Runner>> runner = load(container);
        if (!runner)
          return runner.takeError();
        if (llvm::Error error = (*runner)->run(arguments))
          return error;
        if (!hasSameResults(**runner, **reference, request.keepsBits)) {
          ++wrong;
          continue;
        }
        runners.emplace_back(std::move(*runner), &variant);
      }
      measured += runners.size();
      auto challengers = llvm::map_to_vector(runners, [](const auto &entry) { return entry.first.get(); });
      Runner &incumbent = found ? *found : **reference;
      Expected<Runner *> winner = race(incumbent, challengers, arguments, isOver);
      if (!winner)
        return winner.takeError();
      for (auto &[runner, variant] : runners)
        samples.push_back({variant->predicted, runner->getLeast()});
      if (!*winner)
        continue;
      improves = true;
      for (auto &[runner, variant] : runners)
        if (runner.get() == *winner) {
          best = variant->steps;
          found = std::move(runner);
          progress.show(name + llvm::formatv(": {0:f1} us", found->getLeast() / 1e3));
          break;
        }
    }
  }
  if (samples.size() > 1)
    regrets.push_back(getRegret(samples));
  std::string counts = llvm::formatv("{0} measured, {1} refused, {2} wrong", measured, refused, wrong);
  if (!found)
    progress.tell(name + llvm::formatv(": {0:f1} us, nothing faster: ", (*reference)->getLeast() / 1e3) + counts);
  else {
    // Fresh samples: the least of many noisy ones is optimistic.
    Expected<Runner *> winner = race(**reference, {found.get()}, arguments, [] { return false; });
    if (!winner)
      return winner.takeError();
    if (!*winner) {
      progress.tell(name + ": what seemed faster is not, measured again");
      return llvm::Error::success();
    }
    uint64_t before = (*reference)->getLeast(), after = found->getLeast();
    progress.tell(
        name + llvm::formatv(": {0:f1} -> {1:f1} us ({2:f2}x): ", before / 1e3, after / 1e3, double(before) / after) +
        counts + ": " + describeChange(describe(job.kernel, *given), describe(job.kernel, best)));
    file->set(job.kernel, best, {before, after, request.threads});
    ++changed;
    if (llvm::Error error = file->write())
      return error;
  }
  return llvm::Error::success();
}

/// Runs the whole program with and without what was found, in turns.
llvm::Error Tuner::compareProgram() {
  std::unique_ptr<Executable> programs[2];
  for (bool isTuned : {false, true}) {
    Expected<OwningOpRef<ModuleOp>> module = read();
    if (!module)
      return module.takeError();
    CompileOptions options = getOptions();
    if (isTuned)
      options.pipeline = request.getPipelineWith(request.output);
    Expected<std::unique_ptr<Executable>> executable = Executable::compile(**module, options, "", request.threads);
    if (!executable)
      return executable.takeError();
    programs[isTuned] = std::move(*executable);
  }
  Expected<std::vector<HostTensor>> inputs = makeInputs(programs[0]->getInputs());
  if (!inputs)
    return inputs.takeError();
  std::vector<double> times[2];
  auto start = Progress::Clock::now();
  double seconds = std::max(kLastShare * request.seconds, 0.1);
  while (times[1].size() < 5 ||
         (std::chrono::duration<double>(Progress::Clock::now() - start).count() < seconds && times[1].size() < 200))
    for (bool isTuned : {false, true}) {
      Expected<RunResult> result = programs[isTuned]->run(getPointers(*inputs));
      if (!result)
        return result.takeError();
      times[isTuned].push_back(result->seconds);
    }
  for (std::vector<double> &samples : times)
    llvm::sort(samples);
  double before = times[0][times[0].size() / 2], after = times[1][times[1].size() / 2];
  progress.tell(llvm::formatv("the model: {0:f3} -> {1:f3} ms ({2:f2}x), medians of {3} runs in turns", before * 1e3,
                              after * 1e3, before / after, times[0].size())
                    .str());
  return llvm::Error::success();
}

llvm::Error Tuner::run() {
  Expected<ScheduleFile> opened = ScheduleFile::open(request.output, context);
  if (!opened)
    return opened.takeError();
  file.emplace(std::move(*opened));
  if (llvm::Error error = file->checkWritable())
    return error;
  Expected<OwningOpRef<ModuleOp>> module = read();
  if (!module)
    return module.takeError();
  if (llvm::Error error = lowerToKernels(**module, getOptions()))
    return error;
  if (llvm::Error error = findJobs(**module))
    return error;
  uint64_t left = 0;
  for (const Job &job : jobs)
    left += job.nanoseconds;
  for (Job &job : jobs) {
    double seconds = progress.getSecondsLeft() - kLastShare * request.seconds;
    if (isStopped() || seconds <= 0)
      break;
    double share = left ? double(job.nanoseconds) / left : 1;
    if (llvm::Error error = tune(job, std::min(seconds, std::max(kLeastSeconds, seconds * share))))
      return error;
    left -= job.nanoseconds;
  }
  progress.tell(llvm::formatv("{0} of {1} kernels have a faster schedule{2}", changed, jobs.size(),
                              changed ? ", in " + request.output : "")
                    .str());
  if (!regrets.empty()) {
    llvm::sort(regrets);
    progress.tell(llvm::formatv("the best predicted of what was measured takes {0:f2} times as long as the fastest "
                                "(median of {1} kernels), {2:f2} times at worst",
                                regrets[regrets.size() / 2], regrets.size(), regrets.back())
                      .str());
  }
  return changed ? compareProgram() : llvm::Error::success();
}

} // namespace

std::optional<double> parseTuneTime(StringRef text) {
  double factor = text.consume_back("m") ? 60 : 1, number;
  if (factor == 1)
    text.consume_back("s");
  if (text.getAsDouble(number) || !(number > 0) || number > 1e6)
    return std::nullopt;
  return number * factor;
}

std::string getScheduleFile(const ModelRequest &request) {
  return request.schedules.empty() ? request.model + ".schedules.mlir" : request.schedules;
}

const std::atomic<bool> *stopOnInterrupt() {
  static std::atomic<bool> stop = false;
  std::signal(SIGINT, [](int) {
    stop = true;
    std::signal(SIGINT, SIG_DFL);
  });
  return &stop;
}

llvm::Error tuneModel(const TuneRequest &request, MLIRContext *context, raw_ostream &stream) {
  return Tuner(request, context, stream).run();
}

} // namespace tiny
