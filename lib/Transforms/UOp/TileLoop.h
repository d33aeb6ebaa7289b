// A loop whose body fills tiles between barriers and reads them behind one: what uop-pipeline-tiles and
// uop-copy-boxes look at.
#ifndef TINY_LIB_TRANSFORMS_UOP_TILELOOP_H
#define TINY_LIB_TRANSFORMS_UOP_TILELOOP_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tiny::uop {

/// Loops that fill tiles with `buffers(n)`, and these tiles.
llvm::MapVector<mlir::Operation *, llvm::SmallVector<LocalOp>> findTileLoops(FuncOp func);

/// A vector that goes to a tile as it is where the gate is on, else as zeros.
struct MovedVector {
  LoadOp load;
  mlir::Value condition;
};
std::optional<MovedVector> matchMove(StoreOp store);

class TileLoop {
public:
  TileLoop(ForOp loop, llvm::ArrayRef<LocalOp> tiles)
      : loop(loop), tiles(tiles), builder(loop), induction(loop.getInductionVar()) {}

  /// Why the tiles can't be filled ahead, or nothing.
  llvm::StringRef whyNot();

protected:
  /// Whether a barrier stands behind all that fills the tile, and in front of all that reads it.
  bool isReadBehindBarrier(LocalOp tile);
  /// Whether all that writes to the other tile is done once and for all in front of the loop.
  bool isFilledBefore(LocalOp tile);
  /// Why barriers of the loop are there for something else, too, or nothing.
  llvm::StringRef whyNotAlone();
  mlir::Value makeIndex(mlir::Location loc, int64_t value);
  static int64_t countElements(mlir::Value tile) {
    return llvm::cast<mlir::MemRefType>(tile.getType()).getNumElements();
  }
  /// What fills the tiles, in the body's order; false where that can't run for another iteration.
  bool findSlice();
  /// Whether all that fill tiles are moves of vectors, and nothing is loaded for them but these.
  bool isAllMoves();
  /// What reads the tiles, in order.
  llvm::SmallVector<mlir::Operation *> findReads();
  /// Adds what the index is made of in the loop's body. Whether that is the same in all iterations.
  bool collectIndex(mlir::Value index, llvm::SmallPtrSetImpl<mlir::Operation *> &ops);

  ForOp loop;
  llvm::ArrayRef<LocalOp> tiles;
  mlir::OpBuilder builder;
  /// The number of the iteration, in the loop as it is now.
  mlir::Value induction;
  int64_t nRounds = 0, nBuffers = 1;
  llvm::SetVector<StoreOp> fills;
  llvm::SmallVector<mlir::Operation *> barriers, slice;
};

} // namespace tiny::uop

#endif // TINY_LIB_TRANSFORMS_UOP_TILELOOP_H
