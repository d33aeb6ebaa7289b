// A queue is one thread that takes submissions in order.
#include "Tiny/Runtime/Queue.h"
#include "Buffer.h"
#include "Handles.h"
#include "Signal.h"

#include <deque>
#include <memory>
#include <thread>
#include <vector>

using namespace tiny::runtime;

namespace {

/// References that are dropped together.
class References {
public:
  References() = default;
  References(References &&) = default;
  References &operator=(References &&) = default;
  ~References() {
    for (auto it = held.rbegin(); it != held.rend(); ++it)
      it->release(it->object);
  }

  template <typename T> tiny_status take(T *object, tiny_status (*retain)(T *), void (*release)(void *)) {
    // Room first: once the reference is taken nothing may fail.
    held.reserve(held.size() + 1);
    if (tiny_status status = retain(object))
      return status;
    held.push_back({object, release});
    return TINY_OK;
  }

private:
  struct Held {
    void *object;
    void (*release)(void *);
  };
  std::vector<Held> held;
};

/// A submission with lists and references of its own.
struct Work {
  tiny_program *program = nullptr;
  std::vector<tiny_buffer *> arguments, results;
  std::vector<tiny_timepoint> waits, signals;
  tiny_run_options options = {};
  /// The caller's own may be gone when the work runs.
  std::vector<int64_t> sizes;
  References references;

  tiny_status take(const tiny_submission &submission);
  /// Waits, runs, raises; or fails what it would have raised.
  Failure execute();

private:
  tiny_status takeBuffers(tiny_buffer *const *from, size_t count, const char *what, std::vector<tiny_buffer *> &to);
  tiny_status takeTimepoints(const tiny_timepoint *from, size_t count, std::vector<tiny_timepoint> &to);
  tiny_status run();
};

} // namespace

tiny_status Work::takeBuffers(tiny_buffer *const *from, size_t count, const char *what,
                              std::vector<tiny_buffer *> &to) {
  if (count && !from)
    return fail(TINY_INVALID_ARGUMENT, "list of %ss is null", what);
  for (size_t i = 0; i < count; ++i) {
    if (!isLiveHandle(from[i], HandleKind::Buffer))
      return fail(TINY_INVALID_ARGUMENT, "%s %zu is %s", what, i, from[i] ? "no live buffer" : "null");
    if (tiny_status status =
            references.take(from[i], tiny_buffer_retain, [](void *o) { tiny_buffer_release((tiny_buffer *)o); }))
      return status;
    to.push_back(from[i]);
  }
  return TINY_OK;
}

tiny_status Work::takeTimepoints(const tiny_timepoint *from, size_t count, std::vector<tiny_timepoint> &to) {
  if (count && !from)
    return fail(TINY_INVALID_ARGUMENT, "list of timepoints is null");
  for (size_t i = 0; i < count; ++i) {
    if (tiny_status status =
            references.take(from[i].signal, tiny_signal_retain, [](void *o) { tiny_signal_release((tiny_signal *)o); }))
      return status;
    to.push_back(from[i]);
  }
  return TINY_OK;
}

tiny_status Work::take(const tiny_submission &submission) {
  options = submission.options;
  if (submission.program) {
    if (tiny_status status = references.take(submission.program, tiny_program_retain,
                                             [](void *o) { tiny_program_release((tiny_program *)o); }))
      return status;
    program = submission.program;
    if (options.sizes) {
      sizes.assign(options.sizes, options.sizes + tiny_program_size_count(program));
      options.sizes = sizes.data();
    }
  }
  if (tiny_status status = takeBuffers(submission.arguments, submission.n_arguments, "argument", arguments))
    return status;
  if (tiny_status status = takeBuffers(submission.results, submission.n_results, "result", results))
    return status;
  if (tiny_status status = takeTimepoints(submission.waits, submission.n_waits, waits))
    return status;
  return takeTimepoints(submission.signals, submission.n_signals, signals);
}

tiny_status Work::run() {
  for (const tiny_timepoint &point : waits)
    if (tiny_status status = point.signal->wait(point.value, TINY_FOREVER))
      return status;
  if (!program)
    return TINY_OK;
  return tiny_program_run(program, arguments.data(), arguments.size(), results.data(), results.size(), &options);
}

Failure Work::execute() {
  Failure failure;
  if (tiny_status status = run())
    failure = Failure::ofThisThread(status);
  for (const tiny_timepoint &point : signals) {
    if (!failure)
      if (tiny_status status = point.signal->raise(point.value))
        failure = Failure::ofThisThread(status);
    if (failure)
      point.signal->fail(failure);
  }
  return failure;
}

struct tiny_queue {
  tiny_device *device = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> waiting;
  uint64_t submitted = 0, finished = 0;
  bool closing = false;
  Failure firstFailure;
  std::thread thread;

  void work();
};

void tiny_queue::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return closing || !waiting.empty(); });
    if (waiting.empty())
      return;
    {
      Work next = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      Failure failure = next.execute();
      lock.lock();
      if (failure && !firstFailure)
        firstFailure = failure;
      lock.unlock();
      // The references drop here, without the lock: a release function of the caller's may submit.
    }
    lock.lock();
    ++finished;
    changed.notify_all();
  }
}

tiny_status tiny_queue_create(tiny_device *device, tiny_queue **queue) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(device, HandleKind::Device))
      return status;
    if (!queue)
      return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
    auto result = std::make_unique<tiny_queue>();
    result->device = device;
    enterHandle(result.get(), HandleKind::Queue);
    bool last;
    if (tiny_status status = tiny_device_retain(device)) {
      releaseHandle(result.get(), HandleKind::Queue, last);
      return status;
    }
    try {
      result->thread = std::thread(&tiny_queue::work, result.get());
    } catch (const std::exception &) {
      releaseHandle(result.get(), HandleKind::Queue, last);
      tiny_device_release(device);
      return fail(TINY_DEVICE_ERROR, "no thread for a queue");
    }
    *queue = result.release();
    return TINY_OK;
  });
}

tiny_status tiny_queue_retain(tiny_queue *queue) { return retainHandle(queue, HandleKind::Queue); }

tiny_status tiny_queue_release(tiny_queue *queue) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(queue, HandleKind::Queue))
      return status;
    if (queue->thread.get_id() == std::this_thread::get_id())
      return fail(TINY_INVALID_ARGUMENT, "a queue can't be released on its own thread");
    bool last;
    if (tiny_status status = releaseHandle(queue, HandleKind::Queue, last))
      return status;
    if (!last)
      return TINY_OK;
    {
      std::lock_guard<std::mutex> lock(queue->mutex);
      queue->closing = true;
    }
    queue->changed.notify_all();
    queue->thread.join();
    tiny_device *device = queue->device;
    delete queue;
    return tiny_device_release(device);
  });
}

tiny_status tiny_queue_submit(tiny_queue *queue, const tiny_submission *submission) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(queue, HandleKind::Queue))
      return status;
    if (!submission)
      return fail(TINY_INVALID_ARGUMENT, "submission is null");
    Work work;
    if (tiny_status status = work.take(*submission))
      return status;
    {
      std::lock_guard<std::mutex> lock(queue->mutex);
      queue->waiting.push_back(std::move(work));
      ++queue->submitted;
    }
    queue->changed.notify_all();
    return TINY_OK;
  });
}

tiny_status tiny_queue_wait(tiny_queue *queue) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(queue, HandleKind::Queue))
      return status;
    if (queue->thread.get_id() == std::this_thread::get_id())
      return fail(TINY_INVALID_ARGUMENT, "a queue can't wait for itself");
    std::unique_lock<std::mutex> lock(queue->mutex);
    uint64_t last = queue->submitted;
    queue->changed.wait(lock, [&] { return queue->finished >= last; });
    Failure failure = queue->firstFailure;
    queue->firstFailure = Failure();
    lock.unlock();
    return failure.report();
  });
}
