// The job of tiny-compile: a program, compiled for a target, or taken down to a level and written there.
#ifndef TINY_DRIVER_COMPILEMODEL_H
#define TINY_DRIVER_COMPILEMODEL_H

#include "Tiny/Driver/CompileProgram.h"
#include "Tiny/Driver/ModelRequest.h"
#include "Tiny/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// Without a name of a function, every function of the module; for bytes that run, `main` or the only one.
struct CompileRequest : ModelRequest {
  /// The target by its name; empty for the default one.
  std::string target;
  /// A level or a form of the target, such as `lazy`, `llvm` or `assembly`. Empty for what the target makes: a
  /// container, or source files.
  std::string to;
  /// A kernel to show at every level instead, from the operations that it came from down to the target's last text;
  /// empty for none.
  std::string kernel;
  /// What the output is called, without folder and extension: files and functions of source code have its name.
  std::string stem = "model";
  /// Where the container has large constants, and the folder in which it will lie. See `CompileOptions`.
  ConstantPlace constants = ConstantPlace::Container;
  std::string folder;
};

/// What comes of it: one text or container without a name, or the files of a source target. Errors are one line.
llvm::Expected<std::vector<OutputFile>> compileModel(const CompileRequest &request, mlir::MLIRContext *context);

/// The same of a module that is at hand, which is lowered in place; messages call it by the request's `model`.
llvm::Expected<std::vector<OutputFile>> compileModule(const CompileRequest &request, mlir::ModuleOp module);

/// Reads the model and takes it down to kernels that have schedules, for the target of this name.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
lowerModelToKernels(const ModelRequest &request, llvm::StringRef target, mlir::MLIRContext *context);

} // namespace tiny

#endif // TINY_DRIVER_COMPILEMODEL_H
