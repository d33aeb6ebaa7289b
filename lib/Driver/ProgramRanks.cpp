// Cuts tensors into the parts of ranks, runs these, and puts their results together.
//
// A tensor that is whole on every rank is not copied where this process has one rank: the program reads and writes it
// in its place. Ranks that are threads have memory of their own for what one of them writes.
#include "ProgramRanks.h"

#include "ProgramContainer.h"
#include "Tiny/Driver/Ranks.h"
#include "Tiny/Files/HostBytes.h"
#include "Tiny/Runtime/Format.h"
#include "Tiny/Runtime/Runtime.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

using llvm::Error;
using llvm::Expected;

namespace tiny {

bool RankTensor::isWhole() const {
  return parts.stage < 0 && llvm::all_of(parts.cuts, [](const files::Cut &cut) { return cut.axes.empty(); });
}

uint64_t RankTensor::countBytes() const {
  uint64_t bytes = tiny_dtype_size(dtype);
  for (int64_t size : shape)
    bytes *= uint64_t(size);
  return bytes;
}

RankTensor readRankTensor(const tiny_parameter &parameter, llvm::ArrayRef<int64_t> grid) {
  RankTensor tensor;
  tensor.dtype = parameter.dtype;
  tensor.shape.assign(parameter.shape, parameter.shape + parameter.rank);
  tensor.parts.grid = grid.vec();
  tensor.parts.stage = parameter.stage;
  tensor.parts.stageAxis = parameter.stage_axis;
  for (uint32_t axis = 0; axis < parameter.rank; ++axis) {
    files::Cut cut = {parameter.shape[axis], {}};
    if (parameter.cuts) {
      const tiny_format_cut &entry = parameter.cuts[axis];
      const uint32_t *first = parameter.cut_axes + entry.first_axis;
      cut = {entry.whole, {first, first + entry.n_axes}};
    }
    tensor.parts.cuts.push_back(std::move(cut));
  }
  return tensor;
}

namespace {

/// This process's ends of the ranks that run together. Kept until the process ends: MPI cannot begin twice.
class Team {
public:
  static Team &get() {
    static Team team;
    return team;
  }

  /// The one among other processes; null where this process was started alone.
  Expected<tiny_communicator *> join();
  /// As many threads.
  Expected<std::vector<tiny_communicator *>> makeLocal(unsigned count);
  /// Threads that failed together have nothing more to say to each other.
  void drop(unsigned count) { local.erase(count); }

  /// Held while ranks run: their collectives come in one order.
  std::mutex running;

private:
  runtime::Communicator joined;
  std::map<unsigned, std::vector<runtime::Communicator>> local;
};

/// What connects ranks: TINY_COMMUNICATOR of the environment, else MPI under its launchers.
std::string findCommunicator() {
  if (const char *name = std::getenv("TINY_COMMUNICATOR"); name && *name)
    return name;
  return tiny_started_rank() ? "mpi" : "local";
}

/// One rank's memory beside the caller's, and what it runs on.
struct Rank {
  std::vector<HostBytes> memory;
  std::vector<ConstSpan> arguments;
  std::vector<Span> results;
};

uint64_t countRanks(llvm::ArrayRef<int64_t> grid) {
  uint64_t count = 1;
  for (int64_t size : grid)
    count *= uint64_t(size);
  return count;
}

/// Gives a rank its arguments and room for its results. `isAlone`: no other rank of this process sees the caller's
/// memory.
Rank prepare(const RankSignature &signature, unsigned number, bool isAlone, llvm::ArrayRef<ConstSpan> arguments,
             llvm::ArrayRef<Span> results) {
  Rank rank;
  std::vector<int64_t> place = files::getPlace(signature.grid, number);
  rank.memory.reserve(arguments.size() + results.size());
  for (auto [argument, tensor] : llvm::zip_equal(arguments, signature.inputs)) {
    const auto *memory = argument.data();
    bool isWritten = llvm::any_of(results, [&](Span result) { return result.data() == memory; });
    if (tensor.isWhole() && (isAlone || !isWritten)) {
      rank.arguments.push_back(argument);
      continue;
    }
    // What lies in one piece is read where it is, of a mapped file too.
    if (std::optional<uint64_t> piece =
            files::findPart(tensor.parts, place, tensor.shape, int64_t(tiny_dtype_size(tensor.dtype)));
        piece && !isWritten) {
      rank.arguments.push_back(argument.slice(*piece, tensor.countBytes()));
      continue;
    }
    HostBytes &part = rank.memory.emplace_back(tensor.countBytes());
    files::copyPart(argument.data(), tensor.parts, place, tensor.shape, part.data(),
                    int64_t(tiny_dtype_size(tensor.dtype)));
    rank.arguments.push_back({part.data(), part.size()});
  }
  for (auto [number, result] : llvm::enumerate(results)) {
    const RankTensor &tensor = signature.results[number];
    if (tensor.isWhole() && isAlone) {
      rank.results.push_back(result);
      continue;
    }
    HostBytes &part = rank.memory.emplace_back(tensor.countBytes());
    rank.results.push_back({part.data(), part.size()});
  }
  return rank;
}

/// The ranks' parts of a result, which lie one behind the other, where they belong.
void putTogether(const RankTensor &tensor, const char *parts, unsigned count, Span result) {
  for (unsigned rank = 0; rank < count; ++rank)
    files::copyBack(parts + rank * tensor.countBytes(), tensor.parts, files::getPlace(tensor.parts.grid, rank),
                    tensor.shape, result.data(), int64_t(tiny_dtype_size(tensor.dtype)));
}

Error runLocal(const RankSignature &signature, llvm::ArrayRef<ConstSpan> arguments, llvm::ArrayRef<Span> results,
               const tiny_run_options &options, RankRun run) {
  unsigned count = unsigned(countRanks(signature.grid));
  Expected<std::vector<tiny_communicator *>> ends = Team::get().makeLocal(count);
  if (!ends)
    return ends.takeError();
  std::vector<Rank> ranks;
  ranks.reserve(count);
  for (unsigned number = 0; number < count; ++number)
    ranks.push_back(prepare(signature, number, count == 1, arguments, results));
  std::vector<std::string> failures(count);
  std::mutex mutex;
  std::string first;
  auto runOne = [&](unsigned number) {
    tiny_run_options own = options;
    own.communicator = (*ends)[number];
    if (Error error = run(ranks[number].arguments, ranks[number].results, own)) {
      std::string message = llvm::toString(std::move(error));
      // The others would wait for it, and fail because of it.
      std::lock_guard<std::mutex> lock(mutex);
      if (first.empty())
        first = message;
      tiny_communicator_abort((*ends)[number], message.c_str());
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (unsigned number = 1; number < count; ++number)
    threads.emplace_back(runOne, number);
  runOne(0);
  for (std::thread &thread : threads)
    thread.join();
  if (!first.empty()) {
    Team::get().drop(count);
    return llvm::createStringError(first);
  }
  for (unsigned number = 0; number < count; ++number)
    for (auto [result, part, tensor] : llvm::zip_equal(results, ranks[number].results, signature.results))
      if (part.data() != result.data() && (number == 0 || !tensor.isWhole()))
        files::copyBack(part.data(), tensor.parts, files::getPlace(signature.grid, number), tensor.shape, result.data(),
                        int64_t(tiny_dtype_size(tensor.dtype)));
  return Error::success();
}

/// This process's rank, and what the others have of the results.
Error runJoined(tiny_communicator *communicator, const RankSignature &signature, llvm::ArrayRef<ConstSpan> arguments,
                llvm::ArrayRef<Span> results, const tiny_run_options &options, RankRun run, bool isFirst) {
  unsigned own = tiny_communicator_rank(communicator), count = tiny_communicator_size(communicator);
  if (count != countRanks(signature.grid))
    return llvm::createStringError("a program of " + llvm::Twine(countRanks(signature.grid)) +
                                   " ranks, and there are " + llvm::Twine(count));
  if (isFirst) {
    uint64_t samples = 0;
    for (ConstSpan argument : arguments) {
      uint64_t sample = tiny_format_sample(argument.data(), argument.size());
      samples = tiny_format_checksum_from(samples, &sample, sizeof(sample));
    }
    if (tiny_communicator_agree(communicator, samples, "gives a program other tensors"))
      return llvm::createStringError(tiny_last_error());
  }
  Rank rank = prepare(signature, own, /*isAlone=*/true, arguments, results);
  tiny_run_options with = options;
  with.communicator = communicator;
  if (Error error = run(rank.arguments, rank.results, with))
    return error;
  std::vector<uint32_t> all(count);
  for (unsigned number = 0; number < count; ++number)
    all[number] = number;
  for (auto [result, part, tensor] : llvm::zip_equal(results, rank.results, signature.results)) {
    if (tensor.isWhole() || part.empty())
      continue;
    HostBytes gathered(part.size() * count);
    tiny_group_call call = {};
    call.kind = TINY_ALL_GATHER;
    call.dtype = TINY_DTYPE_U8;
    call.ranks = all.data();
    call.n_ranks = count;
    call.place = own;
    call.source = part.data();
    call.target = gathered.data();
    call.count = part.size();
    if (tiny_communicator_call(communicator, &call) != TINY_OK)
      return runtimeError("cannot collect a result of all ranks");
    putTogether(tensor, gathered.data(), count, result);
  }
  return Error::success();
}

} // namespace

Expected<tiny_communicator *> Team::join() {
  std::string name = findCommunicator();
  if (name == "local")
    return nullptr;
  if (!joined && tiny_communicator_open(name.c_str(), joined.receive()) != TINY_OK)
    return runtimeError("cannot join the other ranks");
  return joined.get();
}

Expected<std::vector<tiny_communicator *>> Team::makeLocal(unsigned count) {
  std::vector<runtime::Communicator> &ends = local[count];
  std::vector<tiny_communicator *> list(count);
  if (ends.empty()) {
    if (tiny_communicator_create_local(count, list.data()) != TINY_OK)
      return runtimeError("cannot make ranks");
    for (tiny_communicator *end : list)
      ends.emplace_back(end);
  }
  for (auto [end, entry] : llvm::zip_equal(ends, list))
    entry = end.get();
  return list;
}

Error runRanks(const RankSignature &signature, llvm::ArrayRef<ConstSpan> arguments, llvm::ArrayRef<Span> results,
               const tiny_run_options &options, RankRun run, bool isFirst) {
  if (countRanks(signature.grid) > 1024 && findCommunicator() == "local")
    return llvm::createStringError(llvm::Twine(countRanks(signature.grid)) +
                                   " ranks are more than the 1024 that may be threads");
  std::lock_guard<std::mutex> lock(Team::get().running);
  Expected<tiny_communicator *> communicator = Team::get().join();
  if (!communicator)
    return communicator.takeError();
  if (!*communicator)
    return runLocal(signature, arguments, results, options, run);
  Error error = runJoined(*communicator, signature, arguments, results, options, run, isFirst);
  if (!error)
    return error;
  // Other processes would wait for this one.
  std::string message = llvm::toString(std::move(error));
  tiny_communicator_abort(*communicator, ("error: " + message).c_str());
  return llvm::createStringError(message);
}

const char *guardRank(const std::string &name) { return tiny_guard_rank(name.c_str()); }

bool isStartedAsRank() { return tiny_started_rank(); }

bool isFirstProcess() { return !isStartedAsRank() || llvm::StringRef(tiny_started_rank()) == "0"; }

bool areRanksProcesses() { return findCommunicator() != "local"; }

Error agreeOnRanks(llvm::StringRef options) {
  std::lock_guard<std::mutex> lock(Team::get().running);
  Expected<tiny_communicator *> communicator = Team::get().join();
  if (!communicator)
    return communicator.takeError();
  if (!*communicator ||
      !tiny_communicator_agree(*communicator, llvm::xxh3_64bits(options), "has other options or inputs"))
    return Error::success();
  std::string message = tiny_last_error();
  tiny_communicator_abort(*communicator, ("error: " + message).c_str());
  return llvm::createStringError(message);
}

Expected<RankPlace> findRank() {
  std::lock_guard<std::mutex> lock(Team::get().running);
  Expected<tiny_communicator *> communicator = Team::get().join();
  if (!communicator)
    return communicator.takeError();
  if (!*communicator)
    return RankPlace();
  return RankPlace{tiny_communicator_rank(*communicator), tiny_communicator_size(*communicator)};
}

} // namespace tiny
