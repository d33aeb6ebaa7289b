// Let M be the maximum of all elements up to the end of a block, and s the sums of the block relative to M. Then
//
//     (m, S) = (M, S 2^(c m - c M) + s)      [m <= M: blocks come in order]
//
// so one factor corrects the sums of all blocks before, and those of a block need none. An exponential is one fused
// operation and a power: 2^(c x - t) with t = c M rounded. That rounding is the same in all elements of a block, and in
// the correction, so it leaves the quotient of two sums. T. Dao, arXiv:2307.08691, has both.
#include "RunningMaximum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

using namespace mlir;

namespace tiny::kernel {

/// The scale of such a function of -|m1 - m2|; none where the value is no such function, or not of f32.
static std::optional<double> findScale(Value function) {
  Operation *op = function.getDefiningOp();
  if (!isa_and_present<math::ExpOp, math::Exp2Op>(op) || !function.getType().isF32() ||
      !arith::bitEnumContainsAll(cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue(),
                                 arith::FastMathFlags::afn))
    return std::nullopt;
  double scale = isa<math::ExpOp>(op) ? 1.44269504088896338700 : 1;
  Value power = op->getOperand(0);
  APFloat factor(0.0);
  if (auto multiply = power.getDefiningOp<arith::MulFOp>()) {
    if (!matchPattern(multiply.getRhs(), m_ConstantFloat(&factor)))
      return std::nullopt;
    scale *= factor.convertToDouble();
    power = multiply.getLhs();
  }
  auto negative = power.getDefiningOp<arith::NegFOp>();
  auto distance = negative ? negative.getOperand().getDefiningOp<math::AbsFOp>() : nullptr;
  if (!distance || !distance.getOperand().getDefiningOp<arith::SubFOp>() || !(scale > 0) || !std::isfinite(scale))
    return std::nullopt;
  return scale;
}

/// Whether what uses the sums makes NaN of them where the maximum is infinite or NaN: they may be anything there.
static bool dependsOnMaximum(ReduceOp reduce) {
  Value maximum = reduce.getResult(0);
  auto isDifference = [&](Value value) {
    auto difference = value.getDefiningOp<arith::SubFOp>();
    return difference && difference.getLhs() == maximum && difference.getRhs() == maximum;
  };
  return llvm::all_of(reduce.getResults().drop_front(), [&](Value sum) {
    return llvm::all_of(sum.getUsers(), [&](Operation *user) {
      auto add = dyn_cast<arith::AddFOp>(user);
      return add && (isDifference(add.getLhs()) || isDifference(add.getRhs()));
    });
  });
}

/// The power of two that stands for the scale where elements are large: their products are exact, and none overflows.
static double getCoarseScale(double scale) { return std::min(1.0, std::exp2(std::floor(std::log2(scale)))); }

/// Where elements begin to be large: those that differ are so far apart that one is nothing beside the other. Below,
/// what t is rounded by is some powers of two at most.
static double getLeastLarge(double scale) { return std::exp2(27) / getCoarseScale(scale); }

/// Whether no number that the element may be is large.
static bool isSmall(Value element, double scale) {
  if (auto select = element.getDefiningOp<arith::SelectOp>())
    return isSmall(select.getTrueValue(), scale) && isSmall(select.getFalseValue(), scale);
  APFloat number(0.0);
  if (matchPattern(element, m_ConstantFloat(&number)))
    return !number.isFinite() || std::abs(number.convertToDouble()) < getLeastLarge(scale);
  auto widened = element.getDefiningOp<arith::ExtFOp>();
  if (!widened)
    return false;
  APFloat largest = APFloat::getLargest(cast<FloatType>(widened.getIn().getType()).getFloatSemantics());
  return largest.convertToDouble() < getLeastLarge(scale);
}

std::optional<RunningExponential> findRunningExponential(ReduceOp reduce, Value correction) {
  auto select = correction.getDefiningOp<arith::SelectOp>();
  std::optional<double> scale = select ? findScale(select.getFalseValue()) : std::nullopt;
  arith::FastMathFlags flags = arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
  if (!scale || !arith::bitEnumContainsAll(reduce.getFastmath(), flags) || !dependsOnMaximum(reduce) ||
      !isa<arith::MaximumFOp>(reduce.getCombiner().front().getTerminator()->getOperand(0).getDefiningOp()))
    return std::nullopt;
  // Maxima never fall from the first block on.
  APFloat init(0.0);
  if (!matchPattern(reduce.getInits().front(), m_ConstantFloat(&init)) || !init.isInfinity() || !init.isNegative())
    return std::nullopt;
  return RunningExponential{*scale, isSmall(reduce.getInputs().front(), *scale)};
}

namespace {

/// What is common to all exponentials relative to one maximum: 2^(scale x + shift).
struct Reference {
  Value scale, shift;
};

class Builder {
public:
  Builder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value makeNumber(double value) {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(float(value)));
  }

  Reference refer(RunningExponential exponential, Value maximum) {
    Value scale = makeNumber(exponential.scale);
    if (!exponential.isSmall) {
      Value least = makeNumber(getLeastLarge(exponential.scale));
      Value isSmall = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                            math::AbsFOp::create(builder, loc, maximum), least);
      scale = arith::SelectOp::create(builder, loc, isSmall, scale, makeNumber(getCoarseScale(exponential.scale)));
    }
    // Behind nothing but -inf an element is 0.
    Value isEmpty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, maximum, makeNumber(-HUGE_VAL));
    Value base = arith::SelectOp::create(builder, loc, isEmpty, makeNumber(0), maximum);
    return {scale, arith::MulFOp::create(builder, loc, base, arith::NegFOp::create(builder, loc, scale))};
  }

  Value power(Value exponent) { return math::Exp2Op::create(builder, loc, exponent, arith::FastMathFlags::afn); }

  OpBuilder &builder;
  Location loc;
};

} // namespace

Value createRunningExponential(OpBuilder &ops, Location loc, RunningExponential exponential, Value element,
                               Value maximum) {
  Builder builder(ops, loc);
  Reference reference = builder.refer(exponential, maximum);
  return builder.power(math::FmaOp::create(ops, loc, element, reference.scale, reference.shift));
}

void combineRunning(RewriterBase &rewriter, ReduceOp reduce, RunningExponential exponential) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = reduce.getLoc();
  Region &region = reduce.getCombiner();
  SmallVector<Type> types = llvm::to_vector(region.front().getArgumentTypes());
  rewriter.eraseBlock(&region.front());
  size_t count = reduce.getNumResults();
  Block *body = rewriter.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc));
  auto arguments = body->getArguments();
  Builder builder(rewriter, loc);
  Value maximum = arguments[count];
  Reference reference = builder.refer(exponential, maximum);
  Value before = arith::MulFOp::create(rewriter, loc, arguments[0], reference.scale);
  Value factor = builder.power(arith::AddFOp::create(rewriter, loc, before, reference.shift));
  SmallVector<Value> results{maximum};
  arith::FastMathFlags fastmath = reduce.getFastmath();
  for (size_t k = 1; k < count; ++k) {
    Value corrected = arith::MulFOp::create(rewriter, loc, arguments[k], factor, fastmath);
    results.push_back(arith::AddFOp::create(rewriter, loc, corrected, arguments[count + k], fastmath));
  }
  YieldOp::create(rewriter, loc, results);
  rewriter.modifyOpInPlace(reduce, [&] {
    reduce.removeAssociativeAttr();
    reduce.removeCommutativeAttr();
    reduce.setFastmath(fastmath & ~arith::FastMathFlags::reassoc);
  });
}

} // namespace tiny::kernel
