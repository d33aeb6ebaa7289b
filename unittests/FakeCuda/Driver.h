// The state of the driver that is none: its devices of host memory, contexts, streams as queues of work that waits,
// and what must hold between them. Everything is under one lock; a call that breaks a rule gives the result that the
// real driver gives, or, where that one would say nothing and compute something else, CUDA_ERROR_LAUNCH_FAILED for
// good. The reason is in cuGetErrorString.
#ifndef TINY_UNITTESTS_FAKECUDA_DRIVER_H
#define TINY_UNITTESTS_FAKECUDA_DRIVER_H

#include "Machine.h"

#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <set>

namespace fake {

/// Results of CUDA's.
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kPeerAccessUnsupported = 217,
  kOutOfResources = 701,
  kPeerAccessEnabled = 704,
  kNotSupported = 801,
  kUnknown = 999
};

/// Why a call fails.
struct Fault {
  int result;
  std::string what;
};
[[noreturn]] inline void fail(int result, const std::string &what) { throw Fault{result, what}; }

struct Stream;
/// How much of each stream's work comes before something; by the streams' numbers.
using Clock = std::vector<uint64_t>;
/// The later of both.
void join(Clock &clock, const Clock &other);
inline uint64_t at(const Clock &clock, size_t stream) { return stream < clock.size() ? clock[stream] : 0; }

/// What an event has recorded.
struct Recording {
  Stream *stream;
  uint64_t number;
  Clock clock;
  bool isDone = false;
};

/// A command that waits in its stream.
struct Work {
  std::string what;
  Stream *stream = nullptr;
  uint64_t number = 0;
  std::shared_ptr<const Clock> clock;
  std::function<void(const Work &)> run;
  /// It comes behind this.
  std::shared_ptr<Recording> waits;
};

struct Stream {
  size_t number;
  size_t device = 0;
  std::deque<Work> queue;
  Clock clock;
  /// It only takes work for another one.
  bool isScratch = false;
};

struct Event {
  size_t device = 0;
  bool hasTimes = true;
  std::shared_ptr<Recording> last;
};

/// Memory of the device.
struct Allocation : Block {
  struct Access {
    Range range;
    bool writes;
    size_t stream;
    uint64_t number;
    std::shared_ptr<const Clock> clock;
    std::string what;
  };
  std::unique_ptr<char[]> storage;
  size_t device = 0;
  /// The pool that it is of, or null.
  void *pool = nullptr;
  /// No new work may use it.
  bool isFreed = false;
  std::vector<Access> accesses;
};

struct Module {
  PtxModule content;
  size_t device = 0;
  /// Work that launches its kernels and waits.
  size_t nQueued = 0;
};
struct Function {
  Module *module;
  const PtxKernel *kernel;
  int mostLaunchBytes = 0;
};

struct Graph;
struct GraphNode {
  std::function<void(Stream *)> enqueue;
  std::vector<GraphNode *> dependencies;
  enum Kind { Kernel, Memset, Memcpy, While } kind;
  /// Of a loop: what is done again and again, and the number of what decides.
  Graph *body = nullptr;
  uint64_t conditional = 0;
};
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  /// It is a node's, and neither launched nor destroyed by itself.
  bool isBody = false;
};
/// By the node that it was made of.
struct GraphStep {
  GraphNode *node;
  std::function<void(Stream *)> enqueue;
  std::vector<GraphStep> body;
};
/// What a loop's node looks at.
struct Conditional {
  Graph *graph;
  unsigned initial;
  bool hasInitial;
  GraphNode *node = nullptr;
  /// While its graph runs.
  bool isRunning = false, isSet = false;
  unsigned value = 0;
};
struct GraphExec {
  /// In an order that may run.
  std::vector<GraphStep> steps;
  /// Of its loops.
  std::vector<uint64_t> conditionals;
  /// Of the last launch.
  std::shared_ptr<Recording> last;
};

/// Objects that are alive. What is destroyed stays, so that its address is nothing else's.
template <typename T> class Objects {
public:
  T *add(std::unique_ptr<T> object) {
    T *made = object.get();
    kept.push_back(std::move(object));
    alive.insert(made);
    return made;
  }
  T *check(void *handle, const char *what) const {
    auto *object = static_cast<T *>(handle);
    if (!alive.count(object))
      fail(kInvalidHandle, handle ? std::string("no live ") + what : std::string("no ") + what + ", but null");
    return object;
  }
  void remove(T *object) { alive.erase(object); }
  size_t size() const { return alive.size(); }

private:
  std::vector<std::unique_ptr<T>> kept;
  std::set<T *> alive;
};

/// A device, and its primary context, whose address is the handle.
struct Gpu {
  int major = 8, minor = 0;
  unsigned nRetained = 0;
  uint64_t usedBytes = 0;
  /// Devices whose memory it may use, where that is of no pool.
  std::set<size_t> peers;
};
struct Pool {
  size_t device = 0;
  /// Other devices that may use its memory.
  std::set<size_t> users;
};

class Driver : public DeviceMemory {
public:
  static Driver &get();

  Block *find(uint64_t address) override;
  const char *setConditional(uint64_t handle, uint32_t value) override;
  /// The allocation that new work may use, with all of the range. `what` is for the message.
  Allocation *check(uint64_t pointer, uint64_t bytes, const char *what);
  uint64_t allocate(uint64_t bytes, size_t device);
  /// Ends it: its bytes are gone.
  void release(Allocation &allocation);

  /// Adds a command to a stream.
  void enqueue(Stream *stream, const std::string &what, std::function<void(const Work &)> run,
               std::shared_ptr<Recording> waits = nullptr);
  std::shared_ptr<Recording> record(Stream *stream);
  /// Has a command that runs put others in front of all that its stream has still to do, as parts of itself.
  void runNow(const Work &work, const std::function<void(Stream *)> &enqueueParts);
  /// Runs what must be done first, and then this. The host knows of it afterwards.
  void finish(Stream *stream);
  void finish(std::shared_ptr<Recording> recording);
  void finishAll();
  /// A command touches a range: it must come before or behind all others that touch it, too, if one of both writes.
  /// `byPeer`: a copy between devices, which needs no access.
  void touch(Allocation &allocation, const Block::Range &range, bool writes, const Work &work, bool byPeer = false);
  bool mayUse(size_t device, const Allocation &allocation) const;

  /// Runs some work where the order is random.
  void stepAtRandom();

  int version = 12040;
  /// They do not move.
  std::vector<Gpu> devices;
  /// That of this thread's current context.
  size_t getCurrent() const;
  /// That of a context, which is retained.
  size_t findDevice(void *context) const;
  /// Fails where it is not the current one.
  void checkContext(void *context) const;
  /// A stream of the current context.
  Stream *checkStream(void *handle) const;
  /// Bytes of shared memory that a kernel may ask for, by the guide's table of compute capabilities.
  uint32_t getMostShared(size_t device) const;
  uint64_t memoryBytes = uint64_t(1) << 30;
  bool isInitialized = false;
  std::vector<Stream *> allStreams;
  Objects<Stream> streams;
  Objects<Event> events;
  Objects<Module> modules;
  Objects<Graph> graphs;
  Objects<GraphExec> execs;
  std::map<uint64_t, Conditional> conditionals;
  std::set<Function *> functions;
  std::vector<std::unique_ptr<Function>> keptFunctions;
  std::map<void *, Pool> pools;
  /// By their first byte; what was freed stays until its work is done.
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  std::map<const char *, size_t> pinned;
  /// What the host has waited for.
  Clock known;
  /// The first fault that ends everything.
  int dead = 0;
  std::string deadWhat;
  std::recursive_mutex mutex;

  /// Of the environment: TINY_FAKE_CUDA_<NAME>, or what is given.
  static std::string getVariable(const char *name, const std::string &otherwise = "");
  void count(const char *name);
  /// The result that this call is to give, by TINY_FAKE_CUDA_FAIL.
  int getInjected(const char *name);
  void trace(const std::string &line);
  /// Counts of calls and of what is still there, for TINY_FAKE_CUDA_REPORT.
  void report();
  std::map<std::string, uint64_t> counts;
  /// Copies from and to memory that is not pinned.
  uint64_t nPageable = 0;
  /// Copies between devices that could not go straight.
  uint64_t nDetours = 0;
  std::mt19937_64 random{0}; // NOLINT(bugprone-random-generator-seed): the same order each time
  enum { Late, Random, Eager } order = Late;
  /// Words that cuGetErrorString gave away.
  std::map<int, std::string> words;
  std::set<std::string> keptWords;

private:
  Driver();
  void step(Stream *stream);
  bool isReady(const Stream *stream) const;
  uint64_t nextAddress = uint64_t(0x5000) << 32;
  Allocation *lastFound = nullptr;
};

/// Runs the body of a call under the lock: counts, injected failures, a dead context, faults.
template <typename Body> int call(const char *name, bool needsContext, Body &&body);
/// This thread's context, or null.
void *getContext();

template <typename Body> int call(const char *name, bool needsContext, Body &&body) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  driver.count(name);
  int result = kSuccess;
  std::string what;
  try {
    if (driver.dead)
      fail(driver.dead, driver.deadWhat);
    if (int injected = driver.getInjected(name))
      fail(injected, "as TINY_FAKE_CUDA_FAIL wants it");
    if (!driver.isInitialized && std::string(name) != "cuInit")
      fail(kNotInitialized, "cuInit was not called");
    if (needsContext && !getContext())
      fail(kInvalidContext, "this thread has no current context");
    driver.stepAtRandom();
    body(driver);
  } catch (const Fault &fault) {
    result = fault.result;
    what = fault.what;
  } catch (const PtxError &error) {
    result = error.result;
    what = error.what();
  }
  if (result) {
    driver.words[result] = what;
    // What the real driver's context does not survive.
    if ((result >= kIllegalAddress && result < kLaunchFailed + 1 && result != kOutOfResources &&
         result != kPeerAccessEnabled) ||
        result == 710) {
      driver.dead = result;
      driver.deadWhat = what;
    }
  }
  driver.trace(name + (result ? " = " + std::to_string(result) + ": " + what : std::string()));
  return result;
}

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_DRIVER_H
