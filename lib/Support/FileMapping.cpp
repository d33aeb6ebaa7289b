// Maps files, and remembers which addresses are whose.
#include "Tiny/Support/FileMapping.h"

#include "Tiny/Support/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace tiny {
namespace {

/// All mappings of the process, by their first byte.
struct Registry {
  std::mutex mutex;
  std::map<const char *, std::weak_ptr<const FileMapping>> mappings;
};

/// A mapping as LLVM's tools take it.
class MappedBuffer : public MemoryBuffer {
public:
  explicit MappedBuffer(std::shared_ptr<const FileMapping> mapping) : file(std::move(mapping)) {
    init(file->getBytes().begin(), file->getBytes().end(), /*RequiresNullTerminator=*/false);
  }
  BufferKind getBufferKind() const override { return MemoryBuffer_MMap; }
  StringRef getBufferIdentifier() const override { return file->getPath(); }

private:
  std::shared_ptr<const FileMapping> file;
};

Registry &getRegistry() {
  // Never destroyed: a context that outlives main may hold blobs.
  static Registry *registry = new Registry;
  return *registry;
}

} // namespace

Expected<std::shared_ptr<const FileMapping>> FileMapping::open(StringRef path) {
  std::shared_ptr<FileMapping> mapping(new FileMapping());
  SmallString<256> real;
  struct stat status = {};
  // A pipe must be opened once, by whoever reads it.
  bool isRegular = !stat(path.str().c_str(), &status) && S_ISREG(status.st_mode);
  int file = isRegular ? ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC) : -1;
  isRegular = file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) && !sys::fs::real_path(path, real);
  void *memory =
      isRegular && status.st_size ? mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  if (file >= 0)
    close(file);
  if (memory == MAP_FAILED) {
    Expected<std::string> copy = readFileBytes(path);
    if (!copy)
      return copy.takeError();
    mapping->copy = std::move(*copy);
    mapping->bytes = mapping->copy;
    return mapping;
  }
  mapping->bytes = StringRef(static_cast<const char *>(memory), size_t(status.st_size));
  mapping->path = real.str();
  mapping->modified = int64_t(status.st_mtim.tv_sec) * 1000000000 + status.st_mtim.tv_nsec;
  mapping->inode = status.st_ino;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.mappings[mapping->bytes.data()] = mapping;
  return mapping;
}

FileMapping::~FileMapping() {
  if (path.empty())
    return;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.mappings.erase(bytes.data());
  munmap(const_cast<char *>(bytes.data()), bytes.size());
}

std::string FileMapping::getIdentity() const {
  if (path.empty())
    return "";
  return (path + Twine('\0') + Twine(bytes.size()) + " " + Twine(modified) + " " + Twine(inode)).str();
}

std::unique_ptr<MemoryBuffer> FileMapping::makeBuffer() const {
  return std::make_unique<MappedBuffer>(shared_from_this());
}

mlir::AsmResourceBlob FileMapping::makeBlob(StringRef part) const {
  auto keep = [self = shared_from_this()](void *, size_t, size_t) {};
  return mlir::AsmResourceBlob(ArrayRef<char>(part.data(), part.size()), /*dataAlignment=*/1, std::move(keep),
                               /*dataIsMutable=*/false);
}

std::optional<FileRange> findFileRange(StringRef bytes) {
  Registry &registry = getRegistry();
  // Freed behind the lock: the last reference locks, too.
  std::shared_ptr<const FileMapping> file;
  {
    std::lock_guard<std::mutex> lock(registry.mutex);
    auto after = registry.mappings.upper_bound(bytes.data());
    if (after == registry.mappings.begin())
      return std::nullopt;
    file = std::prev(after)->second.lock();
  }
  if (!file || bytes.end() > file->getBytes().end())
    return std::nullopt;
  uint64_t offset = uint64_t(bytes.data() - file->getBytes().data());
  return FileRange{std::move(file), offset};
}

Expected<std::string> resolveBelow(StringRef folder, StringRef name) {
  auto refuse = [&] { return createStringError("'" + name + "' is not below the model's folder"); };
  SmallString<256> path(folder.empty() ? "." : folder), root, file;
  if (name.empty() || sys::path::is_absolute(name) ||
      is_contained(make_range(sys::path::begin(name), sys::path::end(name)), ".."))
    return refuse();
  std::error_code isLost = sys::fs::real_path(path, root);
  sys::path::append(path, name);
  // Whoever opens the file tells that it is not there.
  if (isLost || sys::fs::real_path(path, file))
    return path.str().str();
  StringRef rest = file;
  if (!rest.consume_front(root) || (root != "/" && !rest.starts_with("/")))
    return refuse();
  // A pipe would be waited for.
  if (!sys::fs::is_regular_file(path) && !sys::fs::is_directory(path))
    return createStringError("'" + name + "' is no regular file");
  return path.str().str();
}

} // namespace tiny
