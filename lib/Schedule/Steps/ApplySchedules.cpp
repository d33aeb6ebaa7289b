// kernel-apply-schedules: runs the script that each kernel names.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Schedule/Passes.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELAPPLYSCHEDULES
#include "Tiny/Schedule/Passes.h.inc"

namespace {

struct ApplySchedules : impl::KernelApplySchedulesBase<ApplySchedules> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection symbols;
    for (auto kernel : llvm::to_vector(module.getOps<FuncOp>()))
      if (failed(apply(module, kernel, symbols)))
        return signalPassFailure();
    if (keepScripts)
      return;
    for (auto scripts : llvm::make_early_inc_range(module.getOps<ModuleOp>()))
      if (scripts->hasAttr(transform::TransformDialect::kWithNamedSequenceAttrName))
        scripts.erase();
  }

  LogicalResult apply(ModuleOp module, FuncOp kernel, SymbolTableCollection &symbols) {
    SymbolRefAttr name = kernel.getScheduleAttr();
    if (!name)
      return success();
    auto script = symbols.lookupSymbolIn<transform::NamedSequenceOp>(module, name);
    if (!script)
      return kernel.emitOpError("names the schedule ") << name << ", which is no transform.named_sequence";
    if (script.getBody().empty() || script.getBody().getNumArguments() != 1 || script.getNumResults() != 0)
      return script.emitOpError("expected a body with one argument, the kernel, and no results");
    // The interpreter of scripts takes for granted that it can apply what it finds.
    for (Operation &op : script.getBody().front().without_terminator())
      if (!isa<transform::TransformOpInterface>(op))
        return op.emitOpError("is no transform operation, which a schedule consists of");
    kernel.removeScheduleAttr();
    auto scripts = script->getParentOfType<ModuleOp>();
    transform::TransformOptions options;
    if (failed(transform::applyTransformNamedSequence(kernel, script, scripts, options)))
      return kernel.emitError("schedule ") << name << " failed on kernel '" << kernel.getSymName() << "'";
    return success();
  }
};

} // namespace
} // namespace tiny::kernel
