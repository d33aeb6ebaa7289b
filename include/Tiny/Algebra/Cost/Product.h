// Predicts sums of products, of a row of one factor and a lane of another each, in tiles of registers and as dot
// products, from nests that are made of their sizes.
#ifndef TINY_ALGEBRA_COST_PRODUCT_H
#define TINY_ALGEBRA_COST_PRODUCT_H

#include "Tiny/Algebra/Cost/Nest.h"

namespace tiny::cost {

/// One factor: how far its neighbours lie apart, in elements, and what is done to each before it is multiplied.
struct Factor {
  int64_t bytes = 4;
  /// Along the rows, or the lanes, that it has, and along each reduced axis.
  std::optional<int64_t> stride = 1;
  llvm::SmallVector<std::optional<int64_t>, 4> reduced;
  /// Points of the other axes that it varies over: each has a matrix of its own.
  int64_t others = 1;
  /// It is packed once, for all runs.
  bool isConstant = false;
  bool isGated = false;
  llvm::SmallVector<OpClass, 0> work;
};

/// For each of `others`, `sums` sums of products in the same loops. `a` has the rows, `b` the lanes: a factor of
/// several sums is there once. Elements of the sums have `bytes`.
struct Product {
  int64_t rows = 1, lanes = 1, others = 1, sums = 1, bytes = 4;
  /// So many rows are in one block, for each of which the lanes' factor passes again; 0 for all.
  int64_t blockRows = 0;
  /// Their sums are in a tile, which is read before the next block fills it.
  bool isKept = false;
  /// Its sums are read right where they are computed, and no more of them are in caches than a tile.
  bool isFused = false;
  /// Sums may be added up in any order.
  bool mayReorder = true;
  llvm::SmallVector<int64_t, 4> reduced;
  llvm::SmallVector<Factor, 2> a, b;

  int64_t countReduced() const;
  /// The rows of a block.
  int64_t countBlockRows() const { return blockRows > 0 ? blockRows : rows; }
  /// Elements of the sums in a vector register.
  int64_t countLanes(const Machine &machine) const;
  /// Whether the rows lie element by element along the innermost reduced axis, with no operations on them.
  bool hasPlainRows() const;
  /// Whether the lanes are neighbours in memory.
  bool walksLanes() const;
  /// A product of two matrices as they lie, rows x depth by depth x lanes; `isTurned` has the other one as lanes x
  /// depth.
  static Product make(int64_t others, int64_t rows, int64_t depth, int64_t lanes, bool isTurned = false);
};

/// Sums in registers: so many rows and lanes of each. Factors are packed into such tiles, `panel` lanes at once; the
/// outermost reduced axis may be cut into blocks, over which a tile in memory has the sums of all lanes.
struct RegisterTile {
  int64_t rows = 1, lanes = 1, panel = 1;
  bool packRows = false, packLanes = false;
  int64_t blocks = 1;

  std::string describe() const;
};

/// Picoseconds of the parts of a product in tiles.
struct TileTimes {
  int64_t packRows = 0, packLanes = 0, sums = 0;
  int64_t getTotal() const { return packRows + packLanes + sums; }
};
TileTimes predictTile(const Product &product, const RegisterTile &tile, const Machine &machine);

struct TileChoice {
  RegisterTile tile;
  TileTimes times;
};
/// Tiles from the least predicted time on, at least one: some vectors of lanes, with as many rows as leave their sums
/// in registers, or somewhat fewer. Rows of sums that are kept divide those of a block.
llvm::SmallVector<TileChoice, 0> findTiles(const Product &product, const Machine &machine);

/// How many rows of sums to keep in a tile before they are read, of blocks that are at least so many: few enough for
/// the tile to stay near, and many, since the lanes' factor passes again for each block.
int64_t chooseBlockRows(const Product &product, const RegisterTile &tile, int64_t fewestBlocks, const Machine &machine);

/// Lanes along the innermost reduced axis, of which each sum has some vectors, added up in the end. Nothing is packed.
struct DotShape {
  int64_t rows = 1, columns = 1, vectors = 1;

  std::string describe() const;
};
int64_t predictDots(const Product &product, const DotShape &shape, const Machine &machine);

/// The shape of the least time, of those whose sums, with a vector of each column and one of a row, are registers.
/// `tell` hears of each. None where the innermost reduced axis has no vector of points.
std::optional<std::pair<DotShape, int64_t>> chooseDots(
    const Product &product, const Machine &machine,
    llvm::function_ref<void(const DotShape &, int64_t)> tell = [](const DotShape &, int64_t) {});

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_PRODUCT_H
