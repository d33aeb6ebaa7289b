// Functions that the methods of Tensor make up, as methods and as functions of the module.
#include "Module.h"

#include "Tiny/Frontend/Functional.h"

namespace tiny::python {

namespace {

namespace F = functional;

/// Defines a method and a function of the same name, whose first argument is `input`.
class Both {
public:
  Both(nb::module_ &module, nb::class_<Tensor> &tensor) : module(module), tensor(tensor) {}

  template <typename Function, typename... More>
  void operator()(const char *name, Function function, const char *what, const More &...more) {
    tensor.def(name, function, more..., what);
    module.def(name, function, nb::arg("input"), more..., what);
  }

private:
  nb::module_ &module;
  nb::class_<Tensor> &tensor;
};

/// Runs a function without the interpreter's lock, at the user's line.
template <typename Function, typename... Args> decltype(auto) at(Function function, Args &&...args) {
  Site site = findSite();
  return unlocked([&]() -> decltype(auto) { return function(std::forward<Args>(args)..., site); });
}

const Tensor *pointer(const std::optional<Tensor> &tensor) { return tensor ? &*tensor : nullptr; }

F::Over toOver(const std::string &reduction) {
  if (reduction == "mean")
    return F::Over::Mean;
  if (reduction == "sum")
    return F::Over::Sum;
  if (reduction == "none")
    return F::Over::None;
  throw nb::value_error(("expects a reduction, none, sum or mean, got '" + reduction + "'").c_str());
}

/// The axes behind batch and channels, from one size or one for each; or those there are times a factor.
Shape toSizes(const Tensor &input, nb::handle size, nb::handle factor) {
  Shape sizes;
  size_t axes = size_t(std::max<int64_t>(input.dim() - 2, 0));
  if (!size.is_none())
    return nb::isinstance<nb::int_>(size) ? Shape(axes, nb::cast<int64_t>(size)) : nb::cast<Shape>(size);
  if (factor.is_none())
    throw nb::value_error("expects a size or a scale_factor");
  std::vector<double> factors = nb::isinstance<nb::int_>(factor) || nb::isinstance<nb::float_>(factor)
                                    ? std::vector<double>(axes, nb::cast<double>(factor))
                                    : nb::cast<std::vector<double>>(factor);
  for (size_t axis = 0; axis < std::min(axes, factors.size()); ++axis)
    sizes.push_back(int64_t(double(input.shape()[axis + 2]) * factors[axis]));
  return sizes;
}

void bindPlaces(nb::module_ &module, Both &both) {
  module.def(
      "linspace",
      [](double start, double end, int64_t steps, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        return F::linspace(start, end, steps, toDtype(dtype).value_or(TINY_DTYPE_F32), findSite());
      },
      nb::arg("start"), nb::arg("end"), nb::arg("steps"), nb::arg("dtype") = nb::none(), nb::arg("options"),
      "So many numbers at equal distances, both ends included.");
  module.def(
      "randperm",
      [](int64_t n, const nb::kwargs &options) {
        checkOptions(options);
        return at(&F::randperm, n);
      },
      nb::arg("n"), nb::arg("options"), "The whole numbers below n in random order.");
  both(
      "multinomial",
      [](const Tensor &self, int64_t count, bool replacement) { return at(&F::multinomial, self, count, replacement); },
      "Places along the last axis, drawn by the chances that stand there.", nb::arg("num_samples"),
      nb::arg("replacement") = false);
  module.def(
      "meshgrid",
      [](const nb::args &tensors, const std::string &indexing) {
        if (indexing != "ij" && indexing != "xy")
          throw nb::value_error(("expects the indexing ij or xy, got '" + indexing + "'").c_str());
        bool isList = tensors.size() == 1 && !nb::isinstance<Tensor>(tensors[0]);
        auto list = nb::cast<std::vector<Tensor>>(isList ? nb::object(tensors[0]) : nb::object(nb::list(tensors)));
        return F::meshgrid(list, indexing == "ij", findSite());
      },
      nb::arg("tensors"), nb::arg("indexing") = "ij", "One tensor for each axis of a grid.");
  module.def(
      "pad",
      [](const Tensor &self, const Shape &pad, const std::string &mode, double value) {
        size_t rank = self.shape().size();
        if (pad.size() % 2 || pad.size() > 2 * rank)
          throw nb::value_error("expects two paddings for each axis, the last one first");
        Shape low(rank, 0), high(rank, 0);
        for (size_t k = 0; k < pad.size() / 2; ++k) {
          low[rank - 1 - k] = pad[2 * k];
          high[rank - 1 - k] = pad[2 * k + 1];
        }
        return at(&F::pad, self, low, high, mode, value);
      },
      nb::arg("input"), nb::arg("pad"), nb::arg("mode") = "constant", nb::arg("value") = 0.0,
      "PyTorch's pad: before and behind the last axis, then the one before it, and so on; below 0 it cuts. Modes are\n"
      "constant, reflect, replicate, circular.");
  both(
      "unflatten",
      [](const Tensor &self, int64_t dim, const Shape &sizes) { return at(&F::unflatten, self, dim, sizes); },
      "One axis as several; one size may be -1.", nb::arg("dim"), nb::arg("sizes"));
  both(
      "movedim", [](const Tensor &self, int64_t from, int64_t to) { return at(&F::movedim, self, from, to); },
      "One axis at another place.", nb::arg("source"), nb::arg("destination"));
  both(
      "narrow",
      [](const Tensor &self, int64_t dim, int64_t start, int64_t length) {
        return at(&F::narrow, self, dim, start, length);
      },
      "A part of an axis.", nb::arg("dim"), nb::arg("start"), nb::arg("length"));
  both(
      "unbind", [](const Tensor &self, int64_t dim) { return at(&F::unbind, self, dim); },
      "The slices along an axis, without it.", nb::arg("dim") = 0);
  both(
      "repeat_interleave",
      [](const Tensor &self, int64_t repeats, std::optional<int64_t> dim) {
        return dim ? at(&F::repeat_interleave, self, repeats, *dim)
                   : at(&F::repeat_interleave, call(&Tensor::flatten, self, 0, -1), repeats, 0);
      },
      "Each element so many times, one beside the other; of the flat tensor without an axis.", nb::arg("repeats"),
      nb::arg("dim") = nb::none());
  both(
      "diagonal",
      [](const Tensor &self, int64_t offset, int64_t a, int64_t b) { return at(&F::diagonal, self, offset, a, b); },
      "The elements [.., i, i + offset] of two axes, as the last axis.", nb::arg("offset") = 0, nb::arg("dim1") = 0,
      nb::arg("dim2") = 1);
  both(
      "diag", [](const Tensor &self, int64_t offset) { return at(&F::diag, self, offset); },
      "A matrix's diagonal; of a row the matrix that has it as its diagonal.", nb::arg("diagonal") = 0);
  both("trace", [](const Tensor &self) { return at(&F::trace, self); }, "The sum of the diagonal.");
  module.def(
      "embedding",
      [](const Tensor &input, const Tensor &weight, std::optional<int64_t> padding, const nb::kwargs &options) {
        checkOptions(options);
        return at(&F::embedding, input, weight, padding);
      },
      nb::arg("input"), nb::arg("weight"), nb::arg("padding_idx") = nb::none(), nb::arg("options"),
      "Rows of a weight [count, size], by integers; that of padding_idx gets no gradient.");
  both(
      "unfold",
      [](const Tensor &self, int64_t dim, int64_t size, int64_t step) { return at(&F::unfold, self, dim, size, step); },
      "Windows of a size along an axis, every step elements, as the last axis.", nb::arg("dimension"), nb::arg("size"),
      nb::arg("step"));
  both(
      "scatter_reduce",
      [](const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source, const std::string &reduce) {
        return at(&F::scatter_reduce, self, dim, index, source, reduce);
      },
      "src combined along an axis with what was at the indices: sum, prod, mean, amax or amin.", nb::arg("dim"),
      nb::arg("index"), nb::arg("src"), nb::arg("reduce"));
  both(
      "nonzero", [](const Tensor &self) { return at(&F::nonzero, self); },
      "Where elements are not zero, a row of indices each; computed at once.");
}

void bindElements(Both &both) {
  both(
      "celu", [](const Tensor &self, double alpha) { return at(&F::celu, self, alpha); },
      "max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)", nb::arg("alpha") = 1.0);
  both(
      "prelu", [](const Tensor &self, const Tensor &weight) { return at(&F::prelu, self, weight); },
      "x, or weight * x where x is negative; one weight, or one for each channel", nb::arg("weight"));
  both(
      "hardtanh", [](const Tensor &self, double low, double high) { return at(&F::hardtanh, self, low, high); },
      "min(max(x, low), high)", nb::arg("min_val") = -1.0, nb::arg("max_val") = 1.0);
  both(
      "threshold",
      [](const Tensor &self, double threshold, double value) { return at(&F::threshold, self, threshold, value); },
      "x, or the value where x is not above the threshold", nb::arg("threshold"), nb::arg("value"));
  both(
      "gelu",
      [](const Tensor &self, const std::string &approximate) {
        if (approximate != "none" && approximate != "tanh")
          throw nb::value_error(("expects none or tanh, got '" + approximate + "'").c_str());
        return approximate == "none" ? call(&Tensor::gelu, self) : call(&Tensor::gelu_tanh, self);
      },
      "x times the normal distribution's integral at x, or by tanh about that", nb::arg("approximate") = "none");
  both(
      "softplus",
      [](const Tensor &self, double beta) {
        Site site = findSite();
        return unlocked(
            [&] { return beta == 1 ? self.softplus(site) : self.mul(beta, site).softplus(site).div(beta, site); });
      },
      "log(1 + exp(beta * x)) / beta, without overflow", nb::arg("beta") = 1.0);
  both("quick_gelu", [](const Tensor &self) { return at(&F::quick_gelu, self); }, "x * sigmoid(1.702 * x)");
  both(
      "glu", [](const Tensor &self, int64_t dim) { return at(&F::glu, self, dim); },
      "The first half along an axis times the sigmoid of the second.", nb::arg("dim") = -1);
  auto operand = [&](const char *name, Tensor (*function)(const Tensor &, const Operand &, Site), const char *what) {
    both(
        name,
        [function](const Tensor &self, nb::handle other) {
          PyOperand given(other);
          return at(function, self, static_cast<Operand>(given));
        },
        what, nb::arg("other"));
  };
  operand("copysign", &F::copysign, "|x| with the other's sign");
  operand("atan2", &F::atan2, "the angle of the point (other, x)");
  both(
      "isclose",
      [](const Tensor &self, const Tensor &other, double rtol, double atol, bool equalNan) {
        return at(&F::isclose, self, other, rtol, atol, equalNan);
      },
      "|x - other| <= atol + rtol * |other|", nb::arg("other"), nb::arg("rtol") = 1e-5, nb::arg("atol") = 1e-8,
      nb::arg("equal_nan") = false);
  both(
      "nan_to_num",
      [](const Tensor &self, double nan, std::optional<double> high, std::optional<double> low) {
        return at(&F::nan_to_num, self, nan, high, low);
      },
      "NaN and infinities replaced, by 0 and the largest numbers where none are given.", nb::arg("nan") = 0.0,
      nb::arg("posinf") = nb::none(), nb::arg("neginf") = nb::none());
}

void bindReductions(Both &both) {
  both(
      "norm",
      [](const Tensor &self, double p, nb::handle dim, bool keepdim) {
        return at(&F::norm, self, p, toAxes(dim), keepdim);
      },
      "(sum |x|^p)^(1/p); the largest |x| for p = inf", nb::arg("p") = 2.0, nb::arg("dim") = nb::none(),
      nb::arg("keepdim") = false);
  both(
      "normalize",
      [](const Tensor &self, double p, int64_t dim, double eps) { return at(&F::normalize, self, p, dim, eps); },
      "Over its norm along an axis, which counts at least eps.", nb::arg("p") = 2.0, nb::arg("dim") = 1,
      nb::arg("eps") = 1e-12);
  both(
      "count_nonzero", [](const Tensor &self, nb::handle dim) { return at(&F::count_nonzero, self, toAxes(dim)); },
      "How many elements are not zero.", nb::arg("dim") = nb::none());
  auto along = [&](const char *name, Tensor (*function)(const Tensor &, int64_t, Site), const char *what) {
    both(name, [function](const Tensor &self, int64_t dim) { return at(function, self, dim); }, what, nb::arg("dim"));
  };
  along("cumprod", &F::cumprod, "Products of the elements up to each one.");
  along("cummax", &F::cummax, "The largest of the elements up to each one.");
  along("cummin", &F::cummin, "The smallest of the elements up to each one.");
  along("logcumsumexp", &F::logcumsumexp, "log(sum(exp(x))) of the elements up to each one, without overflow.");
  both(
      "dot", [](const Tensor &self, const Tensor &other) { return at(&F::dot, self, other); },
      "A row times a row, or what matmul does.", nb::arg("other"));
  both(
      "newton_schulz",
      [](const Tensor &self, int64_t steps, const std::vector<double> &coefficients, double eps) {
        return at(&F::newton_schulz, self, steps, coefficients, eps);
      },
      "Newton and Schulz's steps towards the nearest orthogonal matrix.", nb::arg("steps"),
      nb::arg("params") = std::vector<double>{1.5, -0.5}, nb::arg("eps") = 1e-7);
}

void bindWindows(Both &both) {
  both(
      "interpolate",
      [](const Tensor &self, nb::handle size, nb::handle factor, const std::string &mode, bool align) {
        return at(&F::interpolate, self, toSizes(self, size, factor), mode, align);
      },
      "[batch, channels, ...] to other sizes of the axes behind: nearest, nearest-exact, linear, bilinear, trilinear,\n"
      "bicubic, area. A scale_factor gives the size, and the size the scale.",
      nb::arg("size") = nb::none(), nb::arg("scale_factor") = nb::none(), nb::arg("mode") = "nearest",
      nb::arg("align_corners") = false);
  for (const char *name : {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"})
    both(
        name,
        [](const Tensor &self, nb::handle size) {
          return at(&F::adaptive_avg_pool, self, toSizes(self, size, nb::none()));
        },
        "Means of windows that divide each axis behind the channels into so many.", nb::arg("output_size"));
  both(
      "max_unpool2d",
      [](const Tensor &self, const Tensor &indices, const Shape &size) {
        return at(&F::max_unpool, self, indices, Shape(size.end() - std::min<long>(long(size.size()), 2), size.end()));
      },
      "Elements back where max_pool2d_with_indices found them, zeros elsewhere.", nb::arg("indices"),
      nb::arg("output_size"));
}

void bindLosses(Both &both) {
  using Plain = Tensor (*)(const Tensor &, const Tensor &, F::Over, Site);
  auto plain = [&](const char *name, Plain function, const char *what) {
    both(
        name,
        [function](const Tensor &self, const Tensor &target, const std::string &reduction) {
          return at(function, self, target, toOver(reduction));
        },
        what, nb::arg("target"), nb::arg("reduction") = "mean");
  };
  plain("mse_loss", &F::mse_loss, "Squared differences.");
  plain("l1_loss", &F::l1_loss, "Absolute differences.");
  plain("soft_margin_loss", &F::soft_margin_loss, "log(1 + exp(-target * x)) for targets 1 and -1.");
  using Numbered = Tensor (*)(const Tensor &, const Tensor &, F::Over, double, Site);
  auto numbered = [&](const char *name, Numbered function, const char *argument, const char *what) {
    both(
        name,
        [function](const Tensor &self, const Tensor &target, const std::string &reduction, double number) {
          return at(function, self, target, toOver(reduction), number);
        },
        what, nb::arg("target"), nb::arg("reduction") = "mean", nb::arg(argument) = 1.0);
  };
  numbered("smooth_l1_loss", &F::smooth_l1_loss, "beta", "Squares below beta, over 2 beta; lines above it.");
  numbered("huber_loss", &F::huber_loss, "delta", "Half squares below delta; lines above it.");
  using Class = Tensor (*)(const Tensor &, const Tensor &, const F::CrossEntropyOptions &, Site);
  auto classes = [&](const char *name, Class function, const char *what) {
    both(
        name,
        [function](const Tensor &self, const Tensor &target, const std::optional<Tensor> &weight, int64_t ignore,
                   const std::string &reduction, double smoothing) {
          F::CrossEntropyOptions options = {pointer(weight), ignore, toOver(reduction), smoothing};
          return at(function, self, target, options);
        },
        what, nb::arg("target"), nb::arg("weight") = nb::none(), nb::arg("ignore_index") = -100,
        nb::arg("reduction") = "mean", nb::arg("label_smoothing") = 0.0);
  };
  classes("cross_entropy", &F::cross_entropy,
          "Of class scores [batch, classes, ...] against integers [batch, ...], or chances of the scores' shape: "
          "-log_softmax\nat the right ones.");
  both(
      "nll_loss",
      [](const Tensor &self, const Tensor &target, const std::optional<Tensor> &weight, int64_t ignore,
         const std::string &reduction) {
        F::CrossEntropyOptions options = {pointer(weight), ignore, toOver(reduction), 0};
        return at(&F::nll_loss, self, target, options);
      },
      "cross_entropy of logarithms of chances, against integers.", nb::arg("target"), nb::arg("weight") = nb::none(),
      nb::arg("ignore_index") = -100, nb::arg("reduction") = "mean");
  both(
      "binary_cross_entropy",
      [](const Tensor &self, const Tensor &target, const std::optional<Tensor> &weight, const std::string &reduction) {
        return at(&F::binary_cross_entropy, self, target, pointer(weight), toOver(reduction));
      },
      "Of chances.", nb::arg("target"), nb::arg("weight") = nb::none(), nb::arg("reduction") = "mean");
  both(
      "binary_cross_entropy_with_logits",
      [](const Tensor &self, const Tensor &target, const std::optional<Tensor> &weight,
         const std::optional<Tensor> &positive, const std::string &reduction) {
        return at(&F::binary_cross_entropy_with_logits, self, target, pointer(weight), pointer(positive),
                  toOver(reduction));
      },
      "Of what sigmoid makes chances.", nb::arg("target"), nb::arg("weight") = nb::none(),
      nb::arg("pos_weight") = nb::none(), nb::arg("reduction") = "mean");
  both(
      "kl_div",
      [](const Tensor &self, const Tensor &target, const std::string &reduction, bool isLog) {
        if (reduction == "batchmean")
          return at(&F::kl_div, self, target, F::Over::Sum, isLog).div(double(self.shape().at(0)), findSite());
        return at(&F::kl_div, self, target, toOver(reduction), isLog);
      },
      "target * (log(target) - input); log_target says that the target is a logarithm, too.", nb::arg("target"),
      nb::arg("reduction") = "mean", nb::arg("log_target") = false);
  both(
      "cosine_similarity",
      [](const Tensor &self, const Tensor &other, int64_t dim, double eps) {
        return at(&F::cosine_similarity, self, other, dim, eps);
      },
      "The cosine of the angle along an axis.", nb::arg("other"), nb::arg("dim") = 1, nb::arg("eps") = 1e-8);
  both(
      "hinge_embedding_loss",
      [](const Tensor &self, const Tensor &target, double margin, const std::string &reduction) {
        return at(&F::hinge_embedding_loss, self, target, margin, toOver(reduction));
      },
      "x for targets 1, max(margin - x, 0) for targets -1.", nb::arg("target"), nb::arg("margin") = 1.0,
      nb::arg("reduction") = "mean");
  using Pair = Tensor (*)(const Tensor &, const Tensor &, const Tensor &, double, F::Over, Site);
  auto pairs = [&](const char *name, Pair function, const char *what) {
    both(
        name,
        [function](const Tensor &self, const Tensor &other, const Tensor &target, double margin,
                   const std::string &reduction) {
          return at(function, self, other, target, margin, toOver(reduction));
        },
        what, nb::arg("other"), nb::arg("target"), nb::arg("margin") = 0.0, nb::arg("reduction") = "mean");
  };
  pairs("margin_ranking_loss", &F::margin_ranking_loss, "max(margin - target * (x - other), 0)");
  pairs("cosine_embedding_loss", &F::cosine_embedding_loss,
        "1 - cos for targets 1, max(cos - margin, 0) for targets -1.");
  both(
      "triplet_margin_loss",
      [](const Tensor &self, const Tensor &positive, const Tensor &negative, double margin, double p,
         const std::string &reduction) {
        return at(&F::triplet_margin_loss, self, positive, negative, margin, p, toOver(reduction));
      },
      "max(|x - positive| - |x - negative| + margin, 0)", nb::arg("positive"), nb::arg("negative"),
      nb::arg("margin") = 1.0, nb::arg("p") = 2.0, nb::arg("reduction") = "mean");
  both(
      "poisson_nll_loss",
      [](const Tensor &self, const Tensor &target, bool isLog, const std::string &reduction) {
        return at(&F::poisson_nll_loss, self, target, isLog, toOver(reduction), 1e-8);
      },
      "exp(x) - target * x, or x - target * log(x).", nb::arg("target"), nb::arg("log_input") = true,
      nb::arg("reduction") = "mean");
  both(
      "gaussian_nll_loss",
      [](const Tensor &self, const Tensor &target, const Tensor &variance, const std::string &reduction) {
        return at(&F::gaussian_nll_loss, self, target, variance, toOver(reduction), 1e-6);
      },
      "(log(var) + (x - target)^2 / var) / 2", nb::arg("target"), nb::arg("var"), nb::arg("reduction") = "mean");
}

} // namespace

void bindFunctional(nb::module_ &module, nb::class_<Tensor> &tensor) {
  Both both(module, tensor);
  bindPlaces(module, both);
  bindElements(both);
  bindReductions(both);
  bindWindows(both);
  bindLosses(both);
  nb::class_<Autocast>(module, "_Autocast").def("__init__", [](Autocast *self, nb::handle dtype) {
    new (self) Autocast(toDtype(dtype).value_or(TINY_DTYPE_BF16), findSite());
  });
}

} // namespace tiny::python
