// Collectives that run beside kernels: one thread for each rank, made when it is needed.
#include "Communicator.h"
#include "Error.h"

using namespace tiny::runtime;

CallQueue::~CallQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isClosing = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

void CallQueue::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isClosing || !calls.empty(); });
    if (calls.empty())
      return;
    std::function<tiny_status()> call = std::move(calls.front());
    calls.pop_front();
    // Other ranks have ended, or wait in vain: what is behind a failure would wait, too.
    if (!failure) {
      lock.unlock();
      tiny_status status = guarded(call);
      Failure own = status ? Failure::ofThisThread(status) : Failure();
      lock.lock();
      failure = own;
    }
    ++done;
    changed.notify_all();
  }
}

uint64_t CallQueue::push(std::function<tiny_status()> call) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!thread.joinable())
    thread = std::thread([this] { work(); });
  calls.push_back(std::move(call));
  changed.notify_all();
  return ++pushed;
}

tiny_status CallQueue::wait(uint64_t number) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done >= number || failure; });
  if (!failure)
    return TINY_OK;
  // Nothing may still use the buffers of those behind it.
  changed.wait(lock, [&] { return done == pushed; });
  Failure found = failure;
  failure = Failure();
  return found.report();
}

tiny_status CallQueue::drain() {
  uint64_t last;
  {
    std::lock_guard<std::mutex> lock(mutex);
    last = pushed;
  }
  return wait(last);
}

bool CallQueue::isIdle() {
  std::lock_guard<std::mutex> lock(mutex);
  return done == pushed && !failure;
}
