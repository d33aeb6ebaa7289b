// Predicted times of a program's items, for passes that put items in order.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_ITEMCLOCK_H
#define TINY_LIB_TRANSFORMS_KERNEL_ITEMCLOCK_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// Nanoseconds of items.
class ItemClock {
public:
  explicit ItemClock(const cost::Machine &machine) : machine(machine) {}
  /// A kernel takes the time that no schedule of it can beat, on all cores; a collective what the record's network
  /// says; anything else nothing.
  double predict(mlir::Operation *item);

private:
  double predictExchange(CollectiveOp op) const;

  const cost::Machine &machine;
  llvm::DenseMap<mlir::Attribute, double> kernels;
};

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_ITEMCLOCK_H
