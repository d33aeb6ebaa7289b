// Sums of products of bytes, where the device has no instruction that computes them as they are.
#include "Legalize.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::uop {

static Value widen(OpBuilder &builder, Location loc, Value bytes, bool isUnsigned, int64_t from) {
  auto type = cast<VectorType>(bytes.getType());
  SmallVector<int64_t> picked;
  for (int64_t lane = from; lane < type.getNumElements(); lane += DotOp::kBytes)
    picked.push_back(lane);
  Value part = vector::ShuffleOp::create(builder, loc, bytes, bytes, picked);
  auto wide = VectorType::get(picked.size(), builder.getI32Type());
  return isUnsigned ? Value(arith::ExtUIOp::create(builder, loc, wide, part))
                    : Value(arith::ExtSIOp::create(builder, loc, wide, part));
}

void expandDots(FuncOp func, const cost::Machine &machine) {
  SmallVector<DotOp> ops;
  func.walk([&](DotOp op) {
    if (!hasInstruction(op, machine))
      ops.push_back(op);
  });
  for (DotOp op : ops) {
    OpBuilder builder(op);
    Value sum = op.getSum();
    for (int64_t byte : llvm::seq(DotOp::kBytes)) {
      Value x = widen(builder, op.getLoc(), op.getLeft(), op.getUnsignedLeft(), byte),
            y = widen(builder, op.getLoc(), op.getRight(), op.getUnsignedRight(), byte);
      sum = arith::AddIOp::create(builder, op.getLoc(), sum, arith::MulIOp::create(builder, op.getLoc(), x, y));
    }
    op.replaceAllUsesWith(sum);
    op.erase();
  }
}

} // namespace tiny::uop
