// What instances of a program differ by: numbers, as polynomials of the sizes, and what stands for them in a kernel.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_INSTANCENUMBERS_H
#define TINY_LIB_TRANSFORMS_KERNEL_INSTANCENUMBERS_H

#include "Tiny/Algebra/View/NumberFit.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "mlir/IR/Builders.h"

namespace tiny::kernel {

/// The sizes of a family of instances: names, bounds, and the values that each instance has.
struct FamilySizes {
  llvm::SmallVector<mlir::StringAttr> names;
  llvm::SmallVector<Bounds> bounds;
  /// Whether the program computes it.
  llvm::SmallVector<bool> isComputed;
  std::vector<SizePoint> points;
};

/// Makes numbers of a kernel from the sizes that it gets in a buffer. The argument and what is read of it are made when
/// they are needed first.
class KernelSizes {
public:
  /// The buffer becomes argument number `position` of the kernel.
  KernelSizes(FuncOp kernel, unsigned position, const FamilySizes &family)
      : kernel(kernel), position(position), family(family) {}

  /// The polynomial as an index.
  mlir::Value makeIndex(const Dim &polynomial, mlir::Location loc);
  /// The number as a value of the type, which is a float, an integer or an index.
  mlir::Value make(const SizedNumber &number, mlir::Type type, mlir::Location loc);
  bool isUsed() const { return static_cast<bool>(buffer); }

private:
  mlir::Value makeSize(unsigned symbol, mlir::Location loc);
  mlir::Value makeConstant(int64_t value, mlir::Location loc);

  FuncOp kernel;
  unsigned position;
  const FamilySizes &family;
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> sizes;
};

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_INSTANCENUMBERS_H
