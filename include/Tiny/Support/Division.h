// Integer divisions that run where their result is not used.
#ifndef TINY_SUPPORT_DIVISION_H
#define TINY_SUPPORT_DIVISION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tiny {

/// Whether the operation is an integer division or remainder that may trap: its divisor may be 0 or, if it is signed,
/// -1. Upstream's speculation interface says that remainders never trap.
inline bool mayTrap(mlir::Operation *op) {
  using namespace mlir::arith;
  bool isSigned = mlir::isa<DivSIOp, RemSIOp, FloorDivSIOp, CeilDivSIOp>(op);
  if (!isSigned && !mlir::isa<DivUIOp, RemUIOp, CeilDivUIOp>(op))
    return false;
  llvm::APInt divisor;
  return !mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&divisor)) || divisor.isZero() ||
         (isSigned && divisor.isAllOnes());
}

/// The divisor where the condition holds, else 1, which never traps.
inline mlir::Value makeSafeDivisor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
                                   mlir::Value divisor) {
  mlir::Value one = mlir::arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(divisor.getType(), 1));
  return mlir::arith::SelectOp::create(builder, loc, condition, divisor, one);
}

} // namespace tiny

#endif // TINY_SUPPORT_DIVISION_H
