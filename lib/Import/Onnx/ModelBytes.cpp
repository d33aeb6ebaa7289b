// Copies a model's message field by field, without the raw elements of large tensors.
#include "ModelBytes.h"

#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace llvm;

namespace tiny::onnximport {
namespace {

/// The messages that lead to tensors.
enum class Message { Model, Graph, Function, Node, Attribute, Tensor };

constexpr unsigned kDeepest = 64;
constexpr uint32_t kRawData = 9, kExternalData = 13, kDataLocation = 14;
constexpr unsigned kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

/// The message in a field, where it is one of those.
std::optional<Message> getChild(Message parent, uint32_t field) {
  switch (parent) {
  case Message::Model:
    return field == 7 ? std::optional(Message::Graph) : field == 25 ? std::optional(Message::Function) : std::nullopt;
  case Message::Graph:
    return field == 1 ? std::optional(Message::Node) : field == 5 ? std::optional(Message::Tensor) : std::nullopt;
  case Message::Function:
    return field == 7 ? std::optional(Message::Node) : std::nullopt;
  case Message::Node:
    return field == 5 ? std::optional(Message::Attribute) : std::nullopt;
  case Message::Attribute:
    if (field == 5 || field == 10)
      return Message::Tensor;
    return field == 6 || field == 11 ? std::optional(Message::Graph) : std::nullopt;
  case Message::Tensor:
    return std::nullopt;
  }
  llvm_unreachable("not a message");
}

/// One field of a message.
struct Field {
  uint32_t number = 0;
  unsigned type = kVarint;
  /// All of it, and what is behind tag and length.
  StringRef whole, content;
};

bool readVarint(StringRef &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = uint8_t(bytes.front());
    bytes = bytes.drop_front();
    value |= uint64_t(byte & 0x7F) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

void writeVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += char(value | 0x80);
  bytes += char(value);
}

void writeField(std::string &bytes, uint32_t number, StringRef content) {
  writeVarint(bytes, uint64_t(number) << 3 | kBytes);
  writeVarint(bytes, content.size());
  bytes += content;
}

/// Takes the first field off the bytes. False where they are none; groups, which no newer schema has, are none.
bool readField(StringRef &bytes, Field &field) {
  StringRef begin = bytes;
  uint64_t tag, size = 0;
  if (!readVarint(bytes, tag) || tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF)
    return false;
  field.number = uint32_t(tag >> 3);
  field.type = tag & 7;
  StringRef varint = bytes;
  switch (field.type) {
  case kVarint:
    if (!readVarint(varint, size))
      return false;
    size = bytes.size() - varint.size();
    break;
  case kFixed64:
    size = 8;
    break;
  case kFixed32:
    size = 4;
    break;
  case kBytes:
    if (!readVarint(bytes, size))
      return false;
    break;
  default:
    return false;
  }
  if (size > bytes.size())
    return false;
  field.content = bytes.take_front(size);
  bytes = bytes.drop_front(size);
  field.whole = begin.drop_back(bytes.size());
  return true;
}

class Slimmer {
public:
  explicit Slimmer(SlimModel &model) : model(model) {}

  /// Copies a message; false where it is malformed.
  bool copy(StringRef message, Message kind, std::string &out, unsigned depth) {
    if (depth > kDeepest)
      return false;
    if (kind == Message::Tensor)
      return copyTensor(message, out);
    Field field;
    while (!message.empty()) {
      if (!readField(message, field))
        return false;
      std::optional<Message> child = field.type == kBytes ? getChild(kind, field.number) : std::nullopt;
      if (!child) {
        out += field.whole;
        continue;
      }
      std::string inner;
      if (!copy(field.content, *child, inner, depth + 1))
        return false;
      writeField(out, field.number, inner);
    }
    return true;
  }

private:
  bool copyTensor(StringRef tensor, std::string &out) {
    Field field;
    StringRef raw;
    unsigned nRaw = 0, nPlaces = 0;
    for (StringRef rest = tensor; !rest.empty();) {
      if (!readField(rest, field))
        return false;
      if (field.number == kRawData && field.type == kBytes) {
        raw = field.content;
        ++nRaw;
      } else if (field.number == kExternalData || field.number == kDataLocation) {
        ++nPlaces;
        if (field.type == kBytes)
          noteFile(field.content);
      }
    }
    if (nRaw != 1 || nPlaces || raw.size() <= kLargestInlineConstant) {
      out += tensor;
      return true;
    }
    while (!tensor.empty() && readField(tensor, field))
      if (field.number != kRawData)
        out += field.whole;
    std::string entry;
    writeField(entry, 1, kTakenKey);
    writeField(entry, 2, utostr(model.elements.size()));
    writeField(out, kExternalData, entry);
    writeVarint(out, uint64_t(kDataLocation) << 3 | kVarint);
    writeVarint(out, 1);
    model.elements.push_back(raw);
    return true;
  }

  /// A key and a value of external data.
  void noteFile(StringRef entry) {
    StringRef key, value;
    Field field;
    while (!entry.empty() && readField(entry, field))
      (field.number == 1 ? key : value) = field.content;
    if (key == "location")
      model.files.insert(value);
  }

  SlimModel &model;
};

} // namespace

SlimModel takeOutElements(StringRef model) {
  SlimModel slim;
  if (Slimmer(slim).copy(model, Message::Model, slim.bytes, 0))
    return slim;
  SlimModel whole;
  whole.bytes = model.str();
  return whole;
}

} // namespace tiny::onnximport
