// The record of this machine on a module, changed by a test.
#ifndef TINY_UNITTESTS_TARGET_HOSTRECORD_H
#define TINY_UNITTESTS_TARGET_HOSTRECORD_H

#include "Tiny/Target/Cpu/CpuTarget.h"

namespace tiny {

/// Attaches it under the CPU target's name. Passes see the changed facts; code is made for this machine all the same.
inline void attachHost(mlir::ModuleOp module, llvm::function_ref<void(cost::Machine &)> change) {
  std::unique_ptr<Target> target = cpu::createCpuTarget();
  target::RecordAttr host = llvm::cantFail(target->makeRecord("host", module.getContext()));
  cost::Machine machine = host.getMachine();
  change(machine);
  target::attachRecord(module, target->getName(),
                       target::RecordAttr::get(module.getContext(), host.getName(), machine, host.getFeatures()));
}

} // namespace tiny

#endif // TINY_UNITTESTS_TARGET_HOSTRECORD_H
