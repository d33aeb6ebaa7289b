// Timeline signals: raise, fail, and wait with a timeout.
#include "Signal.h"
#include "Handles.h"

#include <chrono>
#include <memory>

using namespace tiny::runtime;

tiny_status Failure::report() const { return status ? fail(status, "%s", message) : TINY_OK; }

tiny_status tiny_signal::raise(uint64_t to) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (failure)
      return failure.report();
    if (to <= value)
      return tiny::runtime::fail(TINY_INVALID_ARGUMENT, "signal can't go from %llu to %llu", (unsigned long long)value,
                                 (unsigned long long)to);
    value = to;
  }
  changed.notify_all();
  return TINY_OK;
}

void tiny_signal::fail(const Failure &with) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (failure)
      return;
    failure = with;
  }
  changed.notify_all();
}

tiny_status tiny_signal::wait(uint64_t until, uint64_t nanoseconds) {
  std::unique_lock<std::mutex> lock(mutex);
  auto over = [&] { return value >= until || failure; };
  // A deadline that the clock can't hold is none.
  constexpr uint64_t kLongest = uint64_t(1) << 60;
  if (nanoseconds >= kLongest)
    changed.wait(lock, over);
  else if (!changed.wait_for(lock, std::chrono::nanoseconds(nanoseconds), over))
    return tiny::runtime::fail(TINY_TIMED_OUT, "signal is at %llu, not yet at %llu", (unsigned long long)value,
                               (unsigned long long)until);
  return value >= until ? TINY_OK : failure.report();
}

tiny_status tiny_signal_create(uint64_t value, tiny_signal **signal) {
  return guarded([&]() -> tiny_status {
    if (!signal)
      return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
    auto result = std::make_unique<tiny_signal>();
    result->value = value;
    enterHandle(result.get(), HandleKind::Signal);
    *signal = result.release();
    return TINY_OK;
  });
}

tiny_status tiny_signal_retain(tiny_signal *signal) { return retainHandle(signal, HandleKind::Signal); }

tiny_status tiny_signal_release(tiny_signal *signal) {
  bool last;
  if (tiny_status status = releaseHandle(signal, HandleKind::Signal, last))
    return status;
  if (last)
    delete signal;
  return TINY_OK;
}

tiny_status tiny_signal_value(tiny_signal *signal, uint64_t *value) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(signal, HandleKind::Signal))
      return status;
    if (!value)
      return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
    std::lock_guard<std::mutex> lock(signal->mutex);
    if (signal->failure)
      return signal->failure.report();
    *value = signal->value;
    return TINY_OK;
  });
}

tiny_status tiny_signal_raise(tiny_signal *signal, uint64_t value) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(signal, HandleKind::Signal))
      return status;
    return signal->raise(value);
  });
}

tiny_status tiny_signal_fail(tiny_signal *signal, tiny_status status, const char *message) {
  return guarded([&]() -> tiny_status {
    if (tiny_status dead = checkHandle(signal, HandleKind::Signal))
      return dead;
    if (status == TINY_OK || !message)
      return fail(TINY_INVALID_ARGUMENT, "a failure needs a status and a message");
    signal->fail({status, message});
    return TINY_OK;
  });
}

tiny_status tiny_signal_wait(tiny_signal *signal, uint64_t value, uint64_t nanoseconds) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(signal, HandleKind::Signal))
      return status;
    return signal->wait(value, nanoseconds);
  });
}
