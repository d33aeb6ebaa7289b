// Files of tensors: NumPy's .npy and .npz, and .safetensors. No LLVM in here; Tiny/Support/Npy.h has the same for the
// compiler, with LLVM's errors.
#ifndef TINY_FILES_TENSORS_H
#define TINY_FILES_TENSORS_H

#include "Tiny/Files/HostTensor.h"
#include "Tiny/Files/Result.h"

#include <string_view>

namespace tiny::files {

/// The bytes of a file in writable memory, which the pointer keeps alive. What is written there changes no file.
struct FileBytes {
  std::shared_ptr<char> data;
  size_t size = 0;
  /// Whether the memory is the file's own, mapped, and not a copy.
  bool isMapped = false;
  operator std::string_view() const { return {data.get(), size}; }
};

/// Bytes to parse. With an owner they are writable, tensors may be parts of them, and keep the owner alive; without one
/// tensors are copies.
struct Source {
  Source(std::string_view bytes) : bytes(bytes) {}
  Source(const FileBytes &file) : bytes(file), owner(file.data), isMapped(file.isMapped) {}
  Source(std::string_view bytes, std::shared_ptr<char> owner, bool isMapped = false)
      : bytes(bytes), owner(std::move(owner)), isMapped(isMapped) {}

  std::string_view bytes;
  std::shared_ptr<char> owner;
  bool isMapped = false;
};

/// Reads the bytes of an .npy file, format version 1, 2 or 3. Either byte order and either element order is read; the
/// result is row-major in the host's byte order. The message says what is wrong, not where the bytes came from.
Result<HostTensor> parseNpy(const Source &source);
/// Reads the bytes of an .npz file: a zip archive whose members, stored or deflated, are .npy files. Names lose their
/// `.npy` ending. The order is the archive's.
Result<std::vector<NamedTensor>> parseNpz(const Source &source);
/// Reads the bytes of a .safetensors file, in the order of the tensors' bytes.
Result<std::vector<NamedTensor>> parseSafetensors(const Source &source);

/// The bytes of an .npy file. Types that NumPy does not have are written as the package ml_dtypes writes them: bf16 as
/// `V2`, f8E4M3FN as `V1`, f8E5M2 as `f1`.
Result<std::string> formatNpy(const HostTensor &tensor);
/// The bytes of an .npz file with stored members. Fails as `formatNpy`, and from 4 GiB on.
Result<std::string> formatNpz(const std::vector<NamedTensor> &tensors);
/// The bytes of a .safetensors file; every element type has its name there. Fails when two tensors have one name.
Result<std::string> formatSafetensors(const std::vector<NamedTensor> &tensors);

/// A .safetensors file before its elements are there: where those of each tensor begin, and the bytes of the whole
/// file.
struct SafetensorsLayout {
  std::string header;
  std::vector<uint64_t> begins;
  uint64_t size = 0;
};
/// The tensors' own bytes are not read. Fails as `formatSafetensors`.
Result<SafetensorsLayout> layOutSafetensors(const std::vector<NamedTensor> &tensors);

/// The content of a file; directories and devices, which may have no end, are refused.
Result<std::string> readFileBytes(const std::string &path);
/// The same, mapped where that is worth it: a large regular file must not be changed in place while its bytes are in
/// use; to replace it by renaming is safe.
Result<FileBytes> mapFile(const std::string &path);
/// Writes a file as a whole or not at all: a temporary file beside it, renamed when it is complete.
Failure writeFileAtomically(const std::string &path, std::string_view bytes);

/// Reads a file whose name ends with .safetensors as that, else an .npy or an .npz file, whichever its content says.
/// The tensor of an .npy has no name. Tensors of large files are used where they lie, as `mapFile` says. Messages begin
/// with the path.
Result<std::vector<NamedTensor>> readTensors(const std::string &path);
/// Writes an .npz or a .safetensors file if the path ends so, else an .npy file, which takes exactly one tensor.
/// Messages begin with the path; a failure leaves no file and an older one as it was.
Failure writeTensors(const std::string &path, const std::vector<NamedTensor> &tensors);

} // namespace tiny::files

#endif // TINY_FILES_TENSORS_H
