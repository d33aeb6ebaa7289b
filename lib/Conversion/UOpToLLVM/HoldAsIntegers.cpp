// LLVM takes a bf16 that the processor has no registers for through f32, and calls a function to round it back, even
// where it is only moved. Once its arithmetic is emulated a kernel does nothing else with it, unless the target has an
// instruction that rounds to it: then it holds the bits.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace tiny {

static bool isHeld(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// i16 in place of bf16.
static Type withBits(Type type) {
  if (!isHeld(type))
    return type;
  Type bits = IntegerType::get(type.getContext(), 16);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(bits)) : bits;
}

/// The operation neither computes with its elements nor says their type anywhere but in its operands' and results'
/// types (and a constant in its value).
static bool onlyMoves(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<FloatAttr, DenseElementsAttr>(constant.getValue());
  if (auto rounding = dyn_cast<arith::TruncFOp>(op))
    return getElementTypeOrSelf(rounding.getIn()).isF32();
  if (isa<arith::SelectOp, arith::BitcastOp, ub::PoisonOp, LLVM::LoadOp, LLVM::StoreOp, LLVM::ZeroOp,
          BranchOpInterface>(op))
    return true;
  return isa<vector::BroadcastOp, vector::ExtractOp, vector::InsertOp, vector::ShuffleOp, vector::ShapeCastOp,
             vector::FromElementsOp, vector::ToElementsOp, vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
             vector::TransposeOp, vector::BitCastOp, vector::InterleaveOp, vector::DeinterleaveOp>(op);
}

static bool holdsOnlyMoved(LLVM::LLVMFuncOp kernel) {
  return !kernel
              .walk([](Operation *op) {
                bool touches =
                    llvm::any_of(op->getOperandTypes(), isHeld) || llvm::any_of(op->getResultTypes(), isHeld);
                return touches && !onlyMoves(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

void holdAsIntegers(LLVM::LLVMFuncOp kernel) {
  if (!holdsOnlyMoved(kernel))
    return;
  SmallVector<arith::BitcastOp> casts;
  SmallVector<arith::TruncFOp> roundings;
  kernel.walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && isHeld(constant.getType())) {
      Type bits = IntegerType::get(op->getContext(), 16);
      if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
        constant.setValueAttr(IntegerAttr::get(bits, number.getValue().bitcastToAPInt()));
      else
        constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).bitcast(bits));
    }
    if (auto rounding = dyn_cast<arith::TruncFOp>(op); rounding && isHeld(rounding.getType())) {
      roundings.push_back(rounding);
      return;
    }
    for (Value result : op->getResults())
      result.setType(withBits(result.getType()));
    if (auto cast = dyn_cast<arith::BitcastOp>(op))
      casts.push_back(cast);
  });
  kernel.walk([](Block *block) {
    for (BlockArgument argument : block->getArguments())
      argument.setType(withBits(argument.getType()));
  });
  for (arith::TruncFOp rounding : roundings) {
    OpBuilder builder(rounding->getContext());
    builder.setInsertionPointAfter(rounding);
    Value bits =
        arith::BitcastOp::create(builder, rounding.getLoc(), withBits(rounding.getType()), rounding.getResult());
    rounding.getResult().replaceAllUsesExcept(bits, bits.getDefiningOp());
  }
  for (arith::BitcastOp cast : casts)
    if (cast.getIn().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    }
}

} // namespace tiny
