// kernel-impose-schedules: gives kernels the scripts of a file.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Schedule/Passes.h"

#include "Tiny/Schedule/Steps/Scripts.h"
#include "Tiny/Support/ScriptFile.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELIMPOSESCHEDULES
#include "Tiny/Schedule/Passes.h.inc"

namespace {

struct ImposeSchedules : impl::KernelImposeSchedulesBase<ImposeSchedules> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (file.empty()) {
      module.emitError("kernel-impose-schedules needs option 'file'");
      return signalPassFailure();
    }
    OwningOpRef<ModuleOp> source = readScripts(module, "schedules", file);
    if (!source)
      return signalPassFailure();
    SmallVector<transform::NamedSequenceOp> sequences;
    source->walk([&](transform::NamedSequenceOp sequence) { sequences.push_back(sequence); });
    SymbolTable kernels(module);
    Scripts scripts(module);
    for (transform::NamedSequenceOp sequence : sequences) {
      auto kernel = kernels.lookup<FuncOp>(sequence.getSymName());
      if (!kernel) {
        sequence.emitError("no kernel is named '") << sequence.getSymName() << "'";
        return signalPassFailure();
      }
      scripts.drop(kernel);
      sequence->remove();
      scripts.add(kernel, sequence);
    }
  }
};

} // namespace
} // namespace tiny::kernel
