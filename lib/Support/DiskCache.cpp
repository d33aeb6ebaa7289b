// A cache of files by key: entries end in a checksum, appear by renaming, and are pruned by size and age.
#include "Tiny/Support/DiskCache.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>

using namespace llvm;

namespace tiny {

// The prefix is what LLVM's pruning knows its files by: temporary ones that a crash left behind go like others.
static constexpr StringLiteral kPrefix = "llvmcache-";
// Later words overrule earlier ones. An interval of zero looks at the folder after each entry, which costs little
// beside making the entry.
static constexpr StringLiteral kDefaultPolicy = "prune_interval=0s:prune_after=720h:cache_size_bytes=1g";
static constexpr size_t kAlignment = 64;

namespace {

/// Behind the bytes, so that these begin where the file does.
struct Trailer {
  support::ulittle64_t checksum, size;
};

Trailer makeTrailer(StringRef bytes) {
  Trailer trailer;
  trailer.checksum = xxh3_64bits(bytes);
  trailer.size = bytes.size();
  return trailer;
}

/// A file without its trailer.
class Entry : public MemoryBuffer {
public:
  explicit Entry(std::unique_ptr<MemoryBuffer> whole) : file(std::move(whole)) {
    init(file->getBufferStart(), file->getBufferEnd() - sizeof(Trailer), /*RequiresNullTerminator=*/false);
  }
  BufferKind getBufferKind() const override { return file->getBufferKind(); }
  StringRef getBufferIdentifier() const override { return file->getBufferIdentifier(); }

private:
  std::unique_ptr<MemoryBuffer> file;
};

bool isWhole(StringRef file) {
  if (file.size() < sizeof(Trailer))
    return false;
  StringRef bytes = file.drop_back(sizeof(Trailer));
  Trailer expected = makeTrailer(bytes);
  return file.ends_with(StringRef(reinterpret_cast<const char *>(&expected), sizeof(Trailer)));
}

/// Linux seldom notes by itself when a file was read, and the order of removal goes by that.
void noteUse(sys::fs::file_t file) {
  sys::fs::file_status status;
  if (!sys::fs::status(file, status))
    (void)sys::fs::setLastAccessAndModificationTime(file, std::chrono::system_clock::now(),
                                                    status.getLastModificationTime());
}

} // namespace

Expected<DiskCache> DiskCache::open(StringRef folder, StringRef policy) {
  std::string words = kDefaultPolicy.str();
  if (!policy.empty())
    words += ":" + policy.str();
  Expected<CachePruningPolicy> parsed = parseCachePruningPolicy(words);
  if (!parsed)
    return parsed.takeError();
  return DiskCache(folder.str(), *parsed);
}

std::string DiskCache::getDefaultFolder() {
  if (const char *folder = std::getenv("TINY_CACHE_DIR"))
    return folder;
  SmallString<128> folder;
  if (!sys::path::cache_directory(folder))
    return "";
  sys::path::append(folder, "tiny");
  return folder.str().str();
}

std::string DiskCache::getPath(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, kPrefix + key);
  return path.str().str();
}

std::unique_ptr<MemoryBuffer> DiskCache::lookup(StringRef key) const {
  if (folder.empty())
    return nullptr;
  std::string path = getPath(key);
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file) {
    consumeError(file.takeError());
    return nullptr;
  }
  noteUse(*file);
  auto buffer = MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/false, Align(kAlignment));
  (void)sys::fs::closeFile(*file);
  if (!buffer)
    return nullptr;
  if (isWhole((*buffer)->getBuffer()))
    return std::make_unique<Entry>(std::move(*buffer));
  (void)sys::fs::remove(path);
  return nullptr;
}

void DiskCache::store(StringRef key, StringRef bytes) const {
  if (!fits(bytes.size()))
    return;
  if (sys::fs::create_directories(folder, /*IgnoreExisting=*/true, sys::fs::owner_all))
    return;
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(getPath("new-%%%%%%%%"), sys::fs::owner_read | sys::fs::owner_write);
  if (!file)
    return consumeError(file.takeError());
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  Trailer trailer = makeTrailer(bytes);
  stream << bytes << StringRef(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
  stream.flush();
  // A full disk must not end the process, as LLVM's streams do where an error was not looked at.
  bool whole = !stream.has_error();
  stream.clear_error();
  consumeError(whole ? file->keep(getPath(key)) : file->discard());
  pruneCache(folder, policy);
}

} // namespace tiny
