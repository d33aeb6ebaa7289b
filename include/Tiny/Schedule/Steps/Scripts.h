// The nested module that holds the kernels' transform scripts.
#ifndef TINY_SCHEDULE_STEPS_SCRIPTS_H
#define TINY_SCHEDULE_STEPS_SCRIPTS_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"

namespace tiny::kernel {

/// The scripts of a module's kernels. It looks names up in a table that it makes once, so nobody else may add scripts
/// while it is in use.
class Scripts {
public:
  explicit Scripts(mlir::ModuleOp module) : module(module) {}

  /// Puts a detached script into the module of scripts, which it makes if there is none, and names it in the kernel. A
  /// script whose name is taken gets another one.
  void add(FuncOp kernel, mlir::transform::NamedSequenceOp script);

  /// Erases the script that the kernel names, if it stands in this module.
  void drop(FuncOp kernel);

private:
  mlir::ModuleOp module;
  std::unique_ptr<mlir::SymbolTable> table; ///< of the module of scripts, once it is known
};

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_SCRIPTS_H
