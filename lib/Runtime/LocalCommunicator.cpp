// Ranks that are threads of one process: each reads what the others have where it lies.
#include "Communicator.h"
#include "Error.h"
#include "Handles.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

using namespace tiny::runtime;

namespace {

/// What a group's ranks leave for each other.
struct Meeting {
  std::vector<tiny_group_call> calls; ///< by place; a null source where the rank has not come
  std::vector<bool> hasCome;
  uint32_t nCome = 0, nDone = 0;
  uint64_t round = 0;
};

/// Messages from one rank to another that the other has not taken.
struct Mailbox {
  struct Message {
    tiny_dtype dtype;
    std::vector<char> bytes;
  };
  std::deque<Message> messages;
  uint64_t bytes = 0;
  bool isAwaited = false;
};

/// Bytes of messages between two ranks from which on the sender waits, so that one that runs ahead does not fill the
/// memory.
constexpr uint64_t kMostInMailbox = uint64_t(1) << 28;

/// What the ends share.
struct World {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::vector<uint32_t>, Meeting> meetings;
  std::map<std::pair<uint32_t, uint32_t>, Mailbox> mailboxes; ///< by sender and receiver
  std::string failure;
  bool hasFailed = false;

  void end(const std::string &message) {
    if (!hasFailed)
      failure = message;
    hasFailed = true;
    changed.notify_all();
  }
};

class LocalCommunicator : public tiny_communicator {
public:
  LocalCommunicator(uint32_t rank, uint32_t size, std::shared_ptr<World> world)
      : tiny_communicator(rank, size), world(std::move(world)) {}
  ~LocalCommunicator() override {
    // Others would wait for it in vain.
    std::lock_guard<std::mutex> lock(world->mutex);
    for (const auto &[ranks, meeting] : world->meetings)
      for (uint32_t other : ranks)
        if (other == rank && meeting.nCome)
          world->end("rank " + std::to_string(rank) + " has left");
    for (const auto &[ends, mailbox] : world->mailboxes)
      if ((ends.first == rank && mailbox.isAwaited) ||
          (ends.second == rank && ends.first != rank && mailbox.bytes > kMostInMailbox))
        world->end("rank " + std::to_string(rank) + " has left");
  }
  tiny_status call(const tiny_group_call &call) override;
  void abort(const char *message) override {
    std::lock_guard<std::mutex> lock(world->mutex);
    world->end(message);
  }

private:
  tiny_status send(const tiny_group_call &call);
  tiny_status receive(const tiny_group_call &call);
  tiny_status waitFor(std::unique_lock<std::mutex> &lock, const tiny_group_call &call, uint32_t other,
                      const std::function<bool()> &isDone);
  tiny_status compute(const Meeting &meeting, const tiny_group_call &call);
  tiny_status failure() { return fail(TINY_DEVICE_ERROR, "%.400s", world->failure.c_str()); }

  std::shared_ptr<World> world;
};

} // namespace

/// The group's calls do not change while this runs: nobody leaves before all are done.
tiny_status LocalCommunicator::compute(const Meeting &meeting, const tiny_group_call &call) {
  uint64_t bytes = call.count * tiny_dtype_size(call.dtype);
  auto source = [&](uint32_t place) { return static_cast<const char *>(meeting.calls[place].source); };
  auto *target = static_cast<char *>(call.target);
  switch (call.kind) {
  case TINY_BROADCAST:
    std::memcpy(target, source(0), bytes);
    return TINY_OK;
  case TINY_ALL_GATHER:
    for (uint32_t place = 0; place < call.n_ranks; ++place)
      std::memcpy(target + place * bytes, source(place), bytes);
    return TINY_OK;
  case TINY_ALL_TO_ALL:
    for (uint32_t place = 0; place < call.n_ranks; ++place)
      std::memcpy(target + place * bytes, source(place) + call.place * bytes, bytes);
    return TINY_OK;
  default:
    break;
  }
  uint64_t begin = call.kind == TINY_REDUCE_SCATTER ? call.place * bytes : 0;
  std::memcpy(target, source(0) + begin, bytes);
  for (uint32_t place = 1; place < call.n_ranks; ++place)
    if (tiny_status status = tiny_reduce(call.reduction, call.dtype, target, source(place) + begin, call.count))
      return status;
  return TINY_OK;
}

/// Waits within the call's time, and names the other rank if that is over.
tiny_status LocalCommunicator::waitFor(std::unique_lock<std::mutex> &lock, const tiny_group_call &call, uint32_t other,
                                       const std::function<bool()> &isDone) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(call.timeout);
  if (!world->changed.wait_until(lock, deadline, [&] { return world->hasFailed || isDone(); }))
    world->end("rank " + std::to_string(other) + " did not come to the message of rank " + std::to_string(rank) +
               " within " + std::to_string(call.timeout).substr(0, 6) + " s");
  return world->hasFailed ? failure() : TINY_OK;
}

/// The message is copied, and its sender goes on.
tiny_status LocalCommunicator::send(const tiny_group_call &call) {
  const char *source = static_cast<const char *>(call.source);
  std::vector<char> bytes(source, source + call.count * tiny_dtype_size(call.dtype));
  std::unique_lock<std::mutex> lock(world->mutex);
  Mailbox &mailbox = world->mailboxes[{rank, call.ranks[1]}];
  if (tiny_status status = waitFor(lock, call, call.ranks[1], [&] { return mailbox.bytes <= kMostInMailbox; }))
    return status;
  mailbox.bytes += bytes.size();
  mailbox.messages.push_back({call.dtype, std::move(bytes)});
  world->changed.notify_all();
  return TINY_OK;
}

tiny_status LocalCommunicator::receive(const tiny_group_call &call) {
  std::unique_lock<std::mutex> lock(world->mutex);
  Mailbox &mailbox = world->mailboxes[{call.ranks[0], rank}];
  mailbox.isAwaited = mailbox.messages.empty();
  tiny_status status = waitFor(lock, call, call.ranks[0], [&] { return !mailbox.messages.empty(); });
  mailbox.isAwaited = false;
  if (status)
    return status;
  Mailbox::Message message = std::move(mailbox.messages.front());
  mailbox.messages.pop_front();
  mailbox.bytes -= message.bytes.size();
  if (message.dtype != call.dtype || message.bytes.size() != call.count * tiny_dtype_size(call.dtype)) {
    world->end("rank " + std::to_string(call.ranks[0]) + " sends another message than rank " + std::to_string(rank) +
               " expects");
    return failure();
  }
  world->changed.notify_all();
  lock.unlock();
  std::memcpy(call.target, message.bytes.data(), message.bytes.size());
  return TINY_OK;
}

tiny_status LocalCommunicator::call(const tiny_group_call &call) {
  if (call.kind == TINY_SEND)
    return call.place == 0 ? send(call) : receive(call);
  std::vector<uint32_t> ranks(call.ranks, call.ranks + call.n_ranks);
  std::unique_lock<std::mutex> lock(world->mutex);
  if (world->hasFailed)
    return failure();
  Meeting &meeting = world->meetings[ranks];
  if (meeting.calls.empty()) {
    meeting.calls.resize(ranks.size());
    meeting.hasCome.resize(ranks.size());
  }
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(call.timeout);
  // Waits for the others; names the first one that does not come.
  auto wait = [&](auto &&isDone, const std::vector<bool> *come) -> tiny_status {
    bool inTime = world->changed.wait_until(lock, deadline, [&] { return world->hasFailed || isDone(); });
    if (world->hasFailed)
      return failure();
    if (inTime)
      return TINY_OK;
    uint32_t missing = 0;
    while (come && missing + 1 < ranks.size() && (*come)[missing])
      ++missing;
    world->end("rank " + std::to_string(ranks[missing]) + " did not come to the " + getCollectiveName(call.kind) +
               " of rank " + std::to_string(rank) + " within " + std::to_string(call.timeout).substr(0, 6) + " s");
    return failure();
  };
  // The meeting before this one ends first.
  uint64_t round = meeting.round;
  if (meeting.hasCome[call.place])
    if (tiny_status status = wait([&] { return meeting.round != round; }, nullptr))
      return status;
  round = meeting.round;
  meeting.calls[call.place] = call;
  meeting.hasCome[call.place] = true;
  ++meeting.nCome;
  world->changed.notify_all();
  if (tiny_status status =
          wait([&] { return meeting.nCome == ranks.size() || meeting.round != round; }, &meeting.hasCome))
    return status;
  for (uint32_t place = 0; place < call.n_ranks; ++place) {
    const tiny_group_call &other = meeting.calls[place];
    if (other.kind != call.kind || other.count != call.count || other.dtype != call.dtype ||
        other.reduction != call.reduction)
      world->end("rank " + std::to_string(ranks[place]) + " comes with another collective than rank " +
                 std::to_string(rank));
  }
  if (world->hasFailed)
    return failure();
  lock.unlock();
  tiny_status status = compute(meeting, call);
  lock.lock();
  if (++meeting.nDone == ranks.size()) {
    meeting.nCome = meeting.nDone = 0;
    meeting.hasCome.assign(ranks.size(), false);
    ++meeting.round;
    world->changed.notify_all();
    return status;
  }
  // What the others read must stay.
  if (tiny_status waited = wait([&] { return meeting.round != round; }, nullptr))
    return waited;
  return status;
}

tiny_status tiny_communicator_create_local(uint32_t size, tiny_communicator **ranks) {
  return guarded([&]() -> tiny_status {
    if (size < 1 || size > 1024 || !ranks)
      return fail(TINY_INVALID_ARGUMENT, "%u local ranks, expected 1 to 1024", size);
    double timeout = 0;
    if (tiny_status status = readTimeout("TINY_COLLECTIVE_TIMEOUT", timeout))
      return status;
    auto world = std::make_shared<World>();
    std::vector<std::unique_ptr<tiny_communicator>> made;
    made.reserve(size);
    for (uint32_t rank = 0; rank < size; ++rank)
      made.push_back(std::make_unique<LocalCommunicator>(rank, size, world));
    for (const auto &communicator : made) {
      communicator->timeout = timeout;
      enterHandle(communicator.get(), HandleKind::Communicator);
    }
    for (uint32_t rank = 0; rank < size; ++rank)
      ranks[rank] = made[rank].release();
    return TINY_OK;
  });
}
