// Bounds of unsigned integers, from the operations that make them.
#include "Tiny/Support/UnsignedBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny {

/// Operations between a value and what bounds it, at most.
static constexpr unsigned kMostSteps = 8;

static uint64_t getBound(Value value, unsigned steps) {
  unsigned bits = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  uint64_t all = llvm::maskTrailingOnes<uint64_t>(bits);
  Operation *op = value.getDefiningOp();
  auto of = [&](unsigned operand) { return std::min(all, getBound(op->getOperand(operand), steps - 1)); };
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getZExtValue();
  if (!op || steps == 0)
    return all;
  if (isa<arith::AndIOp>(op))
    return std::min(of(0), of(1));
  if (isa<math::AbsIOp>(op))
    return (all >> 1) + 1;
  if (isa<arith::SelectOp>(op))
    return std::max(of(1), of(2));
  if (isa<arith::ExtUIOp, vector::BroadcastOp>(op))
    return of(0);
  if (isa<vector::ShuffleOp>(op))
    return std::max(of(0), of(1));
  if (isa<arith::RemUIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&number)) && !number.isZero())
    return std::min(of(0), number.getZExtValue() - 1);
  if (isa<arith::ShRUIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&number)) && number.ult(bits))
    return of(0) >> number.getZExtValue();
  return all;
}

uint64_t getUnsignedBound(Value value) { return getBound(value, kMostSteps); }

} // namespace tiny
