// Works around a fault of LLVM 22's code generator for x86 with AVX-512.
#include "Codegen.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tiny::cpu {

/// The constant that a mask is, although nobody has folded it: the code generator would.
static Constant *foldMask(Value *value, const DataLayout &layout, unsigned depth = 6) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constant;
  auto *op = dyn_cast<Instruction>(value);
  if (!op || depth == 0 || isa<PHINode>(op) || op->mayReadOrWriteMemory())
    return nullptr;
  SmallVector<Constant *> operands;
  for (Value *operand : op->operands()) {
    operands.push_back(foldMask(operand, layout, depth - 1));
    if (!operands.back())
      return nullptr;
  }
  return ConstantFoldInstOperands(op, operands, layout);
}

/// The only lane that is on; none where there are more, or any that is unknown.
static std::optional<unsigned> findOnlyLane(Constant *mask) {
  std::optional<unsigned> only;
  for (unsigned lane = 0, count = cast<FixedVectorType>(mask->getType())->getNumElements(); lane < count; ++lane) {
    Constant *bit = mask->getAggregateElement(lane);
    if (bit && bit->isNullValue())
      continue;
    if (!bit || !bit->isOneValue() || only)
      return std::nullopt;
    only = lane;
  }
  return only;
}

void expandSingleLaneStores(Module &module) {
  SmallVector<IntrinsicInst *> stores;
  for (Function &function : module)
    for (Instruction &op : instructions(function))
      if (auto *call = dyn_cast<IntrinsicInst>(&op); call && call->getIntrinsicID() == Intrinsic::masked_store)
        stores.push_back(call);
  const DataLayout &layout = module.getDataLayout();
  for (IntrinsicInst *call : stores) {
    Constant *mask = foldMask(call->getArgOperand(2), layout);
    std::optional<unsigned> lane = mask ? findOnlyLane(mask) : std::nullopt;
    if (!lane)
      continue;
    IRBuilder<> builder(call);
    Value *element = builder.CreateExtractElement(call->getArgOperand(0), *lane);
    uint64_t offset = *lane * layout.getTypeStoreSize(element->getType());
    Value *address = builder.CreateConstGEP1_64(builder.getInt8Ty(), call->getArgOperand(1), offset);
    Align align = commonAlignment(call->getParamAlign(1).valueOrOne(), offset);
    builder.CreateAlignedStore(element, address, align)->copyMetadata(*call);
    call->eraseFromParent();
  }
}

} // namespace tiny::cpu
