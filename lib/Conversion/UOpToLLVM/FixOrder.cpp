// Fixes the order of float arithmetic before LLVM sees it, so that the bits of a result follow from the uop level alone
// and every target gives the same. Sums over lanes become trees; then no operation may be reassociated or contracted.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace tiny {

/// The sum or product of all lanes. Where it may be reassociated, the upper half is combined with the lower one until
/// one lane is left, and the accumulator with that; else lane by lane.
static void expandReduction(vector::ReductionOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value vector = op.getVector(), result = op.getAcc();
  auto combine = [&](Value x, Value y) { return vector::makeArithReduction(builder, loc, op.getKind(), x, y); };
  auto add = [&](int64_t lane) {
    Value value = vector::ExtractOp::create(builder, loc, vector, lane);
    result = result ? combine(result, value) : value;
  };
  int64_t lanes = op.getSourceVectorType().getNumElements();
  if (bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::reassoc) && llvm::isPowerOf2_64(lanes))
    while ((lanes /= 2) > 0) {
      // Both halves keep all their lanes as a vector, so the last one has one lane.
      Value lower = vector::ShuffleOp::create(builder, loc, vector, vector, llvm::to_vector(llvm::seq(lanes)));
      Value upper =
          vector::ShuffleOp::create(builder, loc, vector, vector, llvm::to_vector(llvm::seq(lanes, 2 * lanes)));
      vector = combine(lower, upper);
    }
  for (int64_t lane : llvm::seq(cast<VectorType>(vector.getType()).getNumElements()))
    add(lane);
  op.replaceAllUsesWith(result);
  op.erase();
}

void fixOrder(LLVM::LLVMFuncOp kernel) {
  constexpr auto kept = arith::FastMathFlags::nnan | arith::FastMathFlags::ninf | arith::FastMathFlags::nsz;
  SmallVector<vector::ReductionOp> sums;
  kernel.walk([&](arith::ArithFastMathInterface op) {
    if (auto reduction = dyn_cast<vector::ReductionOp>(op.getOperation());
        reduction && isa<FloatType>(reduction.getType()) &&
        llvm::is_contained({vector::CombiningKind::ADD, vector::CombiningKind::MUL}, reduction.getKind()))
      sums.push_back(reduction);
    else if (arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr())
      op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags.getValue() & kept));
  });
  for (vector::ReductionOp op : sums)
    expandReduction(op);
}

} // namespace tiny
