// What targets for GPUs share: records of kinds of device that have names, of which none is this machine's.
#ifndef TINY_TARGET_GPUTARGET_H
#define TINY_TARGET_GPUTARGET_H

#include "Tiny/Target/Target.h"

namespace tiny {

/// A target whose records come from a table of names.
class GpuTarget : public Target {
public:
  llvm::Expected<target::RecordAttr> makeRecord(llvm::StringRef processor, mlir::MLIRContext *context) const override;
  llvm::Expected<target::RecordAttr> adaptRecord(target::RecordAttr record) const override;

protected:
  /// What names stand for, such as "the name of a device", and the one that is compiled for where nobody says it.
  virtual llvm::StringRef getProcessorKind() const = 0;
  virtual llvm::StringRef getDefaultProcessor() const = 0;
  /// The facts behind a name. The error lists the names that there are.
  virtual llvm::Expected<cost::Machine> describeMachine(llvm::StringRef processor) const = 0;
  /// Why there is no code for a GPU's record of this name.
  virtual llvm::Error checkRecordName(llvm::StringRef name) const { return llvm::Error::success(); }
};

} // namespace tiny

#endif // TINY_TARGET_GPUTARGET_H
