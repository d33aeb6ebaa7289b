// Which sizes of a kernel share a schedule.
#ifndef TINY_LIB_SCHEDULE_SIZES_SIZETREE_H
#define TINY_LIB_SCHEDULE_SIZES_SIZETREE_H

#include "OpenSizes.h"
#include "Tiny/Algebra/Cost/Machine.h"

#include <memory>

namespace tiny::kernel {

/// A box of sizes. Either one schedule serves it, or a threshold of one size divides it in two.
struct SizeTree {
  llvm::SmallVector<int64_t> least, most;
  /// How many times as long as the schedule of a size's own this one takes at the worst, as predicted.
  double regret = 1;
  /// The number of the size that divides it, and the last of its values below.
  size_t size = 0;
  int64_t threshold = 0;
  std::unique_ptr<SizeTree> below, above;

  bool isLeaf() const { return !below; }
  size_t countLeaves() const { return isLeaf() ? 1 : below->countLeaves() + above->countLeaves(); }
};

/// Divides the sizes of a kernel until the default schedule for the greatest ones of each part is predicted to be fast
/// at all that are looked at: points in geometric steps between the bounds of each size. There are few parts; if the
/// prediction asks for more, all of them may be slower.
///
/// This is the choice of a few micro-kernels for a range of shapes that DietCode makes (Zheng et al., MLSys 2022), with
/// predicted times, and with the parts found by cutting instead of by a classifier.
std::unique_ptr<SizeTree> divideSizes(FuncOp kernel, const cost::Machine &machine);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_SIZES_SIZETREE_H
