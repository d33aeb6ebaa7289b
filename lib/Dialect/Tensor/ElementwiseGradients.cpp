// Reverse mode of elementwise operations: formulas on the operands as they are. Whoever asks sums over broadcast axes.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tiny::tensor;

using Gradients = SmallVector<Value>;

/// `x` where the condition holds, else zero.
static Value keepWhere(TensorBuilder &build, Value condition, Value x) {
  return build.where(condition, x, build.like(x, 0));
}

static Value square(TensorBuilder &build, Value x) { return build.mul(x, x); }
static Value sigmoid(TensorBuilder &build, Value x) { return build.create<SigmoidOp>(x); }
/// 1 - x * x.
static Value oneLessSquare(TensorBuilder &build, Value x) {
  Value squared = square(build, x);
  return build.sub(build.like(squared, 1), squared);
}

Gradients CastOp::differentiate(TensorBuilder &, Value g) { return {g}; }

//===--- Unary ----------------------------------------------------------------------------------------------------===//

Gradients NegOp::differentiate(TensorBuilder &build, Value g) { return {build.neg(g)}; }
Gradients AbsOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, build.create<SignOp>(getInput()))};
}
Gradients SquareOp::differentiate(TensorBuilder &build, Value g) { return {build.mul(g, build.mul(getInput(), 2))}; }
Gradients ReciprocalOp::differentiate(TensorBuilder &build, Value g) {
  return {build.neg(build.mul(g, square(build, getResult())))};
}

// Steps are flat wherever they have a slope.
Gradients SignOp::differentiate(TensorBuilder &, Value) { return {Value()}; }
Gradients FloorOp::differentiate(TensorBuilder &, Value) { return {Value()}; }
Gradients CeilOp::differentiate(TensorBuilder &, Value) { return {Value()}; }
Gradients RoundOp::differentiate(TensorBuilder &, Value) { return {Value()}; }
Gradients TruncOp::differentiate(TensorBuilder &, Value) { return {Value()}; }

Gradients ExpOp::differentiate(TensorBuilder &build, Value g) { return {build.mul(g, getResult())}; }
Gradients Exp2Op::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(build.mul(g, getResult()), llvm::numbers::ln2)};
}
Gradients Expm1Op::differentiate(TensorBuilder &build, Value g) { return {build.mul(g, build.add(getResult(), 1))}; }
Gradients LogOp::differentiate(TensorBuilder &build, Value g) { return {build.div(g, getInput())}; }
Gradients Log2Op::differentiate(TensorBuilder &build, Value g) {
  return {build.div(g, build.mul(getInput(), llvm::numbers::ln2))};
}
Gradients Log1pOp::differentiate(TensorBuilder &build, Value g) { return {build.div(g, build.add(getInput(), 1))}; }
Gradients SqrtOp::differentiate(TensorBuilder &build, Value g) { return {build.div(g, build.mul(getResult(), 2))}; }
Gradients RsqrtOp::differentiate(TensorBuilder &build, Value g) {
  Value cubed = build.mul(getResult(), square(build, getResult()));
  return {build.mul(g, build.mul(cubed, -0.5))};
}

Gradients SinOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, build.create<CosOp>(getInput()))};
}
Gradients CosOp::differentiate(TensorBuilder &build, Value g) {
  return {build.neg(build.mul(g, build.create<SinOp>(getInput())))};
}
Gradients TanOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, build.add(square(build, getResult()), 1))};
}
Gradients AsinOp::differentiate(TensorBuilder &build, Value g) {
  return {build.div(g, build.create<SqrtOp>(oneLessSquare(build, getInput())))};
}
Gradients AcosOp::differentiate(TensorBuilder &build, Value g) {
  return {build.neg(build.div(g, build.create<SqrtOp>(oneLessSquare(build, getInput()))))};
}
Gradients AtanOp::differentiate(TensorBuilder &build, Value g) {
  return {build.div(g, build.add(square(build, getInput()), 1))};
}
Gradients SinhOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, build.create<CoshOp>(getInput()))};
}
Gradients CoshOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, build.create<SinhOp>(getInput()))};
}
Gradients TanhOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, oneLessSquare(build, getResult()))};
}
Gradients ErfOp::differentiate(TensorBuilder &build, Value g) {
  Value bell = build.exp(build.neg(square(build, getInput())));
  return {build.mul(g, build.mul(bell, 2 * llvm::numbers::inv_sqrtpi))};
}

//===--- Activations ----------------------------------------------------------------------------------------------===//

// At a corner the slope is that of the flat side, as in PyTorch.
Gradients ReluOp::differentiate(TensorBuilder &build, Value g) {
  return {keepWhere(build, build.gt(getInput(), 0), g)};
}
Gradients Relu6Op::differentiate(TensorBuilder &build, Value g) {
  Value x = getInput();
  return {keepWhere(build, build.gt(x, 0), keepWhere(build, build.lt(x, build.like(x, 6)), g))};
}
Gradients SigmoidOp::differentiate(TensorBuilder &build, Value g) {
  Value y = getResult();
  return {build.mul(g, build.mul(y, build.sub(build.like(y, 1), y)))};
}
Gradients SiluOp::differentiate(TensorBuilder &build, Value g) {
  Value s = sigmoid(build, getInput()), rest = build.sub(build.like(s, 1), s);
  return {build.mul(g, build.mul(s, build.add(build.mul(getInput(), rest), 1)))};
}
Gradients SoftplusOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, sigmoid(build, getInput()))};
}
Gradients SoftsignOp::differentiate(TensorBuilder &build, Value g) {
  return {build.div(g, square(build, build.add(build.abs(getInput()), 1)))};
}
Gradients MishOp::differentiate(TensorBuilder &build, Value g) {
  Value x = getInput(), t = build.create<TanhOp>(build.create<SoftplusOp>(x));
  Value inner = build.mul(build.mul(x, oneLessSquare(build, t)), sigmoid(build, x));
  return {build.mul(g, build.add(t, inner))};
}
Gradients HardSwishOp::differentiate(TensorBuilder &build, Value g) {
  Value x = getInput(), slope = build.div(build.add(build.mul(x, 2), 3), build.like(x, 6));
  Value inside = keepWhere(build, build.gt(x, -3), build.mul(g, slope));
  return {build.where(build.lt(x, build.like(x, 3)), inside, g)};
}
Gradients HardSigmoidOp::differentiate(TensorBuilder &build, Value g) {
  Value y = getResult(), slope = build.mul(g, getAlpha().convertToDouble());
  return {keepWhere(build, build.gt(y, 0), keepWhere(build, build.lt(y, build.like(y, 1)), slope))};
}
Gradients LeakyReluOp::differentiate(TensorBuilder &build, Value g) {
  return {build.where(build.gt(getInput(), 0), g, build.mul(g, getAlpha().convertToDouble()))};
}
Gradients EluOp::differentiate(TensorBuilder &build, Value g) {
  Value below = build.mul(build.exp(getInput()), getAlpha().convertToDouble());
  return {build.where(build.gt(getInput(), 0), g, build.mul(g, below))};
}
Gradients GeluOp::differentiate(TensorBuilder &build, Value g) {
  Value x = getInput(), squared = square(build, x);
  if (getApproximate()) {
    constexpr double scale = 0.7978845608028654, cubic = 0.044715; // sqrt(2 / pi)
    Value t = build.create<TanhOp>(build.mul(build.mul(x, build.add(build.mul(squared, cubic), 1)), scale));
    Value slope = build.mul(build.add(build.mul(squared, 3 * cubic), 1), scale);
    Value inner = build.mul(build.mul(x, oneLessSquare(build, t)), slope);
    return {build.mul(g, build.mul(build.add(build.add(t, 1), inner), 0.5))};
  }
  constexpr double density = 0.3989422804014327, root = 0.7071067811865476; // 1 / sqrt(2 pi), 1 / sqrt(2)
  Value whole = build.mul(build.add(build.create<ErfOp>(build.mul(x, root)), 1), 0.5);
  Value bell = build.mul(build.exp(build.mul(squared, -0.5)), density);
  return {build.mul(g, build.add(whole, build.mul(x, bell)))};
}

//===--- Binary, ternary ------------------------------------------------------------------------------------------===//

Gradients AddOp::differentiate(TensorBuilder &, Value g) { return {g, g}; }
Gradients SubOp::differentiate(TensorBuilder &build, Value g) { return {g, build.neg(g)}; }
Gradients MulOp::differentiate(TensorBuilder &build, Value g) {
  return {build.mul(g, getRhs()), build.mul(g, getLhs())};
}
Gradients DivOp::differentiate(TensorBuilder &build, Value g) {
  Value part = build.div(g, getRhs());
  return {part, build.neg(build.mul(part, getResult()))};
}

Gradients FloorDivOp::differentiate(TensorBuilder &, Value) { return {Value(), Value()}; }
Gradients TruncDivOp::differentiate(TensorBuilder &, Value) { return {Value(), Value()}; }
Gradients ModOp::differentiate(TensorBuilder &build, Value g) {
  return {g, build.neg(build.mul(g, build.create<FloorDivOp>(getLhs(), getRhs())))};
}
Gradients FmodOp::differentiate(TensorBuilder &build, Value g) {
  return {g, build.neg(build.mul(g, build.create<TruncDivOp>(getLhs(), getRhs())))};
}

Gradients PowOp::differentiate(TensorBuilder &build, Value g) {
  Value x = getLhs(), y = getRhs();
  // x^0 is flat, also at 0, where the formula has 0 * infinity.
  Value base = build.mul(build.mul(g, y), build.create<PowOp>(x, build.sub(y, 1)));
  // The logarithm is as exact as the result, also of a base of fewer bits.
  Value wide = build.cast(x, TensorBuilder::getElement(getResult()));
  Value exponent = build.mul(build.mul(g, getResult()), build.log(wide));
  // 0^y is flat for positive y.
  Value flat = build.create<AndOp>(build.eq(x, 0), build.create<GeOp>(y, build.like(y, 0)));
  return {build.where(build.ne(y, 0), base, build.like(base, 0)), build.where(flat, build.like(exponent, 0), exponent)};
}

/// Equals share the gradient.
static Gradients shareAmongEquals(TensorBuilder &build, Value g, Value lhs, Value rhs, Value isLhs) {
  Value half = build.mul(g, 0.5), none = build.like(g, 0), equal = build.eq(lhs, rhs);
  return {build.where(equal, half, build.where(isLhs, g, none)), build.where(equal, half, build.where(isLhs, none, g))};
}
Gradients MaximumOp::differentiate(TensorBuilder &build, Value g) {
  return shareAmongEquals(build, g, getLhs(), getRhs(), build.create<GtOp>(getLhs(), getRhs()));
}
Gradients MinimumOp::differentiate(TensorBuilder &build, Value g) {
  return shareAmongEquals(build, g, getLhs(), getRhs(), build.lt(getLhs(), getRhs()));
}

Gradients WhereOp::differentiate(TensorBuilder &build, Value g) {
  Value none = build.like(g, 0);
  return {Value(), build.where(getCondition(), g, none), build.where(getCondition(), none, g)};
}
Gradients ClampOp::differentiate(TensorBuilder &build, Value g) {
  Value x = getInput(), none = build.like(g, 0);
  // The upper limit wins where the limits are the wrong way round.
  Value above = build.create<GtOp>(build.maximum(x, getLow()), getHigh()), below = build.lt(x, getLow());
  Value inside = build.where(below, none, g), atLow = build.where(below, g, none);
  return {build.where(above, none, inside), build.where(above, none, atLow), build.where(above, g, none)};
}
