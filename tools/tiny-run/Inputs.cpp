// Binds the tensors of files to the inputs of a program, by name or by position.
#include "Inputs.h"

#include "Tiny/Files/Recipe.h"
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
    Expected<std::optional<files::Recipe>> recipe = toExpected(files::parseRecipe(path));
    if (!recipe)
      return recipe.takeError();
    if (*recipe)
      return named ? make(**recipe, *find(name), path) : addForTheRest(**recipe, path);
    Expected<std::vector<NamedTensor>> tensors = readTensors(path);
    if (!tensors)
      return tensors.takeError();
    if (named && tensors->size() != 1)
      return llvm::createStringError(path + ": got " + Twine(tensors->size()) + " tensors for input '" + name + "'");
    for (NamedTensor &tensor : *tensors) {
      std::optional<size_t> index = named ? find(name) : tensor.name.empty() ? firstFree() : find(tensor.name);
      if (!index)
        return tensor.name.empty() ? tooMany(path) : unknown(tensor.name, path);
      if (llvm::Error error = bind(*index, std::move(tensor.tensor), path))
        return error;
    }
    return llvm::Error::success();
  }

  Expected<std::vector<HostTensor>> finish() {
    std::vector<HostTensor> tensors;
    for (auto [index, input, tensor] : llvm::enumerate(inputs, bound)) {
      if (!tensor && rest)
        if (llvm::Error error = make(*rest, index, restText))
          return error;
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

  llvm::Error bind(size_t index, HostTensor tensor, StringRef path) {
    if (bound[index])
      return llvm::createStringError("input '" + inputs[index].name + "' is given twice, by " + bound[index]->file +
                                     " and " + path);
    if (llvm::Error error = checkInput(inputs[index], tensor))
      return llvm::createStringError(path + ": " + llvm::toString(std::move(error)));
    bound[index] = Bound{std::move(tensor), path.str()};
    return llvm::Error::success();
  }

  llvm::Error make(const files::Recipe &recipe, size_t index, StringRef text) {
    const Parameter &input = inputs[index];
    std::optional<tiny_dtype> dtype = getDtype(input.type.getElementType());
    if (!dtype)
      return llvm::createStringError("input '" + input.name + "' is of a type that has no buffers");
    Expected<HostTensor> tensor = toExpected(files::makeTensor(recipe, *dtype, input.type.getShape().vec(), index));
    if (!tensor)
      return llvm::createStringError("input '" + input.name + "': " + llvm::toString(tensor.takeError()));
    return bind(index, std::move(*tensor), text);
  }

  /// A recipe without a name is for every input that nothing else gives.
  llvm::Error addForTheRest(const files::Recipe &recipe, StringRef text) {
    if (rest)
      return llvm::createStringError("the rest of the inputs is given twice, by " + restText + " and " + text);
    rest = recipe;
    restText = text.str();
    return llvm::Error::success();
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
  std::optional<files::Recipe> rest;
  std::string restText;
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
