// Reads and writes whole files of tensors; what a name and a content say which format it is.
#include "Text.h"
#include "Tiny/Files/Tensors.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tiny::files {
namespace {

/// A file that is closed at the end of its scope.
struct Descriptor {
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  const int number;
};

/// 0, or the system's error.
int writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0)
      bytes.remove_prefix(size_t(written));
  }
  return 0;
}

Failure cannotWrite(const std::string &path, const std::string &why) {
  return failed("cannot write '" + path + "': " + why);
}

std::string describe(int error) { return std::strerror(error); }

/// A temporary file beside the other, renamed when it is complete.
Failure replaceFile(const std::string &path, std::string_view bytes) {
  std::string temporary = path + ".tmp-XXXXXX";
  int error = 0;
  {
    Descriptor file(mkstemp(temporary.data()));
    if (file.number < 0)
      return cannotWrite(path, describe(errno));
    mode_t mask = umask(0);
    umask(mask);
    error = writeAll(file.number, bytes);
    if (!error && fchmod(file.number, 0666 & ~mask))
      error = errno;
  }
  if (!error && rename(temporary.c_str(), path.c_str()))
    error = errno;
  if (!error)
    return {};
  unlink(temporary.c_str());
  return cannotWrite(path, describe(error));
}

} // namespace

Result<std::string> readFileBytes(const std::string &path) {
  auto refuse = [&](const std::string &why) { return failed("cannot open '" + path + "': " + why); };
  struct stat status;
  if (stat(path.c_str(), &status))
    return refuse(describe(errno));
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    return refuse("not a file");
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0)
    return refuse(describe(errno));
  std::string bytes(S_ISREG(status.st_mode) ? size_t(status.st_size) : 0, '\0');
  size_t size = 0;
  for (;;) {
    if (size == bytes.size())
      bytes.resize(size + (size < 65536 ? 65536 : size));
    ssize_t count = ::read(file.number, &bytes[size], bytes.size() - size);
    if (count < 0 && errno != EINTR)
      return refuse(describe(errno));
    if (count == 0)
      break;
    size += count > 0 ? size_t(count) : 0;
  }
  bytes.resize(size);
  return bytes;
}

static FileBytes copyToLine(std::string_view bytes) {
  auto copy = std::make_shared<HostBytes>(bytes.begin(), bytes.end());
  return {{copy, copy->data()}, copy->size()};
}

Result<FileBytes> mapFile(const std::string &path) {
  struct stat status;
  // A pipe must be opened once.
  bool isRegular = !stat(path.c_str(), &status) && S_ISREG(status.st_mode);
  Descriptor file(isRegular ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1);
  if (file.number >= 0 && !fstat(file.number, &status) && uint64_t(status.st_size) >= kSmallFile) {
    size_t size = size_t(status.st_size);
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number, 0);
    if (memory != MAP_FAILED)
      return FileBytes{{static_cast<char *>(memory), [size](char *bytes) { munmap(bytes, size); }}, size, true};
  }
  Result<std::string> bytes = readFileBytes(path);
  if (!bytes)
    return bytes.takeFailure();
  return copyToLine(*bytes);
}

Failure writeFileAtomically(const std::string &path, std::string_view bytes) {
  struct stat status;
  bool exists = !stat(path.c_str(), &status);
  if (exists && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))) {
    // Renaming would put a file in the place of a device or a pipe.
    Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    int error = file.number < 0 ? errno : writeAll(file.number, bytes);
    return error ? cannotWrite(path, describe(error)) : Failure();
  }
  if (exists && !S_ISREG(status.st_mode))
    return cannotWrite(path, "not a file");
  return replaceFile(path, bytes);
}

Result<std::vector<NamedTensor>> readTensors(const std::string &path) {
  Result<FileBytes> bytes = mapFile(path);
  if (!bytes)
    return bytes.takeFailure();
  bool isArchive = startsWith(*bytes, "PK");
  if (isArchive || endsWith(path, ".safetensors")) {
    Result<std::vector<NamedTensor>> tensors = isArchive ? parseNpz(*bytes) : parseSafetensors(*bytes);
    if (!tensors)
      return failed(path + ": " + tensors.message());
    return tensors;
  }
  Result<HostTensor> tensor = parseNpy(*bytes);
  if (!tensor)
    return failed(path + ": " + tensor.message());
  std::vector<NamedTensor> tensors;
  tensors.push_back({"", std::move(*tensor)});
  return tensors;
}

Failure writeTensors(const std::string &path, const std::vector<NamedTensor> &tensors) {
  bool archive = endsWith(path, ".npz"), safe = endsWith(path, ".safetensors");
  if (!archive && !safe && tensors.size() != 1)
    return cannotWrite(path,
                       "an .npy file holds one tensor, got " + std::to_string(tensors.size()) + "; name an .npz file");
  Result<std::string> bytes = safe      ? formatSafetensors(tensors)
                              : archive ? formatNpz(tensors)
                                        : formatNpy(tensors.front().tensor);
  if (!bytes)
    return cannotWrite(path, bytes.message());
  return writeFileAtomically(path, *bytes);
}

} // namespace tiny::files
