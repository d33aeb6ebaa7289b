// Binds the tensors of files to the inputs of a program, by name or by position.
#include "Tiny/Files/Inputs.h"

#include "Tiny/Files/Recipe.h"

#include <algorithm>
#include <unistd.h>

namespace tiny::files {
namespace {

/// A tensor for an input, and the file that it comes from.
struct Bound {
  HostTensor tensor;
  std::string file;
};

std::string formatType(const Parameter &parameter) {
  return tiny::formatType(parameter.dtype, parameter.shape.data(), parameter.shape.size());
}

class InputBinder {
public:
  explicit InputBinder(const std::vector<Parameter> &inputs) : inputs(inputs), bound(inputs.size()) {}

  Failure add(const std::string &text) {
    // A path may have an equals sign too: it is a name if an input has it, or if no such file exists.
    size_t equals = text.find('=');
    std::string name = text.substr(0, equals), path = text;
    bool named = equals != std::string::npos && equals + 1 < text.size() && (find(name) || access(text.c_str(), F_OK));
    if (named)
      path = text.substr(equals + 1);
    if (named && !find(name))
      return unknown(name, path);
    Result<std::optional<Recipe>> recipe = parseRecipe(path);
    if (!recipe)
      return recipe.takeFailure();
    if (*recipe)
      return named ? make(**recipe, *find(name), path) : addForTheRest(**recipe, path);
    Result<std::vector<NamedTensor>> tensors = readTensors(path);
    if (!tensors)
      return tensors.takeFailure();
    if (named && tensors->size() != 1)
      return {path + ": got " + std::to_string(tensors->size()) + " tensors for input '" + name + "'"};
    for (NamedTensor &tensor : *tensors) {
      std::optional<size_t> index = named ? find(name) : tensor.name.empty() ? firstFree() : find(tensor.name);
      if (!index)
        return tensor.name.empty() ? Failure{path + ": there are more tensors than the model's inputs, which are " +
                                             std::to_string(inputs.size())}
                                   : unknown(tensor.name, path);
      if (Failure failure = bind(*index, std::move(tensor.tensor), path))
        return failure;
    }
    return {};
  }

  Result<std::vector<HostTensor>> finish() {
    std::vector<HostTensor> tensors;
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!bound[k] && rest)
        if (Failure failure = make(*rest, k, restText))
          return failure;
      if (!bound[k])
        return Failure{"no --input is given for '" + inputs[k].name + "', " + formatType(inputs[k])};
      tensors.push_back(std::move(bound[k]->tensor));
    }
    return tensors;
  }

private:
  std::optional<size_t> find(const std::string &name) const {
    auto found = std::find_if(inputs.begin(), inputs.end(), [&](const Parameter &input) { return input.name == name; });
    return found == inputs.end() ? std::nullopt : std::optional<size_t>(found - inputs.begin());
  }

  std::optional<size_t> firstFree() const {
    for (size_t k = 0; k < bound.size(); ++k)
      if (!bound[k])
        return k;
    return std::nullopt;
  }

  Failure bind(size_t index, HostTensor tensor, const std::string &path) {
    const Parameter &input = inputs[index];
    if (bound[index])
      return {"input '" + input.name + "' is given twice, by " + bound[index]->file + " and " + path};
    if (tensor.dtype != input.dtype || tensor.shape != input.shape)
      return {path + ": input '" + input.name + "': got " + tiny::formatType(tensor) + ", expected " +
              formatType(input)};
    bound[index] = Bound{std::move(tensor), path};
    return {};
  }

  Failure make(const Recipe &recipe, size_t index, const std::string &text) {
    Result<HostTensor> tensor = makeTensor(recipe, inputs[index].dtype, inputs[index].shape, index);
    if (!tensor)
      return {"input '" + inputs[index].name + "': " + tensor.message()};
    return bind(index, std::move(*tensor), text);
  }

  /// A recipe without a name is for every input that nothing else gives.
  Failure addForTheRest(const Recipe &recipe, const std::string &text) {
    if (rest)
      return {"the rest of the inputs is given twice, by " + restText + " and " + text};
    rest = recipe;
    restText = text;
    return {};
  }

  Failure unknown(const std::string &name, const std::string &path) const {
    std::string names;
    for (const Parameter &input : inputs)
      names += (names.empty() ? "'" : ", '") + input.name + "'";
    return {path + ": the model has no input '" + name + "', but " + (names.empty() ? "none at all" : names)};
  }

  const std::vector<Parameter> &inputs;
  std::vector<std::optional<Bound>> bound;
  std::optional<Recipe> rest;
  std::string restText;
};

} // namespace

Result<std::vector<HostTensor>> readInputs(const std::vector<std::string> &texts,
                                           const std::vector<Parameter> &inputs) {
  InputBinder binder(inputs);
  for (const std::string &text : texts)
    if (Failure failure = binder.add(text))
      return failure;
  return binder.finish();
}

} // namespace tiny::files
