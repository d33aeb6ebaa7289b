// Convolutions and pooling, over any number of spatial axes.
#include "Windows.h"

#include "Tiny/Frontend/Functional.h"

#include <nanobind/stl/variant.h>

#include <variant>

namespace tiny::python {

Shape toSizes(nb::handle object, int64_t axes, const char *what) {
  if (PyIndex_Check(object.ptr()))
    return Shape(size_t(axes), toWhole(object, what));
  Shape sizes;
  if (!nb::try_cast(object, sizes) || int64_t(sizes.size()) != axes)
    throw nb::type_error((std::string(what) + " is a whole number, or " + std::to_string(axes) + " of them, got " +
                          nb::cast<std::string>(nb::repr(object)))
                             .c_str());
  return sizes;
}

void setPadding(Window &window, nb::handle padding, const Shape &kernel) {
  if (!nb::isinstance<nb::str>(padding)) {
    window.low = window.high = toSizes(padding, int64_t(kernel.size()), "padding");
    return;
  }
  std::string mode = nb::cast<std::string>(padding);
  bool isSame = mode == "same";
  if ((!isSame && mode != "valid") || (isSame && window.strides != Shape(kernel.size(), 1)))
    throw nb::value_error("padding is a number, 'valid', or 'same' where the stride is 1");
  for (size_t axis = 0; axis < kernel.size(); ++axis) {
    int64_t more = isSame ? window.dilations[axis] * (kernel[axis] - 1) : 0;
    window.low.push_back(more / 2);
    window.high.push_back(more - more / 2);
  }
}

namespace {

namespace F = functional;

const Tensor *pointer(const std::optional<Tensor> &tensor) { return tensor ? &*tensor : nullptr; }

/// The axes behind batch and channels.
Shape takeSpatial(const Shape &shape) {
  return Shape(shape.begin() + std::min<long>(2, long(shape.size())), shape.end());
}

/// A pool's window and the padding behind it with which its last window is a whole one.
class Pool {
public:
  Pool(const Tensor &input, nb::handle size, nb::handle stride, nb::handle padding, nb::handle dilation)
      : spatial(takeSpatial(input.shape())) {
    int64_t axes = int64_t(spatial.size());
    kernel = toSizes(size, axes, "kernel_size");
    window.strides = stride.is_none() ? kernel : toSizes(stride, axes, "stride");
    window.dilations = toSizes(dilation, axes, "dilation");
    setPadding(window, padding, kernel);
    padded = window;
  }

  /// PyTorch's ceil_mode: windows that begin within the input or the padding before it may end behind the padding.
  void roundUp() {
    for (size_t axis = 0; axis < kernel.size(); ++axis) {
      int64_t span = window.dilations[axis] * (kernel[axis] - 1) + 1, stride = window.strides[axis];
      int64_t rest = spatial[axis] + window.low[axis] + window.high[axis] - span;
      if (stride < 1 || rest < 0)
        continue;
      int64_t last = (rest + stride - 1) / stride;
      last -= last * stride >= spatial[axis] + window.low[axis];
      padded.high[axis] += std::max<int64_t>(last * stride - rest, 0);
    }
  }

  /// Whether windows reach behind the padding, where nothing counts.
  bool isRounded() const { return padded.high != window.high; }

  /// For each window the share of it that lies within the input and its padding.
  Tensor countShares(const Tensor &input, Site site) const {
    Shape all = {1, 1};
    Window behind = padded;
    for (size_t axis = 0; axis < kernel.size(); ++axis) {
      all.push_back(spatial[axis] + window.low[axis] + window.high[axis]);
      behind.low[axis] = 0;
      behind.high[axis] = padded.high[axis] - window.high[axis];
    }
    return Tensor::ones(all, input.dtype(), site).avg_pool(kernel, behind, /*countsPadding=*/true, site);
  }

  Shape kernel, spatial;
  Window window, padded;
};

void bindConvolutions(nb::class_<Tensor> &tensor) {
  tensor.def(
      "conv2d",
      [](const Tensor &self, const Tensor &weight, const std::optional<Tensor> &bias, nb::handle stride,
         nb::handle padding, nb::handle dilation, int64_t groups) {
        Shape kernel = takeSpatial(weight.shape());
        int64_t axes = int64_t(kernel.size());
        Window window = {toSizes(stride, axes, "stride"), toSizes(dilation, axes, "dilation")};
        window.groups = groups;
        setPadding(window, padding, kernel);
        return call(&Tensor::conv, self, weight, pointer(bias), window);
      },
      nb::arg("weight"), nb::arg("bias") = nb::none(), nb::arg("stride") = 1, nb::arg("padding") = 0,
      nb::arg("dilation") = 1, nb::arg("groups") = 1,
      "Convolution over any number of spatial axes: [batch, in, ...] with a weight [out, in / groups, ...].");
  tensor.def(
      "conv_transpose2d",
      [](const Tensor &self, const Tensor &weight, const std::optional<Tensor> &bias, nb::handle stride,
         nb::handle padding, nb::handle outputPadding, int64_t groups, nb::handle dilation) {
        Shape kernel = takeSpatial(weight.shape());
        int64_t axes = int64_t(kernel.size());
        Window window = {toSizes(stride, axes, "stride"), toSizes(dilation, axes, "dilation")};
        window.groups = groups;
        window.outputPadding = toSizes(outputPadding, axes, "output_padding");
        setPadding(window, padding, kernel);
        return call(&Tensor::conv_transpose, self, weight, pointer(bias), window);
      },
      nb::arg("weight"), nb::arg("bias") = nb::none(), nb::arg("stride") = 1, nb::arg("padding") = 0,
      nb::arg("output_padding") = 0, nb::arg("groups") = 1, nb::arg("dilation") = 1,
      "The inverse of conv2d's shapes: [batch, in, ...] with a weight [in, out / groups, ...].");
}

void bindPools(nb::class_<Tensor> &tensor) {
  tensor.def(
      "max_pool2d",
      [](const Tensor &self, nb::handle kernel, nb::handle stride, nb::handle padding, nb::handle dilation,
         bool roundsUp, bool hasIndices) -> std::variant<Tensor, std::pair<Tensor, Tensor>> {
        Pool pool(self, kernel, stride, padding, dilation);
        if (roundsUp)
          pool.roundUp();
        Site site = findSite();
        if (hasIndices)
          return unlocked([&] { return F::max_pool_indices(self, pool.kernel, pool.padded, site); });
        return call(&Tensor::max_pool, self, pool.kernel, pool.padded);
      },
      nb::arg("kernel_size"), nb::arg("stride") = nb::none(), nb::arg("padding") = 0, nb::arg("dilation") = 1,
      nb::arg("ceil_mode") = false, nb::arg("return_indices") = false,
      nb::sig("def max_pool2d(self, kernel_size: object, stride: object | None = None, padding: object = 0, dilation: "
              "object = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor"),
      "The largest element of each window, over any number of spatial axes; with return_indices where in its image it\n"
      "stood, too.");
  tensor.def(
      "avg_pool2d",
      [](const Tensor &self, nb::handle kernel, nb::handle stride, nb::handle padding, bool roundsUp,
         bool countsPadding) {
        Pool pool(self, kernel, stride, padding, nb::int_(1));
        if (roundsUp)
          pool.roundUp();
        Site site = findSite();
        return unlocked([&] {
          Tensor means = self.avg_pool(pool.kernel, pool.padded, countsPadding, site);
          return countsPadding && pool.isRounded() ? means.div(pool.countShares(self, site), site) : means;
        });
      },
      nb::arg("kernel_size"), nb::arg("stride") = nb::none(), nb::arg("padding") = 0, nb::arg("ceil_mode") = false,
      nb::arg("count_include_pad") = true, "The mean of each window, over any number of spatial axes.");
}

} // namespace

void bindWindows(nb::module_ &module, nb::class_<Tensor> &tensor) {
  bindConvolutions(tensor);
  bindPools(tensor);
  auto withIndices = [](const Tensor &self, nb::handle kernel, nb::handle stride, nb::handle padding) {
    Pool pool(self, kernel, stride, padding, nb::int_(1));
    Site site = findSite();
    return unlocked([&] { return F::max_pool_indices(self, pool.kernel, pool.padded, site); });
  };
  const char *what = "The largest element of each window, and where in its image it stood.";
  tensor.def("max_pool2d_with_indices", withIndices, nb::arg("kernel_size"), nb::arg("stride") = nb::none(),
             nb::arg("padding") = 0, what);
  module.def("max_pool2d_with_indices", withIndices, nb::arg("input"), nb::arg("kernel_size"),
             nb::arg("stride") = nb::none(), nb::arg("padding") = 0, what);
}

} // namespace tiny::python
