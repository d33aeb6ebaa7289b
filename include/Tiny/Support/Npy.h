// The files of tensors that Tiny/Files reads and writes, with LLVM's errors.
#ifndef TINY_SUPPORT_NPY_H
#define TINY_SUPPORT_NPY_H

#include "Tiny/Files/Tensors.h"
#include "Tiny/Support/HostTensor.h"
#include "llvm/Support/Error.h"

namespace tiny {

template <typename T> llvm::Expected<T> toExpected(files::Result<T> result) {
  if (!result)
    return llvm::createStringError(result.message());
  return std::move(*result);
}
inline llvm::Error toError(files::Failure failure) {
  return failure ? llvm::createStringError(failure.message) : llvm::Error::success();
}

/// See Tiny/Files/Tensors.h for each.
inline llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes) {
  return toExpected(files::parseNpy(std::string_view(bytes)));
}
inline llvm::Expected<std::vector<NamedTensor>> parseNpz(llvm::StringRef bytes) {
  return toExpected(files::parseNpz(std::string_view(bytes)));
}
inline llvm::Expected<std::string> formatNpy(const HostTensor &tensor) { return toExpected(files::formatNpy(tensor)); }
inline llvm::Expected<std::string> formatNpz(llvm::ArrayRef<NamedTensor> tensors) {
  return toExpected(files::formatNpz(tensors));
}
inline llvm::Expected<std::string> readFileBytes(llvm::StringRef path) {
  return toExpected(files::readFileBytes(path.str()));
}
inline llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef bytes) {
  return toError(files::writeFileAtomically(path.str(), bytes));
}
inline llvm::Expected<std::vector<NamedTensor>> readTensors(llvm::StringRef path) {
  return toExpected(files::readTensors(path.str()));
}
inline llvm::Error writeTensors(llvm::StringRef path, llvm::ArrayRef<NamedTensor> tensors) {
  return toError(files::writeTensors(path.str(), tensors));
}

} // namespace tiny

#endif // TINY_SUPPORT_NPY_H
