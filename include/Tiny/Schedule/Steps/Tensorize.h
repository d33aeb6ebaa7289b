// Products of matrices by a workgroup of a GPU: on the instructions that it has for them, or in its lanes' registers.
#ifndef TINY_SCHEDULE_STEPS_TENSORIZE_H
#define TINY_SCHEDULE_STEPS_TENSORIZE_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny::kernel {

/// How a workgroup computes a tile of a product.
struct ProductTile {
  /// Rows, columns and depth of the tile.
  std::array<int64_t, 3> extents;
  /// Subgroups along its rows and its columns, which share it evenly; lanes where no instruction multiplies matrices.
  std::array<int64_t, 2> subgroups;
  /// The product of one instruction; zeros where each lane multiplies elements.
  std::array<int64_t, 3> shape = {};

  bool isOfLanes() const { return shape[0] == 0; }
};

/// Rows, columns and depth of a product: two free axes and a reduced one.
struct ProductAxes {
  RangeOp rows, columns, depth;
};

/// Why a workgroup of the device can't compute the product so, or an empty string if they can. See
/// `transform.tiny.tensorize`.
std::string whyNotTensorize(ProductAxes axes, const ProductTile &tile, const cost::Machine &machine);

/// Lets a workgroup compute the product. `whyNotTensorize` must be empty.
void tensorize(mlir::RewriterBase &rewriter, ProductAxes axes, const ProductTile &tile, const cost::Machine &machine);

/// Whether lanes turn the right factor where they put it into its tile: it lies across the depth, and subgroups that
/// multiply together read elements of more than 16 bits along the depth alone. Then lanes move single elements.
bool turnsRight(ProductAxes axes, const ProductTile &tile, const cost::Machine &machine);

/// Of two products with a running maximum between them: free rows, the keys that are columns of the first one and the
/// depth of the second one, the depth of the first one, and free columns of the second one.
struct OnlineAxes {
  RangeOp rows, keys, depth, columns;
};

/// Why the subgroups of a workgroup can't compute both products in blocks of keys, or an empty string if they can. The
/// tile has rows, keys and all of the depth.
std::string whyNotTensorizeOnline(OnlineAxes axes, const ProductTile &tile, const cost::Machine &machine);

/// Lets a workgroup compute both. `whyNotTensorizeOnline` must be empty.
void tensorizeOnline(mlir::RewriterBase &rewriter, OnlineAxes axes, const ProductTile &tile,
                     const cost::Machine &machine);

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_TENSORIZE_H
