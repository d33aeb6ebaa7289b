// tiny-exec: runs a compiled program on real inputs. It knows the runtime and files of tensors, and no compiler.
#include "Run.h"
#include "Tiny/Files/Report.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tiny;
using exec::Loaded;
using exec::runtimeFailure;
using files::Failure;
using files::Result;

namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Reads what a parameter is a part of, and gives the whole parameter.
files::Parameter readParts(const tiny_parameter &entry, files::Parameter local, const std::vector<int64_t> &grid,
                           std::vector<files::Parts> &list) {
  files::Parts parts = {grid, {}, entry.stage, entry.stage_axis};
  for (uint32_t axis = 0; axis < entry.rank; ++axis) {
    const tiny_format_cut &cut = entry.cuts[axis];
    const uint32_t *first = entry.cut_axes + cut.first_axis;
    parts.cuts.push_back({cut.whole, std::vector<uint32_t>(first, first + cut.n_axes)});
    local.shape[axis] = cut.whole;
  }
  list.push_back(std::move(parts));
  return local;
}

Failure describe(Loaded &loaded) {
  auto add = [](std::vector<files::Parameter> &list, const tiny_parameter &entry, const std::string &otherwise) {
    files::Parameter parameter;
    parameter.name = *entry.name ? entry.name : otherwise;
    parameter.dtype = entry.dtype;
    parameter.shape.assign(entry.shape, entry.shape + entry.rank);
    for (uint32_t axis = 0; entry.dimensions && axis < entry.rank; ++axis) {
      const tiny_format_term *first = entry.terms + entry.dimensions[axis].first_term;
      parameter.live.emplace_back(first, first + entry.dimensions[axis].n_terms);
    }
    list.push_back(parameter);
  };
  tiny_parameter parameter;
  for (uint32_t k = 0; k < tiny_program_input_count(loaded.program.get()); ++k) {
    if (tiny_program_input(loaded.program.get(), k, &parameter))
      return runtimeFailure("cannot describe the program");
    add(loaded.inputs, parameter, "arg" + std::to_string(k));
    loaded.donated.push_back(parameter.donated != 0);
  }
  for (uint32_t k = 0; k < tiny_program_result_count(loaded.program.get()); ++k) {
    if (tiny_program_result(loaded.program.get(), k, &parameter))
      return runtimeFailure("cannot describe the program");
    add(loaded.results, parameter, "result" + std::to_string(k));
  }
  const int64_t *grid = nullptr;
  uint32_t nGrid = tiny_program_grid(loaded.program.get(), &grid);
  loaded.grid.assign(grid, grid + nGrid);
  for (size_t k = 0; nGrid && k < loaded.inputs.size(); ++k) {
    if (tiny_program_input(loaded.program.get(), uint32_t(k), &parameter))
      return runtimeFailure("cannot describe the program");
    loaded.wholeInputs.push_back(readParts(parameter, loaded.inputs[k], loaded.grid, loaded.inputParts));
  }
  for (size_t k = 0; nGrid && k < loaded.results.size(); ++k) {
    if (tiny_program_result(loaded.program.get(), uint32_t(k), &parameter))
      return runtimeFailure("cannot describe the program");
    loaded.wholeResults.push_back(readParts(parameter, loaded.results[k], loaded.grid, loaded.resultParts));
  }
  tiny_size size;
  for (uint32_t k = 0; k < tiny_program_size_count(loaded.program.get()); ++k) {
    if (tiny_program_size(loaded.program.get(), k, &size))
      return runtimeFailure("cannot describe the program");
    loaded.sizes.push_back({size.name, size.least, size.most, size.computed != 0});
  }
  return {};
}

Failure load(const exec::Request &request, Loaded &loaded) {
  Clock::time_point start = Clock::now();
  if (tiny_device_open(request.device.c_str(), loaded.device.receive()))
    return {"--device: " + std::string(tiny_last_error())};
  if (request.threads && tiny_device_set_threads(loaded.device.get(), request.threads))
    return {"--threads: " + std::string(tiny_last_error())};
  uint32_t flags = request.checkConstants ? TINY_LOAD_CHECK_CONSTANTS : 0;
  if (tiny_program_open(loaded.device.get(), request.program.c_str(), flags, loaded.program.receive()))
    return runtimeFailure(request.program);
  loaded.seconds = secondsSince(start);
  return describe(loaded);
}

} // namespace

/// The sizes of these inputs.
static Failure findSizes(const Loaded &loaded, const std::vector<HostTensor> &inputs, std::vector<int64_t> &sizes) {
  std::vector<tiny_shape> shapes;
  shapes.reserve(inputs.size());
  for (const HostTensor &tensor : inputs)
    shapes.push_back({tensor.shape.data(), uint32_t(tensor.shape.size())});
  sizes.resize(loaded.sizes.size());
  if (tiny_program_find_sizes(loaded.program.get(), shapes.data(), shapes.size(), sizes.data()))
    return {tiny_last_error()};
  return {};
}

Failure exec::run(const Loaded &loaded, const std::vector<HostTensor> &inputs, std::vector<HostTensor> &results,
                  double &seconds, tiny_communicator *communicator) {
  std::vector<HostTensor> copies;
  copies.reserve(inputs.size());
  std::vector<runtime::Buffer> arguments(inputs.size());
  std::vector<tiny_buffer *> argumentList(inputs.size()), resultList(loaded.results.size(), nullptr);
  for (size_t k = 0; k < inputs.size(); ++k) {
    bool isDonated = loaded.donated[k];
    const HostTensor &tensor = isDonated ? copies.emplace_back(inputs[k]) : inputs[k];
    tiny_status status = tiny_buffer_import(
        loaded.device.get(), const_cast<char *>(tensor.bytes.data()), tensor.bytes.size(),
        isDonated ? TINY_IMPORT_READ_WRITE : TINY_IMPORT_READ_ONLY, nullptr, nullptr, arguments[k].receive());
    // A device that does not compute on the host's memory gets a copy.
    if (status == TINY_UNSUPPORTED) {
      status = tiny_buffer_allocate(loaded.device.get(), tensor.bytes.size(), arguments[k].receive());
      if (!status)
        status = tiny_buffer_write(arguments[k].get(), 0, tensor.bytes.data(), tensor.bytes.size());
    }
    if (status)
      return runtimeFailure("cannot hand a tensor to the device");
    argumentList[k] = arguments[k].get();
  }
  std::vector<int64_t> sizes;
  if (Failure failure = findSizes(loaded, inputs, sizes))
    return failure;
  tiny_run_options options = {};
  options.sizes = options.found_sizes = sizes.data();
  options.communicator = communicator;
  Clock::time_point start = Clock::now();
  if (tiny_program_run(loaded.program.get(), argumentList.data(), argumentList.size(), resultList.data(),
                       resultList.size(), &options))
    return runtimeFailure("the run failed");
  seconds = secondsSince(start);
  std::vector<runtime::Buffer> owned(resultList.size());
  for (size_t k = 0; k < owned.size(); ++k)
    owned[k] = runtime::Buffer(resultList[k]);
  results.clear();
  for (size_t k = 0; k < owned.size(); ++k) {
    std::vector<int64_t> shape(loaded.results[k].shape.size());
    if (tiny_program_result_shape(loaded.program.get(), uint32_t(k), sizes.data(), shape.data()))
      return runtimeFailure("cannot read a result");
    HostTensor tensor = HostTensor::zeros(loaded.results[k].dtype, shape);
    if (tiny_buffer_read(owned[k].get(), 0, tensor.bytes.data(), tensor.bytes.size()))
      return runtimeFailure("cannot read a result");
    results.push_back(std::move(tensor));
  }
  return {};
}

namespace {

Failure writeResults(const exec::Request &request, const Loaded &loaded, const std::vector<HostTensor> &results) {
  if (request.output.empty())
    return {};
  std::vector<NamedTensor> named;
  named.reserve(results.size());
  for (size_t k = 0; k < results.size(); ++k)
    named.push_back({loaded.results[k].name, results[k]});
  return files::writeTensors(request.output, named);
}

/// All of a run; what it prints comes once everything has gone well.
Failure execute(const exec::Request &request) {
  Loaded loaded;
  if (Failure failure = load(request, loaded))
    return failure;
  bool computes = request.device != "null";
  if (!computes && !(request.labels + request.output).empty())
    return {"device 'null' computes nothing: --labels and --output have no meaning"};
  files::SizeRequest sizes = {loaded.sizes, request.sizes};
  Result<std::vector<HostTensor>> inputs =
      files::readInputs(request.inputs, loaded.grid.empty() ? loaded.inputs : loaded.wholeInputs, &sizes);
  if (!inputs)
    return inputs.takeFailure();
  const char *rank = tiny_started_rank();
  bool isFirst = !rank || std::strcmp(rank, "0") == 0;
  if (loaded.grid.empty() && !isFirst)
    return {};
  if (loaded.grid.empty() && rank)
    std::fputs("tiny-exec: note: the program has no ranks: the first process runs it alone\n", stderr);
  if (!sizes.note.empty() && isFirst)
    std::fprintf(stderr, "tiny-exec: note: %s\n", sizes.note.c_str());
  std::vector<HostTensor> results;
  double seconds = 0;
  bool isWritten = false;
  if (!loaded.grid.empty()) {
    exec::RankedRun ranked;
    if (Failure failure = exec::runRanks(request, loaded, *inputs, ranked))
      return failure;
    if (!ranked.isFirst)
      return {};
    results = std::move(ranked.results);
    seconds = ranked.seconds;
    isWritten = ranked.isWritten;
  }
  for (unsigned k = 0; loaded.grid.empty() && k < request.repeat; ++k) {
    double time = 0;
    if (Failure failure = run(loaded, *inputs, results, time))
      return failure;
    seconds = k == 0 || time < seconds ? time : seconds;
  }
  std::string text;
  for (size_t k = 0; computes && k < results.size(); ++k) {
    const HostTensor &result = results[k];
    if (result.bytes.empty() && result.size())
      text += loaded.results[k].name + ": " + formatType(result) + " is in " + request.output + "\n";
    else
      text += files::formatResult(loaded.results[k].name, result, !request.labels.empty());
  }
  if (!request.labels.empty()) {
    Result<std::string> accuracy = files::describeAccuracy(request.labels, results);
    if (!accuracy)
      return accuracy.takeFailure();
    text += *accuracy + "\n";
  }
  Failure notWritten = isWritten ? Failure() : writeResults(request, loaded, results);
  if (notWritten)
    return notWritten;
  std::fputs(text.c_str(), stdout);
  std::printf("load time: %.4f s\nrun time: %.6f s\n", loaded.seconds, seconds);
  return {};
}

} // namespace

int main(int argc, char **argv) {
  tiny_guard_rank("tiny-exec");
  exec::Request request;
  bool wantsHelp = false;
  Failure failure = exec::parseArguments(argc, argv, request, wantsHelp);
  if (!failure && wantsHelp) {
    std::fputs(exec::kUsage, stdout);
    return 0;
  }
  if (!failure)
    failure = execute(request);
  if (!failure && std::fflush(stdout))
    failure = {"cannot write to the standard output"};
  if (!failure)
    return 0;
  const char *rank = tiny_started_rank();
  std::fprintf(stderr, "tiny-exec: error: %s%s%s%s\n", rank ? "rank " : "", rank ? rank : "", rank ? ": " : "",
               failure.message.c_str());
  return 1;
}
