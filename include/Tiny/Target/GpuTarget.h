// What targets for GPUs share: records of kinds of device that have names, and of the device that the runtime finds.
#ifndef TINY_TARGET_GPUTARGET_H
#define TINY_TARGET_GPUTARGET_H

#include "Tiny/Runtime/Abi.h"
#include "Tiny/Target/Target.h"
#include <functional>
#include <optional>
#include <utility>

namespace tiny {

/// What a device of the runtime says of itself.
struct FoundDevice {
  /// What the compiler calls its processor, such as "sm_80"; empty where the device does not know.
  std::string processor;
  /// The driver's name of the device.
  std::string name;
  /// The rest: of devices that state facts. Its pointers are null: see `name` and `matrices`.
  std::optional<tiny_device_facts> facts;
  std::vector<tiny_matrix_shape> matrices;
};

/// Opens the runtime's device of this name, such as "vulkan" or "cuda:1". The error says what the machine lacks.
using DeviceFinder = std::function<llvm::Expected<FoundDevice>(llvm::StringRef device)>;

/// Lets targets ask for devices. Set once, at start-up, by who sees the runtime: without it no machine has any.
void setDeviceFinder(DeviceFinder finder);

/// A target whose records come from a table of names. "host" is the device that the runtime finds, "host:1" the one
/// that the runtime calls so.
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
  /// The facts about a device that was found, and what its record is called: by default those behind its processor.
  virtual llvm::Expected<std::pair<std::string, cost::Machine>> describeFound(const FoundDevice &found) const;
  /// Why there is no code for a GPU's record of this name.
  virtual llvm::Error checkRecordName(llvm::StringRef name) const { return llvm::Error::success(); }
};

} // namespace tiny

#endif // TINY_TARGET_GPUTARGET_H
