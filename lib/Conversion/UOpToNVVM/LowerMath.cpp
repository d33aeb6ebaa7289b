// Functions that the device approximates.
#include "NvvmLowering.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Exp2.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

} // namespace tiny
