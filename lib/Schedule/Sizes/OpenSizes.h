// The sizes that a kernel reads when it runs, and the kernel at narrower bounds of them.
#ifndef TINY_LIB_SCHEDULE_SIZES_OPENSIZES_H
#define TINY_LIB_SCHEDULE_SIZES_OPENSIZES_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// An element of a buffer of sizes, with its bounds: where it is read, `sym.range_of` states them.
struct OpenSize {
  /// The number of the kernel's argument that is the buffer, and the element.
  unsigned argument = 0;
  int64_t element = 0;
  int64_t least = 0, most = 0;
};

/// The sizes with more than one value that some range of the kernel ends at, by argument and element.
llvm::SmallVector<OpenSize> findOpenSizes(FuncOp kernel);

/// States narrower bounds of a size. Ranges that end at sizes get no more points than they can have then; those that
/// fill tiles keep theirs, since indices into a tile count with them. What runs at sizes within the bounds is the same.
void narrow(FuncOp kernel, const OpenSize &size, int64_t least, int64_t most);

/// How many points of a range run at given values of the sizes. Of parts for threads those count that have points, as
/// if these were all as large as the largest.
class LiveTrips {
public:
  LiveTrips(FuncOp kernel, llvm::ArrayRef<OpenSize> sizes, llvm::ArrayRef<int64_t> values);
  int64_t operator()(RangeOp range) const;

private:
  /// What index arithmetic gives, with the first point of each range; none where it can not be told.
  std::optional<int64_t> evaluate(mlir::Value value, llvm::DenseMap<mlir::Value, int64_t> &known) const;
  llvm::DenseMap<mlir::Value, int64_t> given;
};

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_SIZES_OPENSIZES_H
