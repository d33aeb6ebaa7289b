// Bounds of unsigned integers, from what the operations that make them say of ranges.
#include "Tiny/Support/UnsignedBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;

namespace tiny {

/// Operations between a value and what bounds it, at most.
static constexpr unsigned kMostSteps = 8;

static ConstantIntRanges getRange(Value value, unsigned steps) {
  unsigned bits = ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(value.getType()));
  ConstantIntRanges range = ConstantIntRanges::maxRange(bits);
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return range;
  // The least integer stays as it is, and is the largest as an unsigned one.
  if (isa<math::AbsIOp>(op))
    return ConstantIntRanges::fromUnsigned(APInt::getZero(bits), APInt::getSignedMinValue(bits));
  if (isa<vector::ShuffleOp>(op))
    return getRange(op->getOperand(0), steps - 1).rangeUnion(getRange(op->getOperand(1), steps - 1));
  auto inference = dyn_cast<InferIntRangeInterface>(op);
  // Upstream's range of `ceildivsi` is wrong for the least integer.
  if (!inference || op->getNumRegions() != 0 || isa<arith::CeilDivSIOp>(op))
    return range;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    if (!getElementTypeOrSelf(operand.getType()).isIntOrIndex())
      return range;
    operands.push_back(getRange(operand, steps - 1));
  }
  inference.inferResultRanges(operands, [&](Value result, const ConstantIntRanges &inferred) {
    if (result == value)
      range = inferred;
  });
  return range;
}

uint64_t getUnsignedBound(Value value) { return getRange(value, kMostSteps).umax().getZExtValue(); }

} // namespace tiny
