// Files that constants lie in: mapped, used where they lie, and found again by address.
#ifndef TINY_SUPPORT_FILEMAPPING_H
#define TINY_SUPPORT_FILEMAPPING_H

#include "mlir/IR/AsmState.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>

namespace tiny {

/// The bytes of a file, mapped for reading. Whoever keeps a reference to bytes keeps the mapping. A file must not be
/// changed in place while it is mapped; to replace it by renaming is safe.
class FileMapping : public std::enable_shared_from_this<FileMapping> {
public:
  /// Maps a regular file. Anything else that can be read, such as a pipe, is read into memory. The error names the
  /// path.
  static llvm::Expected<std::shared_ptr<const FileMapping>> open(llvm::StringRef path);
  ~FileMapping();
  FileMapping(const FileMapping &) = delete;
  FileMapping &operator=(const FileMapping &) = delete;

  llvm::StringRef getBytes() const { return bytes; }
  /// The absolute path, links followed; empty where the bytes are a copy.
  llvm::StringRef getPath() const { return path; }
  /// When the file was changed last, in nanoseconds since 1970.
  int64_t getModified() const { return modified; }
  /// What changes with the file without reading it: path, size, time and inode. Empty where the bytes are a copy.
  std::string getIdentity() const;

  /// All of it for LLVM, without a copy. It begins at a page.
  std::unique_ptr<llvm::MemoryBuffer> makeBuffer() const;

  /// A part of it as the bytes of a `dense_resource`, without a copy. They may lie at any alignment.
  mlir::AsmResourceBlob makeBlob(llvm::StringRef part) const;

private:
  FileMapping() = default;

  llvm::StringRef bytes;
  std::string path, copy;
  int64_t modified = 0;
  uint64_t inode = 0;
};

/// Where bytes in memory lie in a file.
struct FileRange {
  std::shared_ptr<const FileMapping> file;
  uint64_t offset = 0;
};

/// The file that these bytes are mapped from; none where they are in ordinary memory.
std::optional<FileRange> findFileRange(llvm::StringRef bytes);

/// The path of a file that a model in the folder names. Fails where it is absolute or leads out of the folder, also
/// through a link.
llvm::Expected<std::string> resolveBelow(llvm::StringRef folder, llvm::StringRef name);

} // namespace tiny

#endif // TINY_SUPPORT_FILEMAPPING_H
