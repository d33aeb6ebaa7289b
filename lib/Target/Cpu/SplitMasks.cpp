// Masked accesses for x86 without AVX-512: a register at a time, whose part of the mask is computed by itself. Stores
// of the first lanes need no mask, nor do loads of bytes and halves.
#include "Codegen.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tiny::cpu {

/// A register of AVX, in bits.
static constexpr unsigned kRegister = 256;

/// The lanes of a mask that are off whatever else it depends on.
static BitVector findDeadLanes(Value *mask, unsigned depth = 8) {
  unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
  BitVector dead(lanes);
  if (auto *constant = dyn_cast<Constant>(mask)) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (Constant *bit = constant->getAggregateElement(lane); bit && bit->isNullValue())
        dead.set(lane);
    return dead;
  }
  auto *op = dyn_cast<Instruction>(mask);
  if (!op || depth == 0)
    return dead;
  if (op->getOpcode() == Instruction::And) {
    dead = findDeadLanes(op->getOperand(0), depth - 1);
    dead |= findDeadLanes(op->getOperand(1), depth - 1);
  } else if (auto *select = dyn_cast<SelectInst>(op)) {
    dead = findDeadLanes(select->getTrueValue(), depth - 1);
    if (select->getCondition()->getType()->isVectorTy())
      dead |= findDeadLanes(select->getCondition(), depth - 1);
    dead &= findDeadLanes(select->getFalseValue(), depth - 1);
  }
  return dead;
}

/// Lanes of a mask. LLVM's code generator would compute the mask of several registers in a byte for each lane, and
/// widen it again for each register.
static Value *extractMask(IRBuilder<> &builder, Value *mask, unsigned first, unsigned lanes, unsigned depth = 8) {
  auto *type = FixedVectorType::get(builder.getInt1Ty(), lanes);
  auto extract = [&](Value *of) {
    auto *part = FixedVectorType::get(of->getType()->getScalarType(), lanes);
    return builder.CreateExtractVector(part, of, uint64_t(first));
  };
  auto *op = dyn_cast<Instruction>(mask);
  if (!op || depth == 0)
    return builder.CreateExtractVector(type, mask, uint64_t(first));
  auto part = [&](unsigned operand) { return extractMask(builder, op->getOperand(operand), first, lanes, depth - 1); };
  if (auto *binary = dyn_cast<BinaryOperator>(op))
    return builder.CreateBinOp(binary->getOpcode(), part(0), part(1));
  if (auto *compare = dyn_cast<ICmpInst>(op))
    return builder.CreateICmp(compare->getPredicate(), extract(compare->getOperand(0)),
                              extract(compare->getOperand(1)));
  if (auto *select = dyn_cast<SelectInst>(op))
    return builder.CreateSelect(select->getCondition()->getType()->isVectorTy() ? part(0) : select->getCondition(),
                                part(1), part(2));
  return builder.CreateExtractVector(type, mask, uint64_t(first));
}

/// Of each register of the access, whether any lane may be on; nothing where it is left to the code generator.
static SmallVector<bool> findLiveRegisters(FixedVectorType *type, Value *mask, const DataLayout &layout) {
  unsigned lanes = type->getNumElements(), bits = layout.getTypeSizeInBits(type->getElementType());
  if (isa<Constant>(mask) || bits == 0 || kRegister % bits != 0 || lanes % (kRegister / bits) != 0)
    return {};
  unsigned inRegister = kRegister / bits;
  BitVector dead = findDeadLanes(mask);
  SmallVector<bool> live;
  for (unsigned begin = 0; begin < lanes; begin += inRegister)
    live.push_back(dead.find_first_unset_in(begin, begin + inRegister) != -1);
  return live;
}

/// How many lanes a constant mask has on, if they are its first ones.
static std::optional<unsigned> countLeading(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  if (!constant)
    return std::nullopt;
  unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements(), on = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Constant *bit = constant->getAggregateElement(lane);
    if (!bit || !(bit->isOneValue() || bit->isNullValue()) || (bit->isOneValue() && on != lane))
      return std::nullopt;
    on += bit->isOneValue();
  }
  return on;
}

/// Stores the first lanes in pieces that are powers of two.
static void storePieces(IntrinsicInst *call, unsigned lanes, const DataLayout &layout) {
  Value *whole = call->getArgOperand(0);
  auto *type = cast<FixedVectorType>(whole->getType());
  IRBuilder<> builder(call);
  for (unsigned first = 0, piece; first < lanes; first += piece) {
    piece = bit_floor(lanes - first);
    Value *value =
        piece == 1 ? builder.CreateExtractElement(whole, first)
        : piece == type->getNumElements()
            ? whole
            : builder.CreateExtractVector(FixedVectorType::get(type->getElementType(), piece), whole, uint64_t(first));
    uint64_t offset = first * layout.getTypeStoreSize(type->getElementType());
    Value *place = builder.CreateConstGEP1_64(builder.getInt8Ty(), call->getArgOperand(1), offset);
    Align align = commonAlignment(call->getParamAlign(1).valueOrOne(), offset);
    builder.CreateAlignedStore(value, place, align)->copyMetadata(*call);
  }
  call->eraseFromParent();
}

/// Loads the first lanes so.
static void loadPieces(IntrinsicInst *call, unsigned lanes, const DataLayout &layout) {
  Value *whole = call->getArgOperand(2);
  Type *element = cast<FixedVectorType>(whole->getType())->getElementType();
  IRBuilder<> builder(call);
  for (unsigned first = 0, piece; first < lanes; first += piece) {
    piece = bit_floor(lanes - first);
    uint64_t offset = first * layout.getTypeStoreSize(element);
    Value *place = builder.CreateConstGEP1_64(builder.getInt8Ty(), call->getArgOperand(0), offset);
    Type *type = piece == 1 ? element : FixedVectorType::get(element, piece);
    LoadInst *load =
        builder.CreateAlignedLoad(type, place, commonAlignment(call->getParamAlign(0).valueOrOne(), offset));
    load->copyMetadata(*call);
    whole = type == whole->getType() ? load
            : piece == 1             ? builder.CreateInsertElement(whole, load, first)
                                     : builder.CreateInsertVector(whole->getType(), whole, load, uint64_t(first));
  }
  call->replaceAllUsesWith(whole);
  call->eraseFromParent();
}

void splitMasks(Module &module) {
  SmallVector<IntrinsicInst *> accesses;
  for (Function &function : module)
    for (Instruction &op : instructions(function))
      if (auto *call = dyn_cast<IntrinsicInst>(&op);
          call && is_contained({Intrinsic::masked_load, Intrinsic::masked_store}, call->getIntrinsicID()))
        accesses.push_back(call);
  const DataLayout &layout = module.getDataLayout();
  for (IntrinsicInst *call : accesses) {
    bool isLoad = call->getIntrinsicID() == Intrinsic::masked_load;
    Value *address = call->getArgOperand(isLoad ? 0 : 1), *mask = call->getArgOperand(isLoad ? 1 : 2);
    Value *whole = call->getArgOperand(isLoad ? 2 : 0);
    std::optional<unsigned> leading = countLeading(mask);
    if (leading && !isLoad) {
      storePieces(call, *leading, layout);
      continue;
    }
    // There is an instruction for words.
    if (leading && layout.getTypeSizeInBits(cast<FixedVectorType>(whole->getType())->getElementType()) < 32) {
      loadPieces(call, *leading, layout);
      continue;
    }
    auto *type = cast<FixedVectorType>(whole->getType());
    SmallVector<bool> live = findLiveRegisters(type, mask, layout);
    // One register is as the code generator wants it, unless no lane of it can be on.
    if (live.empty() || (live.size() == 1 && live.front()))
      continue;
    Align align = call->getParamAlign(isLoad ? 0 : 1).valueOrOne();
    unsigned lanes = type->getNumElements() / live.size();
    auto *part = FixedVectorType::get(type->getElementType(), lanes);
    IRBuilder<> builder(call);
    for (auto [position, isLive] : enumerate(live)) {
      if (!isLive)
        continue;
      uint64_t first = position * lanes, offset = position * kRegister / 8;
      Value *place = builder.CreateConstGEP1_64(builder.getInt8Ty(), address, offset);
      Value *on = extractMask(builder, mask, first, lanes);
      Value *value = builder.CreateExtractVector(part, whole, first);
      Align known = commonAlignment(align, offset);
      CallInst *access = isLoad ? builder.CreateMaskedLoad(part, place, known, on, value)
                                : builder.CreateMaskedStore(value, place, known, on);
      access->copyMetadata(*call);
      if (isLoad)
        whole = builder.CreateInsertVector(type, whole, access, first);
    }
    if (isLoad)
      call->replaceAllUsesWith(whole);
    call->eraseFromParent();
  }
}

} // namespace tiny::cpu
