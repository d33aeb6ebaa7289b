// The Python module `tiny._tiny`: the class Tensor, errors, and where a call stands.
#include "Module.h"

#include <nanobind/ndarray.h>

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

static std::string describeObject(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

int64_t toWhole(nb::handle object, const char *what) {
  if (!PyIndex_Check(object.ptr()))
    throw nb::type_error(("expects " + std::string(what) + ", got " + describeObject(object)).c_str());
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid())
    throw nb::python_error();
  int overflow = 0;
  int64_t whole = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow)
    throw nb::value_error(("expects " + std::string(what) + " of 64 bits, got " + describeObject(object)).c_str());
  return whole;
}

/// What is a sequence of whole numbers.
static Shape toNumbers(nb::handle object) {
  Shape numbers;
  bool isWhole = PySequence_Check(object.ptr());
  if (isWhole)
    for (nb::handle item : nb::borrow<nb::sequence>(object))
      if (isWhole &= PyIndex_Check(item.ptr()))
        numbers.push_back(toWhole(item));
  if (!isWhole)
    throw nb::type_error(("expects whole numbers, got " + describeObject(object)).c_str());
  return numbers;
}

Shape toAxes(nb::handle object) {
  if (object.is_none())
    return {};
  if (PyIndex_Check(object.ptr()))
    return {toWhole(object)};
  return toNumbers(object);
}

Shape toShape(const nb::args &args) {
  return toNumbers(args.size() == 1 && PySequence_Check(args[0].ptr()) ? nb::object(args[0]) : nb::object(args));
}

namespace {

/// An argument that is left out here, the value that says so, and what to do about others.
struct OptionRow {
  const char *name, *value, *hint;
};
constexpr OptionRow kOptions[] = {
    {"device", "cpu", "tensors lie in the processor's memory, leave it out"},
    {"dtype", "torch.float32",
     "parameters are float32, and `with tiny.autocast('bfloat16'):` computes in smaller floats"},
    {"requires_grad", "False", "a gradient is what `tiny.grad(loss, [x])` is asked for, leave it out"},
    {"pin_memory", "False", "tensors lie in the processor's memory, leave it out"},
    {"generator", "None", "`tiny.manual_seed(seed)` starts the one sequence of random numbers"},
    {"out", "None", "the result is a tensor of its own: `x.assign(...)` makes it another one's value"},
    {"affine", "True", "leave its weight and bias out of what the optimiser gets"},
    {"elementwise_affine", "True", "leave its weight and bias out of what the optimiser gets"},
    {"track_running_stats", "True", "leave out eval(), and the statistics of each batch are used"},
    {"proj_size", "0", "nn.Linear behind it"},
    {"max_norm", "None", "a loss may have the norm of its rows"},
    {"scale_grad_by_freq", "False", "leave it out"},
    {"sparse", "False", "gradients have a row for each of the weight's, leave it out"},
    {"dropout", "0.0", "nn.Dropout beside it"},
    {"padding_mode", "zeros", "`tiny.pad(x, sizes, mode)` before it"},
    {"batch_first", "True", "the batch is the first axis: `x.transpose(0, 1)`"},
};

} // namespace

void checkOptions(const nb::kwargs &options) {
  for (auto [key, value] : options) {
    std::string name = nb::cast<std::string>(key), text = nb::cast<std::string>(nb::str(value));
    const OptionRow *found = nullptr;
    for (const OptionRow &row : kOptions)
      if (name == row.name)
        found = &row;
    if (!found)
      throw nb::type_error(("there is no argument '" + name + "'").c_str());
    if (!value.is_none() && text != found->value)
      throw nb::type_error(
          (name + "=" + nb::cast<std::string>(nb::repr(value)) + " is not possible: " + found->hint).c_str());
  }
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
  // Ctrl-C ends a compilation as an error: then what Python has noted of it is raised.
  setInterruptible(true);
  nb::register_exception_translator(
      [](const std::exception_ptr &thrown, void *kind) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Error &what) {
          if (PyErr_CheckSignals() == 0)
            PyErr_SetString(static_cast<PyObject *>(kind), what.what());
        } catch (const nb::cast_error &) {
          PyErr_SetString(PyExc_TypeError, "an argument has a type that is not possible here, or is a number that has "
                                           "more than 64 bits");
        }
      },
      error.ptr());
  nb::class_<Tensor> tensor(
      module, "Tensor", nb::is_weak_referenceable(),
      "A lazy array. Operations make a graph; values are computed, by programs that are compiled once for each\n"
      "structure, when realize(), item(), numpy() or a print asks for them. Names and meaning are PyTorch's.");
  // Where a tensor is expected, an array is one.
  nb::implicitly_convertible<nb::ndarray<nb::ro>, Tensor>();
  bindArrays(module, tensor);
  bindComposed(module, tensor);
  bindElementwise(module, tensor);
  bindFunctions(module, tensor);
  bindWindows(module, tensor);
  bindGguf(module);
  bindFunctional(module, tensor);
  bindModel(module);
  bindRandom(module, tensor);
  bindLayers(module);
  bindOptimizers(module);
  bindJit(module);
  module.def(
      "_set_package_folder", [](std::string folder) { packageFolder() = std::move(folder); },
      "Calls from files of this folder stand where their caller does.");
  module.def("count_compiled", &countCompiledGraphs,
             "Programs compiled so far: a graph whose structure is known adds none.");
}

} // namespace tiny::python
