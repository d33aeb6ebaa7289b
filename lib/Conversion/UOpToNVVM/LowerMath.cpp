// Functions that the device approximates, and divisions of a row by one number.
#include "NvvmLowering.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Exp2.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny {

/// 2^x of one element, within 2 units in the last place. Subnormals count as 0.
static Value approximate(OpBuilder &builder, Location loc, Value x) {
  return LLVM::CallIntrinsicOp::create(builder, loc, x.getType(), builder.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
                                       x)
      .getResult(0);
}

void NvvmLowering::lowerExponentials() {
  SmallVector<math::Exp2Op> ops;
  func.walk([&](math::Exp2Op op) { ops.push_back(op); });
  for (math::Exp2Op op : ops) {
    builder.setInsertionPoint(op);
    Location loc = op.getLoc();
    Value result;
    if (auto type = dyn_cast<VectorType>(op.getType())) {
      SmallVector<Value> elements;
      auto split = vector::ToElementsOp::create(builder, loc, op.getOperand());
      for (Value element : split.getElements())
        elements.push_back(approximate(builder, loc, element));
      result = vector::FromElementsOp::create(builder, loc, type, elements);
    } else {
      result = approximate(builder, loc, op.getOperand());
    }
    op.replaceAllUsesWith(result);
    op.erase();
  }
}

/// x / s is q' of r = 1 / s, q = x r, q' = q + r (x - q s), each rounded once: all of its bits where nothing overflows
/// or is subnormal (Brisebarre, Muller and Raina, "Accelerating correctly rounded floating-point division when the
/// divisor is known in advance"). The flag says so of numbers of 0 to 1 by those of 1 or more.
void NvvmLowering::shareReciprocals() {
  SmallVector<arith::DivFOp> ops;
  func.walk([&](arith::DivFOp op) {
    bool isMarked = arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp);
    if (isMarked && getElementTypeOrSelf(op.getType()).isF32() && !matchPattern(op.getLhs(), m_Constant()))
      ops.push_back(op);
  });
  for (arith::DivFOp op : ops) {
    builder.setInsertionPoint(op);
    Location loc = op.getLoc();
    Value x = op.getLhs(), s = op.getRhs(), divisor = s;
    // One of a vector of the same numbers.
    if (auto repeated = s.getDefiningOp<vector::BroadcastOp>(); repeated && repeated.getSourceType().isF32())
      divisor = repeated.getSource();
    auto type = dyn_cast<VectorType>(divisor.getType());
    TypedAttr one = builder.getF32FloatAttr(1);
    Value ones = arith::ConstantOp::create(builder, loc, type ? DenseElementsAttr::get(type, Attribute(one)) : one);
    Value r = arith::DivFOp::create(builder, loc, ones, divisor);
    if (divisor != s)
      r = vector::BroadcastOp::create(builder, loc, s.getType(), r);
    Value q = arith::MulFOp::create(builder, loc, x, r);
    Value rest = math::FmaOp::create(builder, loc, arith::NegFOp::create(builder, loc, q), s, x);
    op.replaceAllUsesWith(math::FmaOp::create(builder, loc, rest, r, q).getResult());
    op.erase();
  }
}

} // namespace tiny
