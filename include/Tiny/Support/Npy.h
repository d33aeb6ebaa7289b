// NumPy's files: one tensor in an .npy, named ones in an .npz.
#ifndef TINY_SUPPORT_NPY_H
#define TINY_SUPPORT_NPY_H

#include "Tiny/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tiny {

/// A tensor and what its file or its program calls it.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// Reads the bytes of an .npy file, format version 1, 2 or 3. Either byte order and either element order is read; the
/// result is row-major in the host's byte order. The message says what is wrong, not where the bytes came from.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes);

/// Reads the bytes of an .npz file: a zip archive whose members, stored or deflated, are .npy files. Names lose their
/// `.npy` ending. The order is the archive's.
llvm::Expected<std::vector<NamedTensor>> parseNpz(llvm::StringRef bytes);

/// The bytes of an .npy file. Types that NumPy does not have are written as the package ml_dtypes writes them: bf16 as
/// `V2`, f8E4M3FN as `V1`, f8E5M2 as `f1`.
llvm::Expected<std::string> formatNpy(const HostTensor &tensor);

/// The bytes of an .npz file with stored members. Fails as `formatNpy`, and from 4 GiB on.
llvm::Expected<std::string> formatNpz(llvm::ArrayRef<NamedTensor> tensors);

/// The content of a file; directories and devices, which may have no end, are refused.
llvm::Expected<std::string> readFileBytes(llvm::StringRef path);

/// Writes a file as a whole or not at all: a temporary file beside it, renamed when it is complete.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef bytes);

/// Reads a file whose name ends with .safetensors as that, else an .npy or an .npz file, whichever its content says.
/// The tensor of an .npy has no name. Messages begin with the path.
llvm::Expected<std::vector<NamedTensor>> readTensors(llvm::StringRef path);

/// Writes an .npz or a .safetensors file if the path ends so, else an .npy file, which takes exactly one tensor.
/// Messages begin with the path; a failure leaves no file and an older one as it was.
llvm::Error writeTensors(llvm::StringRef path, llvm::ArrayRef<NamedTensor> tensors);

} // namespace tiny

#endif // TINY_SUPPORT_NPY_H
