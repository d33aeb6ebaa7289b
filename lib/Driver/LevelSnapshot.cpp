#include "LevelSnapshot.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tiny {

/// What stands directly in the functions' bodies; what is nested goes with it.
static std::vector<Operation *> listOperations(ModuleOp module) {
  std::vector<Operation *> operations;
  for (auto function : module.getOps<FunctionOpInterface>())
    for (Block &block : function.getFunctionBody())
      for (Operation &op : block.without_terminator())
        operations.push_back(&op);
  return operations;
}

LevelSnapshot::LevelSnapshot(ModuleOp module, StringRef level) : level(level), copy(module.clone()) {
  Builder builder(module.getContext());
  for (auto [number, op] : llvm::enumerate(listOperations(module))) {
    NamedAttribute entry = builder.getNamedAttr(level, builder.getI64IntegerAttr(number));
    auto tag = builder.getDictionaryAttr({entry});
    op->walk([&](Operation *inner) { inner->setLoc(FusedLoc::get(module.getContext(), {inner->getLoc()}, tag)); });
  }
  operations = listOperations(*copy);
}

void LevelSnapshot::printSources(Operation *kernel, raw_ostream &stream) const {
  std::vector<bool> found(operations.size());
  kernel->walk([&](Operation *op) {
    // What a load reads is another kernel's, or an argument.
    if (isa<kernel::LoadOp>(op))
      return;
    op->getLoc()->walk([&](Location part) {
      if (auto fused = dyn_cast<FusedLoc>(part))
        if (auto tag = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()))
          if (auto number = tag.getAs<IntegerAttr>(level))
            found[number.getInt()] = true;
      return WalkResult::advance();
    });
  });
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs();
  AsmState state(*copy, flags);
  for (auto [op, isSource] : llvm::zip_equal(operations, found)) {
    if (!isSource)
      continue;
    op->print(stream, state);
    stream << "\n";
  }
}

} // namespace tiny
