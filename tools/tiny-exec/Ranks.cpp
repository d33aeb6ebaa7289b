// Programs of many ranks: the parts of tensors that ranks take, and the whole ones that they give.
#include "Run.h"
#include "Tiny/Files/SharedFile.h"
#include "Tiny/Runtime/Format.h"

#include <cstdlib>
#include <cstring>
#include <cstdio>
#include <thread>

using namespace tiny;
using exec::Loaded;
using exec::runtimeFailure;
using files::Failure;
using files::Result;

namespace {

/// Results whose elements are beyond this are not brought together to be printed where ranks write them.
constexpr uint64_t kMostGathered = 1 << 20;

/// One rank's runs; the fastest one's time. `isAlone`: no other rank is in this process.
Failure runRank(const Loaded &loaded, const std::vector<HostTensor> &whole, unsigned repeat, bool isAlone,
                tiny_communicator *communicator, std::vector<HostTensor> &results, double &seconds) {
  std::vector<int64_t> place = files::getPlace(loaded.grid, tiny_communicator_rank(communicator));
  std::vector<HostTensor> inputs;
  inputs.reserve(whole.size());
  for (size_t k = 0; k < whole.size(); ++k)
    inputs.push_back(files::cutTensor(whole[k], loaded.inputParts[k], place, loaded.inputs[k].shape, isAlone));
  for (unsigned k = 0; k < repeat; ++k) {
    double time = 0;
    if (Failure failure = run(loaded, inputs, results, time, communicator)) {
      // The others would wait for it.
      tiny_communicator_abort(communicator, ("tiny-exec: error: " + failure.message).c_str());
      return failure;
    }
    seconds = k == 0 || time < seconds ? time : seconds;
  }
  return {};
}

/// Ranks as threads.
Failure runLocal(const Loaded &loaded, const std::vector<HostTensor> &inputs, unsigned repeat, uint32_t count,
                 std::vector<HostTensor> &results, double &seconds) {
  std::vector<tiny_communicator *> ends(count);
  if (tiny_communicator_create_local(count, ends.data()))
    return runtimeFailure("--communicator");
  std::vector<std::vector<HostTensor>> parts(count);
  std::vector<double> times(count);
  std::vector<Failure> failures(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (uint32_t rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      failures[rank] = runRank(loaded, inputs, repeat, /*isAlone=*/false, ends[rank], parts[rank], times[rank]);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (tiny_communicator *end : ends)
    tiny_communicator_release(end);
  for (Failure &failure : failures)
    if (failure)
      return failure;
  for (size_t k = 0; k < loaded.results.size(); ++k) {
    HostTensor &whole = results.emplace_back(HostTensor::zeros(loaded.results[k].dtype, loaded.wholeResults[k].shape));
    for (uint32_t rank = 0; rank < count; ++rank)
      files::pasteTensor(parts[rank][k], loaded.resultParts[k], files::getPlace(loaded.grid, rank), whole);
  }
  for (double time : times)
    seconds = time > seconds ? time : seconds;
  return {};
}

/// Of what decides which collectives a process makes, and with what: the options, and samples of the inputs.
uint64_t hashOptions(const exec::Request &request, const std::vector<HostTensor> &inputs) {
  uint64_t hash = 0;
  auto add = [&](const std::string &text) { hash = tiny_format_checksum_from(hash, text.c_str(), text.size() + 1); };
  for (const std::vector<std::string> *list : {&request.inputs, &request.sizes}) {
    add(std::to_string(list->size()));
    for (const std::string &text : *list)
      add(text);
  }
  for (const std::string *text : {&request.output, &request.labels, &request.device})
    add(*text);
  add(std::to_string(request.repeat));
  for (const HostTensor &input : inputs)
    add(std::to_string(tiny_format_sample(input.bytes.data(), input.bytes.size())));
  return hash;
}

/// Collectives of all processes, beside those of the program.
class Processes {
public:
  explicit Processes(tiny_communicator *communicator)
      : communicator(communicator), all(tiny_communicator_size(communicator)) {
    for (uint32_t rank = 0; rank < all.size(); ++rank)
      all[rank] = rank;
  }
  /// What all have, one behind the other. Each has as many bytes.
  Failure gather(const char *own, uint64_t size, std::vector<char> &gathered) {
    gathered.resize(size * all.size());
    return call(TINY_ALL_GATHER, own, gathered.data(), size);
  }
  /// The failure of the first one that fails, on all of them.
  Failure agree(const Failure &own) {
    char text[256] = "";
    std::strncpy(text, own.message.c_str(), sizeof(text) - 1);
    std::vector<char> texts;
    if (Failure failure = gather(text, sizeof(text), texts))
      return failure;
    for (size_t at = 0; at < texts.size(); at += sizeof(text))
      if (texts[at])
        return {&texts[at]};
    return {};
  }
  /// The first one's text, on all of them.
  Failure share(std::string &text) {
    std::vector<char> bytes(4096), shared(bytes.size());
    std::strncpy(bytes.data(), text.c_str(), bytes.size() - 1);
    Failure failure = call(TINY_BROADCAST, bytes.data(), shared.data(), bytes.size());
    text = shared.data();
    return failure;
  }
  bool isFirst() const { return tiny_communicator_rank(communicator) == 0; }
  uint32_t count() const { return uint32_t(all.size()); }

private:
  Failure call(tiny_collective_kind kind, const char *source, char *target, uint64_t size) {
    tiny_group_call call = {};
    call.kind = kind;
    call.dtype = TINY_DTYPE_U8;
    call.ranks = all.data();
    call.n_ranks = count();
    call.place = tiny_communicator_rank(communicator);
    call.source = source;
    call.target = target;
    call.count = size;
    if (size && tiny_communicator_call(communicator, &call))
      return runtimeFailure("cannot collect what ranks have");
    return {};
  }

  tiny_communicator *communicator;
  std::vector<uint32_t> all;
};

/// The output by all ranks: each writes its parts of the results, and the file is complete or as it was.
Failure writeTogether(const std::string &path, const Loaded &loaded, const std::vector<HostTensor> &parts,
                      Processes &processes, uint32_t rank) {
  std::vector<files::SharedTensor> tensors;
  std::vector<const char *> elements;
  for (size_t k = 0; k < parts.size(); ++k) {
    tensors.push_back({loaded.results[k].name, parts[k].dtype, loaded.resultParts[k], parts[k].shape});
    elements.push_back(parts[k].bytes.data());
  }
  Result<files::SafetensorsLayout> layout = files::layOutShared(tensors);
  if (!layout)
    return layout.takeFailure();
  std::string temporary;
  Failure failure;
  if (processes.isFirst()) {
    Result<std::string> started = files::startShared(path, *layout);
    failure = started ? Failure() : started.takeFailure();
    temporary = started ? *started : std::string();
  }
  if (Failure any = processes.agree(failure))
    return any;
  if (Failure any = processes.share(temporary))
    return any;
  failure =
      processes.agree(files::writeShared(temporary, *layout, tensors, files::getPlace(loaded.grid, rank), elements));
  // All elements are there.
  if (processes.isFirst() && !failure)
    failure = files::finishShared(temporary, path);
  if (processes.isFirst() && failure)
    std::remove(temporary.c_str());
  return processes.agree(failure);
}

/// Ranks as processes: this is one.
Failure runJoined(const exec::Request &request, const Loaded &loaded, const std::vector<HostTensor> &inputs,
                  tiny_communicator *communicator, exec::RankedRun &run) {
  if (tiny_communicator_agree(communicator, hashOptions(request, inputs), "has other options or inputs"))
    return {tiny_last_error()};
  std::vector<HostTensor> parts;
  if (Failure failure = runRank(loaded, inputs, request.repeat, /*isAlone=*/true, communicator, parts, run.seconds))
    return failure;
  Processes processes(communicator);
  run.isFirst = processes.isFirst();
  const std::string ending = ".safetensors";
  run.isWritten = request.labels.empty() && request.output.size() > ending.size() &&
                  request.output.compare(request.output.size() - ending.size(), ending.size(), ending) == 0;
  if (run.isWritten)
    if (Failure failure = writeTogether(request.output, loaded, parts, processes, tiny_communicator_rank(communicator)))
      return failure;
  for (size_t k = 0; k < parts.size(); ++k) {
    const std::vector<int64_t> &shape = loaded.wholeResults[k].shape;
    uint64_t part = parts[k].bytes.size();
    HostTensor &whole = run.results.emplace_back();
    whole.dtype = loaded.results[k].dtype;
    whole.shape = shape;
    if (run.isWritten && part * processes.count() > kMostGathered)
      continue;
    std::vector<char> gathered;
    if (Failure failure = processes.gather(parts[k].bytes.data(), part, gathered))
      return failure;
    if (!run.isFirst)
      continue;
    whole = HostTensor::zeros(whole.dtype, shape);
    for (uint32_t rank = 0; rank < processes.count(); ++rank)
      files::copyBack(gathered.data() + rank * part, loaded.resultParts[k], files::getPlace(loaded.grid, rank),
                      parts[k].shape, whole.bytes.data(), int64_t(tiny_dtype_size(whole.dtype)));
  }
  return {};
}

} // namespace

Failure exec::runRanks(const Request &request, const Loaded &loaded, const std::vector<HostTensor> &inputs,
                       RankedRun &run) {
  std::string name = request.communicator;
  if (name.empty())
    name = tiny_started_rank() ? "mpi" : "local";
  uint64_t ranks = 1;
  for (int64_t size : loaded.grid)
    ranks *= uint64_t(size);
  if (name == "local" && ranks > 1024)
    return {"--communicator: " + std::to_string(ranks) + " ranks are more than the 1024 that may be threads"};
  if (name == "local") {
    // Of processes that are started side by side the first one runs all.
    const char *rank = tiny_started_rank();
    run.isFirst = !rank || std::strcmp(rank, "0") == 0;
    return run.isFirst ? runLocal(loaded, inputs, request.repeat, uint32_t(ranks), run.results, run.seconds)
                       : Failure();
  }
  // Left when all is done: a library that has ended cannot begin again.
  static runtime::Communicator communicator;
  if (tiny_communicator_open(name.c_str(), communicator.receive()))
    return runtimeFailure("--communicator");
  Failure failure = runJoined(request, loaded, inputs, communicator.get(), run);
  if (failure)
    tiny_communicator_abort(communicator.get(), ("tiny-exec: error: " + failure.message).c_str());
  return failure;
}
