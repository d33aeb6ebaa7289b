// A file's bytes, mapped for reading.
#ifndef TINY_LIB_RUNTIME_MAPPEDFILE_H
#define TINY_LIB_RUNTIME_MAPPEDFILE_H

#include "Tiny/Runtime/Runtime.h"

#include <string>

namespace tiny {
namespace runtime {

class MappedFile {
public:
  MappedFile() = default;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  /// TINY_NOT_FOUND with the system's words where the file cannot be read.
  tiny_status open(const std::string &path);

  /// Takes the whole pages of a part out of this process's memory; who reads them again finds them in the file.
  void dropPages(uint64_t begin, uint64_t end) const;

  const char *data() const { return bytes; }
  uint64_t size() const { return length; }
  /// When it was changed last, in nanoseconds since 1970.
  int64_t modified() const { return modifiedAt; }

private:
  const char *bytes = nullptr;
  uint64_t length = 0;
  int64_t modifiedAt = 0;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_MAPPEDFILE_H
