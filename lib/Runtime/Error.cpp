#include "Error.h"

#include <cstdarg>
#include <cstdio>

namespace {
thread_local char message[tiny::runtime::kMessageSize] = "";
} // namespace

tiny_status tiny::runtime::fail(tiny_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  return status;
}

const char *tiny_last_error(void) { return message; }

const char *tiny_status_name(tiny_status status) {
  switch (status) {
  case TINY_OK:
    return "ok";
  case TINY_INVALID_ARGUMENT:
    return "invalid argument";
  case TINY_OUT_OF_RANGE:
    return "out of range";
  case TINY_OUT_OF_MEMORY:
    return "out of memory";
  case TINY_NOT_FOUND:
    return "not found";
  case TINY_UNSUPPORTED:
    return "unsupported";
  case TINY_READ_ONLY:
    return "read-only";
  case TINY_DEVICE_ERROR:
    return "device error";
  case TINY_TIMED_OUT:
    return "timed out";
  }
  return "unknown status";
}
