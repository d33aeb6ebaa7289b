// Neighbours of a sum of products that are rounded to 16 bits: one instruction rounds two of them. What is computed of
// both alike is computed of the pair, and their maximum is that of pairs.
#include "NvvmLowering.h"

#include "Tiny/Dialect/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny {

/// The number of the element that the value is, in a vector that `isVector` takes.
static std::optional<int64_t> findElement(Value value, llvm::function_ref<bool(Value)> isVector) {
  auto extract = value.getDefiningOp<vector::ExtractOp>();
  if (!extract || extract.getStaticPosition().size() != 1 || extract.hasDynamicPosition() ||
      !isVector(extract.getSource()))
    return std::nullopt;
  return extract.getStaticPosition().front();
}

/// The one operation of its kind that computes sums, differences or products of the value; null where there are
/// several.
static Operation *findArithmetic(Value value) {
  Operation *found = nullptr;
  for (Operation *user : value.getUsers()) {
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(user))
      continue;
    if (found)
      return nullptr;
    found = user;
  }
  return found;
}

/// The same of both numbers of a pair, as a pair; null where they are not computed alike.
static Value computePair(OpBuilder &builder, vector::ExtractOp low, vector::ExtractOp high) {
  Operation *first = findArithmetic(low), *second = findArithmetic(high);
  if (!first || !second || first == second || first->getName() != second->getName() ||
      first->getBlock() != second->getBlock() || first->getAttrDictionary() != second->getAttrDictionary())
    return {};
  unsigned at = first->getOperand(0) == low.getResult() ? 0 : 1;
  if (second->getOperand(at) != high.getResult() || first->getOperand(0) == first->getOperand(1) ||
      second->getOperand(0) == second->getOperand(1))
    return {};
  // It stands where the later one stands.
  bool isInOrder = first->isBeforeInBlock(second);
  Operation *earlier = isInOrder ? first : second, *later = isInOrder ? second : first;
  for (Operation *user : earlier->getUsers())
    if (Operation *inBlock = later->getBlock()->findAncestorOpInBlock(*user);
        inBlock && !later->isBeforeInBlock(inBlock))
      return {};
  builder.setInsertionPoint(later);
  Location loc = later->getLoc();
  auto type = cast<VectorType>(low.getSource().getType());
  Value other =
      vector::FromElementsOp::create(builder, loc, type, {first->getOperand(1 - at), second->getOperand(1 - at)});
  SmallVector<Value> operands(2, low.getSource());
  operands[1 - at] = other;
  OperationState state(loc, first->getName(), operands, type, first->getAttrs());
  Value pair = builder.create(state)->getResult(0);
  for (auto [k, op] : llvm::enumerate(std::array{first, second}))
    op->replaceAllUsesWith(ValueRange(vector::ExtractOp::create(builder, loc, pair, k).getResult()));
  first->erase();
  second->erase();
  return pair;
}

void NvvmLowering::roundPairs() {
  // Devices that round to bf16 round pairs.
  if (!target::findMachine(func).has(cost::Instruction::FloatToBfloat))
    return;
  llvm::MapVector<std::tuple<Value, Type, int64_t, Block *>, std::array<arith::TruncFOp, 2>> pairs;
  func.walk([&](arith::TruncFOp op) {
    auto isElements = [](Value vector) { return bool(vector.getDefiningOp<uop::FragmentElementsOp>()); };
    std::optional<int64_t> number = findElement(op.getIn(), isElements);
    if (number && op.getIn().getType().isF32() && (op.getType().isF16() || op.getType().isBF16())) {
      Value all = op.getIn().getDefiningOp<vector::ExtractOp>().getSource();
      arith::TruncFOp &place = pairs[{all, op.getType(), *number / 2, op->getBlock()}][*number % 2];
      // Another one of the same element is a pair's, too, where it stands behind the first one.
      if (!place)
        place = op;
    }
  });
  for (auto &[key, pair] : pairs) {
    auto [low, high] = pair;
    if (!low || !high)
      continue;
    auto [all, type, number, block] = key;
    Location loc = low.getLoc();
    builder.setInsertionPoint(low->isBeforeInBlock(high) ? low : high);
    Value first = vector::ExtractOp::create(builder, loc, all, 2 * number),
          second = vector::ExtractOp::create(builder, loc, all, 2 * number + 1);
    auto rounded = VectorType::get(2, type);
    auto round = [&](auto make) -> Value {
      return decltype(make)::create(builder, loc, rounded, second, first, /*random_bits=*/Value(),
                                    NVVM::FPRoundingMode::RN, NVVM::SaturationMode::NONE, /*relu=*/false);
    };
    Value both = type.isF16() ? round(NVVM::ConvertF32x2ToF16x2Op()) : round(NVVM::ConvertF32x2ToBF16x2Op());
    for (auto [k, op] : llvm::enumerate(pair))
      op.replaceAllUsesWith(vector::ExtractOp::create(builder, loc, both, k).getResult());
    low.erase();
    high.erase();
    while (both) {
      SmallVector<vector::ExtractOp> numbers;
      for (Operation *user : both.getUsers())
        numbers.push_back(cast<vector::ExtractOp>(user));
      llvm::sort(numbers, [](vector::ExtractOp a, vector::ExtractOp b) {
        return a.getStaticPosition().front() < b.getStaticPosition().front();
      });
      both = computePair(builder, numbers[0], numbers[1]);
    }
  }
}

/// ext(x) are the upper 16 bits of a word: one operation on that of the pair.
void NvvmLowering::widenPairs(LLVM::LLVMFuncOp kernel) {
  kernel.walk([&](arith::ExtFOp op) {
    auto isPair = [](Value vector) { return cast<VectorType>(vector.getType()).getNumElements() == 2; };
    std::optional<int64_t> number = findElement(op.getIn(), isPair);
    if (!number || !op.getIn().getType().isBF16() || !op.getType().isF32())
      return;
    builder.setInsertionPoint(op);
    Location loc = op.getLoc();
    Type word = builder.getI32Type();
    auto makeWord = [&](uint32_t bits) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(bits)));
    };
    Value pair = op.getIn().getDefiningOp<vector::ExtractOp>().getSource();
    Value bits = LLVM::BitcastOp::create(builder, loc, word, pair);
    bits = *number == 0 ? arith::ShLIOp::create(builder, loc, bits, makeWord(16)).getResult()
                        : arith::AndIOp::create(builder, loc, bits, makeWord(0xFFFF0000)).getResult();
    op.replaceAllUsesWith(arith::BitcastOp::create(builder, loc, op.getType(), bits).getResult());
    op.erase();
  });
}

/// max(ext x, ext y) = ext(max(x, y))
Value NvvmLowering::findRoundedPair(Value low, Value high) {
  auto lowWide = low.getDefiningOp<arith::ExtFOp>(), highWide = high.getDefiningOp<arith::ExtFOp>();
  if (lowWide && highWide) {
    auto isPair = [](Value vector) { return cast<VectorType>(vector.getType()).getNumElements() == 2; };
    if (findElement(lowWide.getIn(), isPair) != std::optional<int64_t>(0) ||
        findElement(highWide.getIn(), isPair) != std::optional<int64_t>(1))
      return {};
    Value pair = lowWide.getIn().getDefiningOp<vector::ExtractOp>().getSource();
    return highWide.getIn().getDefiningOp<vector::ExtractOp>().getSource() == pair ? pair : Value();
  }
  auto lowMaximum = low.getDefiningOp<arith::MaximumFOp>(), highMaximum = high.getDefiningOp<arith::MaximumFOp>();
  if (!lowMaximum || !highMaximum)
    return {};
  Value left = findRoundedPair(lowMaximum.getLhs(), highMaximum.getLhs());
  Value right = left ? findRoundedPair(lowMaximum.getRhs(), highMaximum.getRhs()) : Value();
  return right && left.getType() == right.getType()
             ? arith::MaximumFOp::create(builder, low.getLoc(), left, right).getResult()
             : Value();
}

/// The lane's two rows become the two numbers of a word, and so do those of other lanes that hold these rows.
bool NvvmLowering::reduceRoundedRows(uop::FragmentReduceOp op) {
  constexpr int64_t kElements = 4, kLanesOfRow = 4;
  auto elements = op.getElements().getDefiningOp<vector::FromElementsOp>();
  if (op.getKind() != arith::AtomicRMWKind::maximumf || !elements)
    return false;
  Location loc = op.getLoc();
  int64_t count = elements.getElements().size();
  std::array<Value, 2> rows;
  auto getMaximum = [&](Value x, Value y) { return arith::MaximumFOp::create(builder, loc, x, y).getResult(); };
  for (int64_t k = 0; k < count; k += 2) {
    Value pair = findRoundedPair(elements.getElements()[k], elements.getElements()[k + 1]);
    if (!pair)
      return false;
    Value &row = rows[k % kElements / 2];
    row = row ? getMaximum(row, pair) : pair;
  }
  auto type = cast<VectorType>(rows[0].getType());
  auto turn = [&](int64_t k) -> Value {
    Value first = vector::ExtractOp::create(builder, loc, rows[0], k),
          second = vector::ExtractOp::create(builder, loc, rows[1], k);
    return vector::FromElementsOp::create(builder, loc, type, {first, second});
  };
  Value both = getMaximum(turn(0), turn(1));
  for (int64_t distance = 1; distance < kLanesOfRow; distance *= 2) {
    Value offset = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(distance));
    Value word = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), both);
    word = shuffle(loc, uop::ShuffleMode::Xor, word, offset);
    both = getMaximum(both, LLVM::BitcastOp::create(builder, loc, type, word));
  }
  SmallVector<Value> results;
  for (int64_t k = 0; k < count; ++k) {
    Value row = vector::ExtractOp::create(builder, loc, both, k % kElements / 2);
    results.push_back(arith::ExtFOp::create(builder, loc, builder.getF32Type(), row));
  }
  op.replaceAllUsesWith(vector::FromElementsOp::create(builder, loc, op.getElements().getType(), results).getResult());
  op.erase();
  return true;
}

} // namespace tiny
