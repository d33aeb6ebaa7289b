// Outlines what is seldom run. LLVM's own pass, hot-cold splitting, leaves what has more than four arguments and
// results.
#include "Codegen.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

namespace tiny::cpu {

/// Where the block's branch seldom goes; null elsewhere.
static BasicBlock *findRareTarget(BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  uint64_t taken = 0, passed = 0;
  if (!branch || !branch->isConditional() || !extractBranchWeights(*branch, taken, passed) || taken == passed)
    return nullptr;
  return branch->getSuccessor(taken < passed ? 0 : 1);
}

void outlineRareBranches(Module &module) {
  SmallVector<BasicBlock *> targets;
  for (Function &function : module)
    for (BasicBlock &block : function)
      if (BasicBlock *target = findRareTarget(block); target && target->getSinglePredecessor())
        targets.push_back(target);
  SmallVector<Function *> outlined;
  for (BasicBlock *target : targets) {
    Function &function = *target->getParent();
    DominatorTree dominators(function);
    SmallVector<BasicBlock *> region;
    dominators.getDescendants(target, region);
    CodeExtractorAnalysisCache analyses(function);
    Function *rare = CodeExtractor(region, &dominators, /*AggregateArgs=*/false, /*BFI=*/nullptr, /*BPI=*/nullptr,
                                   /*AC=*/nullptr, /*AllowVarArgs=*/false, /*AllowAlloca=*/false,
                                   /*AllocationBlock=*/nullptr, "rare")
                         .extractCodeRegion(analyses);
    if (!rare)
      continue;
    rare->addFnAttr(Attribute::NoInline);
    rare->addFnAttr(Attribute::Cold);
    outlined.push_back(rare);
  }
  MergeFunctionsPass::runOnFunctions(outlined);
}

} // namespace tiny::cpu
