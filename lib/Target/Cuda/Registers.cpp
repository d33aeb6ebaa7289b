// Keeps the assembler of PTX from needing more registers than a lane has. It orders operations and writes loops out as
// it likes; what it does not know it cannot use.
#include "Registers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::SmallVector;

namespace tiny::cuda {

/// Whether lanes of a warp, or of several, do it together: products of matrices, barriers, shuffles.
static bool isOfLanes(const llvm::Instruction &instruction) {
  auto *call = dyn_cast<llvm::CallBase>(&instruction);
  return call && call->isConvergent();
}

void sinkToStores(llvm::Function &function) {
  if (llvm::none_of(llvm::instructions(function), isOfLanes))
    return;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isOfLanes(instruction))
        break;
      if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() || instruction.isTerminator() ||
          isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.use_empty())
        continue;
      llvm::Instruction *first = nullptr;
      bool isOfBlock = llvm::all_of(instruction.users(), [&](llvm::User *user) {
        auto *reader = cast<llvm::Instruction>(user);
        if (reader->getParent() != &block || isa<llvm::PHINode>(reader))
          return false;
        first = first && first->comesBefore(reader) ? first : reader;
        return true;
      });
      if (isOfBlock)
        instruction.moveBefore(first->getIterator());
    }
}

/// Calls `change` for loops with many products.
static void forEachProductLoop(llvm::Function &function, llvm::function_ref<void(llvm::Loop &)> change) {
  constexpr int64_t kManyProducts = 32;
  if (function.isDeclaration())
    return;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    int64_t count = 0;
    for (llvm::BasicBlock *block : loop->blocks())
      count += llvm::count_if(*block, [](const llvm::Instruction &instruction) {
        auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
        return call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.mma.");
      });
    if (count >= kManyProducts)
      change(*loop);
  }
}

/// Zero, of which the assembler does not know that it is: the grid is `depth` deep.
static llvm::Value *hideZero(llvm::Function &function, int64_t depth, llvm::Type *type) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Value *extent = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z, {});
  return builder.CreateSub(builder.CreateZExtOrTrunc(extent, type),
                           llvm::ConstantInt::get(type, static_cast<uint64_t>(depth)));
}

/// Before `sm_90` the assembler writes a loop out whose rounds it can count, whatever the loop says.
static void hideLimit(llvm::Loop &loop, int64_t depth) {
  SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  for (llvm::BasicBlock *block : exiting) {
    auto *branch = dyn_cast<llvm::BranchInst>(block->getTerminator());
    auto *compare = branch && branch->isConditional() ? dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    auto *limit = compare ? dyn_cast<llvm::ConstantInt>(compare->getOperand(1)) : nullptr;
    if (!limit)
      continue;
    llvm::Value *zero = hideZero(*block->getParent(), depth, limit->getType());
    auto *sum = llvm::BinaryOperator::CreateAdd(zero, limit);
    sum->insertAfter(cast<llvm::Instruction>(zero));
    compare->setOperand(1, sum);
  }
}

/// Where much is computed of each sum of a product, the assembler computes it of as many at a time as find no registers
/// any more. After so many instructions the sums wait for what was stored last: 0 of its bits are added to theirs.
static void computeInTurns(llvm::Function &function, int64_t depth) {
  constexpr int64_t kInstructions = 512;
  if (llvm::none_of(llvm::instructions(function), isOfLanes))
    return;
  for (llvm::BasicBlock &block : function) {
    auto last = llvm::find_if(llvm::reverse(block), isOfLanes);
    auto first = last == block.rend() ? block.begin() : std::next(last->getIterator());
    auto rest = llvm::make_range(first, block.end());
    if (std::distance(rest.begin(), rest.end()) < 2 * kInstructions)
      continue;
    llvm::SmallPtrSet<llvm::Instruction *, 32> behind;
    for (llvm::Instruction &instruction : rest)
      behind.insert(&instruction);
    llvm::IRBuilder<> builder(&block);
    llvm::Value *zero = nullptr, *token = nullptr;
    llvm::DenseMap<llvm::Value *, llvm::Value *> waiting;
    int64_t count = 0;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(rest)) {
      ++count;
      for (llvm::Use &use : instruction.operands()) {
        auto *sum = dyn_cast<llvm::Instruction>(use);
        if (!token || !sum || !sum->getType()->isFloatTy() ||
            (behind.contains(sum) && !isa<llvm::ExtractValueInst>(sum)))
          continue;
        llvm::Value *&waits = waiting[sum];
        if (!waits) {
          builder.SetInsertPoint(&instruction);
          llvm::Value *bits = builder.CreateOr(builder.CreateBitCast(sum, builder.getInt32Ty()), token);
          waits = builder.CreateBitCast(bits, sum->getType());
        }
        use.set(waits);
      }
      auto *store = dyn_cast<llvm::StoreInst>(&instruction);
      if (!store || count < kInstructions)
        continue;
      if (!zero)
        zero = hideZero(function, depth, builder.getInt32Ty());
      builder.SetInsertPoint(store->getNextNode());
      llvm::Value *stored = store->getValueOperand();
      llvm::Type *bits = builder.getIntNTy(stored->getType()->getPrimitiveSizeInBits());
      token =
          builder.CreateAnd(builder.CreateZExtOrTrunc(builder.CreateBitCast(stored, bits), builder.getInt32Ty()), zero);
      waiting.clear();
      count = 0;
    }
  }
}

void keepProductLoops(llvm::Function &function) {
  forEachProductLoop(function, [](llvm::Loop &loop) { loop.setLoopAlreadyUnrolled(); });
}

void saveRegisters(llvm::Function &function, int64_t gridDepth) {
  if (function.isDeclaration())
    return;
  computeInTurns(function, gridDepth);
  forEachProductLoop(function, [&](llvm::Loop &loop) { hideLimit(loop, gridDepth); });
}

} // namespace tiny::cuda
