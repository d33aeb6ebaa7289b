// Functions that others make up: order, places, norms, attention.
#include "Module.h"

#include "Tiny/Frontend/Functional.h"

#include <cmath>

namespace tiny::python {

namespace {

const Tensor *pointer(const std::optional<Tensor> &tensor) { return tensor ? &*tensor : nullptr; }

void bindOrder(nb::class_<Tensor> &tensor) {
  tensor.def(
      "cumsum", [](const Tensor &self, int64_t dim) { return call(&Tensor::cumsum, self, dim); }, nb::arg("dim"),
      "Sums of the elements up to each one.");
  tensor.def(
      "topk",
      [](const Tensor &self, int64_t k, int64_t dim, bool largest) {
        return call(&Tensor::topk, self, k, dim, largest);
      },
      nb::arg("k"), nb::arg("dim") = -1, nb::arg("largest") = true,
      "The k largest elements along an axis, or the smallest, in order; and where they stand.");
  tensor.def(
      "sort",
      [](const Tensor &self, int64_t dim, bool descending) { return call(&Tensor::sort, self, dim, descending); },
      nb::arg("dim") = -1, nb::arg("descending") = false,
      "All elements along an axis in order, equals as they stood; and where they stood.");
  tensor.def(
      "argsort",
      [](const Tensor &self, int64_t dim, bool descending) {
        return call(&Tensor::sort, self, dim, descending).second;
      },
      nb::arg("dim") = -1, nb::arg("descending") = false, "Where the elements stand, in order.");
}

void bindPlaces(nb::class_<Tensor> &tensor) {
  auto scatter = [&](const char *name, Tensor (Tensor::*method)(int64_t, const Tensor &, const Tensor &, Site) const,
                     const char *what) {
    tensor.def(
        name,
        [method](const Tensor &self, int64_t dim, const Tensor &index, nb::handle source) {
          // A number is what every place gets.
          PyOperand operand(source);
          Tensor value = Tensor::like(static_cast<Operand>(operand), self, findSite());
          if (value.dim() == 0)
            value = call(&Tensor::expand, value, index.shape());
          return call(method, self, dim, index, value);
        },
        nb::arg("dim"), nb::arg("index"), nb::arg("src"), what);
  };
  scatter("scatter", &Tensor::scatter,
          "The tensor with src placed along an axis at the indices; of several for one place the last one stays.");
  scatter("scatter_add", &Tensor::scatter_add, "The tensor with src added along an axis at the indices.");
  auto triangle = [&](const char *name, Tensor (Tensor::*method)(int64_t, Site) const, const char *what) {
    tensor.def(
        name, [method](const Tensor &self, int64_t diagonal) { return call(method, self, diagonal); },
        nb::arg("diagonal") = 0, what);
  };
  triangle("triu", &Tensor::triu, "The triangle of each matrix from a diagonal upwards; zeros elsewhere.");
  triangle("tril", &Tensor::tril, "The triangle of each matrix from a diagonal downwards; zeros elsewhere.");
  tensor.def(
      "one_hot",
      [](const Tensor &self, int64_t classes) {
        Site site = findSite();
        return unlocked([&] {
          int64_t count = classes < 0 ? int64_t(self.max({}, false, site).item(site)) + 1 : classes;
          return self.one_hot(count, site);
        });
      },
      nb::arg("num_classes") = -1,
      "Integers as rows that are 1 there, and 0 elsewhere. Without the number of classes the largest one is computed "
      "at once.");
  tensor.def(
      "repeat", [](const Tensor &self, const nb::args &counts) { return call(&Tensor::repeat, self, toShape(counts)); },
      "The whole tensor so many times along each axis.");
  tensor.def(
      "roll",
      [](const Tensor &self, nb::handle shifts, nb::handle dims) {
        Shape steps = toAxes(shifts), axes = toAxes(dims);
        bool isFlat = dims.is_none();
        if (steps.size() != (isFlat ? 1 : axes.size()))
          throw nb::value_error("expects a shift for each axis");
        if (isFlat)
          return call(&Tensor::reshape, call(&Tensor::roll, call(&Tensor::flatten, self, 0, -1), steps[0], 0),
                      self.shape());
        Tensor result = self;
        for (size_t k = 0; k < axes.size(); ++k)
          result = call(&Tensor::roll, result, steps[k], axes[k]);
        return result;
      },
      nb::arg("shifts"), nb::arg("dims") = nb::none(), "Moves elements along an axis, those at its end to its front.");
  tensor.def(
      "split",
      [](const Tensor &self, nb::handle size, int64_t dim) {
        if (PyIndex_Check(size.ptr()))
          return call(&Tensor::split, self, toWhole(size), dim);
        int64_t begin = 0, rank = std::max<int64_t>(self.dim(), 1), axis = dim < 0 ? dim + rank : dim;
        std::vector<Tensor> parts;
        Site site = findSite();
        for (int64_t length : toAxes(size)) {
          parts.push_back(functional::narrow(self, axis, begin, length, site));
          begin += length;
        }
        if (begin != self.shape().at(size_t(axis)))
          throw Error("expects sizes that make up " + std::to_string(self.shape()[size_t(axis)]) + ", got " +
                      std::to_string(begin));
        return parts;
      },
      nb::arg("split_size"), nb::arg("dim") = 0,
      "Parts of a size along an axis, the last one smaller; or of several sizes.");
  tensor.def(
      "chunk", [](const Tensor &self, int64_t count, int64_t dim) { return call(&Tensor::chunk, self, count, dim); },
      nb::arg("chunks"), nb::arg("dim") = 0, "So many parts along an axis, the last one smaller.");
  tensor.def(
      "masked_fill",
      [](const Tensor &self, const Tensor &mask, nb::handle value) {
        PyOperand operand(value);
        return call(&Tensor::masked_fill, self, mask, static_cast<Operand>(operand));
      },
      nb::arg("mask"), nb::arg("value"), "The value where the mask holds.");
  tensor.def(
      "lerp",
      [](const Tensor &self, const Tensor &end, nb::handle weight) {
        PyOperand operand(weight);
        return call(&Tensor::lerp, self, end, static_cast<Operand>(operand));
      },
      nb::arg("end"), nb::arg("weight"), "To end by a share.");
}

void bindNorms(nb::class_<Tensor> &tensor) {
  tensor.def(
      "layer_norm",
      [](const Tensor &self, const std::optional<Tensor> &weight, const std::optional<Tensor> &bias, int64_t dim,
         double eps) {
        Site site = findSite();
        return unlocked([&] { return self.layer_norm(pointer(weight), pointer(bias), dim, eps, site); });
      },
      nb::arg("weight") = nb::none(), nb::arg("bias") = nb::none(), nb::arg("dim") = -1, nb::arg("eps") = 1e-5,
      "To mean 0 and variance 1 over the axes from dim on; then times the weight, plus the bias.");
  tensor.def(
      "rms_norm",
      [](const Tensor &self, const std::optional<Tensor> &weight, int64_t dim, double eps) {
        return call(&Tensor::rms_norm, self, pointer(weight), dim, eps);
      },
      nb::arg("weight") = nb::none(), nb::arg("dim") = -1, nb::arg("eps") = 0x1p-23,
      "Over the root of the mean square of the axes from dim on; then times the weight.");
  tensor.def(
      "group_norm",
      [](const Tensor &self, int64_t groups, const Tensor &weight, const Tensor &bias, double eps) {
        return call(&Tensor::group_norm, self, groups, weight, bias, eps);
      },
      nb::arg("num_groups"), nb::arg("weight"), nb::arg("bias"), nb::arg("eps") = 1e-5,
      "Each group of channels, which are axis 1, to mean 0 and variance 1.");
  tensor.def(
      "batch_norm",
      [](const Tensor &self, const Tensor &mean, const Tensor &var, const Tensor &weight, const Tensor &bias,
         double eps) { return call(&Tensor::batch_norm, self, mean, var, weight, bias, eps); },
      nb::arg("mean"), nb::arg("var"), nb::arg("weight"), nb::arg("bias"), nb::arg("eps") = 1e-5,
      "(x - mean) / sqrt(var + eps) * weight + bias, with one of each a channel, which are axis 1.");
}

} // namespace

void bindComposed(nb::module_ &module, nb::class_<Tensor> &tensor) {
  bindOrder(tensor);
  bindPlaces(tensor);
  bindNorms(tensor);
  module.def(
      "einsum",
      [](const std::string &equation, const nb::args &operands) {
        bool isList = operands.size() == 1 && !nb::isinstance<Tensor>(operands[0]);
        std::vector<Tensor> tensors;
        if (!nb::try_cast(isList ? nb::object(operands[0]) : nb::object(nb::list(operands)), tensors))
          throw nb::type_error("expects tensors behind the equation: einsum(\"ij,jk->ik\", a, b)");
        return Tensor::einsum(equation, tensors, findSite());
      },
      "Sums of products as the equation says, such as einsum(\"bij,bjk->bik\", a, b).");
  module.def(
      "scaled_dot_product_attention",
      [](const Tensor &query, const Tensor &key, const Tensor &value, const std::optional<Tensor> &mask, double dropout,
         bool causal, std::optional<double> scale) {
        if (dropout != 0)
          throw nb::value_error(
              "attention drops nothing: leave dropout_p out, or multiply, softmax, drop and multiply");
        Site site = findSite();
        return unlocked([&] {
          double width = query.dim() ? double(query.shape().back()) : 1;
          Tensor scaled = scale ? query.mul(*scale * std::sqrt(width), site) : query;
          return Tensor::attention(scaled, key, value, pointer(mask), causal, site);
        });
      },
      nb::arg("query"), nb::arg("key"), nb::arg("value"), nb::arg("attn_mask") = nb::none(), nb::arg("dropout_p") = 0.0,
      nb::arg("is_causal") = false, nb::kw_only(), nb::arg("scale") = nb::none(),
      "softmax(query key^T / sqrt(width) + mask) value, all [batch, heads, rows, width]; or times a scale instead.");
}

} // namespace tiny::python
