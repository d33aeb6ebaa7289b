// The layout of a tile of which several subgroups multiply matrices: lines cut into pieces of 128 bytes, swizzled, as
// units for matrices read them.
#ifndef TINY_LIB_TRANSFORMS_UOP_TILELAYOUT_H
#define TINY_LIB_TRANSFORMS_UOP_TILELAYOUT_H

#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "Tiny/Dialect/UOp/UOp.h"

namespace tiny::uop {

/// A tile, and how its lines lie now.
class TileLayout {
public:
  static constexpr int64_t kPieceBytes = FragmentLoadOp::kPieceBytes, kGroupBytes = FragmentLoadOp::kGroupBytes;
  /// Pieces after which the swizzle repeats.
  static constexpr int64_t kPieces = 8;

  explicit TileLayout(LocalOp tile);

  /// Whether several subgroups multiply matrices of it.
  bool isOfTeams() const;
  /// Why it can't be laid out, or nothing.
  llvm::StringRef whyNot();
  /// Moves reads, stores and copies of vectors there. Copies of boxes make it so by themselves.
  void run();

  /// Elements of a line, which `whyNot` finds; of a piece; and of all that begin at one column.
  int64_t getLine() const { return line; }
  int64_t getPiece() const { return piece; }
  int64_t getPanel() const { return count / line * piece; }

private:
  /// Whether what the operation touches is laid out as it says.
  bool fits(mlir::Operation *user) const;
  /// (column // piece) * panel + line * piece + column % piece
  Expr place(ExprContext &context, Expr index) const;
  /// x xor (x // piece % 8 * group), of the part of x that is no multiple of eight pieces.
  Expr swizzle(ExprContext &context, Expr index) const;

  LocalOp tile;
  int64_t count, width, piece, group, line = 0;
};

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_TILELAYOUT_H
