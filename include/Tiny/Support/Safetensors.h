// The safetensors format: named tensors behind a header in JSON.
#ifndef TINY_SUPPORT_SAFETENSORS_H
#define TINY_SUPPORT_SAFETENSORS_H

#include "Tiny/Support/Npy.h"

namespace tiny {

/// Reads the bytes of a .safetensors file, in the order of the tensors' bytes. The message says what is wrong, not
/// where the bytes came from.
llvm::Expected<std::vector<NamedTensor>> parseSafetensors(llvm::StringRef bytes);

/// The bytes of a .safetensors file; every element type has its name there. Fails when two tensors have one name.
llvm::Expected<std::string> formatSafetensors(llvm::ArrayRef<NamedTensor> tensors);

} // namespace tiny

#endif // TINY_SUPPORT_SAFETENSORS_H
