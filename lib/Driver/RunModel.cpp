#include "Tiny/Driver/RunModel.h"

#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Profile.h"
#include "Tiny/Driver/Report.h"
#include "Tiny/Driver/Source.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <cmath>

using namespace mlir;
using llvm::Expected;

namespace tiny {
namespace {

constexpr size_t kPrintedPredictions = 1000;

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

TimingScope nest(TimingScope *timing, StringRef name) { return timing ? timing->nest(name) : TimingScope(); }

/// The error with the file that it is about, unless its message begins with a place in that file.
llvm::Error withPath(StringRef path, llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  return llvm::createStringError(StringRef(message).starts_with(path) ? message : (path + ": " + message).str());
}

/// A tensor for an input, and the file that it comes from.
struct Bound {
  HostTensor tensor;
  std::string file;
};

/// Finds each input's tensor among the files.
class InputBinder {
public:
  explicit InputBinder(ArrayRef<Parameter> inputs) : inputs(inputs), bound(inputs.size()) {}

  llvm::Error add(StringRef text) {
    // A path may have an equals sign too: it is a name if an input has it, or if no such file exists.
    auto [name, path] = text.split('=');
    bool named = !path.empty() && (find(name) || !llvm::sys::fs::exists(text));
    if (named && !find(name))
      return unknown(name, path);
    if (!named)
      path = text;
    Expected<std::vector<NamedTensor>> tensors = readTensors(path);
    if (!tensors)
      return tensors.takeError();
    if (named && tensors->size() != 1)
      return llvm::createStringError(path + ": got " + Twine(tensors->size()) + " tensors for input '" + name + "'");
    for (NamedTensor &tensor : *tensors) {
      std::optional<size_t> index = named ? find(name) : tensor.name.empty() ? firstFree() : find(tensor.name);
      if (!index)
        return tensor.name.empty() ? tooMany(path) : unknown(tensor.name, path);
      if (bound[*index])
        return llvm::createStringError("input '" + inputs[*index].name + "' is given twice, by " + bound[*index]->file +
                                       " and " + path);
      if (llvm::Error error = checkInput(inputs[*index], tensor.tensor))
        return llvm::createStringError(path + ": " + llvm::toString(std::move(error)));
      bound[*index] = Bound{std::move(tensor.tensor), path.str()};
    }
    return llvm::Error::success();
  }

  Expected<std::vector<const HostTensor *>> finish() {
    std::vector<const HostTensor *> tensors;
    for (auto [input, tensor] : llvm::zip(inputs, bound)) {
      if (!tensor)
        return llvm::createStringError("no --input is given for '" + input.name + "', " + formatType(input.type));
      tensors.push_back(&tensor->tensor);
    }
    return tensors;
  }

private:
  std::optional<size_t> find(StringRef name) const {
    const Parameter *found = llvm::find_if(inputs, [&](const Parameter &input) { return input.name == name; });
    return found == inputs.end() ? std::nullopt : std::optional<size_t>(found - inputs.begin());
  }

  std::optional<size_t> firstFree() const {
    for (size_t i = 0; i < bound.size(); ++i)
      if (!bound[i])
        return i;
    return std::nullopt;
  }

  llvm::Error tooMany(StringRef path) const {
    return llvm::createStringError(path + ": there are more tensors than the model's inputs, which are " +
                                   Twine(inputs.size()));
  }

  llvm::Error unknown(StringRef name, StringRef path) const {
    std::string names;
    for (const Parameter &input : inputs)
      names += (names.empty() ? "'" : ", '") + input.name + "'";
    return llvm::createStringError(path + ": the model has no input '" + name + "', but " +
                                   (names.empty() ? "none at all" : names));
  }

  ArrayRef<Parameter> inputs;
  std::vector<std::optional<Bound>> bound;
};

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
    Expected<double> difference = compareTensors(tensors[result - results.begin()], named.tensor, request.tolerance);
    if (!difference)
      return llvm::createStringError("result '" + result->name + "' is not what " + request.expect +
                                     " has: " + llvm::toString(difference.takeError()));
    largest = std::max(largest, *difference);
  }
  return largest;
}

/// Prints predictions where the result is one of classes, else the first elements.
void printResult(raw_ostream &stream, const Parameter &result, const HostTensor &tensor) {
  if (std::optional<std::vector<int64_t>> predictions = getPredictions(tensor); predictions && !predictions->empty()) {
    stream << result.name << ", predictions of " << predictions->size() << " rows:\n";
    printNumbers(stream, *predictions, kPrintedPredictions);
    return;
  }
  stream << result.name << ": ";
  printSummary(stream, tensor);
}

/// The line about accuracy.
Expected<std::string> measureAccuracy(StringRef path, ArrayRef<HostTensor> tensors) {
  Expected<std::vector<NamedTensor>> labels = readTensors(path);
  if (!labels)
    return labels.takeError();
  std::optional<std::vector<int64_t>> predictions;
  if (!tensors.empty())
    predictions = getPredictions(tensors.front());
  if (!predictions)
    return llvm::createStringError("--labels needs a first result of shape [rows, classes]" +
                                   (tensors.empty() ? std::string() : ", got " + formatType(tensors.front())));
  if (labels->size() != 1)
    return llvm::createStringError(path + ": got " + Twine(labels->size()) + " tensors, expected 1");
  Expected<int64_t> right = countRight(*predictions, labels->front().tensor);
  if (!right)
    return llvm::createStringError(path + ": " + llvm::toString(right.takeError()));
  std::string text;
  llvm::raw_string_ostream(text) << "accuracy: " << *right << " of " << predictions->size() << ", "
                                 << llvm::format("%.4f", double(*right) / std::max<size_t>(predictions->size(), 1));
  return text;
}

/// The program's inputs before it is lowered, so that a wrong file is found before any work.
Expected<std::vector<Parameter>> getInputsOf(ModuleOp module, StringRef function) {
  Expected<FunctionOpInterface> program = findProgram(module, function);
  if (!program)
    return program.takeError();
  return getInputs(*program);
}

} // namespace

llvm::Error runModel(const RunRequest &request, MLIRContext *context, raw_ostream &stream) {
  if (request.repeat == 0)
    return llvm::createStringError("--repeat must be at least 1, got 0");
  Expected<llvm::StringMap<int64_t>> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();

  bool computes = request.device != "null";
  if (!computes && !(request.labels + request.expect + request.output).empty())
    return llvm::createStringError("device 'null' computes nothing: --labels, --expect and --output have no meaning");

  if (request.device == "reference" && (request.profile || !request.trace.empty()))
    return llvm::createStringError("device 'reference' has no kernels: --profile and --trace have no meaning");

  Clock::time_point start = Clock::now();
  TimingScope reading = nest(request.timing, "Reading the model");
  Expected<OwningOpRef<ModuleOp>> module = readSource(request.model, context, *dims);
  reading.stop();
  if (!module)
    return module.takeError();
  double compileSeconds = secondsSince(start);
  Expected<std::vector<Parameter>> inputs = getInputsOf(**module, request.function);
  if (!inputs)
    return withPath(request.model, inputs.takeError());
  InputBinder binder(*inputs);
  for (const std::string &text : request.inputs)
    if (llvm::Error error = binder.add(text))
      return error;
  Expected<std::vector<const HostTensor *>> arguments = binder.finish();
  if (!arguments)
    return arguments.takeError();

  start = Clock::now();
  CompileOptions options;
  options.device = request.device;
  options.function = request.function;
  options.pipeline = request.pipeline;
  options.configure = request.configure;
  options.timing = request.timing;
  bool profiles = request.profile || !request.trace.empty();
  options.countWork = profiles;
  Expected<std::unique_ptr<Executable>> executable = Executable::compile(**module, options);
  if (!executable)
    return executable.takeError();
  compileSeconds += secondsSince(start);

  TimingScope running = nest(request.timing, "Running");
  Expected<RunResult> run = (*executable)->run(*arguments);
  if (!run)
    return withPath(request.model, run.takeError());
  for (unsigned i = 1; i < request.repeat; ++i) {
    Expected<RunResult> again = (*executable)->run(*arguments);
    if (!again)
      return again.takeError();
    run->seconds = std::min(run->seconds, again->seconds);
  }
  running.stop();
  Profile profile;
  for (unsigned i = 0; profiles && i < request.repeat; ++i) {
    tiny_run_options hooks = profile.start();
    Expected<RunResult> again = (*executable)->run(*arguments, &hooks);
    if (!again)
      return again.takeError();
    profile.stop();
  }

  // Everything that can fail comes before the first line of output.
  ArrayRef<Parameter> results = (*executable)->getResults();
  std::string accuracy;
  if (!request.labels.empty()) {
    Expected<std::string> text = measureAccuracy(request.labels, run->tensors);
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
  for (auto [result, tensor] : llvm::zip(results, run->tensors))
    if (computes)
      printResult(report, result, tensor);
  if (!accuracy.empty())
    report << accuracy << "\n";
  if (!request.expect.empty())
    report << "largest difference from " << request.expect << ": " << llvm::format("%.3g", difference) << "\n";
  if (std::optional<tiny_memory_plan> plan = (*executable)->getMemoryPlan(); plan && request.printMemory) {
    report << "memory: arguments " << plan->arguments << ", constants " << plan->constants << ", results "
           << plan->results << " bytes\n";
    report << "temporaries: " << plan->temporaries << " bytes in " << plan->arena << ", lower bound "
           << plan->arena_bound << "\n";
  }
  if (request.profile) {
    Expected<MachineLimits> limits = computes ? measureMachine(context) : MachineLimits();
    if (!limits)
      return limits.takeError();
    profile.print(report, (*executable)->getKernelWork(), *limits);
  }
  report << "compile time: " << llvm::format("%.4f", compileSeconds) << " s\n";
  report << "run time: " << llvm::format("%.6f", run->seconds) << " s\n";

  if (!request.trace.empty())
    if (llvm::Error error = writeFileAtomically(request.trace, profile.formatTrace((*executable)->getKernelWork())))
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
