// Optimisers.
#include "State.h"

#include "Tiny/Frontend/Optim.h"

namespace tiny::python {

static std::vector<Tensor *> toPointers(const nb::tuple &tensors) {
  std::vector<Tensor *> pointers;
  for (nb::handle tensor : tensors)
    pointers.push_back(nb::cast<Tensor *>(tensor));
  return pointers;
}

void bindOptimizers(nb::module_ &module) {
  using optim::Adam;
  using optim::Optimizer;
  nb::class_<Optimizer> base(module, "Optimizer", "Updates parameters by gradients of a loss.");
  bindState(base);
  base.def(
          "_step",
          [](Optimizer &self, const Tensor &loss) {
            Site site = findSite();
            unlocked([&] { self.step(loss, site); });
          },
          nb::arg("loss"),
          "Computes the gradients of the loss, updates the parameters in place, and realises the loss: one program.")
      .def_prop_rw(
          "lr", &Optimizer::getRate, [](Optimizer &self, double rate) { self.setRate(rate, findSite()); },
          "The rate; another one compiles nothing.")
      .def(
          "scale_loss",
          [](Optimizer &self, double scale, int64_t period) { self.setLossScale(scale, period, findSite()); },
          nb::arg("scale"), nb::arg("period") = 2000,
          "Scales the loss while gradients are computed, for float16 and bfloat16; a step whose gradients are not\n"
          "finite changes nothing but the scale, which it halves; after so many good ones it doubles.")
      .def(
          "clip_grad_norm", [](Optimizer &self, double norm) { self.setClip(norm, findSite()); }, nb::arg("max_norm"),
          "Limits the norm of all gradients together; 0 is no limit.");
  nb::class_<optim::SGD, Optimizer>(module, "SGD", "Stochastic gradient descent.")
      .def(
          "__init__",
          [](optim::SGD *self, const nb::tuple &parameters, double rate, double momentum, double decay, bool nesterov) {
            new (self) optim::SGD(toPointers(parameters), rate, momentum, decay, nesterov, findSite());
          },
          nb::arg("params"), nb::arg("lr") = 1e-3, nb::arg("momentum") = 0.0, nb::arg("weight_decay") = 0.0,
          nb::arg("nesterov") = false, nb::keep_alive<1, 2>());
  auto adam = [&](const char *name, Adam::Kind kind, const char *what, double decay, double epsilon) {
    module.def(
        name,
        [kind](const nb::tuple &parameters, double rate, std::pair<double, double> betas, double eps, double decay) {
          return new Adam(toPointers(parameters), rate, betas.first, betas.second, eps, decay, kind, findSite());
        },
        nb::arg("params"), nb::arg("lr") = 1e-3, nb::arg("betas") = nb::make_tuple(0.9, 0.999),
        nb::arg("eps") = epsilon, nb::arg("weight_decay") = decay, nb::keep_alive<0, 1>(),
        nb::rv_policy::take_ownership, what);
  };
  nb::class_<Adam, Optimizer> adams(module, "AdamOptimizer", "Adam, AdamW or LAMB.");
  adam("Adam", Adam::Kind::Adam, "Adam; decay is part of the gradient.", 0, 1e-8);
  adam("AdamW", Adam::Kind::AdamW, "Adam with decoupled decay.", 1e-2, 1e-8);
  adam("LAMB", Adam::Kind::Lamb, "Adam with each step scaled to its parameter's norm.", 0, 1e-6);
  module.def("cosine_rate", &optim::cosineRate, nb::arg("lr"), nb::arg("step"), nb::arg("steps"), nb::arg("warmup") = 0,
             nb::arg("least") = 0.0, "Up along a line for the warm-up, then down along half a cosine.");
  module.def("step_rate", &optim::stepRate, nb::arg("lr"), nb::arg("step"), nb::arg("period"), nb::arg("factor") = 0.1,
             "The rate times the factor after every period.");
}

} // namespace tiny::python
