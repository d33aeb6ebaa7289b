// Layers and optimisers.
#include "Module.h"

#include "Tiny/Frontend/Nn.h"
#include "Tiny/Frontend/Optim.h"

namespace tiny::python {

namespace {

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
}

std::vector<Tensor *> toPointers(const nb::tuple &tensors) {
  std::vector<Tensor *> pointers;
  for (nb::handle tensor : tensors)
    pointers.push_back(nb::cast<Tensor *>(tensor));
  return pointers;
}

template <typename Class>
nb::class_<Class, nn::Layer> bindLayer(nb::module_ &module, const char *name, const char *what) {
  return nb::class_<Class, nn::Layer>(module, name, what);
}

/// A tensor that a layer may lack.
template <typename Owner, std::optional<Tensor> Owner::*member> Tensor *getOptional(Owner &self) {
  return self.*member ? &*(self.*member) : nullptr;
}

/// A convolution over so many axes, for a class of its own.
template <typename Class, int rank> struct ConvolutionOf : Class {
  using Class::Class;
};

/// A number for every axis, or one for each.
Shape toSizes(nb::handle object, int64_t rank, const char *what) {
  if (nb::isinstance<nb::int_>(object))
    return Shape(size_t(rank), nb::cast<int64_t>(object));
  Shape sizes;
  if (!nb::try_cast(object, sizes) || int64_t(sizes.size()) != rank)
    throw nb::type_error((std::string(what) + " is a whole number, or " + std::to_string(rank) + " of them, got " +
                          nb::cast<std::string>(nb::repr(object)))
                             .c_str());
  return sizes;
}

/// Padding may be "same", which keeps sizes, or "valid", which is none.
template <typename Class, int rank> void bindConvolution(nb::module_ &module, const char *name, const char *what) {
  auto layer = bindLayer<Class>(module, name, what);
  layer.def(
      "__init__",
      [](Class *self, int64_t in, int64_t out, nb::handle kernelSize, nb::handle stride, nb::handle padding,
         nb::handle dilation, int64_t groups, bool bias) {
        Shape kernel = toSizes(kernelSize, rank, "kernel_size");
        Window window = {toSizes(stride, rank, "stride"), toSizes(dilation, rank, "dilation"), {}, {}, groups};
        if (!nb::isinstance<nb::str>(padding)) {
          window.low = window.high = toSizes(padding, rank, "padding");
        } else {
          std::string mode = nb::cast<std::string>(padding);
          bool isSame = mode == "same";
          if ((!isSame && mode != "valid") || (isSame && window.strides != Shape(rank, 1)))
            throw nb::value_error("padding is a number, 'valid', or 'same' where the stride is 1");
          for (int axis = 0; axis < rank; ++axis) {
            int64_t more = isSame ? window.dilations[axis] * (kernel[axis] - 1) : 0;
            window.low.push_back(more / 2);
            window.high.push_back(more - more / 2);
          }
        }
        new (self) Class(in, out, std::move(kernel), std::move(window), bias);
      },
      nb::arg("in_channels"), nb::arg("out_channels"), nb::arg("kernel_size"), nb::arg("stride") = 1,
      nb::arg("padding") = 0, nb::arg("dilation") = 1, nb::arg("groups") = 1, nb::arg("bias") = true);
  layer.def_rw("weight", &Class::weight).def_prop_ro("bias", [](Class &self) {
    return self.bias ? &*self.bias : nullptr;
  });
}

void bindLayers(nb::module_ &module) {
  nb::class_<nn::Module> base(module, "NativeModule", "A module of tensors under names.");
  bindState(base);
  base.def("train", &nn::Module::train, nb::arg("mode") = true, "Whether dropout drops and batch norms learn.")
      .def(
          "eval", [](nn::Module &self) { self.train(false); }, "train(False)")
      .def_prop_ro("training", &nn::Module::isTraining, "Whether it trains; True at first.");
  nb::class_<nn::Layer, nn::Module>(module, "Layer", "A layer of one tensor to one tensor.")
      .def(
          "__call__",
          [](nn::Layer &self, const Tensor &input) {
            Site site = findSite();
            return unlocked([&] { return self(input, site); });
          },
          nb::arg("input"));
  bindLayer<nn::Linear>(module, "Linear", "x times the transposed weight [out, in], plus the bias.")
      .def(nb::init<int64_t, int64_t, bool>(), nb::arg("in_features"), nb::arg("out_features"), nb::arg("bias") = true)
      .def_rw("weight", &nn::Linear::weight)
      .def_prop_ro("bias", &getOptional<nn::Linear, &nn::Linear::bias>);
  bindConvolution<ConvolutionOf<nn::Conv2d, 1>, 1>(module, "Conv1d", "Convolution of [batch, in, size].");
  bindConvolution<ConvolutionOf<nn::Conv2d, 2>, 2>(module, "Conv2d", "Convolution of [batch, in, height, width].");
  bindConvolution<ConvolutionOf<nn::Conv2d, 3>, 3>(module, "Conv3d", "Convolution of [batch, in, x, y, z].");
  bindConvolution<ConvolutionOf<nn::ConvTranspose2d, 1>, 1>(module, "ConvTranspose1d",
                                                            "The inverse of Conv1d's shapes.");
  bindConvolution<ConvolutionOf<nn::ConvTranspose2d, 2>, 2>(module, "ConvTranspose2d",
                                                            "The inverse of Conv2d's shapes.");
  bindConvolution<ConvolutionOf<nn::ConvTranspose2d, 3>, 3>(module, "ConvTranspose3d",
                                                            "The inverse of Conv3d's shapes.");
  nb::class_<nn::LSTM, nn::Module>(module, "LSTM",
                                   "Layers of long short-term memory over [steps, batch, in]; one program has a copy\n"
                                   "of the cell for each step.")
      .def(nb::init<int64_t, int64_t, int64_t, bool, bool>(), nb::arg("input_size"), nb::arg("hidden_size"),
           nb::arg("num_layers") = 1, nb::arg("bias") = true, nb::arg("batch_first") = false)
      .def(
          "__call__",
          [](nn::LSTM &self, const Tensor &input, const std::optional<std::pair<Tensor, Tensor>> &states) {
            Site site = findSite();
            nn::LSTM::Result result = unlocked([&] {
              return self(input, states ? &states->first : nullptr, states ? &states->second : nullptr, site);
            });
            return std::pair(result.output, std::pair(result.hidden, result.cell));
          },
          nb::arg("input"), nb::arg("hx") = nb::none(), "The output of each step, and the states after the last one.");
  bindLayer<nn::BatchNorm>(module, "BatchNorm", "To mean 0 and variance 1 over all axes but the channels, axis 1.")
      .def(nb::init<int64_t, double, double>(), nb::arg("num_features"), nb::arg("eps") = 1e-5,
           nb::arg("momentum") = 0.1)
      .def_rw("weight", &nn::BatchNorm::weight)
      .def_rw("bias", &nn::BatchNorm::bias)
      .def_rw("running_mean", &nn::BatchNorm::running_mean)
      .def_rw("running_var", &nn::BatchNorm::running_var);
  bindLayer<nn::LayerNorm>(module, "LayerNorm", "To mean 0 and variance 1 over the last axis.")
      .def(nb::init<int64_t, double>(), nb::arg("normalized_shape"), nb::arg("eps") = 1e-5)
      .def_rw("weight", &nn::LayerNorm::weight)
      .def_rw("bias", &nn::LayerNorm::bias);
  bindLayer<nn::GroupNorm>(module, "GroupNorm", "To mean 0 and variance 1 over each group of channels.")
      .def(nb::init<int64_t, int64_t, double>(), nb::arg("num_groups"), nb::arg("num_channels"), nb::arg("eps") = 1e-5)
      .def_rw("weight", &nn::GroupNorm::weight)
      .def_rw("bias", &nn::GroupNorm::bias);
  bindLayer<nn::RMSNorm>(module, "RMSNorm", "Over the root of the mean square of the last axis.")
      .def(nb::init<int64_t, double>(), nb::arg("normalized_shape"), nb::arg("eps") = 1e-5)
      .def_rw("weight", &nn::RMSNorm::weight);
  bindLayer<nn::Embedding>(module, "Embedding", "Rows of a weight [count, size], by integers.")
      .def(nb::init<int64_t, int64_t>(), nb::arg("num_embeddings"), nb::arg("embedding_dim"))
      .def_rw("weight", &nn::Embedding::weight);
  bindLayer<nn::Dropout>(module, "Dropout", "Drops elements while it trains.")
      .def(nb::init<double>(), nb::arg("p") = 0.5);
  nb::class_<nn::MultiHeadAttention, nn::Module>(module, "MultiHeadAttention",
                                                 "Attention of [batch, rows, width], by heads.")
      .def(nb::init<int64_t, int64_t, bool>(), nb::arg("embed_dim"), nb::arg("num_heads"), nb::arg("bias") = true)
      .def(
          "__call__",
          [](nn::MultiHeadAttention &self, const Tensor &query, std::optional<Tensor> key, std::optional<Tensor> value,
             std::optional<Tensor> mask, bool causal) {
            Site site = findSite();
            return unlocked([&] {
              return self(query, key ? *key : query,
                          value ? *value
                          : key ? *key
                                : query,
                          mask ? &*mask : nullptr, causal, site);
            });
          },
          nb::arg("query"), nb::arg("key") = nb::none(), nb::arg("value") = nb::none(),
          nb::arg("attn_mask") = nb::none(), nb::arg("is_causal") = false)
      .def_rw("in_proj_weight", &nn::MultiHeadAttention::in_proj_weight);
  module.def("_save", [](const std::string &path, const std::vector<std::pair<std::string, Tensor>> &tensors) {
    Site site = findSite();
    unlocked([&] { nn::save(path, tensors, site); });
  });
  module.def("_load", [](const std::string &path) {
    Site site = findSite();
    return unlocked([&] { return nn::load(path, site); });
  });
  module.def("_load_state", [](const nb::list &state, const std::vector<std::pair<std::string, Tensor>> &tensors) {
    std::vector<nn::Named> named;
    for (nb::handle item : state)
      named.push_back({nb::cast<std::string>(item[0]), nb::cast<Tensor *>(item[1]), true});
    nn::loadState(named, tensors, findSite());
  });
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
      .def_prop_rw("lr", &Optimizer::getRate, &Optimizer::setRate, "The rate; another one compiles nothing.")
      .def("scale_loss", &Optimizer::setLossScale, nb::arg("scale"), nb::arg("period") = 2000,
           "Scales the loss while gradients are computed, for float16 and bfloat16; a step whose gradients are not\n"
           "finite changes nothing but the scale, which it halves; after so many good ones it doubles.")
      .def("clip_grad_norm", &Optimizer::setClip, nb::arg("max_norm"),
           "Limits the norm of all gradients together; 0 is no limit.");
  nb::class_<optim::SGD, Optimizer>(module, "SGD", "Stochastic gradient descent.")
      .def(
          "__init__",
          [](optim::SGD *self, const nb::tuple &parameters, double rate, double momentum, double decay, bool nesterov) {
            new (self) optim::SGD(toPointers(parameters), rate, momentum, decay, nesterov);
          },
          nb::arg("params"), nb::arg("lr") = 1e-3, nb::arg("momentum") = 0.0, nb::arg("weight_decay") = 0.0,
          nb::arg("nesterov") = false, nb::keep_alive<1, 2>());
  auto adam = [&](const char *name, Adam::Kind kind, const char *what, double decay, double epsilon) {
    module.def(
        name,
        [kind](const nb::tuple &parameters, double rate, std::pair<double, double> betas, double eps, double decay) {
          return new Adam(toPointers(parameters), rate, betas.first, betas.second, eps, decay, kind);
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

void bindRandom(nb::module_ &module, nb::class_<Tensor> &tensor) {
  module.def("manual_seed", &manual_seed, nb::arg("seed"), "The same seed draws the same random numbers.");
  module.def(
      "rand", [](const nb::args &shape) { return Tensor::rand(toShape(shape), 0, 1, findSite()); },
      "Uniform in [0, 1).");
  module.def(
      "uniform",
      [](nb::handle shape, double low, double high) { return Tensor::rand(toAxes(shape), low, high, findSite()); },
      nb::arg("shape"), nb::arg("low") = 0.0, nb::arg("high") = 1.0, "Uniform in [low, high).");
  module.def("randn", [](const nb::args &shape) { return Tensor::randn(toShape(shape), findSite()); }, "Normal.");
  module.def(
      "randint",
      [](int64_t low, int64_t high, nb::handle shape) { return Tensor::randint(low, high, toAxes(shape), findSite()); },
      nb::arg("low"), nb::arg("high"), nb::arg("size"), "Whole numbers in [low, high).");
  tensor.def(
      "dropout", [](const Tensor &self, double p) { return call(&Tensor::dropout, self, p); }, nb::arg("p") = 0.5,
      "Zeros where a random number is below p, the rest scaled by 1 / (1 - p).");
}

} // namespace

void bindNn(nb::module_ &module, nb::class_<Tensor> &tensor) {
  bindRandom(module, tensor);
  bindLayers(module);
  bindOptimizers(module);
  bindJit(module);
}

} // namespace tiny::python
