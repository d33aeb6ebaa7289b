// Chooses the sizes of a run for the inputs that recipes make.
#include "Tiny/Files/Sizes.h"

#include <algorithm>
#include <cstdlib>

namespace tiny::files {

Result<std::vector<int64_t>> evaluateShape(const std::vector<int64_t> &bound, const LiveShape &live,
                                           const std::vector<int64_t> &sizes) {
  std::vector<int64_t> shape = bound;
  for (size_t axis = 0; axis < live.size(); ++axis) {
    const std::vector<tiny_format_term> &terms = live[axis];
    if (terms.empty())
      continue;
    if (!tiny_format_evaluate(terms.data(), terms.size(), sizes.data(), sizes.size(), &shape[axis]) ||
        shape[axis] < 0 || shape[axis] > bound[axis])
      return Failure{"dimension " + std::to_string(axis) + " has no extent at these sizes"};
  }
  return shape;
}

Failure SizeChoice::addOption(const std::string &text) {
  std::string option = "--size " + text, names;
  size_t equals = text.rfind('=');
  std::string name = text.substr(0, equals), number = equals == std::string::npos ? "" : text.substr(equals + 1);
  char *end = nullptr;
  long long value = std::strtoll(number.c_str(), &end, 10);
  if (name.empty() || number.empty() || number[0] < '0' || number[0] > '9' || *end)
    return {option + ": expected NAME=SIZE"};
  auto found = std::find_if(sizes.begin(), sizes.end(), [&](const Size &size) { return size.name == name; });
  if (found == sizes.end()) {
    for (const Size &size : sizes) {
      names += names.empty() ? "'" : ", '";
      names += size.name + "'";
    }
    return {option + ": the program has no size of this name, but " + (names.empty() ? "none at all" : names)};
  }
  Choice &choice = chosen[found - sizes.begin()];
  if (found->isComputed)
    return {option + ": the program computes '" + name + "'"};
  if (!choice.from.empty())
    return {option + ": '" + name + "' has a size already"};
  if (value < found->least || value > found->most)
    return {option + ": expected " + std::to_string(found->least) + " to " + std::to_string(found->most)};
  choice = {value, option};
  return {};
}

Failure SizeChoice::addInput(const std::string &name, const LiveShape &live, const std::vector<int64_t> &shape) {
  for (size_t axis = 0; axis < live.size(); ++axis) {
    if (live[axis].size() != 1 || live[axis][0].kind != TINY_TERM_SIZE)
      continue;
    Choice &choice = chosen[live[axis][0].value];
    const Size &size = sizes[live[axis][0].value];
    // As the runtime says it, which sees such an input too late where others are made beside it.
    if (shape[axis] < size.least || shape[axis] > size.most)
      return {"argument '" + name + "': dimension '" + size.name + "' is " + std::to_string(shape[axis]) +
              ", expected " + std::to_string(size.least) + " to " + std::to_string(size.most)};
    if (choice.from.empty())
      choice = {shape[axis], "input '" + name + "'"};
    else if (choice.from[0] == '-' && choice.value != shape[axis])
      return {choice.from + ": input '" + name + "' has " + std::to_string(shape[axis])};
  }
  return {};
}

std::vector<int64_t> SizeChoice::finish(std::string &note) const {
  std::vector<int64_t> values;
  std::string names;
  for (size_t k = 0; k < sizes.size(); ++k) {
    bool isGiven = !chosen[k].from.empty();
    values.push_back(isGiven ? chosen[k].value : sizes[k].most);
    if (!isGiven && !sizes[k].isComputed)
      names += (names.empty() ? "" : ", ") + sizes[k].name + " = " + std::to_string(sizes[k].most);
  }
  note = names.empty() ? "" : "inputs are made at the greatest sizes, " + names + "; --size NAME=SIZE says others";
  return values;
}

} // namespace tiny::files
