// Computes the bounds of scalar floats and integers from those of their operands.
#include "Tiny/Dialect/Symbolic/ValueRanges.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tiny;
using namespace tiny::sym;

static bool isCovered(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
}

/// Computed as it stands, each operation rounded for itself.
static bool isExactlyAsWritten(Operation *op) {
  auto interface = dyn_cast<arith::ArithFastMathInterface>(op);
  // Casts may have none.
  arith::FastMathFlagsAttr flags = interface ? interface.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  if (!flags)
    return true;
  using F = arith::FastMathFlags;
  return (flags.getValue() & (F::reassoc | F::contract | F::arcp | F::afn)) == F::none;
}

std::optional<Bounds> ValueRanges::boundsOfOperand(Value value, IndexBounds indexBounds) {
  if (value.getType().isIndex())
    return indexBounds(value);
  return integers.lookup(value);
}

std::optional<FloatRange> ValueRanges::floatOf(Operation *op, IndexBounds indexBounds) {
  const llvm::fltSemantics &format = cast<FloatType>(op->getResult(0).getType()).getFloatSemantics();
  FloatAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return makeFloatRange(constant.getValue(), constant.getValue());
  if (!isExactlyAsWritten(op))
    return std::nullopt;
  auto of = [&](unsigned k) { return floats.lookup(op->getOperand(k)); };
  auto binary = [&](FloatOp kind) -> std::optional<FloatRange> {
    return of(0) && of(1) ? apply(kind, *of(0), *of(1)) : std::nullopt;
  };
  auto unary = [&](auto change) -> std::optional<FloatRange> {
    return of(0) ? std::optional<FloatRange>(change(*of(0))) : std::nullopt;
  };
  auto rounded = [&](llvm::RoundingMode mode) {
    return unary([&](const FloatRange &x) { return roundToIntegral(x, mode); });
  };
  return llvm::TypeSwitch<Operation *, std::optional<FloatRange>>(op)
      .Case([&](RangeOfOp stated) -> std::optional<FloatRange> {
        std::optional<FloatRange> range =
            makeFloatRange(format, cast<FloatAttr>(stated.getLowerAttr()).getValueAsDouble(),
                           cast<FloatAttr>(stated.getUpperAttr()).getValueAsDouble());
        // Both hold.
        if (range && of(0))
          return makeFloatRange(apply(FloatOp::Max, *range, *of(0))->low, apply(FloatOp::Min, *range, *of(0))->high);
        return range;
      })
      .Case([&](arith::AddFOp) { return binary(FloatOp::Add); })
      .Case([&](arith::SubFOp) { return binary(FloatOp::Sub); })
      .Case([&](arith::MulFOp) { return binary(FloatOp::Mul); })
      .Case([&](arith::DivFOp) { return binary(FloatOp::Div); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](Operation *) { return binary(FloatOp::Max); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](Operation *) { return binary(FloatOp::Min); })
      .Case([&](arith::NegFOp) { return unary(negate); })
      .Case([&](math::AbsFOp) { return unary(absolute); })
      .Case([&](math::FloorOp) { return rounded(llvm::RoundingMode::TowardNegative); })
      .Case([&](math::CeilOp) { return rounded(llvm::RoundingMode::TowardPositive); })
      .Case([&](math::TruncOp) { return rounded(llvm::RoundingMode::TowardZero); })
      .Case([&](math::RoundEvenOp) { return rounded(llvm::RoundingMode::NearestTiesToEven); })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return unary([&](const FloatRange &x) { return convert(x, format); }); })
      .Case([&](arith::SIToFPOp) -> std::optional<FloatRange> {
        std::optional<Bounds> bounds = boundsOfOperand(op->getOperand(0), indexBounds);
        return bounds ? std::optional<FloatRange>(toFloat(*bounds, format)) : std::nullopt;
      })
      .Case([&](arith::UIToFPOp) -> std::optional<FloatRange> {
        if (op->getOperand(0).getType().isInteger(1))
          return toFloat({0, 1}, format);
        std::optional<Bounds> bounds = boundsOfOperand(op->getOperand(0), indexBounds);
        return bounds && bounds->low >= 0 ? std::optional<FloatRange>(toFloat(*bounds, format)) : std::nullopt;
      })
      .Case([&](arith::SelectOp) -> std::optional<FloatRange> {
        return of(1) && of(2) ? std::optional<FloatRange>(unite(*of(1), *of(2))) : std::nullopt;
      })
      .Default([](Operation *) { return std::optional<FloatRange>(); });
}

std::optional<Bounds> ValueRanges::integerOf(Operation *op, IndexBounds indexBounds) {
  unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    std::optional<FloatRange> range = floats.lookup(op->getOperand(0));
    std::optional<Bounds> bounds = range ? toInteger(*range, width, isa<arith::FPToSIOp>(op)) : std::nullopt;
    // An unsigned value beyond the signed range reads as negative.
    bool isWrapped = bounds && width < 64 && bounds->high >= int64_t(1) << (width - 1);
    return isWrapped ? std::nullopt : bounds;
  }
  auto inference = dyn_cast<InferIntRangeInterface>(op);
  if (!inference)
    return std::nullopt;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    unsigned operandWidth =
        operand.getType().isIntOrIndex() ? ConstantIntRanges::getStorageBitwidth(operand.getType()) : 64;
    std::optional<Bounds> bounds = boundsOfOperand(operand, indexBounds);
    bool fits = bounds && operandWidth <= 64 && llvm::isIntN(operandWidth, bounds->low) &&
                llvm::isIntN(operandWidth, bounds->high);
    // An index that is only known to stay below the limit of index arithmetic says nothing.
    operands.push_back(fits ? ConstantIntRanges::fromSigned(APInt(operandWidth, uint64_t(bounds->low), true),
                                                            APInt(operandWidth, uint64_t(bounds->high), true))
                            : ConstantIntRanges::maxRange(operandWidth));
  }
  std::optional<Bounds> result;
  inference.inferResultRanges(operands, [&](Value, const ConstantIntRanges &range) {
    result = Bounds{range.smin().getSExtValue(), range.smax().getSExtValue()};
  });
  return result;
}

/// Fills the maps for `root` and all that it is made of, operands first and without recursion; a value that depends on
/// itself, which only a graph region has, is unknown.
void ValueRanges::visit(Value root, IndexBounds indexBounds) {
  SmallVector<Value> stack{root};
  llvm::DenseSet<Value> open;
  while (!stack.empty()) {
    Value value = stack.back();
    Operation *op = value.getDefiningOp();
    if (!open.contains(value)) {
      if (!visited.insert(value).second) {
        stack.pop_back();
        continue;
      }
      open.insert(value);
      if (op)
        for (Value operand : llvm::reverse(op->getOperands()))
          if (!visited.contains(operand))
            stack.push_back(operand);
      continue;
    }
    stack.pop_back();
    // Twice on the stack, or an index, whose bounds are asked for where they are needed.
    if (!open.erase(value) || !op || op->getNumResults() != 1 || !isCovered(value.getType()))
      continue;
    if (isa<FloatType>(value.getType())) {
      std::optional<FloatRange> range = floatOf(op, indexBounds);
      bool isNumber = range && !range->low.isNaN() && !range->high.isNaN();
      floats[value] = isNumber ? range : std::nullopt;
    } else {
      integers[value] = integerOf(op, indexBounds);
    }
  }
}

std::optional<FloatRange> ValueRanges::floatRange(Value value, IndexBounds indexBounds) {
  visit(value, indexBounds);
  return floats.lookup(value);
}

std::optional<Bounds> ValueRanges::integerRange(Value value, IndexBounds indexBounds) {
  visit(value, indexBounds);
  return integers.lookup(value);
}
