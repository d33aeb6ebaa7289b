// Small steps over text, little-endian bytes and elements that the readers of files share.
#ifndef TINY_LIB_FILES_TEXT_H
#define TINY_LIB_FILES_TEXT_H

#include "Tiny/Files/Result.h"
#include "Tiny/Files/Tensors.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tiny::files {

inline Failure failed(std::string message) { return {std::move(message)}; }

inline bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
inline bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}
/// Drops the prefix, if it is there.
inline bool consumeFront(std::string_view &text, std::string_view prefix) {
  if (!startsWith(text, prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}
inline std::string_view trimFront(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\n\v\f\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// So many little-endian bytes at an offset, where they stand, as a number.
inline uint64_t readLittle(std::string_view bytes, size_t at, unsigned count) {
  uint64_t value = 0;
  for (unsigned k = count; k-- > 0;)
    value = value << 8 | uint8_t(bytes[at + k]);
  return value;
}
inline uint16_t read16(std::string_view bytes, size_t at) { return uint16_t(readLittle(bytes, at, 2)); }
inline uint32_t read32(std::string_view bytes, size_t at) { return uint32_t(readLittle(bytes, at, 4)); }
inline void appendLittle(std::string &bytes, uint64_t value, unsigned count) {
  for (unsigned k = 0; k < count; ++k, value >>= 8)
    bytes += char(value & 0xff);
}

/// What is smaller is copied: that takes less time than to map it, and nobody can change it behind our back.
constexpr uint64_t kSmallFile = 1 << 20;

/// Elements of a file: where they lie, or a copy. Few elements are better off at the beginning of a cache line.
inline HostBytes takeBytes(const Source &source, std::string_view part) {
  bool isAtLine = reinterpret_cast<uintptr_t>(part.data()) % size_t(LineAllocator<char>::kLine) == 0;
  if (!source.owner || (!isAtLine && part.size() < kSmallFile))
    return HostBytes(part.begin(), part.end());
  std::shared_ptr<char> memory(source.owner, const_cast<char *>(part.data()));
  return source.isMapped ? HostBytes::ofFile(std::move(memory), part.size())
                         : HostBytes(std::move(memory), part.size());
}

/// Truth values are 0 or 1; a file may have others. A mapped page without any is not written.
inline void makeTruthValues(HostBytes &bytes) {
  bytes.markWritten();
  for (char &byte : bytes)
    if (byte != 0 && byte != 1)
      byte = 1;
}

inline bool isBigEndianHost() {
  const uint16_t one = 1;
  return *reinterpret_cast<const char *>(&one) == 0;
}

} // namespace tiny::files

#endif // TINY_LIB_FILES_TEXT_H
