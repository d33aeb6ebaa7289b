// Elementwise `tiny` operations: one row each, directly by definition.
#include "Array.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace mlir;

namespace tiny::reference {

namespace {
/// Operands x, y, z of one element; p and q are the operation's parameters; w is the width of integers.
struct Floats {
  double x, y, z, p, q;
};
struct Integers {
  Wide x, y, z;
  unsigned w;
};

struct Row {
  llvm::StringLiteral name;
  double (*onFloats)(const Floats &);
  Wide (*onIntegers)(const Integers &);
};
} // namespace

static double largest(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return NAN;
  return x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}
static double smallest(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return NAN;
  return x == y ? (std::signbit(x) ? x : y) : std::min(x, y);
}
static double sign(double x) { return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : x; }
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
static double hardSigmoid(double x, double alpha, double beta) { return smallest(largest(alpha * x + beta, 0), 1); }
static double gelu(double x, bool approximate) {
  if (approximate)
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}
/// What is left of x / y by `cut`: x less the remainder that belongs to it is a multiple of y, whichever way x / y
/// itself would round.
static double divideWhole(double x, double y, double rest, double (*cut)(double)) {
  if (!std::isfinite(x) || !std::isfinite(y) || y == 0)
    return cut(x / y);
  double whole = std::nearbyint((x - rest) / y);
  return whole == 0 ? std::copysign(0.0, std::signbit(x) == std::signbit(y) ? 1.0 : -1.0) : whole;
}
static double floorModulo(double x, double y) {
  double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static Wide floorDivide(Wide x, Wide y) {
  if (y == 0)
    return 0;
  return x / y - (x % y != 0 && (x % y < 0) != (y < 0));
}
static Wide power(Wide x, Wide y) {
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
  unsigned __int128 result = 1, base = static_cast<unsigned __int128>(x);
  for (; y; y >>= 1, base *= base)
    if (y & 1)
      result *= base;
  return static_cast<Wide>(result);
}
static Wide multiply(Wide x, Wide y) {
  return static_cast<Wide>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y));
}
static Wide shiftRight(const Integers &in) {
  if (in.y >= 0 && in.y < in.w)
    return in.x >> static_cast<int>(in.y);
  return in.x < 0 ? -1 : 0;
}

#define F(EXPR)                                                                                                        \
  [](const Floats &in) -> double {                                                                                     \
    [[maybe_unused]] auto [x, y, z, p, q] = in;                                                                        \
    return EXPR;                                                                                                       \
  }
#define I(EXPR)                                                                                                        \
  [](const Integers &in) -> Wide {                                                                                     \
    [[maybe_unused]] auto [x, y, z, w] = in;                                                                           \
    return EXPR;                                                                                                       \
  }
#define NONE nullptr

static const Row rows[] = {
    {"tiny.neg", F(-x), I(-x)},
    {"tiny.abs", F(std::fabs(x)), I(x < 0 ? -x : x)},
    {"tiny.not", NONE, I(~x)},
    {"tiny.sign", F(sign(x)),
     I(x > 0   ? 1
       : x < 0 ? -1
               : 0)},
    {"tiny.square", F(x * x), I(multiply(x, x))},
    {"tiny.reciprocal", F(1 / x), NONE},
    {"tiny.exp", F(std::exp(x)), NONE},
    {"tiny.exp2", F(std::exp2(x)), NONE},
    {"tiny.expm1", F(std::expm1(x)), NONE},
    {"tiny.log", F(std::log(x)), NONE},
    {"tiny.log2", F(std::log2(x)), NONE},
    {"tiny.log1p", F(std::log1p(x)), NONE},
    {"tiny.sqrt", F(std::sqrt(x)), NONE},
    {"tiny.rsqrt", F(1 / std::sqrt(x)), NONE},
    {"tiny.sin", F(std::sin(x)), NONE},
    {"tiny.cos", F(std::cos(x)), NONE},
    {"tiny.tan", F(std::tan(x)), NONE},
    {"tiny.asin", F(std::asin(x)), NONE},
    {"tiny.acos", F(std::acos(x)), NONE},
    {"tiny.atan", F(std::atan(x)), NONE},
    {"tiny.sinh", F(std::sinh(x)), NONE},
    {"tiny.cosh", F(std::cosh(x)), NONE},
    {"tiny.tanh", F(std::tanh(x)), NONE},
    {"tiny.erf", F(std::erf(x)), NONE},
    {"tiny.floor", F(std::floor(x)), I(x)},
    {"tiny.ceil", F(std::ceil(x)), I(x)},
    {"tiny.round", F(std::nearbyint(x)), I(x)},
    {"tiny.trunc", F(std::trunc(x)), I(x)},
    {"tiny.isnan", F(std::isnan(x)), I(0)},
    {"tiny.isinf", F(std::isinf(x)), I(0)},
    {"tiny.relu", F(largest(x, 0)), I(x < 0 ? 0 : x)},
    {"tiny.relu6", F(smallest(largest(x, 0), 6)),
     I(x < 0   ? 0
       : x > 6 ? 6
               : x)},
    {"tiny.sigmoid", F(sigmoid(x)), NONE},
    {"tiny.silu", F(x * sigmoid(x)), NONE},
    {"tiny.softplus", F(softplus(x)), NONE},
    {"tiny.softsign", F(x / (1 + std::fabs(x))), NONE},
    {"tiny.mish", F(x * std::tanh(softplus(x))), NONE},
    {"tiny.hardswish", F(x * hardSigmoid(x, 1.0 / 6.0, 0.5)), NONE},
    {"tiny.hardsigmoid", F(hardSigmoid(x, p, q)), NONE},
    {"tiny.leaky_relu", F(x < 0 ? p * x : x), NONE},
    {"tiny.elu", F(x < 0 ? p * std::expm1(x) : x), NONE},
    {"tiny.gelu", F(gelu(x, p != 0)), NONE},
    {"tiny.add", F(x + y), I(x + y)},
    {"tiny.sub", F(x - y), I(x - y)},
    {"tiny.mul", F(x * y), I(multiply(x, y))},
    {"tiny.div", F(x / y), NONE},
    {"tiny.floordiv", F(divideWhole(x, y, floorModulo(x, y), std::floor)), I(floorDivide(x, y))},
    {"tiny.truncdiv", F(divideWhole(x, y, std::fmod(x, y), std::trunc)), I(y == 0 ? 0 : x / y)},
    {"tiny.mod", F(floorModulo(x, y)), I(y == 0 ? 0 : x - floorDivide(x, y) * y)},
    {"tiny.fmod", F(std::fmod(x, y)), I(y == 0 ? 0 : x % y)},
    {"tiny.pow", F(std::pow(x, y)), I(power(x, y))},
    {"tiny.maximum", F(largest(x, y)), I(x > y ? x : y)},
    {"tiny.minimum", F(smallest(x, y)), I(x < y ? x : y)},
    {"tiny.and", NONE, I(x & y)},
    {"tiny.or", NONE, I(x | y)},
    {"tiny.xor", NONE, I(x ^ y)},
    {"tiny.shl", NONE, I(y < 0 || y >= w ? 0 : multiply(x, Wide(1) << static_cast<int>(y)))},
    {"tiny.shr", NONE, shiftRight},
    {"tiny.eq", F(x == y), I(x == y)},
    {"tiny.ne", F(x != y), I(x != y)},
    {"tiny.lt", F(x < y), I(x < y)},
    {"tiny.le", F(x <= y), I(x <= y)},
    {"tiny.gt", F(x > y), I(x > y)},
    {"tiny.ge", F(x >= y), I(x >= y)},
    {"tiny.clamp", F(smallest(largest(x, y), z)),
     I(x < y   ? (y < z ? y : z)
       : x < z ? x
               : z)},
};

static const Row *lookup(StringRef name) {
  static const llvm::StringMap<const Row *> table = [] {
    llvm::StringMap<const Row *> map;
    for (const Row &row : rows)
      map[row.name] = &row;
    return map;
  }();
  return table.lookup(name);
}

/// The operation's parameters.
static void getParameters(Operation *op, Floats &in) {
  in.p = in.q = 0;
  if (auto hard = dyn_cast<tensor::HardSigmoidOp>(op)) {
    in.p = hard.getAlpha().convertToDouble();
    in.q = hard.getBeta().convertToDouble();
  } else if (auto leaky = dyn_cast<tensor::LeakyReluOp>(op)) {
    in.p = leaky.getAlpha().convertToDouble();
  } else if (auto elu = dyn_cast<tensor::EluOp>(op)) {
    in.p = elu.getAlpha().convertToDouble();
  } else if (auto normal = dyn_cast<tensor::GeluOp>(op)) {
    in.p = normal.getApproximate();
  }
}

static Known where(Operands operands, Array &result) {
  forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    bool condition = operands[0]->values[broadcastIndex(operands[0]->shape, indices)].i != 0;
    const Array &chosen = *operands[condition ? 1 : 2];
    result.values[at] = convert(chosen.values[broadcastIndex(chosen.shape, indices)], chosen.type, result.type);
  });
  return Known::Yes;
}

Known evaluateElementwise(Session &session, Operation *op, Operands operands, Array &result) {
  if (isa<tensor::CastOp>(op)) {
    for (int64_t at = 0; at < result.size(); ++at)
      result.values[at] = convert(operands[0]->values[at], operands[0]->type, result.type);
    return Known::Yes;
  }
  if (isa<tensor::BitcastOp>(op)) {
    for (int64_t at = 0; at < result.size(); ++at)
      result.values[at] = decode(result.type.scalar, encode(operands[0]->type.scalar, operands[0]->values[at]));
    return Known::Yes;
  }
  if (isa<tensor::WhereOp>(op))
    return where(operands, result);
  const Row *row = lookup(op->getName().getStringRef());
  if (!row)
    return Known::No;

  // Operands promote to one type; what has no row for integers computes in floats.
  Type common = getElementTypeOrSelf(op->getOperand(0).getType());
  for (Value operand : op->getOperands().drop_front())
    common = tensor::promote(common, getElementTypeOrSelf(operand.getType()));
  if (!row->onIntegers)
    common = tensor::toFloat(common);
  std::optional<Element> compute = getElement(common);
  if (!compute || (compute->isFloat() && !row->onFloats))
    return Known::No;

  Floats floats = {};
  getParameters(op, floats);
  Integers integers = {0, 0, 0, compute->scalar.width};
  double *numbers[] = {&floats.x, &floats.y, &floats.z};
  Wide *wides[] = {&integers.x, &integers.y, &integers.z};
  forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    for (auto [k, operand] : llvm::enumerate(operands)) {
      Scalar value = convert(operand->values[broadcastIndex(operand->shape, indices)], operand->type, *compute);
      if (compute->isFloat())
        *numbers[k] = value.f;
      else
        *wides[k] = asWide(value, *compute);
    }
    result.values[at] = compute->isFloat() ? fromDouble(row->onFloats(floats), result.type)
                                           : fromWide(row->onIntegers(integers), result.type);
  });
  return Known::Yes;
}

} // namespace tiny::reference
