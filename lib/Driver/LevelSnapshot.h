// A level as it was before it was lowered, for whoever asks what something below came from.
#ifndef TINY_LIB_DRIVER_LEVELSNAPSHOT_H
#define TINY_LIB_DRIVER_LEVELSNAPSHOT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tiny {

/// Numbers the operations of a module's functions in their locations, where every rewrite below keeps them, and holds a
/// copy of the module.
class LevelSnapshot {
public:
  /// `level` tells the numbers of one snapshot from those of another.
  LevelSnapshot(mlir::ModuleOp module, llvm::StringRef level);

  llvm::StringRef getLevel() const { return level; }

  /// Prints those that a kernel at the kernel level computes, in their order, one a line. Operations that an
  /// optimisation merged with others may be missing.
  void printSources(mlir::Operation *kernel, llvm::raw_ostream &stream) const;

private:
  std::string level;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  /// Operations of the copy by number.
  std::vector<mlir::Operation *> operations;
};

} // namespace tiny

#endif // TINY_LIB_DRIVER_LEVELSNAPSHOT_H
