// lazy-impose-groups. See LazyTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Transforms/Kernelize/Passes.h"

#include "GroupOutline.h"
#include "Tiny/Support/ScriptFile.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYIMPOSEGROUPS
#include "Tiny/Transforms/Kernelize/Passes.h.inc"

namespace {

struct ImposeGroups : impl::LazyImposeGroupsBase<ImposeGroups> {
  using Base::Base;

  void runOnOperation() override {
    if (!file.empty() && failed(runScripts()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(outlineNamed(function)))
        return signalPassFailure();
  }

  LogicalResult runScripts() {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> source = readScripts(module, "groups", file);
    if (!source)
      return failure();
    SymbolTable functions(module);
    for (auto script : source->getOps<transform::NamedSequenceOp>()) {
      // What only other scripts use.
      if (SymbolTable::getSymbolVisibility(script) == SymbolTable::Visibility::Private)
        continue;
      auto function = functions.lookup<func::FuncOp>(script.getSymName());
      if (!function)
        return script.emitError("no function is named '") << script.getSymName() << "'";
      if (script.getBody().empty() || script.getBody().getNumArguments() != 1 || script.getNumResults() != 0)
        return script.emitOpError("expected a body with one argument, the function, and no results");
      if (failed(transform::applyTransformNamedSequence(function, script, *source, transform::TransformOptions())))
        return script.emitError("failed on function '") << function.getSymName() << "'";
    }
    return success();
  }

  /// Drops what only groups read that have copies of it now.
  static void dropDead(func::FuncOp function) {
    for (Block &block : function.getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  }

  LogicalResult outlineNamed(func::FuncOp function) {
    // In the order of their first operations, so that of two that exclude each other the second is at fault.
    llvm::MapVector<StringAttr, SmallVector<Operation *>> groups;
    WalkResult result = function.walk([&](Operation *op) -> WalkResult {
      Attribute id = op->getDiscardableAttr(kGroupIdName);
      if (!id)
        return WalkResult::advance();
      auto name = dyn_cast<StringAttr>(id);
      if (!name || name.empty())
        return op->emitError("expected a name as ") << kGroupIdName << ", got " << id;
      groups[name].push_back(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    for (auto &[name, members] : groups)
      if (failed(outlineGroup(members, name, std::min<unsigned>(maxBuffers, getMostBuffers(function)))))
        return failure();
    if (!groups.empty() || !file.empty())
      dropDead(function);
    return success();
  }
};

} // namespace
} // namespace tiny::lazy
