// Which arguments of a kernel are constants of the program in every launch: what is computed from these alone is
// computed once, in front of all runs.
#ifndef TINY_ANALYSIS_KERNEL_CONSTANTARGUMENTS_H
#define TINY_ANALYSIS_KERNEL_CONSTANTARGUMENTS_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tiny::kernel {

/// Whether it is a constant, what a launch computes from such buffers alone, or a part of one, all in the program's own
/// list.
bool isConstantBuffer(mlir::Value buffer);

/// The last of what makes such a buffer: behind it the buffer may be read.
mlir::Operation *findLastMaker(mlir::Value constant);

/// Looks at all launches of a module once.
class ConstantArguments {
public:
  explicit ConstantArguments(mlir::ModuleOp module);

  /// A bit for each argument of the kernel. None is set where something else than a launch of its own module may call
  /// it.
  llvm::SmallBitVector get(FuncOp kernel) const;

private:
  llvm::DenseMap<mlir::StringAttr, llvm::SmallBitVector> arguments;
};

/// Whether the value is computed from loads of these arguments alone, by what has no effects.
bool dependsOnConstants(mlir::Value value, const llvm::SmallBitVector &constants);

} // namespace tiny::kernel

#endif // TINY_ANALYSIS_KERNEL_CONSTANTARGUMENTS_H
