// Which reductions run side by side in one kernel.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_SIDEBYSIDE_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_SIDEBYSIDE_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Support/Remarks.h"

namespace tiny::lazy {

class FusionHints;

/// A reduction that a kernel runs for a value that it stores.
struct FusedReduction {
  mlir::Attribute space; ///< what it combines
  unsigned nest;         ///< of the loops over what is stored
  double combined;       ///< elements in all
  unsigned node;
  mlir::Attribute loops = {}; ///< of a product: see `getProductLoops`
  double product = 0;         ///< elements that it combines, if it is a product of two values
  bool isWritten = false;     ///< its few elements stand in the body of another one

  bool isLarge(const cost::CostModel &costs) const { return !costs.isSmallProduct(product); }
};

/// The loops of a sum of products of two floats that is evaluated at the points of `view`, as a key: their extents, the
/// reduced ones among them, and the loops along which each factor varies. kernel-default-schedule tiles sums of one
/// kernel together if their keys are equal. Null for any other reduction, and if a factor varies along all loops.
mlir::Attribute getProductLoops(ReduceOp sum, const ShapeTracker &view);

/// The loops of the products of a kernel that stores the first result of `stored` and also runs `fused`. Null if the
/// kernel has other reductions.
mlir::Attribute findProductLoops(mlir::Operation *stored, llvm::ArrayRef<FusedReduction> fused,
                                 const FusionHints &hints);

/// The rows of a product in the innermost two of its loops. They have `rows` times `lanes` elements; one factor varies
/// along the rows only, the other along the lanes only. `sharing` rows read the same part of the second factor.
struct ProductRows {
  int64_t rows = 0, lanes = 0, sharing = 0;
};

/// The rows of products in these loops (see `getProductLoops`), or none if the loops have another form.
std::optional<ProductRows> findProductRows(mlir::Attribute loops);

/// Why a reduction can't run in a kernel that runs `others`, or an empty string if it can.
Reason whyNotBeside(const FusedReduction &own, llvm::ArrayRef<FusedReduction> others, const cost::CostModel &costs);

/// Why the `count` windows of a reduction can't each run where they are wanted, or an empty string if they can.
/// `window` is one of them, and they have `combined` elements in all. `inOneKernel` says that one kernel wants all of
/// them.
Reason whyNotInWindows(ReduceOp reduce, const FusedReduction &window, size_t count, double combined, bool inOneKernel,
                       const cost::CostModel &costs);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_SIDEBYSIDE_H
