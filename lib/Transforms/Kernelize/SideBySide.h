// Which reductions run side by side in one kernel.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_SIDEBYSIDE_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_SIDEBYSIDE_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Transforms/Kernelize/CostModel.h"

namespace tiny::lazy {

class FusionHints;

/// A reduction that runs where its result is used.
struct FusedReduction {
  mlir::Attribute space; ///< what it combines
  unsigned nest;         ///< of the loops over what is stored
  double combined;       ///< elements in all
  unsigned node;
  mlir::Attribute loops = {}; ///< of a product: see `getProductLoops`
  double product = 0;         ///< elements that it combines, if it is a product of two values

  bool isLarge(const CostModel &costs) const { return product > costs.smallProduct; }
};

/// The loops of a sum of products of two floats that is evaluated at the points of `view`, as a key: their extents,
/// those of the sum, and along which of them each factor varies. Where sums of one kernel have equal keys,
/// kernel-default-schedule tiles them together. Null for any other reduction, and where a factor varies along all
/// loops.
mlir::Attribute getProductLoops(ReduceOp sum, const ShapeTracker &view);

/// The loops of the products of a kernel that stores the first result of `stored` and runs `fused` besides, where it
/// reduces nothing else; null where it does.
mlir::Attribute findProductLoops(mlir::Operation *stored, llvm::ArrayRef<FusedReduction> fused,
                                 const FusionHints &hints);

/// The rows of a product in the innermost two of its loops: of `rows` times `lanes` elements, of which one factor
/// varies along the rows only and the other along the lanes only. `sharing` rows read the same of the second factor.
struct ProductRows {
  int64_t rows = 0, lanes = 0, sharing = 0;
};

/// Those of products in such loops (see `getProductLoops`); none where their loops are others.
std::optional<ProductRows> findProductRows(mlir::Attribute loops);

/// Why a reduction can't run in a kernel that runs `others`, or an empty string.
llvm::StringRef whyNotBeside(const FusedReduction &own, llvm::ArrayRef<FusedReduction> others, const CostModel &costs);

/// Why `count` windows of a reduction, of which `window` is one and which have `combined` elements in all, can't each
/// run where they are wanted, or an empty string. `inOneKernel` says that this is one place.
llvm::StringRef whyNotInWindows(ReduceOp reduce, const FusedReduction &window, size_t count, double combined,
                                bool inOneKernel, const CostModel &costs);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_SIDEBYSIDE_H
