// Operators that compute element by element, with NumPy broadcasting.
#include "Node.h"
#include "TensorData.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr double kLargestF32 = 3.4028234663852886e38;

bool isFloat(Value value) { return isa<FloatType>(elementOf(value)); }

/// All inputs one after the other, with a binary operation between them.
Value foldInputs(Node &node, StringRef op) {
  Value result = node.input(0);
  for (unsigned i = 1; i < node.numInputs() && result; ++i)
    result = node.create(op, {result, node.input(i)});
  return result;
}

Values translateMax(Node &node) { return {foldInputs(node, "tiny.maximum")}; }
Values translateMin(Node &node) { return {foldInputs(node, "tiny.minimum")}; }
Values translateSum(Node &node) { return {foldInputs(node, "tiny.add")}; }

Values translateMean(Node &node) {
  Value sum = foldInputs(node, "tiny.add");
  if (!sum)
    return {};
  return {node.create("tiny.div", {sum, node.scalar(node.numInputs(), elementOf(sum))})};
}

// Integers are divided as in C.
Values translateDiv(Node &node) {
  Value lhs = node.input(0), rhs = node.input(1);
  if (!lhs || !rhs)
    return {};
  return {node.create(isFloat(lhs) ? "tiny.div" : "tiny.truncdiv", {lhs, rhs})};
}

Values translateMod(Node &node) {
  bool fmod = node.getInt("fmod", 0) != 0;
  Value lhs = node.input(0), rhs = node.input(1);
  if (lhs && isFloat(lhs) && !fmod && node.opset() < 28)
    return {node.fail("the remainder of floats needs fmod=1")};
  Value rest = node.create(fmod ? "tiny.fmod" : "tiny.mod", {lhs, rhs});
  if (fmod || !rest || !isFloat(rest))
    return {rest};
  // A zero has the divisor's sign.
  Value zero = node.like(rest, 0),
        signedZero = node.where(node.create("tiny.lt", {rhs, zero}), node.like(rest, -0.0), zero);
  return {node.where(node.create("tiny.eq", {rest, zero}), signedZero, rest)};
}

// The result has the base's type, whatever the exponent's. What no type of the two holds is computed in a wider one: an
// integer to the power of a float in f64, a half to the power of an integer in f32.
Values translatePow(Node &node) {
  Value base = node.input(0), exponent = node.input(1);
  if (!base || !exponent)
    return {};
  Type element = elementOf(base);
  if (!isFloat(base) && isFloat(exponent)) {
    Type wide = Float64Type::get(node.getContext());
    base = node.cast(base, wide);
    exponent = node.cast(exponent, wide);
  } else if (isFloat(base) && !isFloat(exponent) && element.getIntOrFloatBitWidth() < 32) {
    base = node.cast(base, Float32Type::get(node.getContext()));
  } else if (!isFloat(base) && (element.isUnsignedInteger(64) || elementOf(exponent).isUnsignedInteger(64))) {
    // No integer type holds both i64 and ui64.
    exponent = node.cast(exponent, element);
  }
  return {node.cast(node.create("tiny.pow", {base, exponent}), element)};
}

Values translateBitShift(Node &node) {
  StringRef direction = node.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return {node.fail("attribute 'direction' is '" + direction + "', expected LEFT or RIGHT")};
  return {node.create(direction == "LEFT" ? "tiny.shl" : "tiny.shr", {node.input(0), node.input(1)})};
}

/// The value as another element type, as Cast and CastLike have it.
Value castTo(Node &node, Value value, Type element) {
  if (auto small = dyn_cast<FloatType>(element))
    return castFloat(node, value, small, node.getInt("saturate", 1) != 0);
  return node.cast(value, element);
}

Value bitcast(Node &node, Value input, Type element) {
  if (!input || elementOf(input) == element)
    return input;
  return node.createTyped("tiny.bitcast", typeOf(input).clone(element), input);
}

Values translateCast(Node &node) {
  int64_t to = node.getInt("to", 0);
  Type element = getElementType(node.getContext(), int32_t(to));
  if (!element)
    return {node.fail("element type " + getDataTypeName(int32_t(to)) + " is not supported")};
  return {castTo(node, node.input(0), element)};
}

// The same bits; truth values are bytes, which are 0 or 1.
Values translateBitCast(Node &node) {
  Value input = node.input(0);
  int32_t to = int32_t(node.getInt("to", 0));
  Type element = getElementType(node.getContext(), to);
  if (!input || !element)
    return {node.failed() ? Value() : node.fail("element type " + getDataTypeName(to) + " is not supported")};
  auto width = [](Type type) { return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth(); };
  if (width(elementOf(input)) != width(element))
    return {node.fail("expected a type of " + Twine(width(elementOf(input))) + " bits, got one of " +
                      Twine(width(element)))};
  Type byte = IntegerType::get(node.getContext(), 8);
  if (elementOf(input).isInteger(1))
    input = node.cast(input, byte);
  if (element.isInteger(1))
    return {node.create("tiny.ne", {bitcast(node, input, byte), node.scalar(0, byte)})};
  return {bitcast(node, input, element)};
}

Values translateCastLike(Node &node) {
  Value input = node.input(0), like = node.input(1);
  return {input && like ? castTo(node, input, elementOf(like)) : nullptr};
}

// Bounds are attributes before opset 11, where f32's largest number stands for an absent one; optional inputs after.
Values translateClip(Node &node) {
  Value result = node.input(0);
  if (!result)
    return {};
  auto bound = [&](StringRef attribute, unsigned index, StringRef op) {
    Value limit;
    if (node.hasAttribute(attribute))
      limit = node.scalar(node.getFloat(attribute, 0), elementOf(result));
    else if (node.hasInput(index))
      limit = node.input(index);
    else if (node.opset() < 11)
      limit = node.scalar(index == 1 ? -kLargestF32 : kLargestF32, elementOf(result));
    else
      return;
    if (limit && typeOf(limit).getNumElements() != 1)
      result = node.fail("the bound '" + attribute + "' is not one number");
    else
      result = node.create(op, {result, node.reshape(limit, {})});
  };
  bound("min", 1, "tiny.maximum");
  if (result)
    bound("max", 2, "tiny.minimum");
  return {result};
}

Values translateElu(Node &node) {
  return {node.create("tiny.elu", node.input(0), node.attrF64("alpha", node.getFloat("alpha", 1)))};
}

Values translateLeakyRelu(Node &node) {
  return {node.create("tiny.leaky_relu", node.input(0), node.attrF64("alpha", node.getFloat("alpha", 0.01f)))};
}

// (selu) gamma * elu(x, alpha)
Values translateSelu(Node &node) {
  double alpha = node.getFloat("alpha", 1.67326319217681884765625);
  double gamma = node.getFloat("gamma", 1.05070102214813232421875);
  Value elu = node.create("tiny.elu", node.input(0), node.attrF64("alpha", alpha));
  return {elu ? node.create("tiny.mul", {elu, node.scalar(gamma, elementOf(elu))}) : nullptr};
}

// (celu) x where x > 0, else alpha * (exp(x / alpha) - 1); alpha may be negative
Values translateCelu(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  Value alpha = node.scalar(node.getFloat("alpha", 1), elementOf(input));
  Value curve = node.mul(node.create("tiny.expm1", node.div(input, alpha)), alpha);
  return {node.where(node.create("tiny.gt", {input, node.like(input, 0)}), input, curve)};
}

Values translatePRelu(Node &node) {
  Value input = node.input(0), slope = node.input(1);
  if (!input || !slope)
    return {};
  // Before set 7 a list has one slope per channel.
  if (node.opset() < 7 && rankOf(slope) == 1 && rankOf(input) > 2) {
    Ints shape(rankOf(input) - 1, 1);
    shape[0] = shapeOf(slope)[0];
    slope = node.reshape(slope, shape);
  }
  Value negative = node.create("tiny.lt", {input, node.scalar(0, elementOf(input))});
  return {node.create("tiny.where", {negative, node.create("tiny.mul", {input, slope}), input})};
}

Values translateThresholdedRelu(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  Value above = node.create("tiny.gt", {input, node.scalar(node.getFloat("alpha", 1), elementOf(input))});
  return {node.create("tiny.where", {above, input, node.scalar(0, elementOf(input))})};
}

Values translateHardSigmoid(Node &node) {
  return {node.create(
      "tiny.hardsigmoid", node.input(0),
      {node.attrF64("alpha", node.getFloat("alpha", 0.2f)), node.attrF64("beta", node.getFloat("beta", 0.5))})};
}

Values translateGelu(Node &node) {
  StringRef approximate = node.getString("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return {node.fail("attribute 'approximate' is '" + approximate + "', expected none or tanh")};
  if (approximate == "none")
    return {node.create("tiny.gelu", node.input(0))};
  return {node.create("tiny.gelu", node.input(0), node.attrUnit("approximate"))};
}

Values translateIsInf(Node &node) {
  Value input = node.input(0);
  bool negative = node.getInt("detect_negative", 1) != 0, positive = node.getInt("detect_positive", 1) != 0;
  if (!input || (negative && positive))
    return {node.create("tiny.isinf", input)};
  if (!negative && !positive)
    return {node.expand(node.scalar(0, IntegerType::get(node.getContext(), 1)), shapeOf(input))};
  Value sign = node.create(positive ? "tiny.gt" : "tiny.lt", {input, node.like(input, 0)});
  return {node.create("tiny.and", {node.create("tiny.isinf", input), sign})};
}

// (shrink) x + bias where x < -lambd, x - bias where x > lambd, else 0
Values translateShrink(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  double lambda = node.getFloat("lambd", 0.5), bias = node.getFloat("bias", 0);
  Type element = elementOf(input), compute = isFloat(input) ? element : Float32Type::get(node.getContext());
  Value x = node.cast(input, compute), zero = node.like(x, 0);
  Value above = node.create("tiny.gt", {x, node.like(x, lambda)}),
        below = node.create("tiny.lt", {x, node.like(x, -lambda)});
  Value inner = node.where(above, node.sub(x, node.like(x, bias)), zero);
  return {node.cast(node.where(below, node.add(x, node.like(x, bias)), inner), element)};
}

/// log(x) + log1p(sqrt(1 + sign / x^2)): the inverse of sinh, or of cosh for a sign of -1, where x^2 would overflow.
Value inverseFarOut(Node &node, Value x, double sign) {
  Value inverse = node.create("tiny.reciprocal", x);
  Value term = node.mul(node.mul(inverse, inverse), node.like(x, sign));
  Value root = node.create("tiny.sqrt", node.add(term, node.like(x, 1)));
  return node.add(node.create("tiny.log", x), node.create("tiny.log1p", root));
}

// asinh(x) = sign(x) * log(|x| + sqrt(x * x + 1)), in terms that keep small x exact. At 0 it is x, which has a slope.
Values translateAsinh(Node &node) {
  Value input = node.input(0), isZero = node.create("tiny.eq", {input, node.like(input, 0)});
  Value x = node.where(isZero, node.like(input, 1), node.create("tiny.abs", input));
  Value square = node.mul(x, x);
  Value root = node.create("tiny.sqrt", node.add(square, node.like(square, 1)));
  Value small = node.create("tiny.log1p", node.add(x, node.div(square, node.add(root, node.like(root, 1)))));
  Value isFar = node.create("tiny.gt", {x, node.like(x, 2)});
  Value size = node.where(isFar, inverseFarOut(node, x, 1), small);
  return {node.where(isZero, input, node.mul(size, node.create("tiny.sign", input)))};
}

// Below 1 both roots are not a number.
Values translateAcosh(Node &node) {
  Value x = node.input(0);
  Value below = node.sub(x, node.like(x, 1)), above = node.add(x, node.like(x, 1));
  Value root = node.mul(node.create("tiny.sqrt", below), node.create("tiny.sqrt", above));
  Value near = node.create("tiny.log1p", node.add(below, root));
  return {node.where(node.create("tiny.gt", {x, node.like(x, 2)}), inverseFarOut(node, x, -1), near)};
}

Values translateAtanh(Node &node) {
  Value x = node.input(0);
  Value ratio = node.div(node.mul(x, node.like(x, 2)), node.sub(node.like(x, 1), x));
  return {node.mul(node.create("tiny.log1p", ratio), node.like(x, 0.5))};
}

Values translateIdentity(Node &node) {
  if (!node.isSequence(0))
    return {node.input(0)};
  if (node.isAbsent(0))
    node.defineSequence(0, std::nullopt);
  else
    node.defineSequence(0, node.sequence(0));
  return {};
}

// The input itself and a mask that keeps all, or, where training is asked for, a random mask.
Values translateDropout(Node &node) {
  Value input = node.input(0);
  if (!input)
    return {};
  double ratio = node.getFloat("ratio", 0.5);
  if (node.hasInput(1)) {
    std::optional<SmallVector<double>> given = node.constantNumbers(1, "the ratio");
    if (!given)
      return {};
    if (given->size() != 1 || !(given->front() >= 0 && given->front() < 1))
      return {node.fail("the ratio is not one number from 0 to 1")};
    ratio = given->front();
  }
  bool isTraining = false;
  if (node.hasInput(2)) {
    std::optional<Ints> training = node.constantInts(2, "'training_mode'");
    if (!training)
      return {};
    isTraining = training->size() == 1 && training->front() != 0;
  }
  if (isTraining && ratio != 0)
    return dropAtRandom(node, input, ratio, node.getInt("seed", 0));
  if (!node.hasOutput(1))
    return {input};
  Type mask = node.opset() < 10 ? elementOf(input) : IntegerType::get(node.getContext(), 1);
  return {input, node.expand(node.scalar(1, mask), shapeOf(input))};
}

} // namespace

Value castFloat(Node &node, Value value, FloatType element, bool saturates) {
  if (!value || elementOf(value) == element)
    return value;
  if (saturates && element.getIntOrFloatBitWidth() == 8 && isFloat(value) &&
      elementOf(value).getIntOrFloatBitWidth() > 8) {
    double most = llvm::APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
    value = node.create("tiny.minimum",
                        {node.create("tiny.maximum", {value, node.like(value, -most)}), node.like(value, most)});
  }
  return node.cast(value, element);
}

ArrayRef<Handler> getElementwiseHandlers() {
  static const Handler handlers[] = {
      {"Abs", 1, 1, "", nullptr, "tiny.abs"},
      {"Acos", 1, 1, "", nullptr, "tiny.acos"},
      {"Acosh", 1, 1, "", translateAcosh},
      {"Add", 2, 2, "", nullptr, "tiny.add"},
      {"And", 2, 2, "", nullptr, "tiny.and"},
      {"Asin", 1, 1, "", nullptr, "tiny.asin"},
      {"Asinh", 1, 1, "", translateAsinh},
      {"Atanh", 1, 1, "", translateAtanh},
      {"Atan", 1, 1, "", nullptr, "tiny.atan"},
      {"BitCast", 1, 1, "to", translateBitCast},
      {"BitShift", 2, 2, "direction", translateBitShift},
      {"BitwiseAnd", 2, 2, "", nullptr, "tiny.and"},
      {"BitwiseNot", 1, 1, "", nullptr, "tiny.not"},
      {"BitwiseOr", 2, 2, "", nullptr, "tiny.or"},
      {"BitwiseXor", 2, 2, "", nullptr, "tiny.xor"},
      {"Cast", 1, 1, "round_mode saturate to", translateCast},
      {"CastLike", 2, 2, "round_mode saturate", translateCastLike},
      {"Ceil", 1, 1, "", nullptr, "tiny.ceil"},
      {"Celu", 1, 1, "alpha", translateCelu},
      {"Clip", 1, 3, "min max", translateClip},
      {"Cos", 1, 1, "", nullptr, "tiny.cos"},
      {"Cosh", 1, 1, "", nullptr, "tiny.cosh"},
      {"Div", 2, 2, "", translateDiv},
      {"Dropout", 1, 3, "ratio seed", translateDropout},
      {"Elu", 1, 1, "alpha", translateElu},
      {"Equal", 2, 2, "", nullptr, "tiny.eq"},
      {"Erf", 1, 1, "", nullptr, "tiny.erf"},
      {"Exp", 1, 1, "", nullptr, "tiny.exp"},
      {"Floor", 1, 1, "", nullptr, "tiny.floor"},
      {"Gelu", 1, 1, "approximate", translateGelu},
      {"com.microsoft:Gelu", 1, 1, "", nullptr, "tiny.gelu"},
      {"Greater", 2, 2, "", nullptr, "tiny.gt"},
      {"GreaterOrEqual", 2, 2, "", nullptr, "tiny.ge"},
      {"HardSigmoid", 1, 1, "alpha beta", translateHardSigmoid},
      {"HardSwish", 1, 1, "", nullptr, "tiny.hardswish"},
      {"Identity", 1, 1, "", translateIdentity},
      {"IsInf", 1, 1, "detect_negative detect_positive", translateIsInf},
      {"IsNaN", 1, 1, "", nullptr, "tiny.isnan"},
      {"LeakyRelu", 1, 1, "alpha", translateLeakyRelu},
      {"Less", 2, 2, "", nullptr, "tiny.lt"},
      {"LessOrEqual", 2, 2, "", nullptr, "tiny.le"},
      {"Log", 1, 1, "", nullptr, "tiny.log"},
      {"Max", 1, kAnyInputs, "", translateMax},
      {"Mean", 1, kAnyInputs, "", translateMean},
      {"Min", 1, kAnyInputs, "", translateMin},
      {"Mish", 1, 1, "", nullptr, "tiny.mish"},
      {"Mod", 2, 2, "fmod", translateMod},
      {"Mul", 2, 2, "", nullptr, "tiny.mul"},
      {"Neg", 1, 1, "", nullptr, "tiny.neg"},
      {"Not", 1, 1, "", nullptr, "tiny.not"},
      {"Or", 2, 2, "", nullptr, "tiny.or"},
      {"PRelu", 2, 2, "", translatePRelu},
      {"Pow", 2, 2, "", translatePow},
      {"Reciprocal", 1, 1, "", nullptr, "tiny.reciprocal"},
      {"Relu", 1, 1, "", nullptr, "tiny.relu"},
      {"Round", 1, 1, "", nullptr, "tiny.round"},
      {"Selu", 1, 1, "alpha gamma", translateSelu},
      {"Shrink", 1, 1, "bias lambd", translateShrink},
      {"Sigmoid", 1, 1, "", nullptr, "tiny.sigmoid"},
      {"Sign", 1, 1, "", nullptr, "tiny.sign"},
      {"Sin", 1, 1, "", nullptr, "tiny.sin"},
      {"Sinh", 1, 1, "", nullptr, "tiny.sinh"},
      {"Softplus", 1, 1, "", nullptr, "tiny.softplus"},
      {"Softsign", 1, 1, "", nullptr, "tiny.softsign"},
      {"Sqrt", 1, 1, "", nullptr, "tiny.sqrt"},
      {"Sub", 2, 2, "", nullptr, "tiny.sub"},
      {"Sum", 1, kAnyInputs, "", translateSum},
      {"Tan", 1, 1, "", nullptr, "tiny.tan"},
      {"Tanh", 1, 1, "", nullptr, "tiny.tanh"},
      {"ThresholdedRelu", 1, 1, "alpha", translateThresholdedRelu},
      {"Where", 3, 3, "", nullptr, "tiny.where"},
      {"Xor", 2, 2, "", nullptr, "tiny.xor"},
  };
  return handlers;
}

} // namespace tiny::onnximport
