// Programs of any level: the compiler's side of the package.
#include "Module.h"

#include "Tiny/Frontend/Model.h"

namespace tiny::python {

namespace {

/// Names, shapes and element types.
nb::list describe(const std::vector<Model::Parameter> &parameters) {
  nb::list all;
  for (const Model::Parameter &parameter : parameters)
    all.append(nb::make_tuple(parameter.name, nb::tuple(nb::cast(parameter.shape)), parameter.dtype));
  return all;
}

} // namespace

void bindModel(nb::module_ &module) {
  nb::class_<Model>(module, "Model",
                    "A program as the compiler has it, at any level. It never changes: passes make another one.")
      .def("__str__", &Model::text)
      .def(
          "run_passes",
          [](const Model &self, const std::string &pipeline) {
            Site site = findSite();
            return unlocked([&] { return self.run(pipeline, site); });
          },
          nb::arg("pipeline"), "What a pipeline makes of it, by tiny-opt's names: \"convert-tensor-to-lazy,cse\".")
      .def(
          "lowered",
          [](const Model &self, const std::string &level, const std::string &target) {
            Site site = findSite();
            return unlocked([&] { return self.lowered(level, target, site); });
          },
          nb::arg("level"), nb::arg("target") = "",
          "Its text at a level (tensor, lazy, kernel, uop) or in a form of the target, such as llvm or assembly; the\n"
          "target's own output for the empty level.")
      .def_prop_ro(
          "inputs", [](const Model &self) { return describe(self.inputs(findSite())); },
          "Name, shape and element type of each argument.")
      .def_prop_ro(
          "results", [](const Model &self) { return describe(self.results(findSite())); },
          "Name, shape and element type of each result.")
      .def(
          "_call",
          [](const Model &self, const std::vector<Tensor> &arguments) {
            Site site = findSite();
            return unlocked([&] { return self(arguments, site); });
          },
          nb::arg("arguments"));
  module.def(
      "parse",
      [](const std::string &text) {
        Site site = findSite();
        return unlocked([&] { return Model::parse(text, site); });
      },
      nb::arg("text"), "A program of any level from its text.");
  module.def(
      "program",
      [](const std::vector<Tensor> &tensors) {
        Site site = findSite();
        return unlocked([&] { return Model::of(tensors, site); });
      },
      nb::arg("tensors"), "The program that would compute tensors, which are its results.");
  module.def(
      "_load_model",
      [](const std::string &path, const std::vector<std::string> &dims) {
        Site site = findSite();
        return unlocked([&] { return Model::load(path, dims, site); });
      },
      nb::arg("path"), nb::arg("dims"));
  module.def(
      "set_device",
      [](nb::handle name) {
        if (!nb::isinstance<nb::str>(name))
          throw nb::type_error(
              ("expects the name of a device, such as \"cpu\", got " + nb::cast<std::string>(nb::repr(name))).c_str());
        setDevice(nb::cast<std::string>(name), findSite());
      },
      nb::arg("name"),
      "The device that programs run on from here on, \"cpu\" at first; on \"null\" nothing is computed, to measure the "
      "rest.");
  module.def(
      "report_programs", &setReporting, nb::arg("on") = true,
      "Whether each program that is compiled says so on standard error before it runs: time, and memory at most.");
}

} // namespace tiny::python
