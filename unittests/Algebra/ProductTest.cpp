// What the parts of a product cost, and which tiles are found.
#include "Tiny/Algebra/Cost/Product.h"

#include "gtest/gtest.h"

using namespace tiny::cost;

namespace {

int64_t predictBest(const Product &product) { return findTiles(product, getGenericMachine()).front().times.getTotal(); }

TEST(Product, FewRowsOfATurnedFactorAreDotProducts) {
  // One row pays for no packing; 64 rows do, whose sums are short.
  Product row = Product::make(1, 1, 1024, 256, /*isTurned=*/true), rows = Product::make(1, 64, 32, 256, true);
  EXPECT_LT(chooseDots(row, getGenericMachine())->second, predictBest(row));
  EXPECT_GT(chooseDots(rows, getGenericMachine())->second, predictBest(rows));
  // Seven elements are no vector.
  EXPECT_FALSE(chooseDots(Product::make(1, 1, 7, 256, true), getGenericMachine()));
}

TEST(Product, SumsAreRegisters) {
  const Machine &machine = getGenericMachine();
  for (int64_t sums : {1, 2, 3}) {
    Product product = Product::make(1, 100, 64, 100);
    product.sums = sums;
    for (const TileChoice &choice : findTiles(product, machine)) {
      int64_t vectors = choice.tile.lanes / machine.getLanes();
      EXPECT_LE(vectors * choice.tile.rows * sums, machine.vectorRegisters) << choice.tile.describe();
      EXPECT_EQ(choice.tile.lanes % machine.getLanes(), 0) << choice.tile.describe();
    }
  }
}

TEST(Product, SortsByTime) {
  llvm::SmallVector<TileChoice, 0> choices = findTiles(Product::make(3, 50, 70, 90), getGenericMachine());
  for (size_t k = 1; k < choices.size(); ++k)
    EXPECT_LE(choices[k - 1].times.getTotal(), choices[k].times.getTotal());
}

TEST(Product, PacksWhatIsFarApart) {
  Product turned = Product::make(1, 64, 256, 64, /*isTurned=*/true);
  for (const TileChoice &choice : findTiles(turned, getGenericMachine()))
    EXPECT_TRUE(choice.tile.packLanes) << choice.tile.describe();
  RegisterTile tile{8, 16, 16, false, true, 1};
  int64_t packing = predictTile(turned, tile, getGenericMachine()).packLanes;
  EXPECT_GT(packing, 0);
  // Each block of rows packs all lanes again.
  turned.blockRows = 32;
  EXPECT_EQ(predictTile(turned, tile, getGenericMachine()).packLanes, 2 * packing);
  // Constants are packed before all runs.
  turned.b.front().isConstant = true;
  EXPECT_EQ(predictTile(turned, tile, getGenericMachine()).packLanes, 0);
}

TEST(Product, KeptRowsDivideTheirBlock) {
  Product product = Product::make(1, 500, 64, 1000);
  int64_t rows = chooseBlockRows(product, {6, 32, 32, false, true, 1}, 2, getGenericMachine());
  EXPECT_EQ(rows % 6, 0);
  EXPECT_LE(rows, 252);
  product.blockRows = 37;
  product.isKept = true;
  for (const TileChoice &choice : findTiles(product, getGenericMachine()))
    EXPECT_EQ(37 % choice.tile.rows, 0) << choice.tile.describe();
}

TEST(Product, OrderedSumsHaveNoBlocks) {
  Product product = Product::make(1, 64, 4096, 16);
  auto hasBlocks = [](const TileChoice &choice) { return choice.tile.blocks > 1; };
  EXPECT_TRUE(llvm::any_of(findTiles(product, getGenericMachine()), hasBlocks));
  product.mayReorder = false;
  EXPECT_FALSE(llvm::any_of(findTiles(product, getGenericMachine()), hasBlocks));
}

TEST(Product, PredictsAnyExtents) {
  for (int64_t extent : {int64_t(1), int64_t(3), int64_t(1) << 20})
    for (bool isTurned : {false, true}) {
      EXPECT_GT(predictBest(Product::make(extent, extent, extent, extent, isTurned)), 0);
      EXPECT_FALSE(findTiles(Product::make(1, extent, 1, 1, isTurned), Machine()).empty());
    }
}

} // namespace
