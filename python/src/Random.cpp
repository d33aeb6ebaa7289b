// Random numbers.
#include "Module.h"

namespace tiny::python {

/// Numbers that were drawn, in an element type.
static Tensor convert(const Tensor &drawn, nb::handle dtype) {
  std::optional<tiny_dtype> wanted = toDtype(dtype);
  return wanted && *wanted != drawn.dtype() ? drawn.to(*wanted, findSite()) : drawn;
}

void bindRandom(nb::module_ &module, nb::class_<Tensor> &tensor) {
  module.def("manual_seed", &manual_seed, nb::arg("seed"), "The same seed draws the same random numbers.");
  auto shaped = [&](const char *name, Tensor (*draw)(const Shape &, Site), const char *what) {
    module.def(
        name,
        [draw](const nb::args &shape, nb::handle dtype, const nb::kwargs &options) {
          checkOptions(options);
          return convert(draw(toShape(shape), findSite()), dtype);
        },
        nb::arg("shape"), nb::arg("dtype") = nb::none(), nb::arg("options"), what);
  };
  shaped(
      "rand", [](const Shape &shape, Site site) { return Tensor::rand(shape, 0, 1, site); },
      "Uniform in [0, 1); drawn as float32.");
  shaped("randn", &Tensor::randn, "Normal; drawn as float32.");
  module.def(
      "uniform",
      [](nb::handle shape, double low, double high, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        return convert(Tensor::rand(toAxes(shape), low, high, findSite()), dtype);
      },
      nb::arg("shape"), nb::arg("low") = 0.0, nb::arg("high") = 1.0, nb::arg("dtype") = nb::none(), nb::arg("options"),
      "Uniform in [low, high).");
  module.def(
      "randint",
      [](int64_t low, int64_t high, nb::handle shape, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        return convert(Tensor::randint(low, high, toAxes(shape), findSite()), dtype);
      },
      nb::arg("low"), nb::arg("high"), nb::arg("size"), nb::arg("dtype") = nb::none(), nb::arg("options"),
      "Whole numbers in [low, high).");
  module.def(
      "randint",
      [](int64_t high, nb::handle shape, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        return convert(Tensor::randint(0, high, toAxes(shape), findSite()), dtype);
      },
      nb::arg("high"), nb::arg("size"), nb::arg("dtype") = nb::none(), nb::arg("options"),
      "Whole numbers in [0, high).");
  tensor.def(
      "dropout", [](const Tensor &self, double p) { return call(&Tensor::dropout, self, p); }, nb::arg("p") = 0.5,
      "Zeros where a random number is below p, the rest scaled by 1 / (1 - p).");
}

} // namespace tiny::python
