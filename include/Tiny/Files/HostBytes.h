// The bytes of a tensor in host memory: memory of its own, or a part of a mapped file.
#ifndef TINY_FILES_HOSTBYTES_H
#define TINY_FILES_HOSTBYTES_H

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tiny {

/// Asks for huge pages for memory that spans some: a kernel that walks down the rows of a large matrix meets a page at
/// each of them.
void adviseHugePages(void *memory, size_t size);

/// Allocates from the beginning of a cache line, as the runtime does for its own buffers: no vector of a kernel that
/// reads or writes the memory in place then lies across two lines. What spans huge pages begins with one.
template <typename T> struct LineAllocator {
  using value_type = T;
  static constexpr size_t kLine = 64, kHugePage = 2 << 20;

  LineAllocator() = default;
  template <typename U> LineAllocator(const LineAllocator<U> &) {}
  static std::align_val_t getAlignment(size_t count) {
    return std::align_val_t(count * sizeof(T) >= 2 * kHugePage ? kHugePage : kLine);
  }
  T *allocate(size_t count) {
    void *memory = ::operator new(count * sizeof(T), getAlignment(count));
    if (getAlignment(count) == std::align_val_t(kHugePage))
      adviseHugePages(memory, count * sizeof(T));
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, size_t count) { ::operator delete(memory, getAlignment(count)); }
  friend bool operator==(LineAllocator, LineAllocator) { return true; }
  friend bool operator!=(LineAllocator, LineAllocator) { return false; }
};

/// A vector of bytes that may lie in memory which it shares instead. A copy always has memory of its own, so what one
/// of them writes no other sees.
class HostBytes {
public:
  HostBytes() = default;
  explicit HostBytes(size_t size) : own(size) {}
  HostBytes(std::initializer_list<char> bytes) : own(bytes) {}
  template <typename Iterator> HostBytes(Iterator begin, Iterator end) : own(begin, end) {}
  /// `size` writable bytes at any address, which the pointer keeps alive.
  HostBytes(std::shared_ptr<char> memory, size_t size) : shared(std::move(memory)), sharedSize(size) {}
  /// Bytes of a mapped file, as they are in it.
  static HostBytes ofFile(std::shared_ptr<char> memory, size_t size) {
    HostBytes bytes(std::move(memory), size);
    bytes.fromFile = true;
    return bytes;
  }
  HostBytes(const HostBytes &other) : own(other.begin(), other.end()) {}
  HostBytes(HostBytes &&other) noexcept { swap(other); }
  HostBytes &operator=(HostBytes other) noexcept {
    swap(other);
    return *this;
  }

  char *data() { return shared ? shared.get() : own.data(); }
  const char *data() const { return shared ? shared.get() : own.data(); }
  size_t size() const { return shared ? sharedSize : own.size(); }
  bool empty() const { return size() == 0; }
  char *begin() { return data(); }
  char *end() { return data() + size(); }
  const char *begin() const { return data(); }
  const char *end() const { return data() + size(); }
  char &operator[](size_t index) { return data()[index]; }
  const char &operator[](size_t index) const { return data()[index]; }
  template <typename Iterator> void assign(Iterator begin, Iterator end) { *this = HostBytes(begin, end); }
  /// Keeps what fits; new bytes are zero.
  void resize(size_t size) {
    if (shared)
      *this = HostBytes(*this);
    own.resize(size);
  }
  friend bool operator==(const HostBytes &a, const HostBytes &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const HostBytes &a, const HostBytes &b) { return !(a == b); }
  /// Whether the memory is shared, and so perhaps a file's.
  bool isShared() const { return shared != nullptr; }
  /// Whether the memory is a file's, and nobody has said that it was written: its pages may be dropped and read again.
  bool isOfFile() const { return fromFile; }
  void markWritten() { fromFile = false; }
  /// A part of shared memory, which shares it, too.
  HostBytes share(size_t begin, size_t size) const {
    HostBytes part(std::shared_ptr<char>(shared, shared.get() + begin), size);
    part.fromFile = fromFile;
    return part;
  }

private:
  void swap(HostBytes &other) noexcept {
    own.swap(other.own);
    shared.swap(other.shared);
    std::swap(sharedSize, other.sharedSize);
    std::swap(fromFile, other.fromFile);
  }

  std::vector<char, LineAllocator<char>> own;
  std::shared_ptr<char> shared;
  size_t sharedSize = 0;
  bool fromFile = false;
};

} // namespace tiny

#endif // TINY_FILES_HOSTBYTES_H
