// Spells types, elements and names in C.
#include "Elements.h"

#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;

namespace tiny::c {

std::string makeIdentifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  return name;
}

std::string quote(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream stream(quoted);
  llvm::printEscapedString(text, stream);
  // Neither the end of a comment, nor the beginning of another, nor a trigraph.
  for (const char *mark : {"*/", "/*", "??"})
    for (size_t at; (at = quoted.find(mark)) != std::string::npos;)
      quoted.insert(at + 1, " ");
  return "\"" + quoted + "\"";
}

StringRef getElementName(Type element) {
  if (element.isF32())
    return "float";
  if (element.isF64())
    return "double";
  switch (element.isIndex() ? 64 : element.getIntOrFloatBitWidth()) {
  case 1:
    return "uint8_t";
  case 8:
    return "int8_t";
  case 16:
    return "int16_t";
  case 32:
    return "int32_t";
  default:
    return "int64_t";
  }
}

int64_t getBytes(MemRefType type) {
  Type element = type.getElementType();
  return type.getNumElements() * (element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

template <typename T> static std::string writeNumber(T value) {
  if constexpr (std::is_integral_v<T>) {
    if (sizeof(T) == 8 && int64_t(value) == std::numeric_limits<int64_t>::min())
      return "INT64_MIN";
    return std::to_string(value);
  } else {
    if (std::isnan(value))
      return std::signbit(value) ? "-NAN" : "NAN";
    if (std::isinf(value))
      return value < 0 ? "-INFINITY" : "INFINITY";
    SmallString<32> text;
    APFloat(value).toString(text, 0, 4);
    if (!StringRef(text).contains('.') && !StringRef(text).contains_insensitive("e"))
      text += ".0";
    return (text + (sizeof(T) == 4 ? "f" : "")).str();
  }
}

std::string writeElement(const char *bytes, Type type) {
  auto read = [&](auto value) {
    memcpy(&value, bytes, sizeof value);
    return writeNumber(value);
  };
  if (type.isF32())
    return read(float());
  if (type.isF64())
    return read(double());
  switch (type.isIndex() ? 64 : type.getIntOrFloatBitWidth()) {
  case 1:
  case 8:
    return read(int8_t());
  case 16:
    return read(int16_t());
  case 32:
    return read(int32_t());
  default:
    return read(int64_t());
  }
}

} // namespace tiny::c
