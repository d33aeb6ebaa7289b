// Everything but elementwise functions: creation, movement, reductions, products, gradients, values.
#include "Module.h"

#include "Tiny/Frontend/Index.h"
#include "Tiny/Frontend/Jit.h"

#include <cmath>

namespace tiny::python {

namespace {

using Reduction = Tensor (Tensor::*)(Shape, bool, Site) const;
struct ReductionRow {
  const char *name;
  Reduction call;
  const char *what;
};
constexpr ReductionRow kReductions[] = {
    {"sum", &Tensor::sum, "The sum; small integers and truth values add up in 32 bits."},
    {"prod", &Tensor::prod, "The product."},
    {"mean", &Tensor::mean, "The mean."},
    {"max", &Tensor::max, "The largest element; NaN where one is NaN. argmax() says where."},
    {"min", &Tensor::min, "The smallest element; NaN where one is NaN. argmin() says where."},
    {"amax", &Tensor::max, "The largest element; NaN where one is NaN."},
    {"amin", &Tensor::min, "The smallest element; NaN where one is NaN."},
    {"argmax", &Tensor::argmax, "Where the largest element stands: the first of equals."},
    {"argmin", &Tensor::argmin, "Where the smallest element stands: the first of equals."},
    {"any", &Tensor::any, "Whether an element is not zero."},
    {"all", &Tensor::all, "Whether every element is not zero."},
    {"logsumexp", &Tensor::logsumexp, "log(sum(exp(x))), without overflow."},
};

std::vector<Index> toIndices(nb::handle object) {
  std::vector<Index> indices;
  auto number = [](nb::handle value) -> std::optional<int64_t> {
    return value.is_none() ? std::nullopt : std::optional<int64_t>(toWhole(value, "whole numbers in slices"));
  };
  auto add = [&](nb::handle item) {
    if (item.is_none())
      indices.push_back(Index::newAxis());
    else if (item.is(nb::handle(Py_Ellipsis)))
      indices.push_back(Index::ellipsis());
    else if (PySlice_Check(item.ptr()))
      indices.push_back(Index::slice(number(item.attr("start")), number(item.attr("stop")), number(item.attr("step"))));
    else if (nb::isinstance<Tensor>(item))
      indices.push_back(Index(*nb::inst_ptr<Tensor>(item)));
    else if (PyIndex_Check(item.ptr()) && !PyBool_Check(item.ptr()) && !nb::hasattr(item, "shape"))
      indices.push_back(Index(toWhole(item)));
    else
      indices.push_back(Index(fromArray(item, std::nullopt, /*share=*/false)));
  };
  if (nb::isinstance<nb::tuple>(object))
    for (nb::handle item : nb::borrow<nb::tuple>(object))
      add(item);
  else
    add(object);
  return indices;
}

std::string describe(const Tensor &self) {
  nb::object array = nb::cast(self).attr("numpy")();
  nb::object numpy = nb::module_::import_("numpy");
  std::string text = nb::cast<std::string>(
      numpy.attr("array2string")(array, nb::arg("separator") = ", ", nb::arg("prefix") = "Tensor("));
  return "Tensor(" + text + ", " + nb::cast<std::string>(nb::str(nb::cast(self.dtype()).attr("name"))) + ")";
}

void bindCreation(nb::module_ &module) {
  auto shaped = [&](const char *name, double value, const char *what) {
    module.def(
        name,
        [value](const nb::args &shape, nb::handle dtype, const nb::kwargs &options) {
          checkOptions(options);
          return Tensor::full(toShape(shape), value, toDtype(dtype).value_or(TINY_DTYPE_F32), findSite());
        },
        nb::arg("shape"), nb::arg("dtype") = nb::none(), nb::arg("options"), what);
  };
  shaped("zeros", 0, "Zeros of a shape.");
  shaped("ones", 1, "Ones of a shape.");
  module.def(
      "full",
      [](nb::handle shape, nb::handle value, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        tiny_dtype own = PyBool_Check(value.ptr())    ? TINY_DTYPE_I1
                         : PyIndex_Check(value.ptr()) ? TINY_DTYPE_I64
                                                      : TINY_DTYPE_F32;
        return Tensor::full(toAxes(shape), nb::cast<double>(nb::float_(nb::borrow(value))),
                            toDtype(dtype).value_or(own), findSite());
      },
      nb::arg("shape"), nb::arg("fill_value"), nb::arg("dtype") = nb::none(), nb::arg("options"),
      "One number in every place; integers are int64.");
  module.def(
      "arange",
      [](nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        bool whole = nb::isinstance<nb::int_>(start) && (stop.is_none() || nb::isinstance<nb::int_>(stop)) &&
                     nb::isinstance<nb::int_>(step);
        double first = stop.is_none() ? 0 : nb::cast<double>(start);
        double last = nb::cast<double>(stop.is_none() ? start : stop);
        return Tensor::arange(first, last, nb::cast<double>(step),
                              toDtype(dtype).value_or(whole ? TINY_DTYPE_I64 : TINY_DTYPE_F32), findSite());
      },
      nb::arg("start"), nb::arg("stop") = nb::none(), nb::arg("step") = 1, nb::arg("dtype") = nb::none(),
      nb::arg("options"), "start, start + step, ... up to stop, which is left out. Integers give int64.");
  module.def(
      "eye",
      [](int64_t rows, std::optional<int64_t> columns, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        Site site = findSite();
        int64_t width = columns.value_or(rows);
        Tensor square = Tensor::eye(std::max(rows, width), toDtype(dtype).value_or(TINY_DTYPE_F32), site);
        return rows == width ? square : square.shrink({0, 0}, {rows, width}, site);
      },
      nb::arg("n"), nb::arg("m") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("options"),
      "Ones on the diagonal, zeros elsewhere.");
  auto join = [&](const char *name, Tensor (*function)(const std::vector<Tensor> &, int64_t, Site), const char *what) {
    module.def(
        name,
        [function](const std::vector<Tensor> &tensors, int64_t dim) { return function(tensors, dim, findSite()); },
        nb::arg("tensors"), nb::arg("dim") = 0, what);
  };
  join("cat", &Tensor::cat, "Tensors one after the other along an axis.");
  join("stack", &Tensor::stack, "Tensors of one shape along a new axis.");
  module.def(
      "where",
      [](const Tensor &condition, nb::handle input, nb::handle other) {
        PyOperand lhs(input), rhs(other);
        return where(condition, lhs, rhs, findSite());
      },
      nb::arg("condition"), nb::arg("input"), nb::arg("other"), "input where the condition holds, else other.");
  module.def(
      "realize",
      [](const std::vector<Tensor> &tensors) {
        Site site = findSite();
        unlocked([&] { Tensor::realize(tensors, site); });
      },
      nb::arg("tensors"), "Computes tensors together, by one program.");
  module.def(
      "grad",
      [](const Tensor &loss, nb::handle targets) {
        // A tensor is a list of its rows, which are no targets.
        std::vector<Tensor> list;
        if (nb::isinstance<Tensor>(targets) || !nb::try_cast(targets, list))
          throw nb::type_error("expects a list of tensors: tiny.grad(loss, [x])");
        Site site = findSite();
        return unlocked([&] { return loss.gradient(list, site); });
      },
      nb::arg("loss"), nb::arg("targets"),
      "The gradients of the sum of the loss's elements, one for each target: lazy, and differentiable again.");
  module.def(
      "_checkpoint",
      [](const std::vector<Tensor> &values, const std::vector<Tensor> &begins) {
        Site site = findSite();
        return unlocked([&] { return tiny::checkpoint(values, begins, site); });
      },
      nb::arg("values"), nb::arg("begins"));
}

/// Annotations that cut tensors among ranks: a number of them cuts one axis, a grid one for each of its axes.
/// One number of ranks, or a grid of them.
static Grid toGrid(nb::handle ranks, bool microbatches) {
  if (PyIndex_Check(ranks.ptr()) || nb::isinstance<nb::str>(ranks) || !PySequence_Check(ranks.ptr()))
    return Grid({toWhole(ranks, "a whole number of ranks, or a grid of them, (2, 4)")}, microbatches);
  return Grid(toAxes(ranks), microbatches);
}

/// The tensor's axis that each axis of a grid cuts, if any.
static std::vector<std::optional<int64_t>> toCuts(nb::handle axis, size_t count) {
  std::vector<std::optional<int64_t>> cuts(count);
  if (axis.is_none())
    return cuts;
  if (count == 1 && !(PySequence_Check(axis.ptr()) && !nb::isinstance<nb::str>(axis))) {
    cuts.front() = toWhole(axis, "a whole number as axis");
    return cuts;
  }
  if (!PySequence_Check(axis.ptr()) || nb::isinstance<nb::str>(axis))
    throw nb::type_error(("expects an axis, or None, for each of the grid's " + std::to_string(count) + ", got " +
                          nb::cast<std::string>(nb::repr(axis)))
                             .c_str());
  cuts.clear();
  for (nb::handle item : nb::borrow<nb::sequence>(axis))
    cuts.push_back(item.is_none() ? std::nullopt : std::optional(toWhole(item, "whole numbers or None as axes")));
  return cuts;
}

void bindRanks(nb::module_ &module, nb::class_<Tensor> &tensor) {
  tensor.def(
      "shard",
      [](const Tensor &self, nb::handle ranks, nb::handle axis, bool microbatches) {
        Grid grid = toGrid(ranks, microbatches);
        std::vector<std::optional<int64_t>> cuts = toCuts(axis, grid.shape.size());
        return call(&Tensor::shard, self, grid, cuts);
      },
      nb::arg("ranks").none(), nb::arg("axis") = nb::none(), nb::kw_only(), nb::arg("microbatches") = false,
      "The same value, cut along an axis among so many ranks, or whole on each of them. Of a grid of ranks, (2, 4), "
      "each "
      "axis cuts the one that `axis` has for it, (0, None). What else a program cuts follows from there. With "
      "`microbatches` the grid's last axis has no ranks: each rank computes those parts one after the other.");
  tensor.def(
      "stage",
      [](const Tensor &self, nb::handle ranks, nb::handle to, nb::handle from, int64_t axis, bool microbatches) {
        Grid grid = toGrid(ranks, microbatches);
        int64_t place = toWhole(to, "a whole number as the stage");
        if (from.is_none() && place == 0)
          throw nb::value_error("stage 0 has none before it: give `from_`, or a stage from 1 on");
        int64_t before = from.is_none() ? place - 1 : toWhole(from, "a whole number as the stage before");
        return call(&Tensor::stage, self, grid, axis, before, place);
      },
      nb::arg("ranks").none(), nb::arg("to").none(), nb::arg("from_") = nb::none(), nb::arg("axis") = 0, nb::kw_only(),
      nb::arg("microbatches") = false,
      "The same value in another stage of a pipeline: ranks at place `from_` (by default the one before `to`) on an "
      "axis of the grid compute it, and those at place `to` what is computed from it. Its gradient goes back.");
  module.def(
      "process_rank",
      [] {
        Site site = findSite();
        ProcessRank place = unlocked([&] { return findProcessRank(site); });
        return nb::make_tuple(place.rank, place.count);
      },
      "This process's number among those that mpirun started, and how many there are: (0, 1) for one alone.");
  module.def("_guard_rank", &guardProcessRank, nb::arg("name"));
}

/// Whether an object is on the interpreter's stack alone, and what it becomes is seen by nobody. From 3.14 on the stack
/// borrows, and counts say nothing.
bool isLost(nb::handle object) {
#if PY_VERSION_HEX < 0x030E0000
  return Py_REFCNT(object.ptr()) == 1 && nb::inst_state(object).second;
#else
  return false;
#endif
}

void bindMovement(nb::class_<Tensor> &tensor) {
  auto shaped = [&](const char *name, Tensor (Tensor::*method)(Shape, Site) const, const char *what) {
    tensor.def(
        name, [method](const Tensor &self, const nb::args &sizes) { return call(method, self, toShape(sizes)); }, what);
  };
  shaped("reshape", &Tensor::reshape, "The same elements in row-major order under another shape; one size may be -1.");
  shaped("view", &Tensor::reshape, "reshape: the same elements in row-major order under another shape.");
  shaped("expand", &Tensor::expand, "Repeats along axes of size 1 and along new leading axes.");
  shaped("permute", &Tensor::permute, "Reorders axes.");
  shaped("flip", &Tensor::flip, "Reverses axes.");
  tensor.def(
      "transpose", [](const Tensor &self, int64_t a, int64_t b) { return call(&Tensor::transpose, self, a, b); },
      nb::arg("dim0") = -2, nb::arg("dim1") = -1, "Exchanges two axes.");
  tensor.def_prop_ro(
      "T", [](const Tensor &self) { return call(&Tensor::transpose, self, -2, -1); },
      "The matrix with its axes exchanged.");
  tensor.def(
      "flatten", [](const Tensor &self, int64_t a, int64_t b) { return call(&Tensor::flatten, self, a, b); },
      nb::arg("start_dim") = 0, nb::arg("end_dim") = -1, "Merges axes, both included.");
  tensor.def(
      "squeeze",
      [](const Tensor &self, nb::handle dim) {
        // From the last axis on, so that those before stay where they are.
        std::vector<bool> goes(self.dim(), dim.is_none());
        for (int64_t axis : dim.is_none() ? Shape() : toAxes(dim)) {
          if (axis < -std::max<int64_t>(self.dim(), 1) || axis >= std::max<int64_t>(self.dim(), 1))
            throw Error("expects an axis of a tensor of rank " + std::to_string(self.dim()) + ", got " +
                        std::to_string(axis));
          if (self.dim())
            goes[axis < 0 ? axis + self.dim() : axis] = true;
        }
        Tensor result = self;
        for (int64_t axis = self.dim(); axis-- > 0;)
          if (goes[axis] && self.shape()[axis] == 1)
            result = call(&Tensor::squeeze, result, axis);
        return result;
      },
      nb::arg("dim") = nb::none(), "Removes axes of size 1: all, or of those that are named.");
  tensor.def(
      "unsqueeze", [](const Tensor &self, int64_t axis) { return call(&Tensor::unsqueeze, self, axis); },
      nb::arg("dim"), "Adds an axis of size 1.");
  tensor.def(
      "pad", [](const Tensor &self, Shape low, Shape high) { return call(&Tensor::pad, self, low, high); },
      nb::arg("low"), nb::arg("high"), "Zeros before and after each axis.");
  tensor.def(
      "shrink", [](const Tensor &self, Shape begin, Shape end) { return call(&Tensor::shrink, self, begin, end); },
      nb::arg("begin"), nb::arg("end"), "The window [begin, end) of each axis.");
  tensor.def(
      "index_select",
      [](const Tensor &self, int64_t axis, const Tensor &index) { return call(&Tensor::take, self, index, axis); },
      nb::arg("dim"), nb::arg("index"), "Slices along one axis, chosen by integers.");
  tensor.def(
      "gather",
      [](const Tensor &self, int64_t axis, const Tensor &index) {
        return call(&Tensor::take_along, self, index, axis);
      },
      nb::arg("dim"), nb::arg("index"), "Elements along one axis, chosen anew for each place.");
  tensor.def(
      "__getitem__",
      [](const Tensor &self, nb::handle item) {
        std::vector<Index> indices = toIndices(item);
        return call(&Tensor::index, self, indices);
      },
      nb::arg("index").none(), "Integers, slices, None, ..., tensors of integers, and one mask.");
  tensor.def(
      "__setitem__",
      [](nb::handle object, nb::handle item, nb::handle value) {
        if (isLost(object))
          throw Error("assigns to a part of a tensor that nothing keeps, as in `x[0][1] = 5`: values of tensors are no "
                      "views, write `x[0, 1] = 5`");
        Tensor &self = *nb::inst_ptr<Tensor>(object);
        std::vector<Index> indices = toIndices(item);
        PyOperand operand(value);
        Tensor changed = call(&Tensor::with, self, indices, static_cast<Operand>(operand));
        // What a captured function changes outside is state.
        if (Jit::isCapturing())
          self.assign(changed, findSite());
        else
          self = changed;
      },
      nb::arg("index").none(), nb::arg("value"),
      "Makes this the tensor with these elements replaced; what was made of it before stays as it was.");
}

void bindReductions(nb::class_<Tensor> &tensor) {
  for (const ReductionRow &row : kReductions) {
    auto reduce = [method = row.call](const Tensor &self, nb::handle dim, bool keepdim) {
      return call(method, self, toAxes(dim), keepdim);
    };
    tensor.def(row.name, reduce, nb::arg("dim") = nb::none(), nb::arg("keepdim") = false, row.what);
    if (row.call == &Tensor::sum || row.call == &Tensor::prod || row.call == &Tensor::mean)
      tensor.def(
          row.name,
          [method = row.call](const Tensor &self, nb::handle dim, bool keepdim, nb::handle dtype) {
            Tensor converted = call(&Tensor::to, self, toDtype(dtype).value_or(self.dtype()));
            return call(method, converted, toAxes(dim), keepdim);
          },
          nb::arg("dim") = nb::none(), nb::arg("keepdim") = false, nb::kw_only(), nb::arg("dtype").none(),
          "The same of the elements in another type.");
    // NumPy's words, which PyTorch takes, too.
    tensor.def(row.name, reduce, nb::kw_only(), nb::arg("axis").none(), nb::arg("keepdims") = false);
  }
  auto spread = [&](const char *name, Tensor (Tensor::*method)(Shape, int64_t, bool, Site) const, const char *what) {
    tensor.def(
        name,
        [method](const Tensor &self, nb::handle dim, int64_t correction, bool keepdim) {
          return call(method, self, toAxes(dim), correction, keepdim);
        },
        nb::arg("dim") = nb::none(), nb::arg("correction") = 1, nb::arg("keepdim") = false, what);
    tensor.def(
        name,
        [method](const Tensor &self, nb::handle dim, bool keepdim, bool unbiased) {
          return call(method, self, toAxes(dim), int64_t(unbiased), keepdim);
        },
        nb::arg("dim") = nb::none(), nb::arg("keepdim") = false, nb::kw_only(), nb::arg("unbiased"),
        "The same with a correction of 1, or of 0.");
  };
  spread("var", &Tensor::var, "The mean squared distance from the mean; divides by the count less the correction.");
  spread("std", &Tensor::std, "The root of var.");
  auto along = [&](const char *name, Tensor (Tensor::*method)(int64_t, Site) const, const char *what) {
    tensor.def(
        name, [method](const Tensor &self, int64_t dim) { return call(method, self, dim); }, nb::arg("dim") = -1, what);
  };
  along("softmax", &Tensor::softmax, "exp(x) over its sum along an axis, without overflow.");
  along("log_softmax", &Tensor::log_softmax, "The logarithm of softmax, without overflow.");
}

void bindProducts(nb::class_<Tensor> &tensor) {
  tensor.def(
      "matmul", [](const Tensor &self, const Tensor &other) { return call(&Tensor::matmul, self, other); },
      nb::arg("other"), "NumPy's matmul: the last two axes multiply, those before broadcast.");
  tensor.def(
      "linear",
      [](const Tensor &self, const Tensor &weight, std::optional<Tensor> bias) {
        return call(&Tensor::linear, self, weight, bias ? &*bias : nullptr);
      },
      nb::arg("weight"), nb::arg("bias") = nb::none(), "Times the transposed weight [out, in], plus the bias [out].");
}

void bindValues(nb::class_<Tensor> &tensor) {
  tensor.def_prop_ro(
      "shape", [](const Tensor &self) { return nb::tuple(nb::cast(self.shape())); }, "Sizes of the axes.");
  tensor.def_prop_ro("ndim", &Tensor::dim, "How many axes there are.");
  tensor.def_prop_ro("dtype", &Tensor::dtype, "The elements' type.");
  tensor.def("numel", &Tensor::numel, "How many elements there are.");
  tensor.def(
      "size",
      [](const Tensor &self, std::optional<int64_t> axis) -> nb::object {
        nb::object shape = nb::tuple(nb::cast(self.shape()));
        return axis ? nb::object(shape[*axis]) : shape;
      },
      nb::arg("dim") = nb::none(), "The shape, or the size of one axis.");
  tensor.def("__len__", [](const Tensor &self) {
    if (self.dim() == 0)
      throw nb::type_error("a tensor of rank 0 has no length");
    return self.shape().front();
  });
  tensor.def("__iter__", [](nb::handle self) {
    nb::list rows;
    for (int64_t row = 0, rowCount = nb::cast<int64_t>(self.attr("__len__")()); row < rowCount; ++row)
      rows.append(self[row]);
    return nb::iter(rows);
  });
  tensor.def(
      "to",
      [](const Tensor &self, const nb::args &targets, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        tiny_dtype wanted = toDtype(dtype).value_or(self.dtype());
        for (nb::handle target : targets) {
          if (nb::isinstance<Tensor>(target))
            wanted = nb::inst_ptr<Tensor>(target)->dtype();
          else if (!nb::isinstance<nb::str>(target) || nb::cast<std::string>(target) != "cpu")
            wanted = toDtype(target).value_or(wanted);
        }
        return call(&Tensor::to, self, wanted);
      },
      nb::arg("targets"), nb::arg("dtype") = nb::none(), nb::arg("options"),
      "Converts the elements. \"cpu\", which PyTorch's programs may say, is where they are.");
  tensor.def("float", [](const Tensor &self) { return call(&Tensor::to, self, TINY_DTYPE_F32); }, "As float32.");
  tensor.def(
      "clamp",
      [](const Tensor &self, nb::handle min, nb::handle max) {
        Tensor result = self;
        double low = -std::numeric_limits<double>::infinity(), high = -low;
        if (nb::isinstance<Tensor>(min))
          result = call(&Tensor::maximum, result, Operand(*nb::inst_ptr<Tensor>(min)));
        else if (!min.is_none())
          low = nb::cast<double>(min);
        if (nb::isinstance<Tensor>(max))
          result = call(&Tensor::minimum, result, Operand(*nb::inst_ptr<Tensor>(max)));
        else if (!max.is_none())
          high = nb::cast<double>(max);
        return std::isinf(low) && std::isinf(high) ? result : call(&Tensor::clamp, result, low, high);
      },
      nb::arg("min") = nb::none(), nb::arg("max") = nb::none(), "min(max(x, low), high)");
  tensor.def(
      "leaky_relu", [](const Tensor &self, double slope) { return call(&Tensor::leaky_relu, self, slope); },
      nb::arg("negative_slope") = 0.01, "x, or slope * x where x is negative");
  tensor.def(
      "elu", [](const Tensor &self, double alpha) { return call(&Tensor::elu, self, alpha); }, nb::arg("alpha") = 1.0,
      "x, or alpha * (exp(x) - 1) where x is negative");
  tensor.def(
      "realize",
      [](nb::handle object) {
        const Tensor &self = *nb::inst_ptr<Tensor>(object);
        Site site = findSite();
        unlocked([&] { self.realize(site); });
        return nb::borrow(object);
      },
      "Computes it, keeps the elements, and gives the tensor itself.");
  tensor.def_prop_ro("is_realized", &Tensor::is_realized, "Whether its elements are known.");
  tensor.def(
      "assign",
      [](nb::handle object, const Tensor &value) {
        Tensor &self = *nb::inst_ptr<Tensor>(object);
        self.assign(value, findSite());
        return nb::borrow(object);
      },
      nb::arg("value"),
      "Makes this tensor the value, of the same shape and type; what was made of it before stays as it was. It is\n"
      "realised with whatever is realised next; where nothing needs the old value, it is updated where it lies.");
  tensor.def(
      "item",
      [](const Tensor &self) -> nb::object {
        double number = call(&Tensor::item, self);
        if (self.dtype() == TINY_DTYPE_I1)
          return nb::bool_(number != 0);
        if (isFloat(self.dtype()))
          return nb::float_(number);
        return nb::int_(self.data(findSite()).getInteger(0));
      },
      "The number, of a tensor with one element.");
  tensor.def("tolist", [](nb::handle self) { return self.attr("numpy")().attr("tolist")(); }, "Lists of numbers.");
  tensor.def("__float__", [](const Tensor &self) { return call(&Tensor::item, self); });
  tensor.def("__int__", [](const Tensor &self) { return int64_t(call(&Tensor::item, self)); });
  tensor.def("__bool__", [](const Tensor &self) { return call(&Tensor::item, self) != 0; });
  tensor.def("__repr__", &describe);
  tensor.def(
      "graph", [](const Tensor &self) { return self.graph(); }, "The program that computes it, at the tensor level.");
  tensor.def(
      "lowered",
      [](const Tensor &self, const std::string &level, const std::string &target) {
        return call(&Tensor::lowered, self, level, target);
      },
      nb::arg("level"), nb::arg("target") = "",
      "The program down to a level (tensor, lazy, kernel, uop) or its kernels in a form of the target (llvm, "
      "assembly);\nall that the target makes of it for the empty level: lowered(\"\", \"c\") is a file of C.");
  tensor.def(
      "schedule", [](const Tensor &self) { return call(&Tensor::schedule, self); },
      "The kernels of the program that computes it: its text at the kernel level.");
  tensor.def(
      "gradient",
      [](const Tensor &self, const nb::args &targets) {
        std::vector<Tensor> list = targets.size() == 1 && !nb::isinstance<Tensor>(targets[0])
                                       ? nb::cast<std::vector<Tensor>>(targets[0])
                                       : nb::cast<std::vector<Tensor>>(nb::object(nb::list(targets)));
        return call(&Tensor::gradient, self, list);
      },
      "The gradients of the sum of its elements, one for each target.");
  tensor.def("__copy__", [](const Tensor &self) { return self; });
  tensor.def("__deepcopy__", [](const Tensor &self, nb::handle) { return self; });
}

} // namespace

void bindFunctions(nb::module_ &module, nb::class_<Tensor> &tensor) {
  bindCreation(module);
  bindMovement(tensor);
  bindRanks(module, tensor);
  bindReductions(tensor);
  bindProducts(tensor);
  bindValues(tensor);
}

} // namespace tiny::python
