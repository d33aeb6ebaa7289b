// Files that ranks write together: elements go through a shared mapping of the temporary file.
#include "Tiny/Files/SharedFile.h"

#include "Text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tiny::files {

namespace {

Failure refuse(const std::string &path, int error) {
  return failed("cannot write '" + path + "': " + std::strerror(error));
}

class OpenFile {
public:
  explicit OpenFile(int number) : number(number) {}
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() {
    if (number >= 0)
      close(number);
  }
  const int number;
};

/// Whether no rank before this one has the same part: it stands first on all axes that do not cut the tensor. Of one
/// stage no other has it.
bool isFirstOfEquals(const Parts &parts, const std::vector<int64_t> &place) {
  std::vector<bool> cuts(place.size());
  if (parts.stage >= 0)
    cuts[parts.stageAxis] = true;
  for (const Cut &cut : parts.cuts)
    for (uint32_t axis : cut.axes)
      cuts[axis] = true;
  for (size_t axis = 0; axis < place.size(); ++axis)
    if (!cuts[axis] && place[axis] != 0)
      return false;
  return true;
}

} // namespace

Result<SafetensorsLayout> layOutShared(const std::vector<SharedTensor> &tensors) {
  if (isBigEndianHost())
    return failed("ranks write a file together on little-endian machines alone");
  std::vector<NamedTensor> named;
  named.reserve(tensors.size());
  for (const SharedTensor &tensor : tensors) {
    NamedTensor &entry = named.emplace_back();
    entry.name = tensor.name;
    entry.tensor.dtype = tensor.dtype;
    for (const Cut &cut : tensor.parts.cuts)
      entry.tensor.shape.push_back(cut.whole);
  }
  return layOutSafetensors(named);
}

Result<std::string> startShared(const std::string &path, const SafetensorsLayout &layout) {
  std::string temporary = path + ".tmp-XXXXXX";
  OpenFile file(mkstemp(temporary.data()));
  if (file.number < 0)
    return refuse(path, errno);
  mode_t mask = umask(0);
  umask(mask);
  int error = fchmod(file.number, 0666 & ~mask) ? errno : 0;
  // Room that is missing must be an error here: in a mapping it ends the process.
  if (!error)
    error = posix_fallocate(file.number, 0, off_t(layout.size));
  for (size_t done = 0; !error && done < layout.header.size();) {
    ssize_t written = pwrite(file.number, layout.header.data() + done, layout.header.size() - done, off_t(done));
    if (written < 0 && errno != EINTR)
      error = errno;
    done += written > 0 ? size_t(written) : 0;
  }
  if (!error)
    return temporary;
  unlink(temporary.c_str());
  return refuse(path, error);
}

Failure writeShared(const std::string &temporary, const SafetensorsLayout &layout,
                    const std::vector<SharedTensor> &tensors, const std::vector<int64_t> &place,
                    const std::vector<const char *> &elements) {
  OpenFile file(open(temporary.c_str(), O_RDWR | O_CLOEXEC));
  if (file.number < 0)
    return refuse(temporary, errno);
  void *mapped = mmap(nullptr, layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  if (mapped == MAP_FAILED)
    return refuse(temporary, errno);
  for (size_t k = 0; k < tensors.size(); ++k)
    if (isFirstOfEquals(tensors[k].parts, place))
      copyBack(elements[k], tensors[k].parts, place, tensors[k].local, static_cast<char *>(mapped) + layout.begins[k],
               int64_t(tiny_dtype_size(tensors[k].dtype)));
  int error = msync(mapped, layout.size, MS_SYNC) ? errno : 0;
  munmap(mapped, layout.size);
  return error ? refuse(temporary, error) : Failure();
}

Failure finishShared(const std::string &temporary, const std::string &path) {
  if (rename(temporary.c_str(), path.c_str()))
    return refuse(path, errno);
  return {};
}

} // namespace tiny::files
