// Layers, and files of tensors.
#include "State.h"
#include "Windows.h"

namespace tiny::python {

namespace {

template <typename Class>
nb::class_<Class, nn::Layer> bindLayer(nb::module_ &module, const char *name, const char *what) {
  return nb::class_<Class, nn::Layer>(module, name, what);
}

/// A layer, from its arguments and PyTorch's others.
template <typename Class, typename... Args> void construct(Class *self, Args... args, const nb::kwargs &options) {
  checkOptions(options);
  new (self) Class(args..., findSite());
}

/// A tensor that a layer may lack, as a property.
template <typename Owner, typename Bound>
void bindOptional(Bound &bound, const char *name, std::optional<Tensor> Owner::*member) {
  bound.def_prop_rw(
      name, [member](Owner &self) { return self.*member ? &*(self.*member) : nullptr; },
      [member, name](Owner &self, const Tensor &value) {
        if (!(self.*member))
          throw nb::value_error((std::string("the layer was made without a ") + name).c_str());
        *(self.*member) = value;
      },
      nb::rv_policy::reference_internal);
}

nb::object toTuple(const Shape &shape) { return nb::tuple(nb::cast(shape)); }

/// A convolution over so many axes, for a class of its own.
template <typename Class, int rank> struct ConvolutionOf : Class {
  using Class::Class;
};

/// Padding may be "same", which keeps sizes, or "valid", which is none.
template <typename Class, int rank> void bindConvolution(nb::module_ &module, const char *name, const char *what) {
  auto layer = bindLayer<Class>(module, name, what);
  constexpr bool isTransposed = std::is_base_of_v<nn::ConvTranspose2d, Class>;
  auto make = [](Class *self, int64_t in, int64_t out, nb::handle kernelSize, nb::handle stride, nb::handle padding,
                 nb::handle dilation, int64_t groups, bool bias, nb::handle outputPadding) {
    Shape kernel = toSizes(kernelSize, rank, "kernel_size");
    Window window = {toSizes(stride, rank, "stride"), toSizes(dilation, rank, "dilation")};
    window.groups = groups;
    if (outputPadding.is_valid())
      window.outputPadding = toSizes(outputPadding, rank, "output_padding");
    setPadding(window, padding, kernel);
    new (self) Class(in, out, kernel, std::move(window), bias, findSite());
  };
  if constexpr (isTransposed)
    layer
        .def(
            "__init__",
            [make](Class *self, int64_t in, int64_t out, nb::handle kernel, nb::handle stride, nb::handle padding,
                   nb::handle outputPadding, int64_t groups, bool bias, nb::handle dilation,
                   const nb::kwargs &options) {
              checkOptions(options);
              make(self, in, out, kernel, stride, padding, dilation, groups, bias, outputPadding);
            },
            nb::arg("in_channels"), nb::arg("out_channels"), nb::arg("kernel_size"), nb::arg("stride") = 1,
            nb::arg("padding") = 0, nb::arg("output_padding") = 0, nb::arg("groups") = 1, nb::arg("bias") = true,
            nb::arg("dilation") = 1, nb::arg("options"))
        .def_prop_ro("output_padding", [](const Class &self) { return toTuple(self.window.outputPadding); });
  else
    layer.def(
        "__init__",
        [make](Class *self, int64_t in, int64_t out, nb::handle kernel, nb::handle stride, nb::handle padding,
               nb::handle dilation, int64_t groups, bool bias, const nb::kwargs &options) {
          checkOptions(options);
          make(self, in, out, kernel, stride, padding, dilation, groups, bias, {});
        },
        nb::arg("in_channels"), nb::arg("out_channels"), nb::arg("kernel_size"), nb::arg("stride") = 1,
        nb::arg("padding") = 0, nb::arg("dilation") = 1, nb::arg("groups") = 1, nb::arg("bias") = true,
        nb::arg("options"));
  layer.def_rw("weight", &Class::weight)
      .def_prop_ro(
          "kernel_size",
          [](const Class &self) { return toTuple(Shape(self.weight.shape().begin() + 2, self.weight.shape().end())); })
      .def_prop_ro("stride", [](const Class &self) { return toTuple(self.window.strides); })
      .def_prop_ro("padding",
                   [](const Class &self) {
                     bool isEven = self.window.low == self.window.high;
                     return isEven ? toTuple(self.window.low) : nb::object(nb::str("same"));
                   })
      .def_prop_ro("dilation", [](const Class &self) { return toTuple(self.window.dilations); })
      .def_prop_ro("groups", [](const Class &self) { return self.window.groups; });
  layer
      .def_prop_ro("in_channels",
                   [](const Class &self) {
                     return isTransposed ? self.weight.shape()[0] : self.weight.shape()[1] * self.window.groups;
                   })
      .def_prop_ro("out_channels", [](const Class &self) {
        return isTransposed ? self.weight.shape()[1] * self.window.groups : self.weight.shape()[0];
      });
  bindOptional<Class>(layer, "bias", &Class::bias);
}

void bindSimpleLayers(nb::module_ &module) {
  auto linear = bindLayer<nn::Linear>(module, "Linear", "x times the transposed weight [out, in], plus the bias.");
  linear
      .def("__init__", &construct<nn::Linear, int64_t, int64_t, bool>, nb::arg("in_features"), nb::arg("out_features"),
           nb::arg("bias") = true, nb::arg("options"))
      .def_rw("weight", &nn::Linear::weight)
      .def_prop_ro("in_features", [](const nn::Linear &self) { return self.weight.shape()[1]; })
      .def_prop_ro("out_features", [](const nn::Linear &self) { return self.weight.shape()[0]; });
  bindOptional<nn::Linear>(linear, "bias", &nn::Linear::bias);
  bindLayer<nn::Embedding>(
      module, "Embedding",
      "Rows of a weight [count, size], by integers; that of padding_idx begins as zeros, and gets no gradient.")
      .def("__init__", &construct<nn::Embedding, int64_t, int64_t, std::optional<int64_t>>, nb::arg("num_embeddings"),
           nb::arg("embedding_dim"), nb::arg("padding_idx") = nb::none(), nb::arg("options"))
      .def_ro("padding_idx", &nn::Embedding::padding)
      .def_rw("weight", &nn::Embedding::weight)
      .def_prop_ro("num_embeddings", [](const nn::Embedding &self) { return self.weight.shape()[0]; })
      .def_prop_ro("embedding_dim", [](const nn::Embedding &self) { return self.weight.shape()[1]; });
  bindLayer<nn::Dropout>(module, "Dropout", "Drops elements while it trains.")
      .def(
          "__init__", [](nn::Dropout *self, double p, bool /*inplace*/) { new (self) nn::Dropout(p, findSite()); },
          nb::arg("p") = 0.5, nb::arg("inplace") = false)
      .def_rw("p", &nn::Dropout::probability);
}

void bindNorms(nb::module_ &module) {
  bindLayer<nn::BatchNorm>(module, "BatchNorm", "To mean 0 and variance 1 over all axes but the channels, axis 1.")
      .def("__init__", &construct<nn::BatchNorm, int64_t, double, double>, nb::arg("num_features"),
           nb::arg("eps") = 1e-5, nb::arg("momentum") = 0.1, nb::arg("options"))
      .def_rw("weight", &nn::BatchNorm::weight)
      .def_rw("bias", &nn::BatchNorm::bias)
      .def_rw("running_mean", &nn::BatchNorm::running_mean)
      .def_rw("running_var", &nn::BatchNorm::running_var)
      .def_rw("eps", &nn::BatchNorm::epsilon)
      .def_rw("momentum", &nn::BatchNorm::momentum)
      .def_prop_ro("num_features", [](const nn::BatchNorm &self) { return self.weight.shape()[0]; });
  bindLayer<nn::LayerNorm>(module, "LayerNorm",
                           "To mean 0 and variance 1 over the last axes, those of normalized_shape.")
      .def(
          "__init__",
          [](nn::LayerNorm *self, nb::handle shape, double eps, const nb::kwargs &options) {
            checkOptions(options);
            new (self) nn::LayerNorm(toAxes(shape), eps, findSite());
          },
          nb::arg("normalized_shape"), nb::arg("eps") = 1e-5, nb::arg("options"))
      .def_rw("weight", &nn::LayerNorm::weight)
      .def_rw("bias", &nn::LayerNorm::bias)
      .def_rw("eps", &nn::LayerNorm::epsilon)
      .def_prop_ro("normalized_shape", [](const nn::LayerNorm &self) { return toTuple(self.weight.shape()); });
  bindLayer<nn::GroupNorm>(module, "GroupNorm", "To mean 0 and variance 1 over each group of channels.")
      .def("__init__", &construct<nn::GroupNorm, int64_t, int64_t, double>, nb::arg("num_groups"),
           nb::arg("num_channels"), nb::arg("eps") = 1e-5, nb::arg("options"))
      .def_rw("weight", &nn::GroupNorm::weight)
      .def_rw("bias", &nn::GroupNorm::bias)
      .def_rw("eps", &nn::GroupNorm::epsilon)
      .def_ro("num_groups", &nn::GroupNorm::groups)
      .def_prop_ro("num_channels", [](const nn::GroupNorm &self) { return self.weight.shape()[0]; });
  bindLayer<nn::RMSNorm>(module, "RMSNorm",
                         "Over the root of the mean square of the last axes, those of normalized_shape.")
      .def(
          "__init__",
          [](nn::RMSNorm *self, nb::handle shape, double eps, const nb::kwargs &options) {
            checkOptions(options);
            new (self) nn::RMSNorm(toAxes(shape), eps, findSite());
          },
          nb::arg("normalized_shape"), nb::arg("eps") = 0x1p-23, nb::arg("options"))
      .def_rw("weight", &nn::RMSNorm::weight)
      .def_rw("eps", &nn::RMSNorm::epsilon)
      .def_prop_ro("normalized_shape", [](const nn::RMSNorm &self) { return toTuple(self.weight.shape()); });
}

template <typename Class>
nb::class_<Class, nn::Recurrent> bindRecurrent(nb::module_ &module, const char *name, const char *what) {
  nb::class_<Class, nn::Recurrent> layer(module, name, what);
  if constexpr (!std::is_same_v<Class, nn::RNN>)
    layer.def(
        "__init__",
        [](Class *self, int64_t in, int64_t size, int64_t layers, bool bias, bool batchFirst, double dropout,
           bool bidirectional, const nb::kwargs &options) {
          checkOptions(options);
          new (self) Class(in, size, layers, bias, batchFirst, dropout, bidirectional, findSite());
        },
        nb::arg("input_size"), nb::arg("hidden_size"), nb::arg("num_layers") = 1, nb::arg("bias") = true,
        nb::arg("batch_first") = false, nb::arg("dropout") = 0.0, nb::arg("bidirectional") = false, nb::arg("options"));
  if constexpr (!std::is_same_v<Class, nn::LSTM>)
    layer.def(
        "__call__",
        [](Class &self, const Tensor &input, const std::optional<Tensor> &state) {
          Site site = findSite();
          auto result = unlocked([&] { return self(input, state ? &*state : nullptr, site); });
          return std::pair(result.output, result.hidden);
        },
        nb::arg("input"), nb::arg("hx") = nb::none(), "The output of each step, and the states behind the last one.");
  return layer;
}

void bindRecurrentLayers(nb::module_ &module) {
  nb::class_<nn::Recurrent, nn::Module>(
      module, "Recurrent", "Layers over [steps, batch, in], from states [layers * directions, batch, size].")
      .def_ro("input_size", &nn::Recurrent::in)
      .def_ro("hidden_size", &nn::Recurrent::size)
      .def_prop_ro("num_layers", &nn::Recurrent::countLayers)
      .def_prop_ro("bias", &nn::Recurrent::hasBias)
      .def_ro("batch_first", &nn::Recurrent::isBatchFirst)
      .def_rw("dropout", &nn::Recurrent::dropout)
      .def_ro("bidirectional", &nn::Recurrent::isBidirectional);
  bindRecurrent<nn::LSTM>(module, "LSTM", "Layers of long short-term memory over [steps, batch, in].")
      .def(
          "__call__",
          [](nn::LSTM &self, const Tensor &input, nb::handle states) {
            std::pair<Tensor, Tensor> both = {input, input};
            if (!states.is_none() && !nb::try_cast(states, both))
              throw nb::type_error("expects the hidden states and the cells' as a pair: lstm(x, (h, c))");
            Site site = findSite();
            bool isGiven = !states.is_none();
            nn::LSTM::Result result = unlocked(
                [&] { return self(input, isGiven ? &both.first : nullptr, isGiven ? &both.second : nullptr, site); });
            return std::pair(result.output, std::pair(result.hidden, result.cell));
          },
          nb::arg("input"), nb::arg("hx") = nb::none(), "The output of each step, and the states behind the last one.");
  bindRecurrent<nn::GRU>(module, "GRU", "Layers of gated recurrent units over [steps, batch, in].");
  bindRecurrent<nn::RNN>(module, "RNN", "Layers of tanh, or relu, of sums of input and state, over [steps, batch, in].")
      .def(
          "__init__",
          [](nn::RNN *self, int64_t in, int64_t size, int64_t layers, const std::string &nonlinearity, bool bias,
             bool batchFirst, double dropout, bool bidirectional, const nb::kwargs &options) {
            checkOptions(options);
            if (nonlinearity != "tanh" && nonlinearity != "relu")
              throw nb::value_error(("expects the nonlinearity tanh or relu, got '" + nonlinearity + "'").c_str());
            new (self)
                nn::RNN(in, size, layers, nonlinearity == "relu", bias, batchFirst, dropout, bidirectional, findSite());
          },
          nb::arg("input_size"), nb::arg("hidden_size"), nb::arg("num_layers") = 1, nb::arg("nonlinearity") = "tanh",
          nb::arg("bias") = true, nb::arg("batch_first") = false, nb::arg("dropout") = 0.0,
          nb::arg("bidirectional") = false, nb::arg("options"))
      .def_prop_ro("nonlinearity", [](const nn::RNN &self) { return self.isRelu() ? "relu" : "tanh"; });
}

void bindAttention(nb::module_ &module) {
  nb::class_<nn::MultiHeadAttention, nn::Module> attention(module, "MultiHeadAttention",
                                                           "Attention of [batch, rows, width], by heads.");
  attention
      .def("__init__", &construct<nn::MultiHeadAttention, int64_t, int64_t, bool>, nb::arg("embed_dim"),
           nb::arg("num_heads"), nb::arg("bias") = true, nb::arg("options"))
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
      .def_rw("in_proj_weight", &nn::MultiHeadAttention::in_proj_weight)
      .def_prop_ro("out_proj", [](nn::MultiHeadAttention &self) -> nn::Linear & { return self.out_proj; })
      .def_prop_ro("embed_dim", [](const nn::MultiHeadAttention &self) { return self.in_proj_weight.shape()[1]; })
      .def_ro("num_heads", &nn::MultiHeadAttention::heads);
  bindOptional<nn::MultiHeadAttention>(attention, "in_proj_bias", &nn::MultiHeadAttention::in_proj_bias);
}

void bindFiles(nb::module_ &module) {
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

} // namespace

void bindLayers(nb::module_ &module) {
  nb::class_<nn::Module> base(module, "NativeModule", "A module of tensors under names.");
  bindState(base);
  base.def("_train", &nn::Module::train, nb::arg("mode"))
      .def_prop_ro("training", &nn::Module::isTraining, "Whether it trains; True at first.");
  nb::class_<nn::Layer, nn::Module>(module, "Layer", "A layer of one tensor to one tensor.")
      .def(
          "__call__",
          [](nn::Layer &self, const Tensor &input) {
            Site site = findSite();
            return unlocked([&] { return self(input, site); });
          },
          nb::arg("input"));
  bindSimpleLayers(module);
  bindConvolution<ConvolutionOf<nn::Conv2d, 1>, 1>(module, "Conv1d", "Convolution of [batch, in, size].");
  bindConvolution<ConvolutionOf<nn::Conv2d, 2>, 2>(module, "Conv2d", "Convolution of [batch, in, height, width].");
  bindConvolution<ConvolutionOf<nn::Conv2d, 3>, 3>(module, "Conv3d", "Convolution of [batch, in, x, y, z].");
  bindConvolution<ConvolutionOf<nn::ConvTranspose2d, 1>, 1>(module, "ConvTranspose1d",
                                                            "The inverse of Conv1d's shapes.");
  bindConvolution<ConvolutionOf<nn::ConvTranspose2d, 2>, 2>(module, "ConvTranspose2d",
                                                            "The inverse of Conv2d's shapes.");
  bindConvolution<ConvolutionOf<nn::ConvTranspose2d, 3>, 3>(module, "ConvTranspose3d",
                                                            "The inverse of Conv3d's shapes.");
  bindNorms(module);
  bindRecurrentLayers(module);
  bindAttention(module);
  bindFiles(module);
  module.def(
      "_undrawn",
      [](const nb::callable &make) {
        nn::Undrawn undrawn;
        make();
      },
      nb::arg("make"), "Calls what makes layers that get their values from elsewhere.");
}

} // namespace tiny::python
