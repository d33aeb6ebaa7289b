// The message behind a status. It lives in this thread, in a fixed buffer, so that reporting cannot fail itself.
#ifndef TINY_LIB_RUNTIME_ERROR_H
#define TINY_LIB_RUNTIME_ERROR_H

#include "Tiny/Runtime/Runtime.h"

#include <new>

namespace tiny {
namespace runtime {

/// Longest message, with its terminator; what is longer is cut.
constexpr size_t kMessageSize = 512;

/// Records the message and gives the status back.
tiny_status fail(tiny_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Runs the body of a public call; running out of memory in one of its containers becomes a status.
template <typename Body> tiny_status guarded(Body &&body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(TINY_OUT_OF_MEMORY, "out of memory");
  } catch (...) {
    return fail(TINY_DEVICE_ERROR, "unexpected exception");
  }
}

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_ERROR_H
