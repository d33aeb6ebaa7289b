// From a module to the bytes that run it: all of the compiler, behind one call.
#ifndef TINY_DRIVER_COMPILEPROGRAM_H
#define TINY_DRIVER_COMPILEPROGRAM_H

#include "Tiny/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace tiny {

/// What one launch of a kernel does.
struct KernelWork {
  /// Sizes of its buffers: what moves when each element is read or written once.
  uint64_t bytes = 0;
  /// Scalar operations on data, as `uop-count-operations` counts them.
  uint64_t operations = 0;
};
using WorkByKernel = llvm::StringMap<KernelWork>;

/// Where a container has the bytes of large constants that lie in files already. All others are in the container.
enum class ConstantPlace {
  /// In the container, which needs nothing else.
  Container,
  /// In their files, by paths below the container's folder.
  Folder,
  /// In their files, by absolute paths: for containers that stay on this machine, as in the cache. A file that was
  /// touched since is refused.
  Machine
};

/// How a program is compiled.
struct CompileOptions {
  /// The target by its name; empty for the default one. Several, "vulkan,cpu", share out the kernels.
  std::string target;
  /// `KERNEL=TARGET`, of several targets: where a kernel is to run. Others run on the first that has code for them.
  std::vector<std::string> placement;
  /// What to compile for. Where nothing is given, it is the device that the module has a record of, the one of
  /// `device`, or this machine.
  MachineChoice machine;
  /// The runtime's devices that will run it, "vulkan,cpu", where it runs on this machine at once; else empty.
  std::string device;
  /// The program to compile. Empty: `main`, or the only one that there is.
  std::string function;
  /// Options of the pipelines as text, such as `fusion=none schedules=mine.mlir`. May be empty.
  std::string pipeline;
  /// What the output is called, for targets that name functions and files by it.
  std::string stem = "model";
  ConstantPlace constants = ConstantPlace::Container;
  /// The container's folder, for `ConstantPlace::Folder`.
  std::string folder;
  /// What the pass manager is set up with beside the pipeline, such as printing. May be empty.
  std::function<llvm::LogicalResult(mlir::PassManager &)> configure;
  /// Asked after each pipeline whether the rest is to be left out, as an error. May be empty.
  std::function<bool()> isStopped;
  /// Where passes and code generation report their time. May be null.
  mlir::TimingScope *timing = nullptr;
};

/// What comes of a program.
struct CompiledProgram {
  /// Of a binary target: a container (Tiny/Runtime/Format.h).
  std::string container;
  /// Of a source target: its files, the main one first.
  std::vector<OutputFile> files;
};

/// Lowers the module from its level, in place, and makes bytes of it. Errors are one line: the place in a file where
/// there is one, and what is wrong.
llvm::Expected<CompiledProgram> compileProgram(mlir::ModuleOp module, const CompileOptions &options);

/// Lowers the module, which stands at the kernel level or above, in place to the kernel level: its kernels have their
/// schedules, as scripts that have not run. Other programs go.
llvm::Error lowerToKernels(mlir::ModuleOp module, const CompileOptions &options);

/// Reads a program, and lowers it to the kernel level where it is a family (Tiny/Support/Family.h). `read` is asked for
/// instances within the bounds where those beyond, which narrow bounds have, are no one program.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readJoined(llvm::function_ref<llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>(bool isWithin)> read,
           const CompileOptions &options);

/// The program of this name; if the name is empty `main`, or the only one that there is. The error lists what there is.
llvm::Expected<mlir::FunctionOpInterface> findProgram(mlir::ModuleOp module, llvm::StringRef name);

/// Leaves the program and what it refers to in the module: other functions need not be compiled, nor be fit for it.
void dropOtherPrograms(mlir::ModuleOp module, mlir::FunctionOpInterface program);

} // namespace tiny

#endif // TINY_DRIVER_COMPILEPROGRAM_H
