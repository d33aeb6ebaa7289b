// A libnccl.so.2 of our own, for tests on machines without GPUs, on the driver of the tests (unittests/FakeCuda). It
// does what NCCL does on ranks that are threads of one process, and refuses what NCCL leaves undefined: ranks that come
// with different calls, or in another order; messages to oneself outside of a group; groups that do not end; calls
// without a stream, on a communicator that is gone, or on another thread's group. It shares nothing with the runtime.
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum Result : int { kSuccess = 0, kSystemError = 2, kInvalidArgument = 4, kInvalidUsage = 5 };
enum Kind { kAllReduce, kReduceScatter, kAllGather, kBroadcast };

struct Id {
  char bytes[128];
};

/// What a rank comes with.
struct Call {
  Kind kind;
  size_t count;
  int type, reduction, root;
  bool isAlike(const Call &other) const {
    return kind == other.kind && count == other.count && type == other.type && reduction == other.reduction &&
           root == other.root;
  }
};

struct Message {
  size_t count;
  int type;
  std::vector<char> bytes;
};

/// What the ranks of one communicator share.
struct World {
  explicit World(int size) : size(size), calls(size), inputs(size) {}
  int size, joined = 0, come = 0, left = 0;
  uint64_t round = 0;
  bool isBroken = false;
  std::vector<Call> calls;
  std::vector<std::vector<char>> inputs;
  std::map<std::pair<int, int>, std::deque<Message>> messages; ///< by sender and receiver
};

struct Comm {
  std::shared_ptr<World> world;
  int rank = 0;
  bool isLive = true;
};

/// A send or a receive that waits for the end of its group.
struct Waiting {
  bool sends;
  const void *source;
  void *target;
  size_t count;
  int type, peer;
  Comm *comm;
  void *stream;
};

std::mutex mutex;
std::condition_variable changed;
std::map<std::string, std::shared_ptr<World>> worlds;
std::vector<std::unique_ptr<Comm>> comms;
std::string lastProblem;
thread_local int depth = 0;
thread_local std::vector<Waiting> waiting;

int refuse(const std::string &problem, int result = kInvalidUsage) {
  lastProblem = problem;
  return result;
}

/// Calls of the driver that the runtime has opened.
struct Driver {
  int (*copyOut)(void *, uint64_t, size_t, void *) = nullptr;
  int (*copyIn)(uint64_t, const void *, size_t, void *) = nullptr;
  int (*synchronize)(void *) = nullptr;
  Driver() {
    void *library = dlopen(std::getenv("TINY_CUDA_LIBRARY"), RTLD_NOW);
    auto find =
        reinterpret_cast<int (*)(const char *, void **, int, uint64_t, int *)>(dlsym(library, "cuGetProcAddress_v2"));
    int status;
    find("cuMemcpyDtoHAsync", reinterpret_cast<void **>(&copyOut), 12000, 0, &status);
    find("cuMemcpyHtoDAsync", reinterpret_cast<void **>(&copyIn), 12000, 0, &status);
    find("cuStreamSynchronize", reinterpret_cast<void **>(&synchronize), 12000, 0, &status);
  }
  bool read(const void *from, std::vector<char> &to, void *stream) {
    return to.empty() || (copyOut(to.data(), uint64_t(from), to.size(), stream) == 0 && synchronize(stream) == 0);
  }
  bool write(void *to, const std::vector<char> &from, void *stream) {
    return from.empty() || copyIn(uint64_t(to), from.data(), from.size(), stream) == 0;
  }
};

Driver &getDriver() {
  static Driver driver;
  return driver;
}

size_t getWidth(int type) {
  const size_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type >= 0 && type < 10 ? widths[type] : 0;
}

template <typename T> void combine(char *into, const char *from, size_t count, int reduction) {
  for (size_t k = 0; k < count; ++k) {
    T a, b;
    std::memcpy(&a, into + k * sizeof(T), sizeof(T));
    std::memcpy(&b, from + k * sizeof(T), sizeof(T));
    a = reduction == 0 ? T(a + b) : reduction == 1 ? T(a * b) : reduction == 2 ? (a < b ? b : a) : (b < a ? b : a);
    std::memcpy(into + k * sizeof(T), &a, sizeof(T));
  }
}

bool combine(char *into, const char *from, size_t count, int type, int reduction) {
  switch (type) {
  case 2:
    combine<int32_t>(into, from, count, reduction);
    return true;
  case 4:
    combine<int64_t>(into, from, count, reduction);
    return true;
  case 7:
    combine<float>(into, from, count, reduction);
    return true;
  case 8:
    combine<double>(into, from, count, reduction);
    return true;
  default:
    return false;
  }
}

/// Under the lock.
int checkComm(const Comm *comm, void *stream) {
  bool isKnown = false;
  for (const auto &known : comms)
    isKnown |= known.get() == comm && known->isLive;
  if (!isKnown)
    return refuse("a communicator that is not there", kInvalidArgument);
  if (!stream)
    return refuse("no stream", kInvalidArgument);
  if (comm->world->isBroken)
    return refuse("a communicator that failed", kSystemError);
  return kSuccess;
}

int meet(Comm *comm, const Call &call, const void *source, void *target, void *stream) {
  std::unique_lock<std::mutex> lock(mutex);
  if (int result = checkComm(comm, stream))
    return result;
  if (depth)
    return refuse("a collective in a group of messages");
  World &world = *comm->world;
  size_t width = getWidth(call.type), ranks = size_t(world.size);
  if (!width)
    return refuse("an unknown type", kInvalidArgument);
  std::vector<char> own(call.count * width * (call.kind == kReduceScatter ? ranks : 1));
  lock.unlock();
  if (!getDriver().read(source, own, stream))
    return kSystemError;
  lock.lock();
  // The round before this one ends first.
  changed.wait(lock, [&] { return world.isBroken || world.left == 0; });
  uint64_t round = world.round;
  world.calls[size_t(comm->rank)] = call;
  world.inputs[size_t(comm->rank)] = std::move(own);
  ++world.come;
  changed.notify_all();
  changed.wait(lock, [&] { return world.isBroken || world.come == world.size || world.round != round; });
  if (world.isBroken)
    return refuse("a communicator that failed", kSystemError);
  for (const Call &other : world.calls)
    if (!other.isAlike(call)) {
      world.isBroken = true;
      changed.notify_all();
      return refuse("ranks come with different collectives");
    }
  size_t part = call.count * width;
  std::vector<char> result;
  if (call.kind == kBroadcast) {
    result = world.inputs[size_t(call.root)];
  } else if (call.kind == kAllGather) {
    for (const auto &input : world.inputs)
      result.insert(result.end(), input.begin(), input.end());
  } else {
    size_t begin = call.kind == kReduceScatter ? size_t(comm->rank) * part : 0;
    result.assign(world.inputs[0].begin() + std::ptrdiff_t(begin),
                  world.inputs[0].begin() + std::ptrdiff_t(begin + part));
    for (size_t k = 1; k < ranks; ++k)
      if (!combine(result.data(), world.inputs[k].data() + begin, call.count, call.type, call.reduction))
        return refuse("a reduction of this type is not in the fake", kInvalidArgument);
  }
  if (++world.left == world.size) {
    world.come = world.left = 0;
    ++world.round;
    changed.notify_all();
  } else {
    changed.wait(lock, [&] { return world.isBroken || world.round != round; });
  }
  lock.unlock();
  return getDriver().write(target, result, stream) ? kSuccess : kSystemError;
}

int send(const Waiting &what) {
  Message message{what.count, what.type, std::vector<char>(what.count * getWidth(what.type))};
  if (!getDriver().read(what.source, message.bytes, what.stream))
    return kSystemError;
  std::lock_guard<std::mutex> lock(mutex);
  what.comm->world->messages[{what.comm->rank, what.peer}].push_back(std::move(message));
  changed.notify_all();
  return kSuccess;
}

int receive(const Waiting &what) {
  std::unique_lock<std::mutex> lock(mutex);
  World &world = *what.comm->world;
  auto &box = world.messages[{what.peer, what.comm->rank}];
  changed.wait(lock, [&] { return world.isBroken || !box.empty(); });
  if (world.isBroken)
    return refuse("a communicator that failed", kSystemError);
  Message message = std::move(box.front());
  box.pop_front();
  if (message.count != what.count || message.type != what.type) {
    world.isBroken = true;
    changed.notify_all();
    return refuse("a message of another size than its receiver expects");
  }
  lock.unlock();
  return getDriver().write(what.target, message.bytes, what.stream) ? kSuccess : kSystemError;
}

int add(const Waiting &what) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (int result = checkComm(what.comm, what.stream))
      return result;
    if (what.peer < 0 || what.peer >= what.comm->world->size || !getWidth(what.type))
      return refuse("a message to nobody", kInvalidArgument);
    if (!depth && what.peer == what.comm->rank)
      return refuse("a message to oneself outside of a group");
  }
  if (depth) {
    waiting.push_back(what);
    return kSuccess;
  }
  return what.sends ? send(what) : receive(what);
}

} // namespace

FAKE_EXPORT const char *ncclGetErrorString(int result) {
  static thread_local std::string text;
  std::lock_guard<std::mutex> lock(mutex);
  text = (result == kInvalidUsage      ? "invalid usage: "
          : result == kInvalidArgument ? "invalid argument: "
                                       : "error: ") +
         lastProblem;
  return text.c_str();
}

FAKE_EXPORT int ncclGetUniqueId(Id *id) {
  static int made = 0;
  std::lock_guard<std::mutex> lock(mutex);
  *id = {};
  std::strcpy(id->bytes, ("fake " + std::to_string(++made)).c_str());
  return kSuccess;
}

FAKE_EXPORT int ncclCommInitRank(Comm **comm, int size, Id id, int rank) {
  std::unique_lock<std::mutex> lock(mutex);
  if (!id.bytes[0] || size < 1 || rank < 0 || rank >= size)
    return refuse("a communicator of no ranks, or without an id", kInvalidArgument);
  std::shared_ptr<World> &world = worlds[id.bytes];
  if (!world)
    world = std::make_shared<World>(size);
  if (world->size != size || world->joined == size)
    return refuse("ranks join groups of different sizes");
  ++world->joined;
  changed.notify_all();
  std::shared_ptr<World> mine = world;
  changed.wait(lock, [&] { return mine->joined == size; });
  comms.push_back(std::make_unique<Comm>());
  comms.back()->world = mine;
  comms.back()->rank = rank;
  *comm = comms.back().get();
  return kSuccess;
}

static int end(Comm *comm, bool breaks) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &known : comms)
    if (known.get() == comm && known->isLive) {
      comm->isLive = false;
      comm->world->isBroken |= breaks;
      changed.notify_all();
      return kSuccess;
    }
  return refuse("a communicator that is not there", kInvalidArgument);
}
FAKE_EXPORT int ncclCommDestroy(Comm *comm) { return end(comm, false); }
FAKE_EXPORT int ncclCommAbort(Comm *comm) { return end(comm, true); }

FAKE_EXPORT int ncclAllReduce(const void *source, void *target, size_t count, int type, int reduction, Comm *comm,
                              void *stream) {
  return meet(comm, {kAllReduce, count, type, reduction, 0}, source, target, stream);
}
FAKE_EXPORT int ncclReduceScatter(const void *source, void *target, size_t count, int type, int reduction, Comm *comm,
                                  void *stream) {
  return meet(comm, {kReduceScatter, count, type, reduction, 0}, source, target, stream);
}
FAKE_EXPORT int ncclAllGather(const void *source, void *target, size_t count, int type, Comm *comm, void *stream) {
  return meet(comm, {kAllGather, count, type, 0, 0}, source, target, stream);
}
FAKE_EXPORT int ncclBroadcast(const void *source, void *target, size_t count, int type, int root, Comm *comm,
                              void *stream) {
  return meet(comm, {kBroadcast, count, type, 0, root}, source, target, stream);
}
FAKE_EXPORT int ncclSend(const void *source, size_t count, int type, int peer, Comm *comm, void *stream) {
  return add({true, source, nullptr, count, type, peer, comm, stream});
}
FAKE_EXPORT int ncclRecv(void *target, size_t count, int type, int peer, Comm *comm, void *stream) {
  return add({false, nullptr, target, count, type, peer, comm, stream});
}

FAKE_EXPORT int ncclGroupStart() {
  ++depth;
  return kSuccess;
}
FAKE_EXPORT int ncclGroupEnd() {
  if (!depth) {
    std::lock_guard<std::mutex> lock(mutex);
    return refuse("the end of a group that did not start");
  }
  if (--depth)
    return kSuccess;
  std::vector<Waiting> all;
  all.swap(waiting);
  for (bool sends : {true, false})
    for (const Waiting &what : all)
      if (what.sends == sends)
        if (int result = sends ? send(what) : receive(what))
          return result;
  return kSuccess;
}
