// The Python module `tiny._tiny`: the class Tensor, errors, and where a call stands.
#include "Module.h"

#include <unordered_set>

namespace tiny::python {

/// The folder of the package, with a slash: calls from there stand where their caller does.
static std::string &packageFolder() {
  static std::string folder;
  return folder;
}

Site findSite() {
  // Names of files, each once: sites point to them.
  static auto *names = new std::unordered_set<std::string>();
  PyFrameObject *frame = PyEval_GetFrame();
  if (!frame)
    return {"", 0};
  nb::object current = nb::borrow(reinterpret_cast<PyObject *>(frame));
  while (true) {
    auto *here = reinterpret_cast<PyFrameObject *>(current.ptr());
    nb::object code = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(here)));
    const std::string &file = *names->insert(nb::cast<std::string>(code.attr("co_filename"))).first;
    int line = PyFrame_GetLineNumber(here);
    nb::object back = nb::getattr(current, "f_back", nb::none());
    bool inside = !packageFolder().empty() && file.compare(0, packageFolder().size(), packageFolder()) == 0;
    if (!inside || back.is_none())
      return {file.c_str(), line};
    current = back;
  }
}

Shape toAxes(nb::handle object) {
  if (object.is_none())
    return {};
  if (nb::isinstance<nb::int_>(object))
    return {nb::cast<int64_t>(object)};
  return nb::cast<Shape>(object);
}

Shape toShape(const nb::args &args) {
  if (args.size() == 1 && !nb::isinstance<nb::int_>(args[0]))
    return nb::cast<Shape>(args[0]);
  return nb::cast<Shape>(nb::object(args));
}

PyOperand::PyOperand(nb::handle object) : site(findSite()) {
  if (nb::isinstance<Tensor>(object))
    tensor = nb::inst_ptr<Tensor>(object);
  else if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()))
    number = PyFloat_AsDouble(object.ptr());
  else
    tensor = &made.emplace(fromArray(object, std::nullopt, /*share=*/false));
  if (PyErr_Occurred())
    throw nb::python_error();
}

bool PyOperand::accepts(nb::handle object) {
  return nb::isinstance<Tensor>(object) || PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()) ||
         nb::hasattr(object, "__array_interface__") || nb::hasattr(object, "__dlpack__");
}

NB_MODULE(_tiny, module) {
  // Globals that live when the interpreter ends are no leak.
  nb::set_leak_warnings(false);
  module.doc() = "Lazy tensors: what the package `tiny` is made of.";
  nb::exception<Error> error(module, "Error", PyExc_ValueError);
  nb::class_<Tensor> tensor(
      module, "Tensor", nb::is_weak_referenceable(),
      "A lazy array. Operations make a graph; values are computed, by programs that are compiled once for each\n"
      "structure, when realize(), item(), numpy() or a print asks for them. Names and meaning are PyTorch's.");
  bindArrays(module, tensor);
  bindComposed(module, tensor);
  bindElementwise(module, tensor);
  bindFunctions(module, tensor);
  bindGguf(module);
  bindFunctional(module, tensor);
  bindModel(module);
  bindNn(module, tensor);
  module.def(
      "_set_package_folder", [](std::string folder) { packageFolder() = std::move(folder); },
      "Calls from files of this folder stand where their caller does.");
  module.def("count_compiled", &countCompiledGraphs,
             "Programs compiled so far: a graph whose structure is known adds none.");
}

} // namespace tiny::python
