// Finds the elements of external data: in mapped files below the model's folder, or in the model's own bytes.
#include "DataFiles.h"

#include "ModelBytes.h"

using namespace mlir;

namespace tiny::onnximport {

std::optional<StringRef> DataFiles::find(const onnx::TensorProto &tensor, uint64_t expected, EmitError emitError) {
  StringRef location;
  uint64_t offset = 0, length = expected;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    StringRef key = entry.key(), value = entry.value();
    uint64_t place;
    if (key == kTakenKey && !value.getAsInteger(10, place) && place < taken.size())
      return taken[place];
    if (key == "location")
      location = value;
    uint64_t *number = key == "offset" ? &offset : key == "length" ? &length : nullptr;
    if (number && value.getAsInteger(10, *number)) {
      emitError() << key << " '" << value << "' of its elements is not a number";
      return std::nullopt;
    }
  }
  if (location.empty()) {
    emitError() << "its elements are in a file without a name";
    return std::nullopt;
  }
  if (!folder) {
    emitError() << "its elements are in '" << location << "', and the model is in no folder";
    return std::nullopt;
  }
  std::shared_ptr<const FileMapping> &file = files[location];
  if (!file) {
    llvm::Expected<std::string> path = resolveBelow(*folder, location);
    llvm::Expected<std::shared_ptr<const FileMapping>> opened =
        path ? FileMapping::open(*path) : llvm::Expected<std::shared_ptr<const FileMapping>>(path.takeError());
    if (!opened) {
      emitError() << "its elements: " << llvm::toString(opened.takeError());
      return std::nullopt;
    }
    file = std::move(*opened);
  }
  StringRef bytes = file->getBytes();
  if (offset > bytes.size() || length > bytes.size() - offset) {
    emitError() << "its elements, " << length << " bytes at offset " << offset << ", leave '" << location << "' of "
                << bytes.size() << " bytes";
    return std::nullopt;
  }
  return bytes.substr(offset, length);
}

} // namespace tiny::onnximport
