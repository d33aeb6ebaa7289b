// A value, or a message that says why there is none: what LLVM's Expected is, without LLVM.
#ifndef TINY_FILES_RESULT_H
#define TINY_FILES_RESULT_H

#include <optional>
#include <string>
#include <utility>

namespace tiny::files {

/// Why something failed, as a line for a person. The empty one is success.
struct Failure {
  std::string message;
  explicit operator bool() const { return !message.empty(); }
};

template <typename T> class Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Failure failure) : failure(std::move(failure)) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() & { return *value; }
  T operator*() && { return std::move(*value); }
  T *operator->() { return &*value; }
  const std::string &message() const { return failure.message; }
  Failure takeFailure() { return std::move(failure); }

private:
  std::optional<T> value;
  Failure failure;
};

} // namespace tiny::files

#endif // TINY_FILES_RESULT_H
