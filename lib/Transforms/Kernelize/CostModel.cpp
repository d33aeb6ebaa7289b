#include "Tiny/Transforms/Kernelize/CostModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tiny::lazy {

constexpr double kFunction = 12;

double CostModel::weight(Operation *op) {
  if (isa<CastOpInterface>(op))
    return 0;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 4;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp>(op))
    return 8;
  if (isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
          math::TruncOp, math::CopySignOp>(op))
    return 1;
  if (isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op))
    return kFunction;
  return 1;
}

bool CostModel::isFunction(Operation *op) { return weight(op) == kFunction; }

} // namespace tiny::lazy
