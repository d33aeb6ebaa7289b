// What one process computed and others can use, in files.
#ifndef TINY_SUPPORT_DISKCACHE_H
#define TINY_SUPPORT_DISKCACHE_H

#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace tiny {

/// Entries by key in a folder, one file each. A cache is a help and never a reason to fail: without a folder that can
/// be written nothing is kept, and a damaged entry is removed and missing. Processes and threads may share a folder:
/// files appear whole, by renaming, and what is being read stays readable when it is removed. An entry is trusted once
/// its checksum is right: the checksum finds damage, not malice, so the folder must be writable by its owner alone,
/// which is how it is made.
class DiskCache {
public:
  /// `policy` bounds the folder, in LLVM's words (`llvm::parseCachePruningPolicy`): `cache_size_bytes=64m` and the
  /// like, after which the entries go that were not used for longest. By default 1 GiB, and 30 days. An empty folder
  /// keeps nothing.
  static llvm::Expected<DiskCache> open(llvm::StringRef folder, llvm::StringRef policy = "");

  /// `TINY_CACHE_DIR` where it is set, empty for none; else `tiny` in the user's folder for caches, which is
  /// `XDG_CACHE_HOME` or `~/.cache`; else empty.
  static std::string getDefaultFolder();

  /// The bytes that were stored, aligned to 64; null where there are none or they are damaged.
  std::unique_ptr<llvm::MemoryBuffer> lookup(llvm::StringRef key) const;

  /// Whether so many bytes could be kept: they may still not be.
  bool fits(uint64_t size) const { return !folder.empty() && (!policy.MaxSizeBytes || size <= policy.MaxSizeBytes); }

  /// Keeps the bytes if it can, in the place of others of that key, and then bounds the folder.
  void store(llvm::StringRef key, llvm::StringRef bytes) const;

private:
  DiskCache(std::string folder, llvm::CachePruningPolicy policy) : folder(std::move(folder)), policy(policy) {}
  std::string getPath(llvm::StringRef key) const;

  std::string folder;
  llvm::CachePruningPolicy policy;
};

} // namespace tiny

#endif // TINY_SUPPORT_DISKCACHE_H
