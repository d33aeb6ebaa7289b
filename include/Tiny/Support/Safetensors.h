// Files in the safetensors format, with LLVM's errors.
#ifndef TINY_SUPPORT_SAFETENSORS_H
#define TINY_SUPPORT_SAFETENSORS_H

#include "Tiny/Support/Npy.h"

namespace tiny {

/// See Tiny/Files/Tensors.h for both.
inline llvm::Expected<std::vector<NamedTensor>> parseSafetensors(llvm::StringRef bytes) {
  return toExpected(files::parseSafetensors(std::string_view(bytes)));
}
inline llvm::Expected<std::string> formatSafetensors(llvm::ArrayRef<NamedTensor> tensors) {
  return toExpected(files::formatSafetensors(tensors));
}

} // namespace tiny

#endif // TINY_SUPPORT_SAFETENSORS_H
