// Sums of products of bytes by the instructions of x86. LLVM finds them in no arithmetic, so they are intrinsics.
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/UnsignedBound.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny {

/// Lanes of the sums in the registers that have such instructions.
static constexpr int64_t kLeastLanes = 4, kMostLanes = 16;

/// What unsigned bytes may add up to at most whose products with signed ones, in pairs, are added up in 16 bits.
static constexpr uint64_t kMostPaired = 128;

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

/// Products of bytes, two and two added up in 16 bits. `left` is unsigned.
static Value multiplyPairs(OpBuilder &builder, Location loc, Value left, Value right) {
  int64_t lanes = cast<VectorType>(left.getType()).getNumElements() / uop::DotOp::kBytes;
  constexpr StringLiteral kNames[] = {"llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.avx2.pmadd.ub.sw",
                                      "llvm.x86.avx512.pmaddubs.w.512"};
  return callIntrinsic(builder, loc, kNames[llvm::Log2_64(lanes / kLeastLanes)],
                       VectorType::get(2 * lanes, builder.getI16Type()), {left, right});
}

/// Adds neighbours of 16 bits to each sum.
static Value addPairs(OpBuilder &builder, Location loc, Value pairs, Value sum) {
  auto pairsType = cast<VectorType>(pairs.getType());
  int64_t lanes = pairsType.getNumElements() / 2;
  constexpr StringLiteral kNames[] = {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd",
                                      "llvm.x86.avx512.pmaddw.d.512"};
  Value ones = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(pairsType, builder.getI16IntegerAttr(1)));
  return arith::AddIOp::create(
      builder, loc, sum,
      callIntrinsic(builder, loc, kNames[llvm::Log2_64(lanes / kLeastLanes)], sum.getType(), {pairs, ones}));
}

/// The dot that goes on from this one's sums, where no other operation reads them.
static uop::DotOp getNext(uop::DotOp op) {
  auto next = op->hasOneUse() ? dyn_cast<uop::DotOp>(*op->user_begin()) : uop::DotOp();
  return next && next->getBlock() == op->getBlock() ? next : uop::DotOp();
}

/// The dots that add to one sum, of which `last` is the last one.
static SmallVector<uop::DotOp> findChain(uop::DotOp last) {
  SmallVector<uop::DotOp> chain{last};
  while (auto before = chain.back().getSum().getDefiningOp<uop::DotOp>()) {
    if (getNext(before) != chain.back())
      break;
    chain.push_back(before);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

void KernelLowering::lowerDot(uop::DotOp op) {
  const cost::Machine &machine = target::findMachine(op);
  bool has8 = machine.has(cost::Instruction::Dot8);
  if (!has8 && getNext(op))
    return; // lowered with the next one
  SmallVector<uop::DotOp> chain = has8 ? SmallVector<uop::DotOp>{op} : findChain(op);
  Location loc = op.getLoc();
  auto getUnsigned = [](uop::DotOp dot) { return dot.getUnsignedLeft() ? dot.getLeft() : dot.getRight(); };
  auto getSigned = [](uop::DotOp dot) { return dot.getUnsignedLeft() ? dot.getRight() : dot.getLeft(); };
  SmallVector<uint64_t> bounds =
      llvm::map_to_vector(chain, [&](uop::DotOp dot) { return getUnsignedBound(getUnsigned(dot)); });
  int64_t lanes = op.getType().getNumElements(),
          most = std::clamp<int64_t>(llvm::bit_floor<uint64_t>(machine.vectorBits / 32), kLeastLanes, kMostLanes);
  Value result;
  for (int64_t begin = 0; begin < lanes; begin += most) {
    int64_t count = std::min(most, lanes - begin), width = std::max<int64_t>(kLeastLanes, llvm::PowerOf2Ceil(count));
    auto take = [&](Value bytes) {
      return slice(builder, loc, bytes, uop::DotOp::kBytes * begin, uop::DotOp::kBytes * width);
    };
    Value sum = slice(builder, loc, chain.front().getSum(), begin, width), pairs;
    uint64_t bound = 0;
    for (auto [dot, own] : llvm::zip_equal(chain, bounds)) {
      Value left = take(getUnsigned(dot)), right = take(getSigned(dot));
      if (has8) {
        sum = callIntrinsic(builder, loc, ("llvm.x86.avx512.vpdpbusd." + Twine(32 * width)).str(), sum.getType(),
                            {sum, left, right});
        continue;
      }
      // |sum of 2 x_i y_i| fits 16 bits   [sum of max x_i <= 128, -128 <= y_i <= 127]
      if (pairs && bound + own > kMostPaired) {
        sum = addPairs(builder, loc, pairs, sum);
        pairs = {};
        bound = 0;
      }
      Value products = multiplyPairs(builder, loc, left, right);
      pairs = pairs ? Value(arith::AddIOp::create(builder, loc, pairs, products)) : products;
      bound += own;
    }
    if (pairs)
      sum = addPairs(builder, loc, pairs, sum);
    // The first lanes of the next piece follow those before it.
    result =
        result ? Value(vector::ShuffleOp::create(builder, loc, result, sum, llvm::to_vector(llvm::seq(begin + count))))
               : slice(builder, loc, sum, 0, count);
  }
  op.replaceAllUsesWith(result);
  for (uop::DotOp dot : llvm::reverse(chain))
    dot.erase();
}

} // namespace tiny
