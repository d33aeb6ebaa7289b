// What steps that multiply matrices share: products with their factors in place, tiles, and axes of fragments.
#ifndef TINY_LIB_SCHEDULE_STEPS_PRODUCTTILES_H
#define TINY_LIB_SCHEDULE_STEPS_PRODUCTTILES_H

#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Schedule/Steps/Tensorize.h"
#include "mlir/IR/PatternMatch.h"

namespace tiny::kernel {

/// A product with its factors in their places: the left one varies along the rows.
struct PlacedProduct {
  ReduceOp reduce;
  MatrixProduct match;
};

/// The product that the depth is summed up in; none, and the reason, where factors do not vary along two axes each.
std::optional<PlacedProduct> findProduct(ProductAxes axes, std::string &reason);

/// Bytes of a line of a tile that lie together where units for matrices read them.
inline constexpr int64_t kPieceBytes = 128;

int64_t getBytes(mlir::Type type);

/// Subgroups that compute the tile's product of one instruction together.
int64_t countTeam(const ProductTile &tile, const cost::Machine &machine);

/// Whether the record has such an instruction.
bool hasShape(const cost::Machine &machine, llvm::ArrayRef<int64_t> shape, mlir::Type factor, mlir::Type sum);

/// Makes the depth longer. Behind its old end the factors are -0 and 0, so that products are what padding gives a sum.
void padDepth(mlir::RewriterBase &rewriter, RangeOp depth, int64_t multiple, PlacedProduct &product);

/// Puts the factor into a tile over the two axes that all lanes fill: each moves neighbours along the axis that memory
/// lies along, by vectors where `hasVectors` says so of that axis. The tile lies along it, too, or else along the
/// second axis where it keeps that order.
void stageFactor(mlir::RewriterBase &rewriter, mlir::Value factor, RangeOp first, RangeOp second, int64_t lanes,
                 std::array<bool, 2> hasVectors, bool keepsOrder = false);

/// An axis of a tile: subgroups outside, then the matrices of each, then their elements.
void shareAxis(mlir::RewriterBase &rewriter, RangeOp axis, int64_t subgroups, int64_t matrix);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_STEPS_PRODUCTTILES_H
