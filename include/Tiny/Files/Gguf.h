// Files in llama.cpp's GGUF format: metadata and tensors of a language model, often quantised. No LLVM in here.
#ifndef TINY_FILES_GGUF_H
#define TINY_FILES_GGUF_H

#include "Tiny/Files/Tensors.h"

#include <variant>

namespace tiny::files {

/// A value of the metadata: whole numbers, floats, truth values, texts, and lists of these.
struct GgufValue {
  std::variant<bool, int64_t, uint64_t, double, std::string, std::vector<GgufValue>> value;
};

/// A tensor by its name. Elements of a plain type are themselves. Those of a quantised one are the file's bytes, ui8,
/// whose last axis is a block's bytes and whose last but one counts the blocks of a row.
struct GgufTensor {
  std::string name;
  /// The format's name of the element type, "Q4_1".
  std::string type;
  /// Of the elements, row-major.
  std::vector<int64_t> shape;
  HostTensor tensor;
};

struct GgufFile {
  std::vector<std::pair<std::string, GgufValue>> metadata;
  std::vector<GgufTensor> tensors;
};

/// Reads the bytes of a GGUF file, version 2 or 3, little endian. Tensors are parts of the bytes where these have an
/// owner, else copies. Element types are F64, F32, F16, BF16, I8 to I64, Q4_0, Q4_1 and Q8_0; others are refused.
Result<GgufFile> parseGguf(const Source &source);
/// Maps and reads a file. Messages begin with the path.
Result<GgufFile> readGguf(const std::string &path);

} // namespace tiny::files

#endif // TINY_FILES_GGUF_H
