// A lane holds several elements of a row, and a loop carries what is of the row once for each. Two such values are
// equal if they begin as the same and are computed alike from values that are equal if these are: begins with all that
// may be equal in one class, and splits classes until each holds.
#include "MergePhis.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace tiny::cuda {

namespace {

class PhiClasses {
public:
  explicit PhiClasses(llvm::BasicBlock &block) {
    llvm::DenseMap<llvm::Type *, unsigned> ofType;
    for (llvm::PHINode &phi : block.phis()) {
      phis.push_back(&phi);
      classes[&phi] = ofType.try_emplace(phi.getType(), ofType.size()).first->second;
    }
    while (split()) {
    }
  }

  /// Puts the first one of each class in place of the others.
  bool merge() {
    llvm::DenseMap<unsigned, llvm::PHINode *> first;
    bool changes = false;
    for (llvm::PHINode *phi : phis) {
      auto [known, isFirst] = first.try_emplace(classes.lookup(phi), phi);
      if (isFirst)
        continue;
      phi->replaceAllUsesWith(known->second);
      phi->eraseFromParent();
      changes = true;
    }
    return changes;
  }

private:
  /// Whether the values are equal where all of a class are.
  bool isEqual(llvm::Value *a, llvm::Value *b, unsigned depth) {
    if (a == b)
      return true;
    constexpr unsigned kDeepest = 32;
    auto *first = llvm::dyn_cast<llvm::Instruction>(a), *second = llvm::dyn_cast<llvm::Instruction>(b);
    if (!first || !second || depth == kDeepest || a->getType() != b->getType())
      return false;
    if (auto known = classes.find(a); known != classes.end()) {
      auto other = classes.find(b);
      return other != classes.end() && known->second == other->second;
    }
    if (llvm::isa<llvm::PHINode>(first) || first->mayReadOrWriteMemory() || !first->isSameOperationAs(second))
      return false;
    auto [known, isNew] = equal.try_emplace({a, b}, false);
    if (!isNew)
      return known->second;
    for (auto [x, y] : llvm::zip_equal(first->operands(), second->operands()))
      if (!isEqual(x, y, depth + 1))
        return false;
    return equal[{a, b}] = true;
  }

  bool isEqual(llvm::PHINode *a, llvm::PHINode *b) {
    for (unsigned number = 0; number < a->getNumIncomingValues(); ++number)
      if (!isEqual(a->getIncomingValue(number), b->getIncomingValueForBlock(a->getIncomingBlock(number)), 0))
        return false;
    return true;
  }

  /// Whether any class has been split.
  bool split() {
    equal.clear();
    llvm::DenseMap<llvm::Value *, unsigned> next;
    llvm::SmallVector<llvm::PHINode *> firsts;
    for (llvm::PHINode *phi : phis) {
      auto found = llvm::find_if(firsts, [&](llvm::PHINode *first) {
        return classes.lookup(first) == classes.lookup(phi) && isEqual(first, phi);
      });
      next[phi] = found - firsts.begin();
      if (found == firsts.end())
        firsts.push_back(phi);
    }
    bool changes = firsts.size() != count;
    count = firsts.size();
    classes = std::move(next);
    return changes;
  }

  llvm::SmallVector<llvm::PHINode *> phis;
  llvm::DenseMap<llvm::Value *, unsigned> classes;
  size_t count = 0;
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, bool> equal;
};

} // namespace

llvm::PreservedAnalyses MergePhisPass::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
  bool changes = false;
  for (llvm::BasicBlock &block : function)
    changes |= PhiClasses(block).merge();
  if (!changes)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace tiny::cuda
