// The communicator "mpi": a library of its own, so that the runtime links no MPI.
//
// Every collective is a nonblocking one that is asked for its end until the time limit. Ranks of one machine show their
// collectives in shared memory (Place.h): one that comes with another collective than the others ends all, and when one
// does not end, the counts tell which rank did not come. Start.h watches over the start, Deaths.h over processes.
#include "Deaths.h"
#include "Start.h"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tiny::mpi;

namespace {

const tiny_communicator_host *host = nullptr;

int fail(char *message, uint64_t room, const std::string &text) {
  std::snprintf(message, room, "%s", text.c_str());
  return 1;
}

/// MPI's words for an error.
int failed(char *message, uint64_t room, const char *doing, int error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  return fail(message, room, std::string(doing) + ": " + text);
}

/// Elements of the runtime's types as bytes, one MPI type for each, so that an operation knows what it gets.
struct ElementTypes {
  MPI_Datatype types[TINY_DTYPE_F8E5M2 + 1];
  void free() {
    for (MPI_Datatype &type : types)
      MPI_Type_free(&type);
  }
  void create() {
    for (int dtype = 0; dtype <= TINY_DTYPE_F8E5M2; ++dtype) {
      MPI_Type_contiguous(int(tiny_dtype_size(tiny_dtype(dtype))), MPI_BYTE, &types[dtype]);
      MPI_Type_commit(&types[dtype]);
    }
  }
} elements;

template <tiny_reduction reduction> void reduce(void *source, void *target, int *count, MPI_Datatype *type) {
  for (int dtype = 0; dtype <= TINY_DTYPE_F8E5M2; ++dtype)
    if (elements.types[dtype] == *type)
      (void)host->reduce(reduction, tiny_dtype(dtype), target, source, uint64_t(*count));
}

/// A message under way, of which this rank keeps a copy.
struct Outgoing {
  tiny_group_call call;
  std::chrono::steady_clock::time_point begin;
  uint64_t seen = 0; ///< how many collectives its receiver had come to then
  std::vector<uint32_t> ranks;
  std::vector<char> bytes;
  std::vector<MPI_Request> requests;
};

/// Bytes of messages under way from which on a sender waits, so that one that runs ahead does not fill the memory.
constexpr uint64_t kMostOutgoing = uint64_t(1) << 28;

/// MPI is asked by one thread at a time.
using Lock = std::unique_lock<std::mutex>;

struct State {
  std::mutex mutex;
  /// Asks MPI for the messages under way while the rank computes: a long one needs its sender's help to arrive.
  std::thread progress;
  std::condition_variable hasOutgoing;
  std::deque<Outgoing> outgoing;
  uint64_t outgoingBytes = 0;
  bool isClosing = false;
  std::map<std::vector<uint32_t>, MPI_Comm> groups;
  MPI_Op operations[TINY_REDUCE_MIN + 1];
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
  int rank = 0, size = 0;
  /// Of each rank of this machine; null for others.
  std::vector<Place *> places;
  Deaths deaths;
  bool began = false;
  /// Since when MPI is asked something, in nanoseconds; 0 while it is not. The seconds that this may last.
  std::atomic<int64_t> askedSince{0};
  std::atomic<double> limit{120};
  std::optional<Deadline> watch;

  Place &own() { return *places[size_t(rank)]; }
  /// Which ranks do not come to the call, in time or at all.
  std::string explainWait(const tiny_group_call &call);
  /// The ranks of this machine that are stopped.
  std::vector<uint32_t> listStopped() const;
};

} // namespace

std::vector<uint32_t> State::listStopped() const {
  std::vector<uint32_t> stopped;
  for (uint32_t other = 0; other < uint32_t(size); ++other)
    if (places[other] && int(other) != rank && isStopped(places[other]->process))
      stopped.push_back(other);
  return stopped;
}

/// Whoever waits for a rank may be waited for by others: all ranks of the machine are looked at.
std::string State::explainWait(const tiny_group_call &call) {
  std::vector<uint32_t> stopped = listStopped(), late, before;
  uint64_t count = own().count.load();
  bool isApart = false;
  for (uint32_t other = 0; other < uint32_t(size); ++other) {
    const Place *place = places[other];
    if (!place || int(other) == rank)
      continue;
    if (place->count.load() < count && place->hasLeft.load() == kStays)
      (place->isInside.load() ? before : late).push_back(other);
  }
  for (uint32_t k = 0; k < call.n_ranks; ++k)
    isApart |= !places[call.ranks[k]];
  char end[96];
  std::snprintf(end, sizeof(end), " did not come to a collective of rank %d within %g s", rank, call.timeout);
  if (!stopped.empty())
    return nameRanks(stopped) + (stopped.size() > 1 ? ", which are stopped," : ", which is stopped,") + end;
  if (!late.empty())
    return nameRanks(late) + end;
  if (isApart)
    return std::string("a rank of another machine") + end;
  return before.empty() ? "a collective of rank " + std::to_string(rank) + ", to which all came, did not end in time"
                        : nameRanks(before) + end;
}

/// Says why, where nobody has, and ends the process.
[[noreturn]] static void endLate(const State &state, const std::string &why) {
  if (tellFirst(state.places))
    std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(stderr);
  _exit(1);
}

static int64_t getNanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {
/// Stands around a call that MPI answers at once, unless a rank was stopped inside of what ranks share.
struct Asking {
  explicit Asking(State &state) : state(state) { state.askedSince = getNanoseconds(); }
  ~Asking() { state.askedSince = 0; }
  State &state;
};
} // namespace

static int countRanks(State &state, char *message, uint64_t room) {
  int error = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &state.machine);
  if (error)
    return failed(message, room, "MPI_Comm_split_type", error);
  void *own = nullptr;
  error =
      MPI_Win_allocate_shared(sizeof(Place), 1, MPI_INFO_NULL, state.machine, static_cast<void *>(&own), &state.window);
  if (error)
    return failed(message, room, "MPI_Win_allocate_shared", error);
  (new (own) Place)->process = int(getpid());
  MPI_Barrier(state.machine);
  MPI_Group world, machine;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(state.machine, &machine);
  state.places.assign(size_t(state.size), nullptr);
  for (int rank = 0; rank < state.size; ++rank) {
    int there = MPI_UNDEFINED, unit = 0;
    MPI_Group_translate_ranks(world, 1, &rank, machine, &there);
    if (there == MPI_UNDEFINED)
      continue;
    MPI_Aint bytes = 0;
    void *place = nullptr;
    MPI_Win_shared_query(state.window, there, &bytes, &unit, static_cast<void *>(&place));
    state.places[size_t(rank)] = static_cast<Place *>(place);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&machine);
  state.deaths.start(state.rank, state.places);
  return 0;
}

/// Tells the rank's guard whether an exit is one in the middle.
static void mark(char what) {
  const char *guarded = std::getenv("TINY_RANK_GUARDED");
  int file = guarded ? int(std::strtol(guarded, nullptr, 10)) : 0;
  // In a program that the rank started the number may be that of another file.
  struct stat status;
  if (file > STDERR_FILENO && fstat(file, &status) == 0 && S_ISFIFO(status.st_mode))
    (void)!write(file, &what, 1);
}

static int open(const tiny_communicator_host *lent, void **result, uint32_t *rank, uint32_t *size, char *message,
                uint64_t room) {
  if (lent->version != TINY_COMMUNICATOR_VERSION)
    return fail(message, room, "the runtime is of another version");
  host = lent;
  Start start(lent->timeout);
  int isThere = 0, level = 0, isOver = 0;
  MPI_Finalized(&isOver);
  if (isOver)
    return fail(message, room, "MPI was ended in this process and cannot begin again");
  MPI_Initialized(&isThere);
  auto *state = new State;
  // MPI's start has ranks wait for each other in shared memory: one whose launcher is killed would wait for good.
  if (const char *number = tiny_started_rank())
    state->deaths.start(int(std::strtol(number, nullptr, 10)), {});
  if (!isThere) {
    if (int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level))
      return failed(message, room, "MPI_Init_thread", error);
    state->began = true;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &state->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &state->size);
  elements.create();
  MPI_Op_create(reduce<TINY_REDUCE_SUM>, 1, &state->operations[TINY_REDUCE_SUM]);
  MPI_Op_create(reduce<TINY_REDUCE_PRODUCT>, 1, &state->operations[TINY_REDUCE_PRODUCT]);
  MPI_Op_create(reduce<TINY_REDUCE_MAX>, 1, &state->operations[TINY_REDUCE_MAX]);
  MPI_Op_create(reduce<TINY_REDUCE_MIN>, 1, &state->operations[TINY_REDUCE_MIN]);
  if (int error = countRanks(*state, message, room))
    return error;
  mark(TINY_RANK_JOINED);
  state->watch.emplace(1.0, [state] {
    int64_t since = state->askedSince.load();
    if (since && double(getNanoseconds() - since) * 1e-9 > state->limit.load())
      endLate(*state, (state->listStopped().empty() ? "MPI" : nameRanks(state->listStopped()) + ", stopped in MPI,") +
                          " holds up rank " + std::to_string(state->rank));
  });
  *result = state;
  *rank = uint32_t(state->rank);
  *size = uint32_t(state->size);
  return 0;
}

/// The communicator of a group; ranks make it when they first meet in it.
static int findGroup(State &state, const tiny_group_call &call, MPI_Comm &group, char *message, uint64_t room) {
  std::vector<uint32_t> ranks(call.ranks, call.ranks + call.n_ranks);
  auto known = state.groups.find(ranks);
  if (known != state.groups.end()) {
    group = known->second;
    return 0;
  }
  bool isAll = call.n_ranks == uint32_t(state.size);
  for (uint32_t k = 0; isAll && k < call.n_ranks; ++k)
    isAll = call.ranks[k] == k;
  if (isAll) {
    group = MPI_COMM_WORLD;
    return 0;
  }
  Deadline deadline(call.timeout, [&] { endLate(state, state.explainWait(call)); });
  Lock lock(state.mutex);
  std::vector<int> numbers(ranks.begin(), ranks.end());
  MPI_Group world, part;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, int(numbers.size()), numbers.data(), &part);
  int error = MPI_Comm_create_group(MPI_COMM_WORLD, part, 0, &group);
  MPI_Group_free(&world);
  MPI_Group_free(&part);
  if (error)
    return failed(message, room, "MPI_Comm_create_group", error);
  MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN);
  state.groups[ranks] = group;
  return 0;
}

static int begin(State &state, const tiny_group_call &call, uint64_t first, int count, MPI_Comm group,
                 MPI_Request &request) {
  Lock lock(state.mutex);
  Asking asking(state);
  MPI_Datatype type = elements.types[call.dtype];
  uint64_t width = tiny_dtype_size(call.dtype);
  const char *source = static_cast<const char *>(call.source) + first * width;
  char *target = static_cast<char *>(call.target) + first * width;
  switch (call.kind) {
  case TINY_ALL_REDUCE:
    return MPI_Iallreduce(source, target, count, type, state.operations[call.reduction], group, &request);
  case TINY_REDUCE_SCATTER:
    return MPI_Ireduce_scatter_block(source, target, count, type, state.operations[call.reduction], group, &request);
  case TINY_ALL_GATHER:
    return MPI_Iallgather(source, count, type, target, count, type, group, &request);
  case TINY_ALL_TO_ALL:
    return MPI_Ialltoall(source, count, type, target, count, type, group, &request);
  case TINY_SEND:
    return call.place == 0 ? MPI_Isend(source, count, type, int(call.ranks[1]), 0, group, &request)
                           : MPI_Irecv(target, count, type, int(call.ranks[0]), 0, group, &request);
  default:
    if (call.place == 0)
      std::memcpy(target, source, uint64_t(count) * width);
    return MPI_Ibcast(target, count, type, 0, group, &request);
  }
}

/// Asks until it has ended. Whoever gives up first of those that wait tells, and ends all.
static int wait(State &state, const tiny_group_call &call, MPI_Request &request, char *message, uint64_t room) {
  auto start = std::chrono::steady_clock::now();
  for (uint64_t round = 0;; ++round) {
    int done = 0;
    {
      Lock lock(state.mutex);
      Asking asking(state);
      if (int error = MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        return failed(message, room, "a collective failed", error);
    }
    if (done)
      return 0;
    std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    // A rank that comes to nothing any more is not waited for, unless it is only not done with this one.
    for (uint32_t k = 0; round % 1024 == 1023 && k < call.n_ranks; ++k) {
      Place *place = state.places[call.ranks[k]];
      if (place && place->hasLeft.load() == kIsDone && place->count.load() < state.own().count.load())
        return fail(message, room,
                    "rank " + std::to_string(call.ranks[k]) + " has left before a collective of rank " +
                        std::to_string(state.rank));
    }
    if (round > 200)
      waited.count() < 0.01 ? std::this_thread::yield() : (void)usleep(50);
    if (waited.count() < call.timeout)
      continue;
    return fail(message, room, state.explainWait(call));
  }
}

/// Counts are ints: what is longer goes in pieces, where pieces do not mix the parts of ranks.
constexpr uint64_t kMostAtOnce = uint64_t(1) << 30;

/// What a message counts beside its bytes: MPI has room for some hundred thousand of them, and here no more than 2^14
/// are under way.
constexpr uint64_t kMessageBytes = kMostOutgoing >> 14;
/// Messages that are asked for at once: those between two ranks arrive in their order.
constexpr size_t kMostAsked = 64;

/// Forgets messages that have arrived. Under the lock.
static int sweep(State &state) {
  Asking asking(state);
  size_t asked = 0;
  for (auto it = state.outgoing.begin(); it != state.outgoing.end() && asked < kMostAsked; ++asked) {
    int done = 0;
    if (int error = MPI_Testall(int(it->requests.size()), it->requests.data(), &done, MPI_STATUSES_IGNORE))
      return error;
    state.outgoingBytes -= done ? it->bytes.size() + kMessageBytes : 0;
    it = done ? state.outgoing.erase(it) : std::next(it);
  }
  return 0;
}

/// Ends the process where the receiver of the oldest message is stopped, or has come to nothing in the time limit.
static void checkReceiver(State &state) {
  if (state.outgoing.empty())
    return;
  Outgoing &oldest = state.outgoing.front();
  const Place *place = state.places[oldest.ranks[1]];
  auto now = std::chrono::steady_clock::now();
  if (!place || std::chrono::duration<double>(now - oldest.begin).count() < oldest.call.timeout)
    return;
  bool stands = isStopped(place->process);
  if (stands || (place->count.load() == oldest.seen && !place->isInside.load() && place->hasLeft.load() == kStays)) {
    char end[96];
    std::snprintf(end, sizeof(end), "rank %u%s did not come to a message of rank %d within %g s", oldest.ranks[1],
                  stands ? ", which is stopped," : "", state.rank, oldest.call.timeout);
    endLate(state, end);
  }
  oldest.begin = now;
  oldest.seen = place->count.load();
}

static void makeProgress(State &state) {
  Lock lock(state.mutex);
  while (true) {
    state.hasOutgoing.wait(lock, [&] { return state.isClosing || !state.outgoing.empty(); });
    if (state.isClosing)
      return;
    // Whoever waits for an error meets it.
    if (sweep(state))
      return;
    checkReceiver(state);
    lock.unlock();
    usleep(20);
    lock.lock();
  }
}

/// A sender keeps a copy of its message and goes on.
static int send(State &state, const tiny_group_call &what, char *message, uint64_t room) {
  auto start = std::chrono::steady_clock::now();
  const Place *receiver = state.places[what.ranks[1]];
  Outgoing made{what, start, receiver ? receiver->count.load() : 0, {what.ranks, what.ranks + 2}, {}, {}};
  const char *source = static_cast<const char *>(what.source);
  made.bytes.assign(source, source + what.count * tiny_dtype_size(what.dtype));
  made.call.source = made.bytes.data();
  for (uint64_t first = 0; first < what.count; first += kMostAtOnce) {
    int count = int(std::min(what.count - first, kMostAtOnce));
    if (int error = begin(state, made.call, first, count, MPI_COMM_WORLD, made.requests.emplace_back()))
      return failed(message, room, "a message cannot begin", error);
  }
  Lock lock(state.mutex);
  state.outgoingBytes += made.bytes.size() + kMessageBytes;
  state.outgoing.push_back(std::move(made));
  while (true) {
    if (int error = sweep(state))
      return failed(message, room, "a message failed", error);
    if (state.outgoingBytes <= kMostOutgoing)
      break;
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > what.timeout)
      return fail(message, room,
                  "rank " + std::to_string(what.ranks[1]) + " did not come to a message of rank " +
                      std::to_string(state.rank) + " in time");
    lock.unlock();
    usleep(50);
    lock.lock();
  }
  if (!state.outgoing.empty() && !state.progress.joinable())
    state.progress = std::thread([&state] { makeProgress(state); });
  state.hasOutgoing.notify_all();
  return 0;
}

/// The other ranks of the group that have shown this collective have the same one.
static int compare(State &state, const tiny_group_call &call, char *message, uint64_t room) {
  for (uint32_t k = 0; k < call.n_ranks; ++k) {
    const Place *place = state.places[call.ranks[k]];
    tiny_group_call seen = {};
    if (!place || !place->differs(state.own(), seen))
      continue;
    char theirs[64], own[64];
    host->describe(&seen, theirs, sizeof(theirs));
    host->describe(&call, own, sizeof(own));
    bool isAlike = std::strcmp(theirs, own) == 0;
    return fail(message, room,
                "rank " + std::to_string(call.ranks[k]) + " comes with another collective than rank " +
                    std::to_string(state.rank) + ": " + theirs + (isAlike ? ", of other ranks or types" : ", here ") +
                    (isAlike ? "" : own));
  }
  return 0;
}

static int call(void *opened, const tiny_group_call *what, char *message, uint64_t room) {
  State &state = *static_cast<State *>(opened);
  state.limit = what->timeout;
  state.own().enter(*what);
  if (int error = compare(state, *what, message, room))
    return error;
  struct Inside {
    explicit Inside(Place &place) : place(place) { place.isInside = 1; }
    ~Inside() { place.isInside = 0; }
    Place &place;
  } inside(state.own());
  // Messages between two ranks keep their order, and need no group.
  MPI_Comm group = MPI_COMM_WORLD;
  if (what->kind != TINY_SEND)
    if (int error = findGroup(state, *what, group, message, room))
      return error;
  if (what->kind == TINY_SEND && what->place == 0)
    return send(state, *what, message, room);
  bool splits = what->kind == TINY_ALL_REDUCE || what->kind == TINY_BROADCAST || what->kind == TINY_SEND;
  if (!splits && what->count > kMostAtOnce)
    return fail(message, room, "a collective of more than 2^30 elements for each rank");
  for (uint64_t first = 0; first < what->count; first += kMostAtOnce) {
    MPI_Request request;
    if (int error = begin(state, *what, first, int(std::min(what->count - first, kMostAtOnce)), group, request))
      return failed(message, room, "a collective cannot begin", error);
    if (int error = wait(state, *what, request, message, room))
      return error;
  }
  return 0;
}

static void passOver(void *opened) {
  State &state = *static_cast<State *>(opened);
  state.own().enter({});
}

/// One rank of a machine tells, and of several machines the first rank at once.
static void abortAll(void *opened, const char *message) {
  State &state = *static_cast<State *>(opened);
  state.own().hasLeft = kFails;
  bool isFirst = tellFirst(state.places);
  bool isApart = std::find(state.places.begin(), state.places.end(), nullptr) != state.places.end();
  if (!isFirst || (isApart && state.rank != 0))
    usleep(1000000);
  if (isFirst)
    std::fprintf(stderr, "%s\n", message);
  std::fflush(stderr);
  // What a launcher has not read when it ends all is lost.
  usleep(200000);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Messages that nobody took within their time are given up: their receiver tells what is wrong.
static void finishMessages(State &state) {
  auto start = std::chrono::steady_clock::now();
  Lock lock(state.mutex);
  while (sweep(state) == 0 && !state.outgoing.empty()) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
        state.outgoing.front().call.timeout)
      break;
    lock.unlock();
    usleep(50);
    lock.lock();
  }
  for (Outgoing &message : state.outgoing)
    for (MPI_Request &request : message.requests)
      if (request != MPI_REQUEST_NULL) {
        MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
  state.isClosing = true;
  state.hasOutgoing.notify_all();
  lock.unlock();
  if (state.progress.joinable())
    state.progress.join();
}

namespace {
/// MPI waits for all ranks at the end. One that still does something else does it as long as it wants, but for one that
/// is stopped. What ranks share is gone then.
struct WaitForStopped {
  explicit WaitForStopped(const State &state) : own(state.rank) {
    for (const Place *place : state.places)
      processes.push_back(place ? place->process : 0);
  }
  void operator()() const {
    int first = own;
    std::vector<uint32_t> stopped;
    for (int rank = 0; rank < int(processes.size()); ++rank) {
      if (processes[size_t(rank)] && isStopped(processes[size_t(rank)]))
        stopped.push_back(uint32_t(rank));
      else if (processes[size_t(rank)])
        first = std::min(first, rank);
    }
    if (stopped.empty())
      return;
    if (first == own)
      std::fprintf(stderr, "%s stopped, and rank %d has ended\n",
                   (nameRanks(stopped) + (stopped.size() > 1 ? " are" : " is")).c_str(), own);
    else
      sleep(2);
    std::fflush(stderr);
    _exit(1);
  }

  std::vector<int> processes;
  int own;
};
} // namespace

static void close(void *opened) {
  auto *state = static_cast<State *>(opened);
  finishMessages(*state);
  state->own().hasLeft = kIsDone;
  state->watch.reset();
  state->deaths.stop();
  Deadline deadline(host->timeout, WaitForStopped(*state));
  for (auto &[ranks, group] : state->groups)
    if (group != MPI_COMM_WORLD)
      MPI_Comm_free(&group);
  for (int reduction = TINY_REDUCE_SUM; reduction <= TINY_REDUCE_MIN; ++reduction)
    MPI_Op_free(&state->operations[reduction]);
  elements.free();
  MPI_Win_free(&state->window);
  MPI_Comm_free(&state->machine);
  if (state->began)
    MPI_Finalize();
  mark(TINY_RANK_LEFT);
  delete state;
}

extern "C" __attribute__((visibility("default"))) const tiny_communicator_library *tiny_communicator_library_get(void) {
  static const tiny_communicator_library library = {TINY_COMMUNICATOR_VERSION, open, call, abortAll, close, passOver};
  return &library;
}
