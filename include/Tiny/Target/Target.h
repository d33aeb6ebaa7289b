// What the driver knows of a kind of device: one interface, and a registry that finds it by name.
#ifndef TINY_TARGET_TARGET_H
#define TINY_TARGET_TARGET_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tiny {

/// What a processor of a target is, as far as passes must be told. It stands for the device's record, and goes when the
/// record is on the module.
struct DeviceFacts {
  /// All there is to know, spelled so that two devices with equal text get equal code. Cache keys contain it.
  std::string identity;
  /// What the processor is called: "x86-64-v3".
  std::string name;
  /// TINY_MACHINE_* of Tiny/Runtime/Format.h, and what code for it may use beyond the first processors of that kind:
  /// the runtime refuses a container on a machine that lacks any of it.
  uint32_t machine = 0;
  uint64_t features = 0;
  /// There are instructions for fused multiply-adds, and for rounding to integers.
  bool fma = true, rounding = true;
  /// Float types that it does not compute in, beside those that no device does: "f16".
  std::vector<std::string> emulated;
};

/// How to turn a lowered module into bytes.
struct SerializeOptions {
  /// The processor's name, as `Target::describe` takes it.
  std::string processor;
  /// What the output is called, without folder and extension. Source targets name functions and files by it.
  std::string stem = "model";
  /// 0 to 3, for targets that optimise: none, loops as they stand, vectors for scalar code too, everything.
  unsigned optimization = 2;
};

/// A kernel as the runtime launches it.
struct KernelLaunch {
  std::string name;
  kernel::EntryAttr entry;
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

  /// The facts of a processor by its name, such as "x86-64-v3"; empty or "host" means this machine's. Errors name the
  /// processor.
  virtual llvm::Expected<DeviceFacts> describe(llvm::StringRef processor) const = 0;
  /// The record of a processor by its name, as `describe` takes it.
  virtual llvm::Expected<target::RecordAttr> makeRecord(llvm::StringRef processor,
                                                        mlir::MLIRContext *context) const = 0;
  /// An error that says why code for the processor cannot run on this machine.
  virtual llvm::Error checkRunsHere(llvm::StringRef processor) const { return llvm::Error::success(); }

  /// What `--compile-to=` calls the form that `buildPasses` gives: "llvm".
  virtual llvm::StringRef getLevel() const = 0;
  /// Adds the passes from the uop level (`verify-uop` holds) down to what `serialize` takes.
  virtual void buildPasses(mlir::OpPassManager &manager) const = 0;

  /// Makes bytes of a module on which the passes have run: all of its kernels, and for source targets the
  /// `kernel.program` too. Reports at the operation what cannot be done. The module is not changed.
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

/// Reads a `#target.record<...>` from a text file. The error names the file.
llvm::Expected<target::RecordAttr> readRecord(llvm::StringRef path, mlir::MLIRContext *context);

} // namespace tiny

#endif // TINY_TARGET_TARGET_H
