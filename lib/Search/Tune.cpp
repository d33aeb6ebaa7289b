// Searches schedules: for one kernel after the other it measures what is near the best one known, until the time is
// over. NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Search/Tune.h"

#include "ConvolutionSearch.h"
#include "KernelSearch.h"
#include "ProgramCheck.h"
#include "ScheduleFile.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Dialect/Tensor/Winograd.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Support/Family.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <thread>

using namespace mlir;
using llvm::Expected;

namespace tiny {
namespace {

/// Seconds that a kernel gets at least; shares of the time for the whole program at the end, each time, for how
/// convolutions are computed, and for the program with another way to compute some of these.
constexpr double kLeastSeconds = 0.5, kLastShare = 0.05, kConvolutionShare = 0.4, kProgramShare = 0.02;
/// Most of the time that is kept for the program at the end.
constexpr double kMostKept = 0.3;

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
  Expected<std::unique_ptr<Executable>> compile(ModuleOp module);
  llvm::Error searchConvolutions(ModuleOp module);
  Expected<bool> tryTiles(ModuleOp module, ArrayRef<tensor::ConvOp> convs, const WinogradChoice &choice);
  llvm::Error findJobs(ModuleOp module);
  llvm::Error tune(Job &job, double seconds);
  Expected<std::unique_ptr<Executable>> compileTuned();
  llvm::Error compareProgram();
  llvm::Error compareWithFirst();
  llvm::Error leaveOut(ArrayRef<std::string> names);
  bool isStopped() const { return request.stop && *request.stop; }
  /// Seconds for the end, where the program is compiled and compared twice.
  double getKeptSeconds() const {
    return std::min(2 * (compileSeconds + kLastShare * request.seconds), kMostKept * request.seconds);
  }

  const TuneRequest &request;
  MLIRContext *context;
  Progress progress;
  CompilePool pool;
  SmallVector<Job> jobs;
  /// The program as it was before the search, which may write the file that its schedules come from; with other ways to
  /// compute convolutions it is `own`, and `first` is that without.
  std::unique_ptr<Executable> own, first;
  std::optional<ScheduleFile> file;
  /// Kernels that have a faster schedule, and how many kinds of convolutions are computed otherwise.
  llvm::StringSet<> changed;
  unsigned filtered = 0;
  /// That compiling the program took.
  double compileSeconds = 0;
  /// By kernel, see `KernelSearch::getRegret`.
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
  Expected<DimSizes> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();
  return readSource(request.model, context, *dims);
}

/// Compiles a copy.
Expected<std::unique_ptr<Executable>> Tuner::compile(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  return Executable::compile(*copy, getOptions(), "", request.threads);
}

/// Computes convolutions by Winograd's filtering where they are faster so, alone and in the model.
llvm::Error Tuner::searchConvolutions(ModuleOp module) {
  // Other roundings, other bits.
  if (request.keepsBits || isFamily(module))
    return llvm::Error::success();
  auto isOver = [&] { return isStopped() || progress.getSecondsLeft() < (1 - kConvolutionShare) * request.seconds; };
  for (ArrayRef<tensor::ConvOp> convs : findConvolutions(module)) {
    if (isOver())
      break;
    std::string name = tensor::getConvKey(convs.front());
    progress.show(name);
    Expected<WinogradChoice> choice = searchTiles({request, context, pool, progress}, convs.front(), isOver);
    if (!choice)
      return choice.takeError();
    std::string line = llvm::formatv("convolution of {0}: {1:f1} us", name, choice->before / 1e3);
    if (choice->tiles.empty()) {
      progress.tell(choice->before ? line + ", nothing faster" : "convolution of " + name + ": cannot run alone");
      continue;
    }
    Expected<bool> isFaster = tryTiles(module, convs, *choice);
    if (!isFaster)
      return isFaster.takeError();
    progress.tell(line + llvm::formatv(" -> {0:f1} us ({1:f2}x): winograd [{2:$[, ]}]{3}", choice->after / 1e3,
                                       double(choice->before) / choice->after,
                                       llvm::make_range(choice->tiles.begin(), choice->tiles.end()),
                                       *isFaster ? "" : ", left out, no gain within the model")
                             .str());
  }
  return llvm::Error::success();
}

/// Runs the model with the convolutions computed by these tiles, and leaves it so where that is faster.
Expected<bool> Tuner::tryTiles(ModuleOp module, ArrayRef<tensor::ConvOp> convs, const WinogradChoice &choice) {
  for (tensor::ConvOp conv : convs)
    conv.setWinograd(choice.tiles);
  Expected<std::unique_ptr<Executable>> with = compile(module);
  if (!with)
    return with.takeError();
  Expected<ProgramTimes> times = compareInTurns(*own, **with, kProgramShare * request.seconds);
  if (!times)
    return times.takeError();
  if (times->seconds[1] >= times->seconds[0]) {
    for (tensor::ConvOp conv : convs)
      conv.removeWinogradAttr();
    return false;
  }
  if (!first)
    first = std::move(own);
  own = std::move(*with);
  ++filtered;
  file->setWinograd(convs.front(), choice.tiles, {choice.before, choice.after, request.threads});
  if (llvm::Error error = file->write())
    return error;
  return true;
}

/// Runs the program a few times to see what each kernel takes of it; the longest come first.
llvm::Error Tuner::findJobs(ModuleOp module) {
  llvm::MapVector<StringRef, Job> found;
  SymbolTable kernels(module);
  module.walk([&](kernel::LaunchOp launch) {
    if (auto kernel = kernels.lookup<kernel::FuncOp>(launch.getCallee()); kernel && !launch.getOuts().empty())
      found.insert({kernel.getSymName(), {kernel, launch}});
  });
  Expected<std::vector<HostTensor>> inputs = makeSearchInputs(own->getInputs());
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
    tiny_run_options options = {add, &found, nullptr, nullptr, nullptr, nullptr};
    if (Expected<RunResult> result = own->run(getPointers(*inputs), &options); !result)
      return result.takeError();
  }
  for (auto &[name, job] : found)
    jobs.push_back(job);
  llvm::stable_sort(jobs, [](const Job &a, const Job &b) { return a.nanoseconds > b.nanoseconds; });
  return llvm::Error::success();
}

llvm::Error Tuner::tune(Job &job, double seconds) {
  std::optional<SmallVector<kernel::ScheduleStep>> given = kernel::findSteps(job.kernel);
  if (!given) {
    progress.tell(job.kernel.getSymName() + ": its script names axes by handles, which search does not read");
    return llvm::Error::success();
  }
  KernelSearch search({request, context, pool, progress}, job.kernel, job.launch, *given);
  Expected<bool> isFaster = search.run(progress.getSecondsLeft() - seconds);
  if (!isFaster)
    return isFaster.takeError();
  if (std::optional<double> regret = search.getRegret())
    regrets.push_back(*regret);
  if (!*isFaster)
    return llvm::Error::success();
  file->set(job.kernel, search.getSteps(), {search.getBefore(), search.getAfter(), request.threads});
  changed.insert(job.kernel.getSymName());
  return file->write();
}

Expected<std::unique_ptr<Executable>> Tuner::compileTuned() {
  Expected<OwningOpRef<ModuleOp>> module = read();
  if (!module)
    return module.takeError();
  CompileOptions options = getOptions();
  options.pipeline = request.getPipelineWith(request.output);
  return Executable::compile(**module, options, "", request.threads);
}

/// Runs the whole program with and without what was found. Schedules that do not gain there leave the file, all of them
/// where the program does not gain.
llvm::Error Tuner::compareProgram() {
  double seconds = std::max(kLastShare * request.seconds, 0.1);
  while (!changed.empty()) {
    Expected<std::unique_ptr<Executable>> with = compileTuned();
    if (!with)
      return with.takeError();
    Expected<ProgramTimes> times = compareInTurns(*own, **with, seconds);
    if (!times)
      return times.takeError();
    double before = times->seconds[0], after = times->seconds[1];
    progress.tell(llvm::formatv("the model: {0:f3} -> {1:f3} ms ({2:f2}x), medians of {3} runs in turns", before * 1e3,
                                after * 1e3, before / after, times->runs)
                      .str());
    SmallVector<std::string> slower = times->findSlower(changed);
    if (slower.empty() && after <= before)
      break;
    if (slower.empty())
      for (const auto &entry : changed)
        slower.push_back(entry.getKey().str());
    llvm::sort(slower);
    if (llvm::Error error = leaveOut(slower))
      return error;
  }
  return llvm::Error::success();
}

/// Tells what all together gains, where convolutions are computed otherwise.
llvm::Error Tuner::compareWithFirst() {
  if (!first)
    return llvm::Error::success();
  if (!changed.empty()) {
    Expected<std::unique_ptr<Executable>> with = compileTuned();
    if (!with)
      return with.takeError();
    own = std::move(*with);
  }
  Expected<ProgramTimes> times = compareInTurns(*first, *own, kProgramShare * request.seconds);
  if (!times)
    return times.takeError();
  progress.tell(llvm::formatv("the model, with Winograd's filtering for {0} of its kinds of convolutions: {1:f3} -> "
                              "{2:f3} ms ({3:f2}x), medians of {4} runs in turns",
                              filtered, times->seconds[0] * 1e3, times->seconds[1] * 1e3,
                              times->seconds[0] / times->seconds[1], times->runs)
                    .str());
  return llvm::Error::success();
}

/// Takes what was found for these kernels out of the file.
llvm::Error Tuner::leaveOut(ArrayRef<std::string> names) {
  for (const Job &job : jobs)
    if (llvm::is_contained(names, kernel::FuncOp(job.kernel).getSymName()) &&
        changed.erase(kernel::FuncOp(job.kernel).getSymName()))
      file->drop(job.kernel);
  progress.tell("left out, no gain within the model: " + llvm::join(names, ", "));
  return file->write();
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
  if (!isFamily(**module)) {
    Expected<FunctionOpInterface> program = findProgram(**module, request.function);
    if (!program)
      return program.takeError();
    dropOtherPrograms(**module, *program);
  }
  OwningOpRef<ModuleOp> lowered = (**module).clone();
  if (llvm::Error error = lowerToKernels(*lowered, getOptions()))
    return error;
  double start = progress.getSecondsLeft();
  Expected<std::unique_ptr<Executable>> executable = compile(*lowered);
  compileSeconds = start - progress.getSecondsLeft();
  if (!executable)
    return executable.takeError();
  own = std::move(*executable);
  if (llvm::Error error = own->checkFits())
    return error;
  // The device is the same from here on.
  (**module)->setDiscardableAttrs((*lowered)->getDiscardableAttrDictionary());
  if (llvm::Error error = searchConvolutions(**module))
    return error;
  if (!filtered)
    *module = std::move(lowered);
  else if (llvm::Error error = lowerToKernels(**module, getOptions()))
    return error;
  if (llvm::Error error = findJobs(**module))
    return error;
  uint64_t left = 0;
  for (const Job &job : jobs)
    left += job.nanoseconds;
  for (Job &job : jobs) {
    double seconds = progress.getSecondsLeft() - getKeptSeconds();
    if (isStopped() || seconds <= 0)
      break;
    double share = left ? double(job.nanoseconds) / left : 1;
    if (llvm::Error error = tune(job, std::min(seconds, std::max(kLeastSeconds, seconds * share))))
      return error;
    left -= job.nanoseconds;
  }
  if (!regrets.empty()) {
    llvm::sort(regrets);
    progress.tell(llvm::formatv("the best predicted of what was measured takes {0:f2} times as long as the fastest "
                                "(median of {1} kernels), {2:f2} times at worst",
                                regrets[regrets.size() / 2], regrets.size(), regrets.back())
                      .str());
  }
  if (llvm::Error error = compareProgram())
    return error;
  if (llvm::Error error = compareWithFirst())
    return error;
  progress.tell(llvm::formatv("{0} of {1} kernels have a faster schedule{2}", changed.size(), jobs.size(),
                              changed.empty() && !filtered ? "" : ", in " + request.output)
                    .str());
  return llvm::Error::success();
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
