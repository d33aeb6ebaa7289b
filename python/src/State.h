// What modules and optimisers have in common: tensors by name.
#ifndef TINY_PYTHON_SRC_STATE_H
#define TINY_PYTHON_SRC_STATE_H

#include "Module.h"

#include "Tiny/Frontend/Nn.h"

namespace tiny::python {

/// What a module or an optimiser has, by number: its names, and each tensor, which keeps its owner.
template <typename Class, typename... Options> void bindState(nb::class_<Class, Options...> &bound) {
  bound.def("_names", [](Class &self) {
    std::vector<std::pair<std::string, bool>> names;
    for (const nn::Named &named : self.state())
      names.emplace_back(named.name, named.trains);
    return names;
  });
  bound.def(
      "_tensor", [](Class &self, size_t index) { return self.state().at(index).tensor; },
      nb::rv_policy::reference_internal);
  bound.def("_replace",
            [](Class &self, size_t index, const Tensor &tensor) { *self.state().at(index).tensor = tensor; });
}

} // namespace tiny::python

#endif // TINY_PYTHON_SRC_STATE_H
