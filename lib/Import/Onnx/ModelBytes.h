// A model's bytes before protobuf reads them, which copies: the elements of large tensors stay where they lie.
#ifndef TINY_LIB_IMPORT_ONNX_MODELBYTES_H
#define TINY_LIB_IMPORT_ONNX_MODELBYTES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace tiny::onnximport {

/// Raw elements of more bytes than this are taken out of a model, and large constants are resources.
constexpr size_t kLargestInlineConstant = 4096;

/// The key that a tensor has in place of its elements: as external data, with the place in `elements` as value.
constexpr llvm::StringLiteral kTakenKey = "tiny.taken";

/// A model without the raw elements of its large tensors.
struct SlimModel {
  std::string bytes;
  /// What was taken out; parts of the bytes that were given.
  llvm::SmallVector<llvm::StringRef> elements;
  /// The files of external data that it names.
  llvm::StringSet<> files;
};

/// Walks over the message once, without reading the elements. Of a malformed message, the bytes as they are.
SlimModel takeOutElements(llvm::StringRef model);

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_MODELBYTES_H
