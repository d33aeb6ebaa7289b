// Calls of functions over sizes: what is checked of arguments, and how the function is traced.
#include "Tiny/Frontend/SizedJit.h"

#include "Calls.h"

#include <exception>

using namespace tiny;
using namespace tiny::frontend;

void SizedJit::check(const std::vector<Tensor> &tensors, const std::vector<int64_t> &numbers, Site site) const {
  for (const Size &size : sizes)
    if (size.least > size.most)
      raise("the size '" + size.name + "' has the bounds " + std::to_string(size.least) + " to " +
                std::to_string(size.most) + ", expected the least first",
            site);
  for (const Argument &argument : arguments)
    for (auto [extent, size] : argument.axes)
      if (size < -1 || size >= int(sizes.size()))
        raise("argument '" + argument.name + "' has the size number " + std::to_string(size) + ", there are " +
                  std::to_string(sizes.size()),
              site);
  if (tensors.size() != arguments.size())
    raise("expects " + std::to_string(arguments.size()) + " tensors, got " + std::to_string(tensors.size()), site);
  std::vector<int64_t> values(sizes.size(), -1);
  size_t next = 0;
  for (size_t index = 0; index < sizes.size(); ++index)
    if (sizes[index].isNumber && next++ < numbers.size())
      values[index] = numbers[next - 1];
  if (next != numbers.size())
    raise("expects " + std::to_string(next) + " numbers, got " + std::to_string(numbers.size()), site);
  for (size_t place = 0; place < tensors.size(); ++place) {
    const Shape &shape = tensors[place].shape();
    const Argument &argument = arguments[place];
    bool fits = tensors[place].dtype() == argument.dtype && shape.size() == argument.axes.size();
    for (size_t axis = 0; fits && axis < shape.size(); ++axis) {
      auto [extent, size] = argument.axes[axis];
      if (size < 0) {
        fits = extent == shape[axis];
        continue;
      }
      if (values[size] >= 0 && values[size] != shape[axis])
        raise("argument '" + argument.name + "': axis " + std::to_string(axis) + " has the size '" + sizes[size].name +
                  "', which is " + std::to_string(values[size]) + " elsewhere, and " + std::to_string(shape[axis]) +
                  " here",
              site);
      values[size] = shape[axis];
    }
    if (!fits)
      raise("argument '" + argument.name +
                "' has another type than before: " + formatType(tensors[place].dtype(), shape.data(), shape.size()),
            site);
  }
  for (size_t index = 0; index < sizes.size(); ++index)
    if (values[index] < sizes[index].least || values[index] > sizes[index].most)
      raise("the size '" + sizes[index].name + "' is " + std::to_string(values[index]) + ", expected " +
                std::to_string(sizes[index].least) + " to " + std::to_string(sizes[index].most),
            site);
}

void SizedJit::compile(Site site) {
  // What the function throws passes the compiler as a failure.
  std::exception_ptr thrown;
  auto trace = [&](const std::vector<int64_t> &values,
                   const std::vector<NodePtr> &leaves) -> std::optional<std::vector<NodePtr>> {
    bool before = setTracing(true);
    std::optional<std::vector<NodePtr>> results;
    try {
      results = getNodes(function(getTensors(leaves), values));
      if (!takeStates().empty())
        raise("random numbers, running statistics and other state of its own cannot change in a function over sizes: "
              "they are arguments and results",
              site);
    } catch (...) {
      results.reset();
      thrown = std::current_exception();
    }
    setTracing(before);
    return results;
  };
  Result<std::shared_ptr<SizedProgram>> compiled = compileSized({sizes, arguments}, trace);
  if (thrown)
    std::rethrow_exception(thrown);
  program = takeOrRaise(std::move(compiled), site);
}

std::vector<Tensor> SizedJit::operator()(const std::vector<Tensor> &tensors, const std::vector<int64_t> &numbers,
                                         Site site) {
  check(tensors, numbers, site);
  // Inside of another function that is captured or traced it is a part of that.
  if (isCapturing() || isTracing()) {
    std::vector<int64_t> values(sizes.size());
    for (size_t place = 0; place < tensors.size(); ++place)
      for (size_t axis = 0; axis < arguments[place].axes.size(); ++axis)
        if (int size = arguments[place].axes[axis].second; size >= 0)
          values[size] = tensors[place].shape()[axis];
    size_t next = 0;
    for (size_t index = 0; index < sizes.size(); ++index)
      if (sizes[index].isNumber)
        values[index] = numbers[next++];
    return function(tensors, values);
  }
  Tensor::realize(tensors, site);
  std::optional<HostTensors> outside = program ? readOutside(*program) : std::nullopt;
  if (!outside) {
    compile(site);
    outside = readOutside(*program);
  }
  if (!outside)
    raise("a tensor that the function reads is gone", site);
  return getTensors(takeOrRaise(runSized(*program, getNodes(tensors), *outside, numbers), site));
}
