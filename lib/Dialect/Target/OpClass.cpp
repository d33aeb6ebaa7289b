// The classes of upstream's operations.
#include "Tiny/Dialect/Target/OpClass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::target {

/// Whether the quotient or the remainder is a shift or a mask.
static bool dividesByPowerOf2(Operation *op) {
  APInt divisor;
  return isa<arith::DivUIOp, arith::RemUIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
         divisor.isPowerOf2();
}

cost::OpClass classify(Operation *op) {
  using cost::OpClass;
  if (isa<CastOpInterface>(op))
    return OpClass::Free;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return OpClass::Divide;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp>(op))
    return dividesByPowerOf2(op) ? OpClass::Add : OpClass::DivideInteger;
  if (isa<math::FmaOp>(op))
    return OpClass::MultiplyAdd;
  if (isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp,
          math::CopySignOp>(op))
    return OpClass::Add;
  if (isa_and_present<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op))
    return OpClass::Function;
  return OpClass::Add;
}

} // namespace tiny::target
