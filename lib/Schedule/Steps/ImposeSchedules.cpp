// kernel-impose-schedules: gives kernels the scripts of a file.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Schedule/Passes.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/ScheduleKey.h"
#include "Tiny/Schedule/Steps/Scripts.h"
#include "Tiny/Support/Remarks.h"
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
    SmallVector<transform::NamedSequenceOp> named;
    llvm::StringMap<SmallVector<transform::NamedSequenceOp>> byKey;
    source->walk([&](transform::NamedSequenceOp sequence) {
      if (auto key = sequence->getAttrOfType<StringAttr>(kKernelKeyAttr))
        byKey[key.getValue()].push_back(sequence);
      else if (!sequence->hasAttr(kConvKeyAttr))
        named.push_back(sequence);
    });
    Scripts scripts(module);
    bool isUsed = byKey.empty() || !named.empty();
    if (!byKey.empty())
      for (auto kernel : llvm::to_vector(module.getOps<FuncOp>()))
        isUsed |= llvm::any_of(byKey.lookup(getKernelKey(kernel)), [&](transform::NamedSequenceOp sequence) {
          return imposeFound(kernel, sequence, scripts);
        });
    if (!isUsed)
      emitWarning(UnknownLoc::get(&getContext()), "no schedule of '")
          << file << "' is for a kernel of this program and its record";
    SymbolTable kernels(module);
    for (transform::NamedSequenceOp sequence : named) {
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

  /// Gives the kernel a script that search found for its structure; tells in a remark why it does not.
  static bool imposeFound(FuncOp kernel, transform::NamedSequenceOp sequence, Scripts &scripts) {
    Remarks remarks("kernel-impose-schedules", kernel);
    auto record = sequence->getAttrOfType<StringAttr>(kRecordKeyAttr);
    if (record && record.getValue() != target::getRecordKey(kernel)) {
      remarks.missed(kernel.getLoc(), "record", "a schedule was found for another record");
      return false;
    }
    OwningOpRef<FuncOp> tried = kernel.clone();
    if (std::string reason = applyScript(*tried, sequence, "kernel"); !reason.empty()) {
      remarks.missed(kernel.getLoc(), "refused", "a schedule that was found for it is refused: " + reason);
      return false;
    }
    scripts.drop(kernel);
    transform::NamedSequenceOp copy = sequence.clone();
    copy.setSymName(kernel.getSymName());
    scripts.add(kernel, copy);
    remarks.passed(kernel.getLoc(), "imposed", "takes the schedule that was found for it");
    return true;
  }
};

} // namespace
} // namespace tiny::kernel
