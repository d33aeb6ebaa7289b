// Binds the tensors of files to the inputs of a program, by name or by position.
#include "Inputs.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {
namespace {

/// A tensor for an input, and the file that it comes from.
struct Bound {
  HostTensor tensor;
  std::string file;
};

/// Finds each input's tensor among the files.
class InputBinder {
public:
  explicit InputBinder(ArrayRef<Parameter> inputs) : inputs(inputs), bound(inputs.size()) {}

  llvm::Error add(StringRef text) {
    // A path may have an equals sign too: it is a name if an input has it, or if no such file exists.
    auto [name, path] = text.split('=');
    bool named = !path.empty() && (find(name) || !llvm::sys::fs::exists(text));
    if (named && !find(name))
      return unknown(name, path);
    if (!named)
      path = text;
    Expected<std::vector<NamedTensor>> tensors = readTensors(path);
    if (!tensors)
      return tensors.takeError();
    if (named && tensors->size() != 1)
      return llvm::createStringError(path + ": got " + Twine(tensors->size()) + " tensors for input '" + name + "'");
    for (NamedTensor &tensor : *tensors) {
      std::optional<size_t> index = named ? find(name) : tensor.name.empty() ? firstFree() : find(tensor.name);
      if (!index)
        return tensor.name.empty() ? tooMany(path) : unknown(tensor.name, path);
      if (bound[*index])
        return llvm::createStringError("input '" + inputs[*index].name + "' is given twice, by " + bound[*index]->file +
                                       " and " + path);
      if (llvm::Error error = checkInput(inputs[*index], tensor.tensor))
        return llvm::createStringError(path + ": " + llvm::toString(std::move(error)));
      bound[*index] = Bound{std::move(tensor.tensor), path.str()};
    }
    return llvm::Error::success();
  }

  Expected<std::vector<HostTensor>> finish() {
    std::vector<HostTensor> tensors;
    for (auto [input, tensor] : llvm::zip(inputs, bound)) {
      if (!tensor)
        return llvm::createStringError("no --input is given for '" + input.name + "', " + formatType(input.type));
      tensors.push_back(std::move(tensor->tensor));
    }
    return tensors;
  }

private:
  std::optional<size_t> find(StringRef name) const {
    const Parameter *found = llvm::find_if(inputs, [&](const Parameter &input) { return input.name == name; });
    return found == inputs.end() ? std::nullopt : std::optional<size_t>(found - inputs.begin());
  }

  std::optional<size_t> firstFree() const {
    for (size_t i = 0; i < bound.size(); ++i)
      if (!bound[i])
        return i;
    return std::nullopt;
  }

  llvm::Error tooMany(StringRef path) const {
    return llvm::createStringError(path + ": there are more tensors than the model's inputs, which are " +
                                   Twine(inputs.size()));
  }

  llvm::Error unknown(StringRef name, StringRef path) const {
    std::string names;
    for (const Parameter &input : inputs)
      names += (names.empty() ? "'" : ", '") + input.name + "'";
    return llvm::createStringError(path + ": the model has no input '" + name + "', but " +
                                   (names.empty() ? "none at all" : names));
  }

  ArrayRef<Parameter> inputs;
  std::vector<std::optional<Bound>> bound;
};

} // namespace

Expected<std::vector<HostTensor>> readInputs(ArrayRef<std::string> files, ArrayRef<Parameter> inputs) {
  InputBinder binder(inputs);
  for (const std::string &text : files)
    if (llvm::Error error = binder.add(text))
      return error;
  return binder.finish();
}

} // namespace tiny
