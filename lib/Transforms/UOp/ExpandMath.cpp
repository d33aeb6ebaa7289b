// uop-expand-math: transcendental functions become polynomials, so that kernels
// call nothing.
#include "Math/Functions.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Exp2.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPEXPANDMATH
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

using Unary = Num (*)(MathBuilder &, Num);
using Binary = Num (*)(MathBuilder &, Num, Num);

/// The expansion of a function of one float; null for what stays.
Unary getUnary(Operation *op) {
  return llvm::TypeSwitch<Operation *, Unary>(op)
      .Case<math::ExpOp>([](auto) { return expandExp; })
      .Case<math::Exp2Op>([](auto) { return expandExp2; })
      .Case<math::ExpM1Op>([](auto) { return expandExpM1; })
      .Case<math::LogOp>([](auto) { return expandLog; })
      .Case<math::Log2Op>([](auto) { return expandLog2; })
      .Case<math::Log10Op>([](auto) { return expandLog10; })
      .Case<math::Log1pOp>([](auto) { return expandLog1p; })
      .Case<math::SinOp>([](auto) { return expandSin; })
      .Case<math::CosOp>([](auto) { return expandCos; })
      .Case<math::TanOp>([](auto) { return expandTan; })
      .Case<math::AsinOp>([](auto) { return expandAsin; })
      .Case<math::AcosOp>([](auto) { return expandAcos; })
      .Case<math::AtanOp>([](auto) { return expandAtan; })
      .Case<math::SinhOp>([](auto) { return expandSinh; })
      .Case<math::CoshOp>([](auto) { return expandCosh; })
      .Case<math::TanhOp>([](auto) { return expandTanh; })
      .Case<math::AsinhOp>([](auto) { return expandAsinh; })
      .Case<math::AcoshOp>([](auto) { return expandAcosh; })
      .Case<math::AtanhOp>([](auto) { return expandAtanh; })
      .Case<math::ErfOp>([](auto) { return expandErf; })
      .Case<math::ErfcOp>([](auto) { return expandErfc; })
      .Case<math::CbrtOp>([](auto) { return expandCbrt; })
      .Case<math::RsqrtOp>([](auto) { return expandRsqrt; })
      .Default([](Operation *) -> Unary { return nullptr; });
}

Binary getBinary(Operation *op) {
  if (isa<math::PowFOp>(op))
    return expandPow;
  if (isa<arith::RemFOp>(op))
    return expandRemainder;
  return isa<math::Atan2Op>(op) ? expandAtan2 : nullptr;
}

struct UOpExpandMath : impl::UOpExpandMathBase<UOpExpandMath> {
  using Base::Base;

  /// The type to compute in: f32 for what is narrower; null where there is no
  /// expansion.
  static Type computeType(Type type) {
    Type element = getElementTypeOrSelf(type);
    auto vector = dyn_cast<VectorType>(type);
    if (vector && (vector.getRank() != 1 || vector.isScalable()))
      return {};
    if (element.isF32() || element.isF64())
      return type;
    if (!isa<Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(element))
      return {};
    Type single = Float32Type::get(type.getContext());
    return vector ? Type(vector.clone(single)) : single;
  }

  /// n as a float of the shape of x, and whether it is odd.
  static Num expandFPowI(MathBuilder &b, Num x, Value n) {
    OpBuilder &ops = b.ops();
    Type type = n.getType();
    auto constant = [&](int64_t value) -> Value {
      TypedAttr attr = ops.getIntegerAttr(getElementTypeOrSelf(type), value);
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, Attribute(attr));
      return arith::ConstantOp::create(ops, b.getLoc(), attr);
    };
    Value bit = arith::AndIOp::create(ops, b.getLoc(), n, constant(1));
    Value isOdd = arith::CmpIOp::create(ops, b.getLoc(), arith::CmpIPredicate::ne, bit, constant(0));
    Value real = arith::SIToFPOp::create(ops, b.getLoc(), b.getFloat(), n);
    return expandPowInteger(b, x, b.wrap(real), b.wrap(isOdd));
  }

  /// e^x = 2^(x log2(e)), or 2^x, by the device's instruction; null where the flags or the device allow it not.
  Value approximate(Operation *op, MathBuilder &b, Num x) {
    auto function = dyn_cast<arith::ArithFastMathInterface>(op);
    if (!machine.has(cost::Instruction::Exp2) || !isa<math::ExpOp, math::Exp2Op>(op) || b.isDouble() ||
        !bitEnumContainsAll(function.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn))
      return {};
    Value power = isa<math::ExpOp>(op) ? (x * 1.44269504088896338700).value : x.value;
    return math::Exp2Op::create(b.ops(), b.getLoc(), power, arith::FastMathFlags::afn);
  }

  LogicalResult expand(Operation *op, MathBuilder::Constants &constants) {
    if (auto power = dyn_cast<math::IPowIOp>(op)) {
      OpBuilder builder(op);
      power.replaceAllUsesWith(expandIPowI(builder, op->getLoc(), power.getLhs(), power.getRhs()));
      op->erase();
      return success();
    }
    Unary unary = getUnary(op);
    Binary binary = getBinary(op);
    auto powi = dyn_cast<math::FPowIOp>(op);
    auto sincos = dyn_cast<math::SincosOp>(op);
    if (!unary && !binary && !powi && !sincos)
      return success();
    if (auto power = dyn_cast<math::Exp2Op>(op); power && isInstruction(power, machine))
      return success();
    Type type = op->getResult(0).getType(), compute = computeType(type);
    if (!compute)
      return op->emitError() << op->getName() << " has no expansion on " << type
                             << "; expected f8, f16, bf16, f32, f64 or a vector of them";
    OpBuilder builder(op);
    Location loc = op->getLoc();
    MathBuilder math(builder, loc, compute, &getOperation().getBody().front(), constants, hasFma);
    auto widen = [&](Value value) {
      return math.wrap(type == compute ? value : Value(arith::ExtFOp::create(builder, loc, compute, value)));
    };
    Num x = widen(op->getOperand(0));
    if (Value power = approximate(op, math, x)) {
      op->getResult(0).replaceAllUsesWith(type == compute ? power
                                                          : Value(arith::TruncFOp::create(builder, loc, type, power)));
      op->erase();
      return success();
    }
    SmallVector<Num> results;
    if (sincos) {
      auto [sine, cosine] = expandSinCos(math, x);
      results = {sine, cosine};
    } else {
      results = {unary    ? unary(math, x)
                 : binary ? binary(math, x, widen(op->getOperand(1)))
                          : expandFPowI(math, x, powi.getRhs())};
    }
    for (auto [result, number] : llvm::zip_equal(op->getResults(), results)) {
      Value value = number.value;
      if (type != compute)
        value = arith::TruncFOp::create(builder, loc, type, value);
      result.replaceAllUsesWith(value);
    }
    op->erase();
    return success();
  }

  void runOnOperation() override {
    machine = target::findMachine(getOperation());
    hasFma = machine.has(cost::Instruction::Fma);
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op))
        ops.push_back(op);
    });
    MathBuilder::Constants constants;
    for (Operation *op : ops)
      if (failed(expand(op, constants)))
        return signalPassFailure();
  }

private:
  /// Of the device.
  cost::Machine machine;
  bool hasFma = true;
};

} // namespace
} // namespace tiny::uop
