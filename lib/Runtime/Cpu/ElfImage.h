// Loads the shared objects that containers hold, and nothing else that calls itself ELF.
//
// An image is position-independent and needs nothing: no other library, no undefined symbol, no initialiser, no storage
// of threads, no relocation but those that add the place where it is. What is not of this form is refused before
// anything is mapped. No page is writable and executable at once. dlopen would do all the rest, too, wants a file, and
// returns the library before it where a path is used again.
#ifndef TINY_LIB_RUNTIME_CPU_ELFIMAGE_H
#define TINY_LIB_RUNTIME_CPU_ELFIMAGE_H

#include "Error.h"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace tiny {
namespace runtime {

/// Code that is mapped into this process, as long as the object lives.
class TINY_EXPORT ElfImage {
public:
  ElfImage() = default;
  ElfImage(const ElfImage &) = delete;
  ElfImage &operator=(const ElfImage &) = delete;
  ~ElfImage();

  /// Checks the bytes and maps a copy of them. TINY_INVALID_ARGUMENT for what is malformed, TINY_UNSUPPORTED for what
  /// is no such image or for another machine.
  tiny_status load(const void *bytes, uint64_t size);

  /// A function of the image, or null.
  void *find(const char *symbol) const;

  /// Tells `perf` the names of the image's functions, in the file that it looks for.
  void writePerfMap() const;

private:
  struct Function {
    uint64_t begin, size;
  };
  class Loader;

  char *memory = nullptr;
  uint64_t mappedSize = 0;
  std::unordered_map<std::string, Function> functions;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CPU_ELFIMAGE_H
