// What the driver knows of a kind of device: one interface, and a registry that finds it by name.
#ifndef TINY_TARGET_TARGET_H
#define TINY_TARGET_TARGET_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Runtime/Format.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tiny {

/// Which device to compile for, as a user says it: one of both, or neither for this machine.
struct MachineChoice {
  /// A name that the target knows, such as "x86-64-v3"; "host" is this machine.
  std::string processor;
  /// Path of a file with a `#target.record`.
  std::string record;

  bool isGiven() const { return !processor.empty() || !record.empty(); }
};

/// What a machine must have to run the code for a record. The runtime refuses a container on one that lacks any of it.
struct MachineNeeds {
  /// TINY_MACHINE_* of Tiny/Runtime/Format.h, and of its features those that the code may use.
  uint32_t machine = 0;
  uint64_t features = 0;
};

/// How to turn a lowered module into bytes.
struct SerializeOptions {
  /// What the output is called, without folder and extension. Source targets name functions and files by it.
  std::string stem = "model";
  /// 0 to 3, for targets that optimise: none, loops as they stand, vectors for scalar code too, everything.
  unsigned optimization = 2;
};

/// A kernel as the runtime launches it.
struct KernelLaunch {
  std::string name;
  kernel::EntryAttr entry;
  /// What the code calls it, where that is something else.
  std::string symbol = {};
};

/// A file that a source target writes.
struct OutputFile {
  /// Without a folder: "model.c".
  std::string name;
  std::string content;
};

/// A form on the way from the lowered module to bytes, such as assembly.
struct TargetForm {
  llvm::StringLiteral name;
  /// It is for people to read.
  bool isText;
};

/// What a target makes of a module.
struct TargetOutput {
  /// For `Output::Binary`: the code of all kernels, in the form that the device loads. Empty where there is no kernel.
  std::string code;
  /// TINY_CODE_* of Tiny/Runtime/Format.h: what `code` is.
  uint32_t format = TINY_CODE_ELF;
  /// The kernels in `code`, in the module's order.
  std::vector<KernelLaunch> kernels;
  /// For `Output::Source`: the main file first. The rest stands beside it.
  std::vector<OutputFile> files;
};

/// A kind of device, or of source code. Objects are registered once and live as long as the process; every function may
/// be called from any thread.
class Target {
public:
  enum class Output {
    /// Bytes for a container, which the runtime's device of `getDevice` runs.
    Binary,
    /// Text files, for a compiler of another language.
    Source,
  };

  virtual ~Target();

  /// What `--target=` calls it: "cpu", "c".
  virtual llvm::StringRef getName() const = 0;
  /// One line for `--help`.
  virtual llvm::StringRef getSummary() const = 0;
  virtual Output getOutput() const = 0;
  /// Of the main file of a source target, with the dot: ".c". Containers end in ".tiny".
  virtual llvm::StringRef getExtension() const { return ".tiny"; }
  /// The device of the runtime that runs its code; empty for source targets.
  virtual llvm::StringRef getDevice() const { return ""; }

  /// The record of a processor by its name, such as "x86-64-v3"; empty or "host" means this machine's. Errors name the
  /// processor.
  virtual llvm::Expected<target::RecordAttr> makeRecord(llvm::StringRef processor,
                                                        mlir::MLIRContext *context) const = 0;
  /// A record from elsewhere without what the target cannot use, or an error that says why it has no code for it.
  virtual llvm::Expected<target::RecordAttr> adaptRecord(target::RecordAttr record) const { return record; }
  /// What code for the record needs of the machine that runs it; nothing for source targets.
  virtual llvm::Expected<MachineNeeds> getNeeds(target::RecordAttr record) const { return MachineNeeds(); }
  /// An error that says why code for the record cannot run on this machine.
  virtual llvm::Error checkRunsHere(target::RecordAttr record) const { return llvm::Error::success(); }

  /// What `--compile-to=` calls the form that `buildPasses` gives: "llvm".
  virtual llvm::StringRef getLevel() const = 0;
  /// Adds the passes from the uop level (`verify-uop` holds) down to what `serialize` takes.
  virtual void buildPasses(mlir::OpPassManager &manager) const = 0;

  /// Makes bytes of a module on which the passes have run: all of its kernels, and for source targets the
  /// `kernel.program` too. The module's record says for which device; without one it is this machine. Reports at the
  /// operation what cannot be done. The module is not changed.
  virtual mlir::FailureOr<TargetOutput> serialize(mlir::ModuleOp module, const SerializeOptions &options) const = 0;

  /// What `--compile-to=` can write below the target's own level, highest first.
  virtual llvm::ArrayRef<TargetForm> getForms() const { return {}; }
  /// The module's kernels in one of these forms. Reports what cannot be done.
  virtual mlir::FailureOr<std::string> print(mlir::ModuleOp module, llvm::StringRef form,
                                             const SerializeOptions &options) const;
};

/// Adds a target under its name; the first one is the default. Not safe beside other calls: tools do it at start-up,
/// by `registerAllTargets` (Tiny/Pipelines/Registration.h).
void registerTarget(std::unique_ptr<Target> target);

/// All targets, in the order of their registration.
std::vector<const Target *> getTargets();

/// The target of this name; the default one for an empty name. The error lists what there is.
llvm::Expected<const Target *> findTarget(llvm::StringRef name);

/// The targets of these names, "vulkan,cpu", each once. Several must all make binaries.
llvm::Expected<std::vector<const Target *>> findTargets(llvm::StringRef names);

/// The record of the chosen device. Errors name the processor or the file.
llvm::Expected<target::RecordAttr> makeRecord(const Target &target, const MachineChoice &choice,
                                              mlir::MLIRContext *context);

/// Reads a `#target.record<...>` from a text file. The error names the file, and the place in it.
llvm::Expected<target::RecordAttr> readRecord(llvm::StringRef path, mlir::MLIRContext *context);

} // namespace tiny

#endif // TINY_TARGET_TARGET_H
