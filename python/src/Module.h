// What the files of the Python module share: where a call stands in the user's source, operands, element types.
#ifndef TINY_PYTHON_SRC_MODULE_H
#define TINY_PYTHON_SRC_MODULE_H

#include "Tiny/Frontend/Tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <type_traits>

namespace tiny::python {

namespace nb = nanobind;

/// The line of Python that runs now, outside of the package itself.
Site findSite();

/// Calls without the interpreter's lock: others may go on, and what waits for the graph holds up nobody.
template <typename Call> decltype(auto) unlocked(Call call) {
  nb::gil_scoped_release release;
  return call();
}

/// The elements of an array or a number that Python holds. With `share` in the array's own memory, which must then be
/// row-major; else a copy. An element type, where one is given, is converted to.
Tensor fromArray(nb::handle object, std::optional<tiny_dtype> dtype, bool share);
/// The element type that an object names: tiny.float32, "float32", "f32", numpy.float32. None is none.
std::optional<tiny_dtype> toDtype(nb::handle object);
/// A whole number, as `what` should be; those of NumPy have `__index__`.
int64_t toWhole(nb::handle object, const char *what = "whole numbers");
/// One axis, or several, or None for all.
Shape toAxes(nb::handle object);
/// A shape given as one sequence, or as numbers.
Shape toShape(const nb::args &args);

/// Arguments that PyTorch's programs may have where they say what is so anyway, such as a device that is the processor;
/// of others the error says what to write.
void checkOptions(const nb::kwargs &options);

/// A tensor, a number, or what a tensor can be made of; keeps the tensor that it makes.
class PyOperand {
public:
  /// Whether the object can be an operand.
  static bool accepts(nb::handle object);
  explicit PyOperand(nb::handle object);
  operator Operand() const { return tensor ? Operand(*tensor, site) : Operand(number, site); }

private:
  const Tensor *tensor = nullptr;
  std::optional<Tensor> made;
  double number = 0;
  Site site;
};

/// Runs a method without the interpreter's lock, at the user's line.
template <typename Method, typename... Args> decltype(auto) call(Method method, const Tensor &self, Args &&...args) {
  Site site = findSite();
  return unlocked([&]() -> decltype(auto) { return (self.*method)(std::forward<Args>(args)..., site); });
}

void bindArrays(nb::module_ &module, nb::class_<Tensor> &tensor);
void bindComposed(nb::module_ &module, nb::class_<Tensor> &tensor);
void bindElementwise(nb::module_ &module, nb::class_<Tensor> &tensor);
void bindGguf(nb::module_ &module);
void bindFunctional(nb::module_ &module, nb::class_<Tensor> &tensor);
void bindJit(nb::module_ &module);
void bindModel(nb::module_ &module);
void bindLayers(nb::module_ &module);
void bindOptimizers(nb::module_ &module);
void bindRandom(nb::module_ &module, nb::class_<Tensor> &tensor);
void bindWindows(nb::module_ &module, nb::class_<Tensor> &tensor);
void bindFunctions(nb::module_ &module, nb::class_<Tensor> &tensor);

} // namespace tiny::python

#endif // TINY_PYTHON_SRC_MODULE_H
