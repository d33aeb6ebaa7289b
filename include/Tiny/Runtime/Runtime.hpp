// Owning C++ handles over the C runtime. Header only; failures stay status codes, since the project has no exceptions.
#ifndef TINY_RUNTIME_RUNTIME_HPP
#define TINY_RUNTIME_RUNTIME_HPP

#include "Tiny/Runtime/Communicator.h"
#include "Tiny/Runtime/Queue.h"

#include <utility>

namespace tiny {
namespace runtime {

/// One reference to a runtime object: copying takes another, the destructor drops it.
template <typename T, tiny_status (*retainFn)(T *), tiny_status (*releaseFn)(T *)> class Handle {
public:
  Handle() = default;
  /// Takes over the caller's reference.
  explicit Handle(T *object) : object(object) {}
  Handle(const Handle &other) : object(other.object) {
    if (object)
      retainFn(object);
  }
  Handle(Handle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Handle &operator=(Handle other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Handle() {
    if (object)
      releaseFn(object);
  }

  T *get() const { return object; }
  explicit operator bool() const { return object != nullptr; }
  /// Gives the reference to the caller.
  T *take() { return std::exchange(object, nullptr); }
  /// For out parameters: drops what is held and gives the address to write to.
  T **receive() {
    *this = Handle();
    return &object;
  }

private:
  T *object = nullptr;
};

using Device = Handle<tiny_device, tiny_device_retain, tiny_device_release>;
using Buffer = Handle<tiny_buffer, tiny_buffer_retain, tiny_buffer_release>;
using Program = Handle<tiny_program, tiny_program_retain, tiny_program_release>;
using Signal = Handle<tiny_signal, tiny_signal_retain, tiny_signal_release>;
using Communicator = Handle<tiny_communicator, tiny_communicator_retain, tiny_communicator_release>;
using Queue = Handle<tiny_queue, tiny_queue_retain, tiny_queue_release>;

/// A mapped part of a buffer, unmapped at the end of its scope. The buffer must outlive it.
class Mapping {
public:
  Mapping() = default;
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping() {
    if (address)
      tiny_buffer_unmap(buffer, address);
  }

  /// Maps the whole buffer; call it once.
  tiny_status map(tiny_buffer *whole, uint32_t access) {
    buffer = whole;
    return tiny_buffer_map(whole, access, 0, tiny_buffer_size(whole), &address);
  }
  void *data() const { return address; }

private:
  tiny_buffer *buffer = nullptr;
  void *address = nullptr;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_RUNTIME_RUNTIME_HPP
