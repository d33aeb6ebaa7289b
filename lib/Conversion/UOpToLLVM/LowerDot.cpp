// Sums of products of bytes by the instructions of x86. LLVM finds them in no arithmetic, so they are intrinsics.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"
#include "Tiny/Dialect/Target/Target.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny {

/// Lanes of the sums in the registers that have such instructions.
static constexpr int64_t kLeastLanes = 4, kMostLanes = 16;

static Value callIntrinsic(OpBuilder &builder, Location loc, StringRef name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, type, builder.getStringAttr(name), operands).getResult(0);
}

/// So many lanes from the given one on; behind the last one there is anything.
static Value slice(OpBuilder &builder, Location loc, Value vector, int64_t from, int64_t lanes) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  if (from == 0 && lanes == count)
    return vector;
  SmallVector<int64_t> picked;
  for (int64_t lane : llvm::seq(from, from + lanes))
    picked.push_back(lane < count ? lane : vector::ShuffleOp::kPoisonIndex);
  return vector::ShuffleOp::create(builder, loc, vector, vector, picked);
}

/// On one register. `left` is unsigned.
static Value addDot(OpBuilder &builder, Location loc, Value left, Value right, Value sum, bool has8) {
  auto type = cast<VectorType>(sum.getType());
  int64_t lanes = type.getNumElements();
  if (has8)
    return callIntrinsic(builder, loc, ("llvm.x86.avx512.vpdpbusd." + Twine(32 * lanes)).str(), type,
                         {sum, left, right});
  constexpr StringLiteral kNames[3][2] = {{"llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.sse2.pmadd.wd"},
                                          {"llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx2.pmadd.wd"},
                                          {"llvm.x86.avx512.pmaddubs.w.512", "llvm.x86.avx512.pmaddw.d.512"}};
  const StringLiteral(&names)[2] = kNames[llvm::Log2_64(lanes / kLeastLanes)];
  auto pairsType = VectorType::get(2 * lanes, builder.getI16Type());
  Value pairs = callIntrinsic(builder, loc, names[0], pairsType, {left, right});
  Value ones = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(pairsType, builder.getI16IntegerAttr(1)));
  return arith::AddIOp::create(builder, loc, sum, callIntrinsic(builder, loc, names[1], type, {pairs, ones}));
}

void KernelLowering::lowerDot(uop::DotOp op) {
  Location loc = op.getLoc();
  Value left = op.getUnsignedLeft() ? op.getLeft() : op.getRight(),
        right = op.getUnsignedLeft() ? op.getRight() : op.getLeft();
  const cost::Machine &machine = target::findMachine(op);
  bool has8 = machine.has(cost::Instruction::Dot8);
  int64_t lanes = op.getType().getNumElements(),
          most = std::clamp<int64_t>(llvm::bit_floor<uint64_t>(machine.vectorBits / 32), kLeastLanes, kMostLanes);
  Value result;
  for (int64_t begin = 0; begin < lanes; begin += most) {
    int64_t count = std::min(most, lanes - begin), width = std::max<int64_t>(kLeastLanes, llvm::PowerOf2Ceil(count));
    auto take = [&](Value bytes) {
      return slice(builder, loc, bytes, uop::DotOp::kBytes * begin, uop::DotOp::kBytes * width);
    };
    Value sum = addDot(builder, loc, take(left), take(right), slice(builder, loc, op.getSum(), begin, width), has8);
    // The first lanes of the next piece follow those before it.
    result =
        result ? Value(vector::ShuffleOp::create(builder, loc, result, sum, llvm::to_vector(llvm::seq(begin + count))))
               : slice(builder, loc, sum, 0, count);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

} // namespace tiny
