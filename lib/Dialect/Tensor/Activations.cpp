// Activations in terms of arithmetic. In `lower` operands have one shape and type.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

#include <cmath>

using namespace mlir;
using namespace tiny::tensor;

Value ReluOp::lower(TensorBuilder &build) { return build.maximum(getInput(), 0); }

Value Relu6Op::lower(TensorBuilder &build) {
  bool isBool = build.getElement(getInput()).isInteger(1);
  return isBool ? Value(getInput()) : build.minimum(build.maximum(getInput(), 0), 6);
}

Value SigmoidOp::lower(TensorBuilder &build) {
  // Where exp overflows the quotient is 0, which is right.
  Value x = getInput();
  return build.div(build.like(x, 1), build.add(build.exp(build.neg(x)), 1));
}

Value SiluOp::lower(TensorBuilder &build) { return build.mul(getInput(), build.create<SigmoidOp>(getInput())); }

Value SoftplusOp::lower(TensorBuilder &build) {
  // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
  Value x = getInput();
  return build.add(build.maximum(x, 0), build.create<Log1pOp>(build.exp(build.neg(build.abs(x)))));
}

Value SoftsignOp::lower(TensorBuilder &build) { return build.div(getInput(), build.add(build.abs(getInput()), 1)); }

Value MishOp::lower(TensorBuilder &build) {
  return build.mul(getInput(), build.create<TanhOp>(build.create<SoftplusOp>(getInput())));
}

/// min(max(alpha * x + beta, 0), 1)
static Value hardSigmoid(TensorBuilder &build, Value x, double alpha, double beta) {
  return build.minimum(build.maximum(build.add(build.mul(x, alpha), beta), 0), 1);
}

Value HardSigmoidOp::lower(TensorBuilder &build) {
  return hardSigmoid(build, getInput(), getAlpha().convertToDouble(), getBeta().convertToDouble());
}

Value HardSwishOp::lower(TensorBuilder &build) {
  return build.mul(getInput(), hardSigmoid(build, getInput(), 1.0 / 6.0, 0.5));
}

Value LeakyReluOp::lower(TensorBuilder &build) {
  Value x = getInput();
  return build.where(build.lt(x, build.like(x, 0)), build.mul(x, getAlpha().convertToDouble()), x);
}

Value EluOp::lower(TensorBuilder &build) {
  Value x = getInput(), negative = build.create<Expm1Op>(build.minimum(x, 0));
  return build.where(build.gt(x, 0), x, build.mul(negative, getAlpha().convertToDouble()));
}

Value GeluOp::lower(TensorBuilder &build) {
  Value x = getInput(), half = build.mul(x, 0.5);
  if (!getApproximate())
    return build.mul(half, build.add(build.create<ErfOp>(build.mul(x, std::sqrt(0.5))), 1));
  // 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
  Value cube = build.mul(build.mul(x, x), x);
  Value inner = build.mul(build.add(x, build.mul(cube, 0.044715)), std::sqrt(2 / M_PI));
  return build.mul(half, build.add(build.create<TanhOp>(inner), 1));
}
