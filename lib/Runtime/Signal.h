// A timeline, and how a failure travels along it.
#ifndef TINY_LIB_RUNTIME_SIGNAL_H
#define TINY_LIB_RUNTIME_SIGNAL_H

#include "Error.h"
#include "Tiny/Runtime/Queue.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>

namespace tiny {
namespace runtime {

/// A status with its message, to carry from one thread to another. In a fixed buffer, so that carrying cannot fail.
class Failure {
public:
  Failure() = default;
  Failure(tiny_status status, const char *message) : status(status) {
    std::snprintf(this->message, sizeof(this->message), "%s", message);
  }
  /// What this thread's last call failed with.
  static Failure ofThisThread(tiny_status status) { return {status, tiny_last_error()}; }

  explicit operator bool() const { return status != TINY_OK; }
  /// Makes it this thread's last error.
  tiny_status report() const;

private:
  tiny_status status = TINY_OK;
  char message[kMessageSize] = "";
};

} // namespace runtime
} // namespace tiny

struct tiny_signal {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t value = 0;
  tiny::runtime::Failure failure;

  /// See the functions of the same names in Queue.h.
  tiny_status raise(uint64_t to);
  void fail(const tiny::runtime::Failure &with);
  tiny_status wait(uint64_t until, uint64_t nanoseconds);
};

#endif // TINY_LIB_RUNTIME_SIGNAL_H
