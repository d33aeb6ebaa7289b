// Captured functions, and functions over sizes.
#include "Module.h"

#include "Tiny/Frontend/Jit.h"
#include "Tiny/Frontend/SizedJit.h"

#include <nanobind/stl/tuple.h>

namespace tiny::python {

/// A function of Python's, called with the interpreter's lock, and dropped with it.
static auto keep(nb::callable function) {
  std::shared_ptr<nb::callable> kept(new nb::callable(std::move(function)), [](nb::callable *object) {
    nb::gil_scoped_acquire acquire;
    delete object;
  });
  return [kept](const auto &...arguments) {
    nb::gil_scoped_acquire acquire;
    return nb::cast<std::vector<Tensor>>((*kept)(nb::cast(arguments)...));
  };
}

static std::string nameTypes(const std::vector<Tensor> &tensors, const std::vector<int> &axes) {
  std::string text;
  for (const Tensor &tensor : tensors) {
    text += std::to_string(int(tensor.dtype()));
    const char *before = "[";
    for (size_t axis = 0; axis < tensor.shape().size(); ++axis, before = ",")
      text += before + (axis < axes.size() && axes[axis] >= 0 ? "*" : std::to_string(tensor.shape()[axis]));
    text += ';';
  }
  return text;
}

void bindJit(nb::module_ &module) {
  module.def(
      "_place_of", [](const Tensor &tensor) { return reinterpret_cast<uintptr_t>(tensor.getNode().get()); },
      "A number for the tensor's value: another one where it is assigned another value.");
  module.def("_types_of", &nameTypes, nb::arg("tensors"), nb::arg("axes") = std::vector<int>(),
             "A text for the tensors' types. Where an axis' number is not -1 any extent is the same.");
  nb::class_<Jit>(module, "Jit", "A function whose programs are captured once and then only run.")
      .def(
          "__init__", [](Jit *self, nb::callable function) { new (self) Jit(keep(std::move(function))); },
          nb::arg("function"))
      .def(
          "__call__",
          [](Jit &self, const std::vector<Tensor> &arguments, const std::string &key) {
            Site site = findSite();
            return unlocked([&] { return self(arguments, site, key); });
          },
          nb::arg("arguments"), nb::arg("key") = "")
      .def_static("modes", &Jit::nameModes, "A text for what, beside the arguments, decides what is captured.")
      .def_prop_ro("replays", &Jit::countReplays, "How many calls ran what was captured.");
  using Size = std::tuple<std::string, int64_t, int64_t, bool>;
  using Argument = std::tuple<std::string, Tensor, std::vector<int>, bool>;
  nb::class_<SizedJit>(module, "SizedJit", "A function of which one program serves all sizes within bounds.")
      .def(
          "__init__",
          [](SizedJit *self, nb::callable function, const std::vector<Size> &sizes,
             const std::vector<Argument> &arguments) {
            std::vector<SizedJit::Size> all;
            all.reserve(sizes.size());
            for (const auto &[name, least, most, isNumber] : sizes)
              all.push_back({name, least, most, isNumber});
            std::vector<SizedJit::Argument> described;
            described.reserve(arguments.size());
            for (const auto &[name, tensor, open, isDonated] : arguments) {
              SizedJit::Argument argument = {name, tensor.dtype(), {}, isDonated};
              argument.axes.reserve(open.size());
              for (size_t axis = 0; axis < open.size(); ++axis)
                argument.axes.emplace_back(tensor.shape().at(axis), open[axis]);
              described.push_back(std::move(argument));
            }
            new (self) SizedJit(keep(std::move(function)), std::move(all), std::move(described));
          },
          nb::arg("function"), nb::arg("sizes"), nb::arg("arguments"),
          "Sizes: name, least, most, and whether it is a number. Arguments: name, an example, for each axis the "
          "number\n"
          "of its size or -1, and whether it is donated.")
      .def(
          "__call__",
          [](SizedJit &self, const std::vector<Tensor> &tensors, const std::vector<int64_t> &numbers) {
            Site site = findSite();
            return unlocked([&] { return self(tensors, numbers, site); });
          },
          nb::arg("tensors"), nb::arg("numbers"));
}

} // namespace tiny::python
