// kernel-deduplicate: kernels that are the same become one, which is scheduled and compiled once.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELDEDUPLICATE
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

constexpr auto kIgnored = OperationEquivalence::IgnoreLocations;

/// The attributes that are compared beside the body: all but the name.
DictionaryAttr getProperties(FuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(kernel.getSymNameAttrName());
  return attributes.getDictionary(kernel.getContext());
}

llvm::hash_code computeHash(FuncOp kernel) {
  llvm::hash_code hash = hash_value(getProperties(kernel));
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::ignoreHashValue, kIgnored));
  });
  return hash;
}

bool isSame(FuncOp a, FuncOp b) {
  return getProperties(a) == getProperties(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), kIgnored);
}

struct Deduplicate : impl::KernelDeduplicateBase<Deduplicate> {
  using Base::Base;

  void runOnOperation() override {
    // Find the kernels that only launches of this module's programs name.
    llvm::DenseMap<StringAttr, SmallVector<LaunchOp>> launches;
    llvm::DenseSet<StringAttr> named;
    getOperation().walk([&](Operation *op) {
      auto launch = dyn_cast<LaunchOp>(op);
      if (launch && launch->getParentOfType<ModuleOp>() != getOperation())
        return;
      if (launch)
        launches[launch.getCalleeAttr().getAttr()].push_back(launch);
      else if (!isa<FuncOp>(op))
        op->getAttrDictionary().walk([&](SymbolRefAttr symbol) { named.insert(symbol.getLeafReference()); });
    });

    llvm::DenseMap<unsigned, SmallVector<FuncOp, 1>> byHash;
    llvm::MapVector<FuncOp, SmallVector<Location>> locations;
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<FuncOp>())) {
      SmallVector<FuncOp, 1> &others = byHash[static_cast<unsigned>(computeHash(kernel))];
      auto first = llvm::find_if(others, [&](FuncOp other) { return isSame(kernel, other); });
      if (first == others.end()) {
        others.push_back(kernel);
        continue;
      }
      StringAttr name = kernel.getSymNameAttr();
      if (!kernel.isPrivate() || named.contains(name))
        continue;
      for (LaunchOp launch : launches[name])
        launch.setCalleeAttr(FlatSymbolRefAttr::get(first->getSymNameAttr()));
      locations[*first].push_back(kernel.getLoc());
      kernel.erase();
      ++erased;
    }
    // Each kernel is from where all that it stands for were.
    for (auto &[kernel, others] : locations) {
      others.insert(others.begin(), kernel.getLoc());
      kernel->setLoc(FusedLoc::get(&getContext(), others));
    }
  }
};

} // namespace
} // namespace tiny::kernel
