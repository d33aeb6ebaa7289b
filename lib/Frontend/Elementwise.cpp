// Elementwise functions and operators.
#include "Tiny/Frontend/Tensor.h"

#include "Calls.h"

#include <cmath>

using namespace tiny;
using namespace tiny::frontend;

namespace {

Tensor unary(const char *name, const Tensor &input, Site site) { return make({name, {input.getNode()}}, site); }

Tensor binary(const char *name, const Operand &lhs, const Operand &rhs, Site site, NumberRule rule = {}) {
  return make({name, {getOperand(lhs, rhs, site, {false, rule.isCounted}), getOperand(rhs, lhs, site, rule)}}, site);
}

constexpr NumberRule kCounted = {false, true}, kDivisor = {true, true};

/// Where an operator stands: the operand that was converted there knows.
Site siteOf(const Operand &lhs, const Operand &rhs) { return lhs.site.line ? lhs.site : rhs.site; }

/// What ONNX has and the dialect has not.
Tensor unaryOnnx(const char *name, const Tensor &input, Site site) {
  return makeOnnx({name, {input.getNode()}}, site).front();
}

} // namespace

Tensor Tensor::neg(Site site) const { return unary("neg", *this, site); }
Tensor Tensor::abs(Site site) const { return unary("abs", *this, site); }
Tensor Tensor::sign(Site site) const { return unary("sign", *this, site); }
Tensor Tensor::square(Site site) const { return unary("square", *this, site); }
Tensor Tensor::reciprocal(Site site) const { return unary("reciprocal", *this, site); }
Tensor Tensor::exp(Site site) const { return unary("exp", *this, site); }
Tensor Tensor::exp2(Site site) const { return unary("exp2", *this, site); }
Tensor Tensor::expm1(Site site) const { return unary("expm1", *this, site); }
Tensor Tensor::log(Site site) const { return unary("log", *this, site); }
Tensor Tensor::log2(Site site) const { return unary("log2", *this, site); }
Tensor Tensor::log1p(Site site) const { return unary("log1p", *this, site); }
Tensor Tensor::sqrt(Site site) const { return unary("sqrt", *this, site); }
Tensor Tensor::rsqrt(Site site) const { return unary("rsqrt", *this, site); }
Tensor Tensor::sin(Site site) const { return unary("sin", *this, site); }
Tensor Tensor::cos(Site site) const { return unary("cos", *this, site); }
Tensor Tensor::tan(Site site) const { return unary("tan", *this, site); }
Tensor Tensor::tanh(Site site) const { return unary("tanh", *this, site); }
Tensor Tensor::erf(Site site) const { return unary("erf", *this, site); }
Tensor Tensor::floor(Site site) const { return unary("floor", *this, site); }
Tensor Tensor::ceil(Site site) const { return unary("ceil", *this, site); }
Tensor Tensor::round(Site site) const { return unary("round", *this, site); }
Tensor Tensor::trunc(Site site) const { return unary("trunc", *this, site); }
Tensor Tensor::isnan(Site site) const { return unary("isnan", *this, site); }
Tensor Tensor::isinf(Site site) const { return unary("isinf", *this, site); }
Tensor Tensor::relu(Site site) const { return unary("relu", *this, site); }
Tensor Tensor::sigmoid(Site site) const { return unary("sigmoid", *this, site); }
Tensor Tensor::silu(Site site) const { return unary("silu", *this, site); }
Tensor Tensor::gelu(Site site) const { return unary("gelu", *this, site); }
Tensor Tensor::gelu_tanh(Site site) const { return make({"gelu", {node}, {{"approximate", true}}}, site); }
Tensor Tensor::softplus(Site site) const { return unary("softplus", *this, site); }
Tensor Tensor::asin(Site site) const { return unary("asin", *this, site); }
Tensor Tensor::acos(Site site) const { return unary("acos", *this, site); }
Tensor Tensor::atan(Site site) const { return unary("atan", *this, site); }
Tensor Tensor::sinh(Site site) const { return unary("sinh", *this, site); }
Tensor Tensor::cosh(Site site) const { return unary("cosh", *this, site); }
Tensor Tensor::relu6(Site site) const { return unary("relu6", *this, site); }
Tensor Tensor::hardsigmoid(Site site) const { return unary("hardsigmoid", *this, site); }
Tensor Tensor::hardswish(Site site) const { return unary("hardswish", *this, site); }
Tensor Tensor::mish(Site site) const { return unary("mish", *this, site); }
Tensor Tensor::softsign(Site site) const { return unary("softsign", *this, site); }
Tensor Tensor::asinh(Site site) const { return unaryOnnx("Asinh", *this, site); }
Tensor Tensor::acosh(Site site) const { return unaryOnnx("Acosh", *this, site); }
Tensor Tensor::atanh(Site site) const { return unaryOnnx("Atanh", *this, site); }
Tensor Tensor::selu(Site site) const { return unaryOnnx("Selu", *this, site); }
Tensor Tensor::leaky_relu(double slope, Site site) const {
  return make({"leaky_relu", {node}, {{"alpha", slope}}}, site);
}
Tensor Tensor::elu(double alpha, Site site) const { return make({"elu", {node}, {{"alpha", alpha}}}, site); }
Tensor Tensor::log10(Site site) const { return log(site).mul(0.43429448190325182765, site); }
Tensor Tensor::isfinite(Site site) const { return (*this - *this).eq(0, site); }
Tensor Tensor::logsigmoid(Site site) const { return neg(site).softplus(site).neg(site); }
Tensor Tensor::logical_not(Site site) const { return unary("not", *this, site); }

Tensor Tensor::add(const Operand &other, Site site) const { return binary("add", *this, other, site, kCounted); }
Tensor Tensor::sub(const Operand &other, Site site) const { return binary("sub", *this, other, site, kCounted); }
Tensor Tensor::mul(const Operand &other, Site site) const { return binary("mul", *this, other, site, kCounted); }
Tensor Tensor::div(const Operand &other, Site site) const { return binary("div", *this, other, site, kCounted); }
Tensor Tensor::floor_divide(const Operand &other, Site site) const {
  return binary("floordiv", *this, other, site, kDivisor);
}
Tensor Tensor::trunc_divide(const Operand &other, Site site) const {
  return binary("truncdiv", *this, other, site, kDivisor);
}
Tensor Tensor::remainder(const Operand &other, Site site) const { return binary("mod", *this, other, site, kDivisor); }
Tensor Tensor::fmod(const Operand &other, Site site) const { return binary("fmod", *this, other, site, kDivisor); }
Tensor Tensor::pow(const Operand &other, Site site) const {
  // The exponent decides what is computed: a square is a product.
  return make({"pow", {node, getOperand(other, *this, site, kDivisor)}}, site);
}
Tensor Tensor::maximum(const Operand &other, Site site) const { return binary("maximum", *this, other, site); }
Tensor Tensor::minimum(const Operand &other, Site site) const { return binary("minimum", *this, other, site); }
Tensor Tensor::eq(const Operand &other, Site site) const { return binary("eq", *this, other, site); }
Tensor Tensor::ne(const Operand &other, Site site) const { return binary("ne", *this, other, site); }
Tensor Tensor::bitwise_and(const Operand &other, Site site) const { return binary("and", *this, other, site); }
Tensor Tensor::bitwise_or(const Operand &other, Site site) const { return binary("or", *this, other, site); }
Tensor Tensor::bitwise_xor(const Operand &other, Site site) const { return binary("xor", *this, other, site); }
Tensor Tensor::lt(const Operand &other, Site site) const { return binary("lt", *this, other, site); }
Tensor Tensor::le(const Operand &other, Site site) const { return binary("le", *this, other, site); }
Tensor Tensor::gt(const Operand &other, Site site) const { return binary("gt", *this, other, site); }
Tensor Tensor::ge(const Operand &other, Site site) const { return binary("ge", *this, other, site); }
Tensor Tensor::bitwise_left_shift(const Operand &other, Site site) const {
  return binary("shl", *this, other, site, kDivisor);
}
Tensor Tensor::bitwise_right_shift(const Operand &other, Site site) const {
  return binary("shr", *this, other, site, kDivisor);
}
Tensor Tensor::logaddexp(const Operand &other, Site site) const {
  Tensor rhs = like(other, *this, site), high = maximum(rhs, site);
  // The difference of two infinities is none.
  Tensor apart = sub(rhs, site).abs(site);
  return high + where(apart.isnan(site), 0.0, apart.neg(site).exp(site).log1p(site), site);
}
Tensor Tensor::masked_fill(const Tensor &mask, const Operand &value, Site site) const {
  return where(mask, like(value, *this, site), *this, site);
}
Tensor Tensor::lerp(const Tensor &end, const Operand &weight, Site site) const {
  return add(end.sub(*this, site).mul(weight, site), site);
}
Tensor Tensor::clamp(double low, double high, Site site) const {
  return make({"clamp", {node, getOperand(low, *this, site), getOperand(high, *this, site)}}, site);
}
Tensor Tensor::to(tiny_dtype dtype, Site site) const { return make({"cast", {node}, {}, {{dtype, shape()}}}, site); }

Tensor tiny::operator+(const Operand &lhs, const Operand &rhs) {
  return binary("add", lhs, rhs, siteOf(lhs, rhs), kCounted);
}
Tensor tiny::operator-(const Operand &lhs, const Operand &rhs) {
  return binary("sub", lhs, rhs, siteOf(lhs, rhs), kCounted);
}
Tensor tiny::operator*(const Operand &lhs, const Operand &rhs) {
  return binary("mul", lhs, rhs, siteOf(lhs, rhs), kCounted);
}
Tensor tiny::operator/(const Operand &lhs, const Operand &rhs) {
  return binary("div", lhs, rhs, siteOf(lhs, rhs), kCounted);
}
Tensor tiny::operator<(const Operand &lhs, const Operand &rhs) { return binary("lt", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator<=(const Operand &lhs, const Operand &rhs) { return binary("le", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator>(const Operand &lhs, const Operand &rhs) { return binary("gt", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator>=(const Operand &lhs, const Operand &rhs) { return binary("ge", lhs, rhs, siteOf(lhs, rhs)); }
Tensor tiny::operator-(const Tensor &input) { return input.neg(); }
Tensor tiny::where(const Tensor &condition, const Operand &lhs, const Operand &rhs, Site site) {
  return make({"where", {condition.getNode(), getOperand(lhs, rhs, site), getOperand(rhs, lhs, site)}}, site);
}
