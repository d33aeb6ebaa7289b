// Finds the arguments of kernels that are constants in every launch.
#include "Tiny/Analysis/Kernel/ConstantArguments.h"

#include "Tiny/Support/Signature.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tiny::kernel {

/// The launch that alone writes the buffer, on all ranks, if everything else are launches behind it that read it; null
/// otherwise.
static LaunchOp findWriter(AllocOp alloc) {
  LaunchOp writer;
  SmallVector<LaunchOp> readers;
  SmallVector<Value> names = {alloc.getResult()};
  while (!names.empty()) {
    Value name = names.pop_back_val();
    for (OpOperand &use : name.getUses()) {
      if (auto alias = dyn_cast<AliasOp>(use.getOwner())) {
        names.push_back(alias.getResult());
        continue;
      }
      auto launch = dyn_cast<LaunchOp>(use.getOwner());
      if (!launch)
        return {};
      if (use.getOperandNumber() < launch.getIns().size()) {
        readers.push_back(launch);
        continue;
      }
      if (writer || name != alloc.getResult() || !isa<ProgramOp>(launch->getParentOp()) || launch->hasAttr(kPlacesAttr))
        return {};
      writer = launch;
    }
  }
  auto isBehind = [&](LaunchOp reader) {
    Operation *item = writer->getBlock()->findAncestorOpInBlock(*reader);
    return item && writer->isBeforeInBlock(item);
  };
  return writer && llvm::all_of(readers, isBehind) ? writer : LaunchOp();
}

bool isConstantBuffer(Value buffer) {
  SmallVector<Value> pending = {buffer};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isa<ProgramOp>(op->getParentOp()))
      return false;
    if (isa<ConstantOp>(op))
      continue;
    if (auto alias = dyn_cast<AliasOp>(op)) {
      pending.push_back(alias.getSource());
      continue;
    }
    auto alloc = dyn_cast<AllocOp>(op);
    LaunchOp writer = alloc ? findWriter(alloc) : LaunchOp();
    if (!writer)
      return false;
    llvm::append_range(pending, writer.getIns());
  }
  return true;
}

Operation *findLastMaker(Value constant) {
  Operation *last = constant.getDefiningOp(), *op = last;
  while (auto alias = dyn_cast<AliasOp>(op))
    op = alias.getSource().getDefiningOp();
  if (auto alloc = dyn_cast<AllocOp>(op))
    op = findWriter(alloc);
  return last->isBeforeInBlock(op) ? op : last;
}

ConstantArguments::ConstantArguments(ModuleOp module) {
  llvm::DenseSet<StringAttr> named;
  module.walk([&](Operation *op) {
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch) {
      if (!isa<FuncOp>(op))
        op->getAttrDictionary().walk([&](SymbolRefAttr symbol) { named.insert(symbol.getLeafReference()); });
      return;
    }
    StringAttr callee = launch.getCalleeAttr().getAttr();
    if (launch->getParentOfType<ModuleOp>() != module)
      named.insert(callee);
    llvm::SmallBitVector constant;
    for (Value input : launch.getIns())
      constant.push_back(isConstantBuffer(input));
    auto [known, isNew] = arguments.try_emplace(callee, constant);
    if (!isNew) {
      // What one launch reads and another one writes is no constant.
      unsigned both = std::min(known->second.size(), constant.size());
      known->second.resize(both);
      constant.resize(both);
      known->second &= constant;
    }
  });
  for (StringAttr name : named)
    arguments.erase(name);
}

llvm::SmallBitVector ConstantArguments::get(FuncOp kernel) const {
  llvm::SmallBitVector found;
  if (auto known = arguments.find(kernel.getSymNameAttr()); known != arguments.end() && kernel.isPrivate())
    found = known->second;
  found.resize(kernel.getBody().getNumArguments());
  return found;
}

bool dependsOnConstants(Value value, const llvm::SmallBitVector &constants) {
  SmallVector<Value> pending{value};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getArgNumber() >= constants.size() || !constants[argument.getArgNumber()])
        return false;
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (isa<RangeOp>(op))
      continue;
    if (!isa<LoadOp>(op) &&
        (isa<KernelDialect>(op->getDialect()) || op->getNumRegions() > 0 || !isMemoryEffectFree(op)))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

} // namespace tiny::kernel
