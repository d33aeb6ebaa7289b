// Runs a model from files to printed results: takes it from the cache or compiles it, binds inputs, runs, reports.
#include "RunModel.h"

#include "Profile.h"
#include "Tiny/Driver/CompileCache.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Driver/Devices.h"
#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Ranks.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Files/Inputs.h"
#include "Tiny/Files/Report.h"
#include "Tiny/Runtime/Format.h"
#include "Tiny/Search/Predict.h"
#include "Tiny/Search/Tune.h"
#include "Tiny/Support/DiskCache.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/FileMapping.h"
#include "Tiny/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cmath>
#include <csignal>

using namespace mlir;
using llvm::Expected;

namespace tiny {
namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

TimingScope nest(TimingScope *timing, StringRef name) { return timing ? timing->nest(name) : TimingScope(); }

/// The error with the file that it is about, unless its message begins with a place in that file.
llvm::Error withPath(StringRef path, llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  return llvm::createStringError(StringRef(message).starts_with(path) ? message : (path + ": " + message).str());
}

/// What processes that run together have to be asked for alike.
std::string describeRuns(const RunRequest &request, ArrayRef<HostTensor> inputs) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const std::vector<std::string> *list : {&request.inputs, &request.sizes}) {
    os << list->size() << '\0';
    for (const std::string &entry : *list)
      os << entry << '\0';
  }
  os << request.device << '\0' << unsigned(request.repeat) << request.view.isOn()
     << (request.profile || !request.trace.empty());
  for (const HostTensor &input : inputs)
    os << ' ' << tiny_format_sample(input.bytes.data(), input.bytes.size());
  return text;
}

/// Compares each expected tensor with the result of its name, or the first result. Returns the largest difference.
Expected<double> compareAll(const RunRequest &request, ArrayRef<Parameter> results, ArrayRef<HostTensor> tensors) {
  Expected<std::vector<NamedTensor>> expected = readTensors(request.expect);
  if (!expected)
    return expected.takeError();
  double largest = 0;
  for (const NamedTensor &named : *expected) {
    const Parameter *result =
        named.name.empty() ? results.begin()
                           : llvm::find_if(results, [&](const Parameter &other) { return other.name == named.name; });
    if (result == results.end())
      return llvm::createStringError(request.expect + ": the model has no result '" + named.name + "'");
    Expected<double> difference =
        toExpected(files::compareTensors(tensors[result - results.begin()], named.tensor, request.tolerance));
    if (!difference)
      return llvm::createStringError("result '" + result->name + "' is not what " + request.expect +
                                     " has: " + llvm::toString(difference.takeError()));
    largest = std::max(largest, *difference);
  }
  return largest;
}

/// What is ready to run, and on what.
struct Prepared {
  std::unique_ptr<Executable> executable;
  std::vector<HostTensor> arguments;
  double compileSeconds = 0;
  /// What is printed behind the time of compilation.
  StringRef from = " s";
};

/// Of what this process or its cache wrote.
ContainerOrigin getOwnOrigin() {
  ContainerOrigin origin;
  origin.isOwn = true;
  return origin;
}

/// What the cache has under the key, ready to run; null where it has nothing that is.
std::unique_ptr<Executable> loadCached(const DiskCache &cache, StringRef key, const RunRequest &request,
                                       MLIRContext *context, TimingScope &timing) {
  std::unique_ptr<llvm::MemoryBuffer> container = cache.lookup(key);
  TimingScope hit = nest(&timing, container ? "Hit" : "Miss");
  if (!container)
    return nullptr;
  Expected<std::unique_ptr<Executable>> executable =
      Executable::load(std::move(container), context, request.device, request.threads, getOwnOrigin());
  if (executable)
    return std::move(*executable);
  llvm::consumeError(executable.takeError());
  return nullptr;
}

/// Compiles the module, and keeps the container under the key, unless it is empty.
Expected<std::unique_ptr<Executable>> compile(ModuleOp module, const RunRequest &request, const CompileOptions &options,
                                              const DiskCache &cache, StringRef key) {
  if (key.empty())
    return Executable::compile(module, options, request.device, request.threads);
  Expected<CompiledProgram> program = compileProgram(module, options);
  if (!program)
    return program.takeError();
  cache.store(key, program->container);
  TimingScope timing = nest(request.timing, "Loading");
  return Executable::load(program->container, module.getContext(), request.device, request.threads, getOwnOrigin());
}

/// The inputs of the request. What a person should know of them is printed as a note.
Expected<std::vector<HostTensor>> bindInputs(const RunRequest &request, ArrayRef<Parameter> inputs,
                                             ArrayRef<files::Size> sizes) {
  files::SizeRequest choice = {sizes, request.sizes};
  Expected<std::vector<HostTensor>> tensors = readInputs(request.inputs, inputs, &choice);
  if (tensors && !choice.note.empty() && isFirstProcess())
    llvm::errs() << "tiny-run: note: " << choice.note << "\n";
  return tensors;
}

bool isContainer(StringRef bytes) { return bytes.starts_with(TINY_FORMAT_MAGIC); }

/// Loads a container that `tiny-compile` wrote. What says how to compile has no meaning then.
Expected<Prepared> loadPrepared(const RunRequest &request, const FileMapping &container, MLIRContext *context) {
  auto refuse = [&](const Twine &what) {
    return llvm::createStringError("'" + request.model + "' is compiled already: " + what);
  };
  if (!request.dims.empty() || !request.function.empty() || !request.getPipeline().empty() || request.machine.isGiven())
    return refuse("--dim, --function, --processor, --record and options of pipelines have no meaning");
  if (request.device == kReferenceDevice)
    return refuse("device 'reference' interprets programs");
  if (request.view.isOn())
    return refuse("no pass runs that --view could show");
  Clock::time_point start = Clock::now();
  ContainerOrigin origin;
  origin.folder = llvm::sys::path::parent_path(request.model).str();
  origin.checkConstants = request.checkConstants;
  Expected<std::unique_ptr<Executable>> executable =
      Executable::load(container.makeBuffer(), context, request.device, request.threads, origin);
  if (!executable)
    return withPath(request.model, executable.takeError());
  Expected<std::vector<HostTensor>> arguments =
      bindInputs(request, (*executable)->getInputs(), (*executable)->getSizes());
  if (!arguments)
    return arguments.takeError();
  return Prepared{std::move(*executable), std::move(*arguments), secondsSince(start), " s, from the container"};
}

/// Reads the model and the inputs, and compiles; or takes what was compiled before.
Expected<Prepared> prepare(const RunRequest &request, MLIRContext *context) {
  Expected<DimSizes> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();
  const Target *target = findTargetOf(request.device);
  CompileOptions options;
  options.target = nameTargetsOf(request.device);
  options.placement = request.placement;
  options.function = request.function;
  options.pipeline = request.getPipeline();
  options.machine = request.machine;
  options.device = request.device;
  options.configure = request.configure;
  options.timing = request.timing;
  options.constants = ConstantPlace::Machine;
  if (request.machine.isGiven()) {
    Expected<target::RecordAttr> record = makeRecord(*target, request.machine, context);
    if (!record)
      return record.takeError();
    if (llvm::Error error = target->checkRunsHere(*record))
      return error;
  }
  Expected<DiskCache> cache = DiskCache::open(request.cacheFolder, request.cachePolicy);
  if (!cache)
    return llvm::createStringError("--cache-policy: " + llvm::toString(cache.takeError()));

  Prepared prepared;
  Clock::time_point start = Clock::now();
  Expected<std::shared_ptr<const FileMapping>> file = FileMapping::open(request.model);
  if (!file)
    return file.takeError();
  StringRef source = (*file)->getBytes();
  if (isContainer(source))
    return loadPrepared(request, **file, context);
  std::string key;
  if (!request.cacheFolder.empty() && request.device != kReferenceDevice) {
    TimingScope timing = nest(request.timing, "Cache");
    Expected<std::string> found = getCacheKey(request.model, source, request.dims, options);
    if (!found)
      return found.takeError();
    key = std::move(*found);
    if (!key.empty())
      prepared.executable = loadCached(*cache, key, request, context, timing);
  }
  if (prepared.executable) {
    prepared.from = " s, from the cache";
    prepared.compileSeconds = secondsSince(start);
    Expected<std::vector<HostTensor>> arguments =
        bindInputs(request, prepared.executable->getInputs(), prepared.executable->getSizes());
    if (!arguments)
      return arguments.takeError();
    prepared.arguments = std::move(*arguments);
    return prepared;
  }

  TimingScope reading = nest(request.timing, "Reading the model");
  Expected<OwningOpRef<ModuleOp>> module =
      readJoined([&](bool isWithin) { return parseSource(request.model, source, context, *dims, isWithin); }, options);
  reading.stop();
  if (!module)
    return addPath(request.model, module.takeError());
  prepared.compileSeconds = secondsSince(start);
  // A wrong file or device is found before any work.
  Expected<FunctionOpInterface> program = findProgram(**module, request.function);
  if (!program)
    return withPath(request.model, program.takeError());
  Expected<std::vector<HostTensor>> arguments = bindInputs(request, getInputs(*program), getSizes(*program));
  if (!arguments)
    return arguments.takeError();
  prepared.arguments = std::move(*arguments);
  if (llvm::Error error = Executable::checkDevice(request.device, request.threads))
    return error;

  start = Clock::now();
  Expected<std::unique_ptr<Executable>> executable = compile(**module, request, options, *cache, key);
  if (!executable)
    return executable.takeError();
  prepared.executable = std::move(*executable);
  prepared.compileSeconds += secondsSince(start);
  return prepared;
}

} // namespace

llvm::Error tuneFirst(RunRequest &request, StringRef time, MLIRContext *context) {
  std::optional<double> seconds = parseTuneTime(time);
  if (!seconds)
    return llvm::createStringError("--tune: got '" + time + "', expected a time such as 60s or 5m");
  if (!request.device.empty() && request.device != "cpu")
    return llvm::createStringError("--tune: device '" + request.device + "' gives no times to compare");
  TuneRequest search;
  static_cast<ModelRequest &>(search) = request;
  search.output = getScheduleFile(request);
  if (!llvm::sys::fs::exists(search.output))
    search.schedules.clear();
  search.seconds = *seconds;
  search.threads = request.threads;
  search.stop = stopOnInterrupt();
  llvm::Error error = tuneModel(search, context, llvm::errs());
  // What runs then ends by Ctrl-C again.
  std::signal(SIGINT, SIG_DFL);
  if (error)
    return error;
  request.schedules = llvm::sys::fs::exists(search.output) ? search.output : "";
  return llvm::Error::success();
}

/// Writes the page of a run, with what it took.
static llvm::Error writePage(view::Recorder &recorder, const RunRequest &request, const Executable &executable,
                             llvm::json::Object measured) {
  measured["threads"] = executable.getThreads();
  if (std::optional<tiny_memory_plan> plan = executable.getMemoryPlan())
    measured["memory"] = llvm::json::Object{{"arguments", plan->arguments}, {"constants", plan->constants},
                                            {"results", plan->results},     {"temporaries", plan->temporaries},
                                            {"arena", plan->arena},         {"lowerBound", plan->arena_bound}};
  llvm::json::Array temporaries;
  for (const tiny_temporary &temporary : executable.getTemporaries())
    temporaries.push_back(llvm::json::Object{{"offset", temporary.offset},
                                             {"bytes", temporary.size},
                                             {"first", temporary.first},
                                             {"last", temporary.last},
                                             {"writer", llvm::json::fixUTF8(temporary.writer)}});
  measured["temporaries"] = std::move(temporaries);
  recorder.setMeasured(std::move(measured));
  recorder.setTarget(findTargetOf(request.device));
  return recorder.write();
}

/// The request with a recorder that sees its passes. What was compiled before has none.
static RunRequest withRecorder(RunRequest request, view::Recorder &recorder) {
  request.cacheFolder.clear();
  request.configure = [&recorder, configure = request.configure](PassManager &manager) {
    recorder.watch(manager);
    return configure ? configure(manager) : success();
  };
  return request;
}

/// How often a program with a page is run to measure its kernels: from one time nobody could tell how far others lie
/// apart. Where runs take long there are fewer.
constexpr unsigned kViewRuns = 15, kLeastViewRuns = 3;
constexpr double kViewSeconds = 3;

/// Compiles the program and runs it, watched by the recorder where there is one.
static llvm::Error runWatched(const RunRequest &asked, std::optional<view::Recorder> &recorder, MLIRContext *context,
                              raw_ostream &stream);

llvm::Error runModel(const RunRequest &asked, MLIRContext *context, raw_ostream &stream) {
  std::optional<view::Recorder> recorder;
  view::ViewOptions options = asked.view;
  if (llvm::Error error =
          view::readOptions(options, {asked.model, asked.output, asked.trace, asked.labels, asked.expect}))
    return error;
  if (options.isOn()) {
    if (asked.device == kReferenceDevice)
      return llvm::createStringError("device 'reference' compiles nothing: --view has no meaning");
    Expected<unsigned> threads = Executable::countThreads(asked.device, asked.threads);
    if (!threads)
      return threads.takeError();
    options.threads = *threads;
    recorder.emplace(std::move(options));
  }
  llvm::Error error = runWatched(asked, recorder, context, stream);
  // What the passes did until something failed. That the page cannot be written is no news beside that.
  if (error && recorder)
    llvm::consumeError(recorder->writeIfSeen());
  return error;
}

static llvm::Error runWatched(const RunRequest &asked, std::optional<view::Recorder> &recorder, MLIRContext *context,
                              raw_ostream &stream) {
  RunRequest request = recorder ? withRecorder(asked, *recorder) : asked;
  bool computes = request.device != "null";
  if (!computes && !(request.labels + request.expect + request.output).empty())
    return llvm::createStringError("device 'null' computes nothing: --labels, --expect and --output have no meaning");

  if (request.device == kReferenceDevice && (request.profile || !request.trace.empty()))
    return llvm::createStringError("device 'reference' has no kernels: --profile and --trace have no meaning");

  bool profiles = request.profile || !request.trace.empty() || recorder;
  Expected<Prepared> prepared = prepare(request, context);
  if (!prepared)
    return prepared.takeError();
  Executable *executable = prepared->executable.get();
  auto arguments = llvm::map_to_vector(prepared->arguments, [](const HostTensor &tensor) { return &tensor; });

  // A program without ranks, or whose ranks are threads, is no matter of several processes.
  bool isJoined = executable->hasRanks() && areRanksProcesses(), isFirst = isFirstProcess();
  if (!isJoined && !isFirst)
    return llvm::Error::success();
  if (isStartedAsRank() && !executable->hasRanks())
    llvm::errs()
        << "tiny-run: note: the program has no ranks: the first process runs it alone (--pipeline=ranks=2 cuts "
           "it for 2)\n";
  if (isJoined)
    if (llvm::Error error = agreeOnRanks(describeRuns(request, prepared->arguments)))
      return error;

  // Before any weight is read.
  if (std::optional<tiny_memory_plan> plan = executable->getMemoryPlan(); plan && request.printMemory && isFirst) {
    stream << "memory: arguments " << plan->arguments << ", constants " << plan->constants << ", results "
           << plan->results << " bytes\n";
    for (const files::Size &size : executable->getSizes())
      stream << "planned for the greatest size: " << size.name << " = " << size.most << "\n";
    stream << "temporaries: " << plan->temporaries << " bytes in " << plan->arena << ", lower bound "
           << plan->arena_bound << "\n";
    stream.flush();
  }
  if (llvm::Error error = executable->checkFits())
    return withPath(request.model, std::move(error));
  TimingScope running = nest(request.timing, "Running");
  Expected<RunResult> run = executable->run(arguments);
  if (!run)
    return withPath(request.model, run.takeError());
  for (unsigned i = 1; i < request.repeat; ++i) {
    Expected<RunResult> again = executable->run(arguments);
    if (!again)
      return again.takeError();
    run->seconds = std::min(run->seconds, again->seconds);
  }
  running.stop();
  Profile profile(executable->getThreads());
  // Processes that run together cannot end by their clocks.
  unsigned runs = std::max<unsigned>(request.repeat, !recorder ? 1 : isJoined ? kLeastViewRuns : kViewRuns);
  Clock::time_point profiling = Clock::now();
  for (unsigned i = 0; profiles && i < runs; ++i) {
    if (!isJoined && i >= request.repeat && i >= kLeastViewRuns && secondsSince(profiling) > kViewSeconds)
      break;
    for (bool watches : {false, true}) {
      if (watches && i >= kViewRuns)
        continue;
      tiny_run_options hooks = profile.start(watches);
      Expected<RunResult> again = executable->run(arguments, &hooks);
      if (!again)
        return again.takeError();
      profile.stop();
    }
  }

  if (!isFirst)
    return llvm::Error::success();

  // Everything that can fail comes before the first line of output.
  ArrayRef<Parameter> results = executable->getResults();
  std::string accuracy;
  if (!request.labels.empty()) {
    Expected<std::string> text = toExpected(files::describeAccuracy(request.labels, run->tensors));
    if (!text)
      return text.takeError();
    accuracy = *text;
  }
  double difference = 0;
  if (!request.expect.empty()) {
    Expected<double> largest = compareAll(request, results, run->tensors);
    if (!largest)
      return largest.takeError();
    difference = *largest;
  }
  std::string text;
  llvm::raw_string_ostream report(text);
  // Of a program that is no model a matrix is seldom one of classes.
  bool isClassifier = !request.labels.empty() || StringRef(request.model).ends_with_insensitive(".onnx");
  for (auto [result, tensor] : llvm::zip(results, run->tensors))
    if (computes)
      report << files::formatResult(result.name, tensor, isClassifier);
  if (!accuracy.empty())
    report << accuracy << "\n";
  if (!request.expect.empty())
    report << "largest difference from " << request.expect << ": " << llvm::format("%.3g", difference) << "\n";
  MachineLimits limits;
  // Another device has no limits that a program for this machine's processor could measure.
  if (request.device == "cpu" && (request.profile || recorder)) {
    Expected<MachineLimits> measured = measureMachine(context, request.device, executable->getThreads());
    if (!measured)
      return measured.takeError();
    limits = std::move(*measured);
    profile.raiseLimits(limits, executable->getKernelWork());
  }
  if (request.profile) {
    llvm::StringMap<cost::KernelTimes> predicted;
    // A container has no kernels to look at.
    if (auto found = predictModel(request, findTargetOf(request.device)->getName(), executable->getThreads(), context))
      predicted = std::move(*found);
    else
      llvm::consumeError(found.takeError());
    profile.print(report, executable->getKernelWork(), predicted, limits);
  }
  report << "compile time: " << llvm::format("%.4f", prepared->compileSeconds) << prepared->from << "\n";
  report << "run time: " << llvm::format("%.6f", run->seconds) << " s\n";

  if (recorder) {
    llvm::json::Object measured = profile.describe(executable->getKernelWork(), recorder->predictKernels(), limits);
    measured["compileSeconds"] = prepared->compileSeconds - recorder->getOwnSeconds();
    measured["runSeconds"] = run->seconds;
    if (llvm::Error error = writePage(*recorder, request, *executable, std::move(measured)))
      return error;
  }
  if (!request.trace.empty())
    if (llvm::Error error = writeFileAtomically(request.trace, profile.formatTrace(executable->getKernelWork())))
      return error;
  if (!request.output.empty()) {
    std::vector<NamedTensor> named;
    for (auto [result, tensor] : llvm::zip(results, run->tensors))
      named.push_back({result.name, std::move(tensor)});
    if (llvm::Error error = writeTensors(request.output, named))
      return error;
  }
  stream << text;
  return llvm::Error::success();
}

} // namespace tiny
