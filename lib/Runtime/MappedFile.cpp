// Maps a file for reading.
#include "MappedFile.h"
#include "Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tiny::runtime;

MappedFile::~MappedFile() {
  if (bytes)
    munmap(const_cast<char *>(bytes), length);
}

void MappedFile::dropPages(uint64_t begin, uint64_t end) const {
  uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
  if (begin < end)
    madvise(const_cast<char *>(bytes) + begin, end - begin, MADV_DONTNEED);
}

tiny_status MappedFile::open(const std::string &path) {
  auto refuse = [&](int code) {
    return fail(TINY_NOT_FOUND, "cannot read '%.200s': %s", path.c_str(), std::strerror(code));
  };
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return refuse(errno);
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode)) {
    int code = errno;
    close(file);
    return S_ISDIR(status.st_mode) ? refuse(EISDIR) : refuse(code ? code : EINVAL);
  }
  length = uint64_t(status.st_size);
  modifiedAt = int64_t(status.st_mtim.tv_sec) * 1000000000 + status.st_mtim.tv_nsec;
  void *mapped = length ? mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  int code = errno;
  close(file);
  if (mapped == MAP_FAILED) {
    length = 0;
    return refuse(code);
  }
  bytes = static_cast<const char *>(mapped);
  return TINY_OK;
}
