// Binds the tensors of files to the inputs of a program, by name or by position.
#include "Tiny/Files/Inputs.h"

#include "Tiny/Files/Recipe.h"

#include <algorithm>
#include <unistd.h>

namespace tiny::files {
namespace {

/// A tensor for an input, or how it is made, and the file or recipe that it comes from.
struct Bound {
  HostTensor tensor;
  std::string file;
  std::optional<Recipe> recipe = {};
};

bool isLive(const Parameter &parameter, size_t axis) {
  return axis < parameter.live.size() && !parameter.live[axis].empty();
}

/// With a question mark for what depends on sizes.
std::string formatType(const Parameter &parameter) {
  std::string text = "tensor<";
  for (size_t axis = 0; axis < parameter.shape.size(); ++axis)
    text += (isLive(parameter, axis) ? "?" : std::to_string(parameter.shape[axis])) + "x";
  return text + getDtypeName(parameter.dtype) + ">";
}

bool fits(const HostTensor &tensor, const Parameter &input) {
  if (tensor.dtype != input.dtype || tensor.shape.size() != input.shape.size())
    return false;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
    if (!isLive(input, axis) && tensor.shape[axis] != input.shape[axis])
      return false;
  return true;
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
      return named ? bind(*find(name), {{}, path, *recipe}) : addForTheRest(**recipe, path);
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
      if (!fits(tensor.tensor, inputs[*index]) && !bound[*index])
        return {path + ": input '" + inputs[*index].name + "': got " + tiny::formatType(tensor.tensor) + ", expected " +
                formatType(inputs[*index])};
      if (Failure failure = bind(*index, {std::move(tensor.tensor), path}))
        return failure;
    }
    return {};
  }

  Result<std::vector<HostTensor>> finish(SizeRequest &request) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!bound[k] && rest)
        bound[k] = Bound{{}, restText, rest};
      if (!bound[k])
        return Failure{"no --input is given for '" + inputs[k].name + "', " + formatType(inputs[k]) +
                       "; --input random:1 draws all that are not"};
    }
    std::vector<int64_t> sizes;
    if (Failure failure = chooseSizes(request, sizes))
      return failure;
    std::vector<HostTensor> tensors;
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (bound[k]->recipe)
        if (Failure failure = make(k, sizes))
          return failure;
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

  Failure bind(size_t index, Bound from) {
    if (bound[index])
      return {"input '" + inputs[index].name + "' is given twice, by " + bound[index]->file + " and " + from.file};
    bound[index] = std::move(from);
    return {};
  }

  /// The sizes of what is made.
  Failure chooseSizes(SizeRequest &request, std::vector<int64_t> &sizes) const {
    SizeChoice choice(request.sizes);
    for (const std::string &option : request.options)
      if (Failure failure = choice.addOption(option))
        return failure;
    bool makesLive = false;
    for (size_t k = 0; k < inputs.size(); ++k) {
      makesLive = makesLive || (bound[k]->recipe && !inputs[k].live.empty());
      if (!bound[k]->recipe)
        if (Failure failure = choice.addInput(inputs[k].name, inputs[k].live, bound[k]->tensor.shape))
          return failure;
    }
    std::string note;
    sizes = choice.finish(note);
    request.note = makesLive ? note : "";
    return {};
  }

  Failure make(size_t index, const std::vector<int64_t> &sizes) {
    const Parameter &input = inputs[index];
    Result<std::vector<int64_t>> shape = evaluateShape(input.shape, input.live, sizes);
    if (!shape)
      return {"input '" + input.name + "': " + shape.message()};
    Result<HostTensor> tensor = makeTensor(*bound[index]->recipe, input.dtype, *shape, index);
    if (!tensor)
      return {"input '" + input.name + "': " + tensor.message()};
    bound[index]->tensor = std::move(*tensor);
    return {};
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

Result<std::vector<HostTensor>> readInputs(const std::vector<std::string> &texts, const std::vector<Parameter> &inputs,
                                           SizeRequest *sizes) {
  SizeRequest none;
  InputBinder binder(inputs);
  for (const std::string &text : texts)
    if (Failure failure = binder.add(text))
      return failure;
  return binder.finish(sizes ? *sizes : none);
}

} // namespace tiny::files
