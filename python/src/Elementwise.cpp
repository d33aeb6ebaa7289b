// Elementwise functions and operators: a row for each, by the shape of its C++ declaration.
#include "Module.h"

namespace tiny::python {

namespace {

using Unary = Tensor (Tensor::*)(Site) const;
using Binary = Tensor (Tensor::*)(const Operand &, Site) const;

struct UnaryRow {
  const char *name;
  Unary call;
  const char *what;
};
struct BinaryRow {
  const char *name;
  Binary call;
  const char *what;
};

constexpr UnaryRow kUnary[] = {
    {"neg", &Tensor::neg, "-x"},
    {"abs", &Tensor::abs, "|x|"},
    {"sign", &Tensor::sign, "-1, 0 or 1; NaN for NaN"},
    {"square", &Tensor::square, "x * x"},
    {"reciprocal", &Tensor::reciprocal, "1 / x"},
    {"exp", &Tensor::exp, "e^x"},
    {"exp2", &Tensor::exp2, "2^x"},
    {"expm1", &Tensor::expm1, "e^x - 1 without cancellation"},
    {"log", &Tensor::log, "natural logarithm"},
    {"log2", &Tensor::log2, "logarithm to base 2"},
    {"log10", &Tensor::log10, "logarithm to base 10"},
    {"log1p", &Tensor::log1p, "log(1 + x) without cancellation"},
    {"sqrt", &Tensor::sqrt, "square root"},
    {"rsqrt", &Tensor::rsqrt, "1 / sqrt(x)"},
    {"sin", &Tensor::sin, "sine"},
    {"cos", &Tensor::cos, "cosine"},
    {"tan", &Tensor::tan, "tangent"},
    {"asin", &Tensor::asin, "arc sine"},
    {"acos", &Tensor::acos, "arc cosine"},
    {"atan", &Tensor::atan, "arc tangent"},
    {"sinh", &Tensor::sinh, "hyperbolic sine"},
    {"cosh", &Tensor::cosh, "hyperbolic cosine"},
    {"tanh", &Tensor::tanh, "hyperbolic tangent"},
    {"asinh", &Tensor::asinh, "inverse hyperbolic sine"},
    {"acosh", &Tensor::acosh, "inverse hyperbolic cosine"},
    {"atanh", &Tensor::atanh, "inverse hyperbolic tangent"},
    {"erf", &Tensor::erf, "error function"},
    {"floor", &Tensor::floor, "the next integer below"},
    {"ceil", &Tensor::ceil, "the next integer above"},
    {"round", &Tensor::round, "the nearest integer, halves to the even one"},
    {"trunc", &Tensor::trunc, "the next integer towards zero"},
    {"isnan", &Tensor::isnan, "whether x is not a number"},
    {"isinf", &Tensor::isinf, "whether x is infinite"},
    {"isfinite", &Tensor::isfinite, "whether x is a number and not infinite"},
    {"relu", &Tensor::relu, "max(x, 0)"},
    {"relu6", &Tensor::relu6, "min(max(x, 0), 6)"},
    {"sigmoid", &Tensor::sigmoid, "1 / (1 + exp(-x))"},
    {"hardsigmoid", &Tensor::hardsigmoid, "min(max(x / 6 + 0.5, 0), 1)"},
    {"hardswish", &Tensor::hardswish, "x * hardsigmoid(x)"},
    {"silu", &Tensor::silu, "x * sigmoid(x)"},
    {"selu", &Tensor::selu, "elu, scaled so that it normalises itself"},
    {"mish", &Tensor::mish, "x * tanh(softplus(x))"},
    {"softsign", &Tensor::softsign, "x / (1 + |x|)"},
    {"logsigmoid", &Tensor::logsigmoid, "log(sigmoid(x)), without overflow"},
    {"logical_not", &Tensor::logical_not, "whether x is false; bitwise on integers"},
    {"bitwise_not", &Tensor::logical_not, "logical on truth values, bitwise on integers"},
    {"detach", &Tensor::detach, "the same value, through which no gradient passes"},
};

constexpr BinaryRow kBinary[] = {
    {"add", &Tensor::add, "x + y"},
    {"sub", &Tensor::sub, "x - y"},
    {"mul", &Tensor::mul, "x * y"},
    {"div", &Tensor::div, "true division: integers are divided as float32"},
    {"floor_divide", &Tensor::floor_divide, "the quotient rounded down; 0 where an integer is divided by 0"},
    {"trunc_divide", &Tensor::trunc_divide, "the quotient rounded towards zero; 0 where an integer is divided by 0"},
    {"remainder", &Tensor::remainder, "the remainder of floor_divide, with the divisor's sign"},
    {"fmod", &Tensor::fmod, "the remainder of trunc_divide, with the dividend's sign"},
    {"pow", &Tensor::pow, "x to the power y"},
    {"maximum", &Tensor::maximum, "the larger one; NaN where one is NaN"},
    {"minimum", &Tensor::minimum, "the smaller one; NaN where one is NaN"},
    {"bitwise_and", &Tensor::bitwise_and, "logical on truth values, bitwise on integers"},
    {"bitwise_or", &Tensor::bitwise_or, "logical on truth values, bitwise on integers"},
    {"bitwise_xor", &Tensor::bitwise_xor, "logical on truth values, bitwise on integers"},
    {"bitwise_left_shift", &Tensor::bitwise_left_shift, "x * 2^y; 0 where y reaches the width"},
    {"bitwise_right_shift", &Tensor::bitwise_right_shift, "x / 2^y rounded down"},
    {"eq", &Tensor::eq, "x == y; false on NaN"},
    {"ne", &Tensor::ne, "x != y; true on NaN"},
    {"lt", &Tensor::lt, "x < y; false on NaN"},
    {"le", &Tensor::le, "x <= y; false on NaN"},
    {"gt", &Tensor::gt, "x > y; false on NaN"},
    {"ge", &Tensor::ge, "x >= y; false on NaN"},
    {"logaddexp", &Tensor::logaddexp, "log(exp(x) + exp(y)), without overflow"},
};

/// Python's operators: the method, and the one with operands exchanged, where Python has that.
struct OperatorRow {
  const char *name, *reflected;
  Binary call;
};
constexpr OperatorRow kOperators[] = {
    {"__add__", "__radd__", &Tensor::add},
    {"__sub__", "__rsub__", &Tensor::sub},
    {"__mul__", "__rmul__", &Tensor::mul},
    {"__truediv__", "__rtruediv__", &Tensor::div},
    {"__floordiv__", "__rfloordiv__", &Tensor::floor_divide},
    {"__mod__", "__rmod__", &Tensor::remainder},
    {"__pow__", "__rpow__", &Tensor::pow},
    {"__and__", "__rand__", &Tensor::bitwise_and},
    {"__or__", "__ror__", &Tensor::bitwise_or},
    {"__xor__", "__rxor__", &Tensor::bitwise_xor},
    {"__lshift__", nullptr, &Tensor::bitwise_left_shift},
    {"__rshift__", nullptr, &Tensor::bitwise_right_shift},
    {"__eq__", nullptr, &Tensor::eq},
    {"__ne__", nullptr, &Tensor::ne},
    {"__lt__", nullptr, &Tensor::lt},
    {"__le__", nullptr, &Tensor::le},
    {"__gt__", nullptr, &Tensor::gt},
    {"__ge__", nullptr, &Tensor::ge},
};

/// What type checkers take for a tensor.
using Value = nb::typed<nb::object, Tensor>;

Value notImplemented() { return Value(nb::borrow(Py_NotImplemented)); }

/// The operand on the left of a tensor: numbers take its element type.
Tensor toLeft(const PyOperand &operand, const Tensor &other, Site site) {
  return Tensor::like(static_cast<Operand>(operand), other, site);
}

} // namespace

void bindElementwise(nb::module_ &module, nb::class_<Tensor> &tensor) {
  for (const UnaryRow &row : kUnary) {
    auto call = [call = row.call](const Tensor &self) {
      Site site = findSite();
      return unlocked([&] { return (self.*call)(site); });
    };
    tensor.def(row.name, call, row.what);
  }
  for (const BinaryRow &row : kBinary) {
    auto call = [call = row.call](const Tensor &self, nb::handle other) {
      Site site = findSite();
      PyOperand operand(other);
      return unlocked([&] { return (self.*call)(operand, site); });
    };
    tensor.def(row.name, call, nb::arg("other"), row.what);
    module.def(row.name, call, nb::arg("input"), nb::arg("other"), row.what);
  }
  for (const UnaryRow &row : kUnary)
    module.def(
        row.name,
        [call = row.call](const Tensor &self) {
          Site site = findSite();
          return unlocked([&] { return (self.*call)(site); });
        },
        nb::arg("input"), row.what);
  for (const OperatorRow &row : kOperators) {
    tensor.def(
        row.name,
        [call = row.call](const Tensor &self, nb::handle other) -> Value {
          if (!PyOperand::accepts(other))
            return notImplemented();
          Site site = findSite();
          PyOperand operand(other);
          return Value(nb::cast(unlocked([&] { return (self.*call)(operand, site); })));
        },
        nb::arg("other").none());
    if (row.reflected)
      tensor.def(
          row.reflected,
          [call = row.call](const Tensor &self, nb::handle other) -> Value {
            if (!PyOperand::accepts(other))
              return notImplemented();
            Site site = findSite();
            PyOperand operand(other);
            return Value(nb::cast(unlocked([&] { return (toLeft(operand, self, site).*call)(self, site); })));
          },
          nb::arg("other").none());
  }
  tensor.def("__neg__", [](const Tensor &self) { return self.neg(findSite()); });
  tensor.def("__pos__", [](const Tensor &self) { return self; });
  tensor.def("__abs__", [](const Tensor &self) { return self.abs(findSite()); });
  tensor.def("__invert__", [](const Tensor &self) { return self.logical_not(findSite()); });
  tensor.def("__matmul__", [](const Tensor &self, const Tensor &other) {
    Site site = findSite();
    return unlocked([&] { return self.matmul(other, site); });
  });
  // Comparison gives tensors, so identity is what a tensor is found by.
  tensor.def("__hash__", [](nb::handle self) { return reinterpret_cast<intptr_t>(self.ptr()) >> 4; });
}

} // namespace tiny::python
